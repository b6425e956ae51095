"""Every command of the command line: its words, its operands, its help."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pagekeeper_desktop.cli import argument_types as types

__all__ = ["COMMANDS", "Command", "Group"]

Group = argparse._ArgumentGroup  # noqa: SLF001 - argparse gives its result no public name


@dataclass(frozen=True, slots=True)
class Command:
    """How a command is called and what its help says.

    Attributes:
        words: Its name, one to three words. Of a group the one that ends in "list" needs no name.
        operands: What follows the name, as its help writes it.
        description: What it does, for its help.
        examples: Lines to try.
        add_arguments: Declares the operands and its own options.
        has_json: Whether it takes `--json`.
    """

    words: tuple[str, ...]
    operands: str
    description: str
    examples: tuple[str, ...]
    add_arguments: Callable[[Group], None]
    has_json: bool = True

    @property
    def name(self) -> str:
        """The name as it is typed."""
        return " ".join(self.words)


def _add_nothing(group: Group) -> None:
    pass


def _add_chat(group: Group) -> None:
    group.add_argument(
        "--thread",
        metavar="N",
        type=types.thread,
        help="the conversation (see `pagekeeper threads`), or new; otherwise the newest",
    )


def _add_question(group: Group) -> None:
    group.add_argument("text", metavar="TEXT", nargs="+", help="what to ask; -: standard input")
    _add_chat(group)


def _add_number(group: Group) -> None:
    group.add_argument("number", metavar="N", type=types.positive, help="its number in the list")


def _add_thread_list(group: Group) -> None:
    group.add_argument("--all", action="store_true", help="those put away, too")


def _add_new_thread(group: Group) -> None:
    group.add_argument("title", metavar="TITLE", nargs="*", help="otherwise its first words")


def _add_renamed_thread(group: Group) -> None:
    _add_number(group)
    group.add_argument("title", metavar="TITLE", nargs="+", help="the new title")


def _add_search(group: Group) -> None:
    group.add_argument("text", metavar="TEXT", nargs="*", help="words to look for")
    group.add_argument("--thread", metavar="N", type=types.positive, help="in this conversation")
    group.add_argument("--by", choices=("you", "keeper"), help="what you said, or the assistant")
    group.add_argument("--when", metavar="DATE", type=types.text, help='then: "last week", 2026-03')
    group.add_argument(
        "--from", dest="start", metavar="DATE", type=types.text, help="from that day on"
    )
    group.add_argument(
        "--to", dest="end", metavar="DATE", type=types.text, help="until the end of that day"
    )
    _add_page(group)


def _add_page(group: Group) -> None:
    group.add_argument(
        "--page", metavar="N", type=types.positive, default=1, help="page of the results, from 1"
    )


def _add_history(group: Group) -> None:
    group.add_argument("--block", metavar="NAME", help="only the changes of this block")
    _add_page(group)


def _add_text(group: Group) -> None:
    group.add_argument("text", metavar="TEXT", nargs="+", help="words of it, or its name")


def _add_change(group: Group) -> None:
    group.add_argument("name", metavar="ID", help="the change, as the history calls it: c7")


def _add_target(group: Group) -> None:
    group.add_argument("name", metavar="ID", help="the message or passage: m12, p1a2b3c4d")


def _add_reminder(group: Group) -> None:
    group.add_argument(
        "when",
        metavar="WHEN",
        type=types.text,
        help='in words: "on Friday at nine", "every day at 8"',
    )
    group.add_argument("text", metavar="TEXT", nargs="+", help="what it is about")


def _add_block(group: Group) -> None:
    group.add_argument("name", metavar="NAME", help="letters, digits and _: work")
    group.add_argument(
        "--about",
        metavar="TEXT",
        required=True,
        help="what belongs in it, for the assistant",
    )
    group.add_argument(
        "--limit", metavar="N", required=True, type=types.positive, help="tokens that it may hold"
    )


def _add_paths(group: Group) -> None:
    group.add_argument("paths", metavar="PATH", nargs="+", type=Path, help="a file or a folder")


def _add_document(group: Group) -> None:
    group.add_argument("name", metavar="ID", help="as `pagekeeper documents` shows it, or its name")


def _add_summarised(group: Group) -> None:
    group.add_argument("name", metavar="ID", help="as `pagekeeper documents` shows it, or a file")
    group.add_argument("--again", action="store_true", help="make it anew: with another model, say")


def _add_folder(group: Group) -> None:
    group.add_argument("folder", metavar="FOLDER", type=types.folder, help="the folder")


def _add_model(group: Group) -> None:
    group.add_argument(
        "name",
        metavar="NAME",
        nargs="?",
        help="a name from `pagekeeper models list`; otherwise what this computer needs",
    )


COMMANDS = (
    Command(
        ("chat",),
        "",
        "Talk in the terminal. The reply appears as it is written. Ctrl+C stops a reply;\n"
        "Ctrl+C once more, Ctrl+D or /quit leaves; /help shows more commands. A text of\n"
        "several lines can be pasted.\n"
        "With piped input every line is a message; replies go to standard output.",
        ("pagekeeper chat", "pagekeeper chat --json < messages.txt > replies.jsonl"),
        _add_chat,
    ),
    Command(
        ("ask",),
        "TEXT ...",
        "Ask one thing and print the reply. It is part of the same conversation as the\n"
        "window's and the chat's, and is remembered like them.",
        ('pagekeeper ask "Where did I park?"', "pagekeeper ask - < letter.txt"),
        _add_question,
    ),
    Command(
        ("memory", "show"),
        "",
        "Show what the assistant always has in mind, the summary of what it has not, and\n"
        "how many messages and documents it can search.",
        ("pagekeeper memory show", "pagekeeper memory show --json"),
        _add_nothing,
    ),
    Command(
        ("memory", "search"),
        "[TEXT ...]",
        "Look something up in all conversations and in the archive of notes and documents,\n"
        "as the assistant does. No language model is loaded for it. With an option that is\n"
        "about what was said, only conversations are searched; TEXT may be left out then.",
        (
            "pagekeeper memory search vet Bento",
            'pagekeeper memory search --by you --when "last week" Porto',
        ),
        _add_search,
    ),
    Command(
        ("memory", "history"),
        "",
        "Show what changed in what the assistant knows, when and by whom, the newest first.\n"
        "Nothing is ever taken out of this history.",
        ("pagekeeper memory history", "pagekeeper memory history --block human"),
        _add_history,
    ),
    Command(
        ("memory", "why"),
        "TEXT ...|ID",
        "Show why the assistant knows something: since when, what you said, and what it\n"
        "believed before. TEXT is a part of it, in the same words.",
        ("pagekeeper memory why Bento", "pagekeeper memory why c7"),
        _add_text,
    ),
    Command(
        ("memory", "undo"),
        "ID",
        "Take a change back. That is a change too, and can be taken back in turn.",
        ("pagekeeper memory undo c7",),
        _add_change,
    ),
    Command(
        ("memory", "forget"),
        "TEXT ...|ID",
        "Hide a note, a passage or a message from the assistant. You still find it, marked.\n"
        "Where TEXT fits more than one, they are listed and nothing is forgotten.",
        ("pagekeeper memory forget m12", "pagekeeper memory forget the old address"),
        _add_text,
    ),
    Command(
        ("memory", "restore"),
        "ID",
        "Let the assistant find again what was forgotten.",
        ("pagekeeper memory restore m12",),
        _add_target,
    ),
    Command(
        ("memory", "blocks"),
        "",
        "Show the blocks that the assistant always has in mind, yours among them, and what\n"
        "belongs in each.",
        ("pagekeeper memory blocks",),
        _add_nothing,
    ),
    Command(
        ("memory", "add-block"),
        "NAME --about TEXT --limit N",
        "Give the assistant a block of your own to keep in mind, or change what belongs in it\n"
        "and how much it may hold. All blocks together must leave room for a conversation.",
        ('pagekeeper memory add-block work --about "the user\'s projects" --limit 150',),
        _add_block,
    ),
    Command(
        ("memory", "proposals", "list"),
        "",
        "Show what the assistant, reading again what you said, found worth changing in what\n"
        "it knows. Nothing is changed before you accept it.",
        ("pagekeeper memory proposals",),
        _add_nothing,
    ),
    Command(
        ("memory", "proposals", "accept"),
        "N",
        "Make a change that is proposed. It can be taken back like any other.",
        ("pagekeeper memory proposals accept 3",),
        _add_number,
    ),
    Command(
        ("memory", "proposals", "dismiss"),
        "N",
        "Leave memory as it is. The same is not proposed again.",
        ("pagekeeper memory proposals dismiss 3",),
        _add_number,
    ),
    Command(
        ("threads", "list"),
        "",
        "Show the conversations, the newest first. Each has a view of its own; what the\n"
        "assistant knows is the same in all of them.",
        ("pagekeeper threads", "pagekeeper threads list --all"),
        _add_thread_list,
    ),
    Command(
        ("threads", "new"),
        "[TITLE ...]",
        "Begin a conversation. The next start of the window, the chat or `ask` opens it.",
        ("pagekeeper threads new Trip to Porto",),
        _add_new_thread,
    ),
    Command(
        ("threads", "rename"),
        "N TITLE ...",
        "Give a conversation another title.",
        ("pagekeeper threads rename 3 Trip to Porto",),
        _add_renamed_thread,
    ),
    Command(
        ("threads", "archive"),
        "N",
        "Put a conversation away. Nothing is lost: a search finds what was said in it.",
        ("pagekeeper threads archive 3",),
        _add_number,
    ),
    Command(
        ("threads", "restore"),
        "N",
        "Fetch a conversation back that was put away.",
        ("pagekeeper threads restore 3",),
        _add_number,
    ),
    Command(
        ("reminders", "list"),
        "",
        "Show what the assistant will bring up by itself, the next one first.",
        ("pagekeeper reminders",),
        _add_nothing,
    ),
    Command(
        ("reminders", "add"),
        "WHEN TEXT ...",
        "Have the assistant bring something up, once or again and again. It does so while\n"
        "Pagekeeper is open; what came due before that it says at the next start.",
        (
            'pagekeeper reminders add "on Friday at nine" call the vet',
            'pagekeeper reminders add "every morning" what is due?',
        ),
        _add_reminder,
    ),
    Command(
        ("reminders", "cancel"),
        "N",
        "End a reminder.",
        ("pagekeeper reminders cancel 3",),
        _add_number,
    ),
    Command(
        ("import",),
        "PATH ...",
        "Read files, or all files in folders, into the archive. What is there already is\n"
        "not read twice; a changed file takes the place of its older version. One bad file\n"
        "does not stop the others. After a crash the next import goes on with the rest.",
        ("pagekeeper import letter.pdf notes.txt", "pagekeeper import ~/Documents/taxes"),
        _add_paths,
    ),
    Command(
        ("documents", "list"),
        "",
        "Show the documents in the archive, the files that are on their way there, and the\n"
        "folders that are watched.",
        ("pagekeeper documents", "pagekeeper documents --json"),
        _add_nothing,
    ),
    Command(
        ("documents", "remove"),
        "ID",
        "Delete a document with its passages and all that was made of it. What was said of\n"
        "it in conversations stays, and so does the file itself.",
        ("pagekeeper documents remove 1a2b3c4d",),
        _add_document,
    ),
    Command(
        ("documents", "reimport"),
        "ID",
        "Read a document's file again, even if it has not changed.",
        ("pagekeeper documents reimport 1a2b3c4d",),
        _add_document,
    ),
    Command(
        ("summarise",),
        "ID",
        "Have the assistant say what is in a document, however long it is. A file that is not\n"
        "in the archive is read into it first. Ctrl+C stops; asked again, it goes on where it\n"
        "stopped, and what is summarised already is there at once.",
        ("pagekeeper summarise 1a2b3c4d", "pagekeeper summarise report.pdf"),
        _add_summarised,
    ),
    Command(
        ("documents", "watch"),
        "FOLDER",
        "Have the window read by itself what is in a folder, and what comes into it.",
        ("pagekeeper documents watch ~/Documents/inbox",),
        _add_folder,
        has_json=False,
    ),
    Command(
        ("documents", "unwatch"),
        "FOLDER",
        "Watch a folder no longer. What was read of it stays.",
        ("pagekeeper documents unwatch ~/Documents/inbox",),
        _add_folder,
        has_json=False,
    ),
    Command(
        ("models", "list"),
        "",
        "Show the language models that Pagekeeper knows, what they need, and which are here.",
        ("pagekeeper models list",),
        _add_nothing,
    ),
    Command(
        ("models", "download"),
        "[NAME]",
        "Fetch a model from the network and check it. An interrupted download goes on where\n"
        "it stopped. Nothing else in Pagekeeper uses the network.",
        ("pagekeeper models download", "pagekeeper models download NAME"),
        _add_model,
        has_json=False,
    ),
)
"""Every command, in the order of the help."""
