"""The FIFO queue of messages, with the recursive summary in slot 0 (paper, section 2.1)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pagekeeper_core.function_calls import SEND_MESSAGE
from pagekeeper_core.messages import Message, MessageKind

__all__ = ["Group", "MessageQueue", "QueueEntry", "awaits_result"]


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """A message in the queue and the tokens that it takes there."""

    message: Message
    tokens: int


Group = tuple[QueueEntry, ...]
"""Entries that leave together: a call, its result and what came between them; or one message."""


@dataclass(slots=True)
class MessageQueue:
    """Messages in the order in which they came, oldest first.

    Invariant: a function call and its result leave together.

    Attributes:
        summary: What the evicted messages said; empty before the first flush.
        entries: The messages that the model sees.
        spared: How many of the oldest entries stay although messages after them have left. From
            the next one on, the queue holds all of its conversation.
        flushed_after: The newest message at the last flush; 0 before the first.
    """

    summary: str = ""
    entries: list[QueueEntry] = field(default_factory=list)
    spared: int = 0
    flushed_after: int = 0

    @property
    def tokens(self) -> int:
        """Tokens of all entries, the summary apart."""
        return _tokens(self.entries)

    @property
    def tail(self) -> Sequence[QueueEntry]:
        """The entries from which on nothing is missing."""
        return self.entries[self.spared :]

    def append(self, entry: QueueEntry) -> None:
        """Put a message at the end."""
        self.entries.append(entry)

    def groups(self) -> list[Group]:
        """The entries in order, each group as one.

        A message of the program can stand between a call and its result: when the program was
        ended during the call, and a document was imported before the next start.
        """
        groups: list[Group] = []
        for entry in self.entries:
            if groups and _belongs_to(groups[-1], entry.message):
                groups[-1] += (entry,)
            else:
                groups.append((entry,))
        return groups

    def open_call(self) -> Message | None:
        """The call that waits for its result, if there is one."""
        groups = self.groups()
        return groups[-1][0].message if groups and _is_open(groups[-1]) else None

    def evictable(self, *, within_last_exchange: bool = True) -> list[Group]:
        """The groups that may leave, oldest first.

        The last exchange, from the newest user message on, stays when something older can go. When
        nothing can, its own oldest groups leave, if that is wanted; the newest group always stays.
        """
        groups = self.groups()
        older = groups[: _start_of_last_exchange(groups)]
        return older or (groups[:-1] if within_last_exchange else [])

    def first_of(self, order: Iterable[Group], share: float) -> list[QueueEntry]:
        """The groups that come first in `order` and hold `share` of the queue's tokens.

        One group at least; their entries in the order of the queue.
        """
        goal = share * self.tokens
        chosen: list[QueueEntry] = []
        for group in order:
            if chosen and _tokens(chosen) >= goal:
                break
            chosen.extend(group)
        return sorted(chosen, key=lambda entry: entry.message.seq)

    def without(self, evicted: Sequence[QueueEntry]) -> tuple[list[QueueEntry], int]:
        """What remains when these leave: the entries, and how many of them are spared."""
        gone = {entry.message.seq for entry in evicted}
        newest_gone = max(gone)
        remaining, spared = [], 0
        for place, entry in enumerate(self.entries):
            if entry.message.seq not in gone:
                remaining.append(entry)
                spared += place < self.spared or entry.message.seq < newest_gone
        return remaining, spared


def awaits_result(message: Message) -> bool:
    """Whether this is a call whose result comes as a message of its own."""
    return message.call is not None and message.call.name != SEND_MESSAGE


def _belongs_to(group: Group, message: Message) -> bool:
    if message.kind is MessageKind.FUNCTION:
        return True
    return message.kind is MessageKind.SYSTEM and _is_open(group)


def _is_open(group: Group) -> bool:
    kinds = [entry.message.kind for entry in group]
    return awaits_result(group[0].message) and MessageKind.FUNCTION not in kinds


def _start_of_last_exchange(groups: Sequence[Group]) -> int:
    starts = [i for i, group in enumerate(groups) if group[0].message.kind is MessageKind.USER]
    return starts[-1] if starts else max(len(groups) - 1, 0)


def _tokens(entries: Iterable[QueueEntry]) -> int:
    return sum(entry.tokens for entry in entries)
