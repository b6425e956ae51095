"""What the commands of the chat do; each takes what was typed behind its name."""

import re

from pagekeeper_core.events import (
    ReminderCancelled,
    ReminderSet,
    ThreadArchived,
    ThreadOpened,
    ThreadRenamed,
)
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.records import MemoryChange, Thread
from pagekeeper_desktop.cli.argument_types import NEW_THREAD
from pagekeeper_desktop.cli.by_hand import ByHand
from pagekeeper_desktop.cli.changes import change_lines, speaker
from pagekeeper_desktop.cli.console import Console
from pagekeeper_desktop.cli.history import words_of, write_changes, write_explanations
from pagekeeper_desktop.cli.identifiers import change_id, change_named
from pagekeeper_desktop.cli.invocation import UsageError
from pagekeeper_desktop.cli.memory import write_blocks
from pagekeeper_desktop.cli.memory_figures import block_figures
from pagekeeper_desktop.cli.memory_lookup import explain, to_forget, to_restore
from pagekeeper_desktop.cli.proposals import proposal_lines
from pagekeeper_desktop.cli.reminders import newest, reminder_line, reminder_lines
from pagekeeper_desktop.cli.searching import Search, look_up, write_found
from pagekeeper_desktop.cli.session import Session
from pagekeeper_desktop.cli.threads import thread_lines, thread_name, title_from
from pagekeeper_desktop.view_models.formatting import is_blank, one_line

__all__ = ["ChatActions"]

_LAST_SAID = 4
"""Messages that are shown of a conversation when it is opened."""
_LOOKED_AT = 40
"""Messages among which these are looked for: calls and results stand between them."""
_LONGEST = 200
_COLON = re.compile(": |：")
"""Not the colon of 9:30; the full-width one needs no space."""
_RECENT = 10
"""Changes that the history shows in the chat."""


class ChatActions:
    """The person's hand in a running chat."""

    def __init__(self, session: Session, console: Console) -> None:
        self._session = session
        self._console = console
        self._hand = ByHand(session.memory, session.act)

    def new(self, title: str) -> None:
        """Begin a conversation."""
        title = title_from([title]) if title else ""
        self._session.act(ThreadOpened(NEW_THREAD))
        if title:
            self._session.act(ThreadRenamed(self._session.thread_id, title))
        self._tell_open()

    def threads(self, _: str) -> None:
        """List the conversations, those put away too."""
        listed = self._session.memory.threads.threads(archived=True)
        for line in thread_lines(listed, self._session.thread_id):
            self._console.line(line)

    def open(self, number: str) -> None:
        """Go on in another conversation, and show its end."""
        self._session.act(ThreadOpened(_number(number)))
        self._tell_open()
        for message in self._last_said():
            text = one_line(message.text, _LONGEST)
            self._console.aside(f"  {speaker(message)}: {text}")

    def rename(self, title: str) -> None:
        """Give the open conversation another title."""
        self._session.act(ThreadRenamed(self._session.thread_id, title_from([title])))
        self._tell_open()

    def archive(self, number: str) -> None:
        """Put a conversation away: the open one, if no other is named."""
        put_away = _number(number) if number else self._session.thread_id
        self._session.act(ThreadArchived(put_away, archived=True))
        self._console.aside(
            f"Conversation {put_away} is put away; /open {put_away} brings it back."
        )
        self._tell_open()

    def search(self, words: str) -> None:
        """Look something up in all that memory holds."""
        found = look_up(self._session.memory, Search(words_of([words])))
        write_found(found, self._console)
        if found.fault:
            raise found.fault

    def blocks(self, _: str) -> None:
        """Show what the assistant always has in mind."""
        window = self._session.context_window
        write_blocks(block_figures(self._session.memory, window), self._console)

    def block(self, words: str) -> None:
        """Make a block: its name, its limit in tokens, what belongs in it."""
        name, _, rest = words.partition(" ")
        limit, _, about = rest.strip().partition(" ")
        if not about.strip():
            raise UsageError("a block needs a name, a limit in tokens, and what belongs in it")
        self._hand.make_block(name, about, _number(limit))
        self._console.aside(f"The block {name} is there; /blocks shows it.")

    def history(self, _: str) -> None:
        """Show what changed in memory last."""
        newest = self._session.memory.state.changes()[: -_RECENT - 1 : -1]
        write_changes(newest, self._console)
        if not newest:
            self._console.aside("Nothing has changed yet.")

    def why(self, words: str) -> None:
        """Show why memory holds something."""
        found = explain(self._session.memory, words_of([words]))
        write_explanations(found, self._console)
        if found.fault:
            raise found.fault

    def undo(self, name: str) -> None:
        """Take a change back."""
        self._tell_change(self._hand.undo(change_id(name)))

    def forget(self, words: str) -> None:
        """Hide something from the assistant."""
        target = to_forget(self._session.memory, words_of([words]))
        self._tell_change(self._hand.forget(target))

    def restore(self, name: str) -> None:
        """Let the assistant find something again."""
        self._tell_change(self._hand.restore(to_restore(self._session.memory, name)))

    def proposals(self, _: str) -> None:
        """List what the assistant found worth changing."""
        lines = proposal_lines(self._session.memory.proposals.proposals())
        for line in lines:
            self._console.line(line)
        if not lines:
            self._console.aside("Nothing is proposed.")

    def accept(self, number: str) -> None:
        """Make the change that was proposed."""
        for change in self._hand.decide(_number(number), accepted=True):
            self._tell_change(change)

    def dismiss(self, number: str) -> None:
        """Leave memory as it is; the same is not proposed again."""
        self._hand.decide(_number(number), accepted=False)
        self._console.aside(f"Proposal {number} is dismissed.")

    def reminders(self, _: str) -> None:
        """List what the assistant will bring up."""
        lines = reminder_lines(self._session.memory)
        for line in lines:
            self._console.line(line)
        if not lines:
            self._console.aside("No reminders. /remind on Friday at nine: TEXT sets one.")

    def remind(self, words: str) -> None:
        """Set a reminder: when, a colon and a space, what about."""
        when, *rest = _COLON.split(words, maxsplit=1)
        text = "".join(rest)
        if is_blank(when) or is_blank(text):
            raise UsageError("a colon and a space part when and what")
        self._session.act(ReminderSet(text, when))
        memory = self._session.memory
        self._console.line(reminder_line(memory, newest(memory)))

    def cancel(self, number: str) -> None:
        """End a reminder."""
        self._session.act(ReminderCancelled(_number(number)))
        self._console.aside(f"Reminder {number} will not come any more.")

    def _tell_change(self, change: MemoryChange) -> None:
        for line in change_lines(change):
            self._console.line(line)
        self._console.aside(f"/undo {change_named(change.change_id)} takes this back.")

    def _tell_open(self) -> None:
        thread = self._open_thread()
        self._console.aside(f"Conversation {thread.thread_id}: {thread_name(thread)}")

    def _open_thread(self) -> Thread:
        return self._session.memory.threads.get(self._session.thread_id)

    def _last_said(self) -> list[Message]:
        thread_id = self._session.thread_id
        messages = self._session.memory.recall.read_last(_LOOKED_AT, thread_id=thread_id)
        kinds = {MessageKind.USER, MessageKind.ASSISTANT}
        return [m for m in messages if m.kind in kinds and m.text][-_LAST_SAID:]


def _number(word: str) -> int:
    if not (word.isascii() and word.isdigit() and int(word) > 0):
        raise UsageError(f"'{word}' is no number of the list")
    return int(word)
