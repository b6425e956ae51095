"""The commands of the chat at a terminal, such as `/threads` and `/undo c7`.

A command is one line that begins with a slash and a word. All else is said to the assistant; so is
a line with a space before the slash.
"""

import difflib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from pagekeeper_core.errors import Cancelled, PagekeeperError
from pagekeeper_desktop.cli.changes import change_phrase
from pagekeeper_desktop.cli.chat_actions import ChatActions
from pagekeeper_desktop.cli.console import Console
from pagekeeper_desktop.cli.identifiers import change_named
from pagekeeper_desktop.cli.invocation import UsageError
from pagekeeper_desktop.cli.session import Session
from pagekeeper_desktop.cli.threads import thread_name
from pagekeeper_desktop.composition import Memory
from pagekeeper_desktop.view_models.formatting import one_line

__all__ = ["ChatCommands", "CommandCompleter"]

_COMMAND = re.compile(r"/([A-Za-z][A-Za-z-]*)(?:[ \t]+([^\n]*))?[ \t]*")
_MOST_CHANGES = 10
_LONGEST = 40


@dataclass(frozen=True, slots=True)
class ChatCommand:
    """A command of the chat.

    Attributes:
        name: As it is typed behind the slash.
        operand: What follows, as the help writes it; in brackets if it may be left out.
        summary: What it does, for the help.
        action: Does it.
    """

    name: str
    operand: str
    summary: str
    action: Callable[[ChatActions, str], None]

    @property
    def usage(self) -> str:
        """How it is typed."""
        return f"/{self.name} {self.operand}".rstrip()

    def takes(self, operand: str) -> bool:
        """Whether that may follow its name."""
        if self.operand.startswith("["):
            return True
        return bool(operand) == bool(self.operand)


COMMANDS = (
    ChatCommand("new", "[TITLE]", "begin a conversation", ChatActions.new),
    ChatCommand("threads", "", "list the conversations", ChatActions.threads),
    ChatCommand("open", "N", "go on in another one", ChatActions.open),
    ChatCommand("rename", "TITLE", "give this one another title", ChatActions.rename),
    ChatCommand("archive", "[N]", "put this one, or another, away", ChatActions.archive),
    ChatCommand("search", "TEXT", "look something up in all that it knows", ChatActions.search),
    ChatCommand("blocks", "", "show what it always has in mind", ChatActions.blocks),
    ChatCommand("block", "NAME LIMIT ABOUT", "add one of your own", ChatActions.block),
    ChatCommand("history", "", "show what changed in its memory last", ChatActions.history),
    ChatCommand("why", "TEXT|ID", "show why it knows something", ChatActions.why),
    ChatCommand("undo", "ID", "take a change back", ChatActions.undo),
    ChatCommand("forget", "TEXT|ID", "hide something from it", ChatActions.forget),
    ChatCommand("restore", "ID", "let it find that again", ChatActions.restore),
    ChatCommand("proposals", "", "list what it found worth changing", ChatActions.proposals),
    ChatCommand("accept", "N", "make a change that it proposes", ChatActions.accept),
    ChatCommand("dismiss", "N", "leave that as it is", ChatActions.dismiss),
    ChatCommand("reminders", "", "list what it will bring up when", ChatActions.reminders),
    ChatCommand("remind", "WHEN: TEXT", "have it bring something up", ChatActions.remind),
    ChatCommand("cancel", "N", "end a reminder", ChatActions.cancel),
)
_BY_NAME = {command.name: command for command in COMMANDS}
_OTHERS = ("help", "quit")
"""What the chat itself does."""


class ChatCommands:
    """Carries out what is typed with a slash; whatever is wrong with it, the chat goes on."""

    def __init__(self, session: Session, console: Console) -> None:
        self._actions = ChatActions(session, console)
        self._console = console

    def carry_out(self, line: str) -> bool:
        """Do what the line commands; False if it is no command but a message."""
        match = _COMMAND.fullmatch(line)
        if match is None:
            return False
        name, operand = match[1].lower(), (match[2] or "").strip()
        if name == "help":
            self._help()
        elif name in _BY_NAME:
            self._run(_BY_NAME[name], operand)
        else:
            self._console.note(_unknown(name))
        return True

    def _run(self, command: ChatCommand, operand: str) -> None:
        if not command.takes(operand):
            self._console.note(f"Right use: {command.usage}")
            return
        try:
            command.action(self._actions, operand)
        except UsageError as error:
            self._console.note(f"{str(error).capitalize()}. Right use: {command.usage}")
        except (Cancelled, KeyboardInterrupt):
            self._console.aside("Stopped.")
        except PagekeeperError as error:
            self._console.error(error)

    def _help(self) -> None:
        width = max(len(command.usage) for command in COMMANDS) + 2
        for command in COMMANDS:
            self._console.line(f"{command.usage:<{width}}{command.summary}")
        self._console.line(f"{'/quit':<{width}}leave, like Ctrl+D")
        self._console.line(
            "Tab completes, Alt+Enter begins a new line. With a space first it is a message."
        )


class CommandCompleter(Completer):
    """Completes names of commands, and the numbers that they take."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def get_completions(
        self,
        document: Document,
        complete_event: CompleteEvent,  # noqa: ARG002 - every completer is given it
    ) -> Iterable[Completion]:
        """What may stand at the cursor; nothing outside a command."""
        typed = document.text_before_cursor
        if not typed.startswith("/") or "\n" in typed:
            return
        name, space, operand = typed[1:].partition(" ")
        choices = self._operands(name) if space else _names()
        written = operand if space else name
        for text, display in choices:
            if text.startswith(written):
                yield Completion(text, start_position=-len(written), display=display)

    def _operands(self, name: str) -> Iterator[tuple[str, str]]:
        match name:
            case "open" | "archive":
                for thread in self._memory.threads.threads(archived=name == "open"):
                    number = str(thread.thread_id)
                    yield number, f"{number} {thread_name(thread)}"
            case "cancel":
                for reminder in self._memory.reminders.active():
                    number = str(reminder.reminder_id)
                    yield number, f"{number} {one_line(reminder.text, _LONGEST)}"
            case "accept" | "dismiss":
                for proposal in self._memory.proposals.proposals():
                    number = str(proposal.proposal_id)
                    yield number, f"{number} {one_line(proposal.reason, _LONGEST)}"
            case "undo" | "why":
                for change in self._memory.state.changes()[: -_MOST_CHANGES - 1 : -1]:
                    named = change_named(change.change_id)
                    yield named, f"{named} {change_phrase(change)}"
            case _:
                return


def _names() -> Iterator[tuple[str, str]]:
    for name in sorted([*_BY_NAME, *_OTHERS]):
        yield name, f"/{name}"


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, [*_BY_NAME, *_OTHERS], n=1, cutoff=0.5)
    meant = f"; did you mean /{near[0]}?" if near else ". /help shows what there is."
    return f"There is no /{name}{meant} With a space before the slash it is a message."
