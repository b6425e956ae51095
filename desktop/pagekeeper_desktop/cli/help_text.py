"""The help of the program as a whole, written by hand; a test holds it to the commands."""

__all__ = ["program_help"]

_PROGRAM_HELP = """\
Pagekeeper is a private assistant. It runs on this computer alone, works with the
network off, and remembers what you tell it.

Usage:
  pagekeeper [OPTIONS]              open the window
  pagekeeper [OPTIONS] COMMAND ...  do one thing in the terminal

Commands:
  chat                     talk in the terminal
  ask TEXT ...             ask one thing and print the reply
  memory show              show what it knows about you, and how full its memory is
  memory search TEXT ...   look something up in conversations, notes and documents
  memory history           show what changed in it, when and by whom
  memory why TEXT|ID       show why it knows something
  memory undo ID           take a change back
  memory forget TEXT|ID    hide something from it
  memory restore ID        let it find that again
  memory blocks            show what it always has in mind
  memory add-block NAME    give it a block of your own to keep in mind
  memory proposals         what it found worth changing: list, accept, dismiss
  threads                  the conversations: list, new, rename, archive, restore
  reminders                what it will bring up when: list, add, cancel
  import PATH ...          read files or whole folders into its archive
  documents                what is there: list, remove, reimport, watch, unwatch
  summarise ID             say what is in a document, or in a file
  models list              show the language models, and which of them are here
  models download [NAME]   fetch a model: the only thing that uses the network

Options, before or after the command:
  --data-dir FOLDER        keep memory, settings and log in this folder
                           (otherwise: {data_dir})
  --model MODEL            a name from `pagekeeper models list`, or a GGUF file
  --context-window TOKENS  how much the model sees at once; a smaller one is faster
  --gpu-layers N           layers that the graphics processor computes; -1: all
  --json                   write results for a program, one JSON object a line
  --verbose                log in detail, and show the log in the terminal too
  --version                show the version
  -h, --help               show this help, or that of a command

Examples:
  pagekeeper ask "What did the vet say about Bento?"
  pagekeeper import ~/Documents/taxes
  pagekeeper memory search --json Porto
  echo "My name is Ana." | pagekeeper chat
"""


def program_help(data_dir: str) -> str:
    """The help text.

    Args:
        data_dir: The data folder that is used when none is chosen.
    """
    return _PROGRAM_HELP.format(data_dir=data_dir)
