"""What stands in the transcript, one frozen value a row, and how stored messages become rows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from pagekeeper_core.messages import Citation, Message, MessageKind
from pagekeeper_core.prompts import REMINDER_DUE
from pagekeeper_desktop.view_models.call_phrases import call_phrase

__all__ = [
    "OPEN",
    "BatchItem",
    "DayItem",
    "ImportItem",
    "ImportState",
    "Item",
    "MessageItem",
    "MessageState",
    "NoteItem",
    "ReminderItem",
    "Sender",
    "is_reminder",
    "is_under_way",
    "items_of",
    "local_day",
]


class Sender(StrEnum):
    """Whose words a row shows."""

    USER = "You"
    ASSISTANT = "Keeper"


class MessageState(StrEnum):
    """How far a message is."""

    WAITING = "waiting"
    """Written by the person, to be sent when the assistant is free."""
    SENT = "sent"
    """Handed to the assistant, not yet stored."""
    WRITING = "writing"
    """A reply that grows."""
    DONE = "done"
    """Stored and whole."""
    STOPPED = "stopped"
    """A reply that the person stopped."""
    FAILED = "failed"
    """Not answered, by an error."""


@dataclass(frozen=True, slots=True)
class MessageItem:
    """A message of the person or a reply.

    Attributes:
        sender: Whose it is.
        text: As it was written; Markdown, if it is a reply.
        at: When; aware. None while it waits.
        state: How far it is.
        calls: What the assistant did before it replied, a phrase each.
        progress: What is going on while there is no text yet.
        seq: Its number in recall storage; 0 while it is not stored.
        citations: The passages that a reply rests on.
    """

    sender: Sender
    text: str
    at: datetime | None = None
    state: MessageState = MessageState.DONE
    calls: tuple[str, ...] = ()
    progress: str = ""
    seq: int = 0
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class NoteItem:
    """A quiet line of the program."""

    text: str


@dataclass(frozen=True, slots=True)
class ReminderItem:
    """A reminder was due here: the assistant spoke first.

    Attributes:
        text: What it is about, and when it was due.
        at: When it was said; aware.
    """

    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class DayItem:
    """The messages below were written on this day (local)."""

    day: date


class ImportState(StrEnum):
    """How far an import is."""

    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    LOCKED = "locked"
    """It waits for a password."""
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class ImportItem:
    """A file on its way into the archive.

    Attributes:
        import_id: Its number in this session.
        name: The file's name.
        state: How far it is.
        message: The stage, the result, or the reason why not.
        hint: What the person can do when it failed.
        done: Units done, of `total`.
        total: 0 while it is unknown.
    """

    import_id: int
    name: str
    state: ImportState = ImportState.WAITING
    message: str = ""
    hint: str = ""
    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class BatchItem:
    """Files that were added together.

    Attributes:
        files: All of them, in their order.
        seconds_left: Until all are read; None while nobody can tell.
    """

    files: tuple[ImportItem, ...]
    seconds_left: int | None = None

    @property
    def finished(self) -> int:
        """How many are at their end."""
        return sum(item.state not in OPEN for item in self.files)

    @property
    def is_open(self) -> bool:
        """Whether one of them may still be read."""
        return any(item.state in OPEN for item in self.files)


OPEN = (ImportState.WAITING, ImportState.RUNNING, ImportState.PAUSED, ImportState.LOCKED)
"""States of a file that may still be read."""

Item = MessageItem | NoteItem | ReminderItem | DayItem | ImportItem | BatchItem


def is_under_way(item: Item) -> bool:
    """Whether a row belongs to no conversation: a file that is still being read."""
    if isinstance(item, BatchItem):
        return item.is_open
    return isinstance(item, ImportItem) and item.state in OPEN


def local_day(item: Item) -> date | None:
    """The local day on which a row's message was written."""
    if isinstance(item, MessageItem | ReminderItem) and item.at is not None:
        return item.at.astimezone().date()
    return item.day if isinstance(item, DayItem) else None


def items_of(messages: Iterable[Message]) -> list[Item]:
    """Stored messages as rows: what was said, under the day it was said on.

    Calls become phrases under the reply that followed them; results and alerts have no row, but
    reminders that were due.
    """
    return _with_days(_said(messages))


def is_reminder(message: Message) -> bool:
    """Whether a message is the note of a reminder that was due."""
    return message.kind is MessageKind.SYSTEM and message.text.startswith(REMINDER_DUE)


def _said(messages: Iterable[Message]) -> Iterable[MessageItem | ReminderItem]:
    calls: list[str] = []
    for message in messages:
        if message.kind is MessageKind.USER:
            calls.clear()
            yield MessageItem(Sender.USER, message.text, message.created_at, seq=message.seq)
        elif message.kind is MessageKind.ASSISTANT and message.text:
            yield MessageItem(
                Sender.ASSISTANT,
                message.text,
                message.created_at,
                calls=tuple(calls),
                seq=message.seq,
                citations=message.citations,
            )
            calls.clear()
        elif is_reminder(message):
            calls.clear()
            yield ReminderItem(message.text, message.created_at)
        elif message.call is not None:
            calls.append(call_phrase(message.call))


def _with_days(items: Iterable[MessageItem | ReminderItem]) -> list[Item]:
    rows: list[Item] = []
    current: date | None = None
    for item in items:
        day = local_day(item)
        if day is not None and day != current:
            rows.append(DayItem(day))
            current = day
        rows.append(item)
    return rows


def without_repeated_day(older: Sequence[Item], newer: Item) -> bool:
    """Whether `newer` is the heading of the day on which the older rows end."""
    return bool(older) and isinstance(newer, DayItem) and local_day(older[-1]) == newer.day
