"""The FIFO queue of messages, with the recursive summary in slot 0 (paper, section 2.1)."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pagekeeper_core.messages import Message, MessageKind

__all__ = ["MessageQueue", "QueueEntry"]


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """A message in the queue and the tokens that it takes there."""

    message: Message
    tokens: int


@dataclass(slots=True)
class MessageQueue:
    """Messages in the order in which they came, oldest first.

    Invariant: a function call and its result leave together.

    Attributes:
        summary: What the evicted messages said; empty before the first flush.
        entries: The messages that the model sees.
    """

    summary: str = ""
    entries: list[QueueEntry] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        """Tokens of all entries, the summary apart."""
        return sum(entry.tokens for entry in self.entries)

    def append(self, entry: QueueEntry) -> None:
        """Put a message at the end."""
        self.entries.append(entry)

    def groups(self) -> list[tuple[QueueEntry, ...]]:
        """The entries in order, a call and its result in one group."""
        groups: list[tuple[QueueEntry, ...]] = []
        for entry in self.entries:
            if entry.message.kind is MessageKind.FUNCTION and groups:
                groups[-1] += (entry,)
            else:
                groups.append((entry,))
        return groups

    def oldest(self, share: float, *, limit: float = math.inf) -> list[QueueEntry]:
        """The oldest entries that hold `share` of the tokens: what a flush should evict.

        At most `limit` tokens, but one group always. Whole groups; the last exchange (from the
        newest user message on) stays when something older can go, and the newest group always
        stays.
        """
        groups = self.groups()
        last_exchange = _start_of_last_exchange(groups)
        removable = groups[:last_exchange] or groups[:-1]
        goal = share * self.tokens
        chosen: list[QueueEntry] = []
        for group in removable:
            if _tokens(chosen) >= goal or (chosen and _tokens([*chosen, *group]) > limit):
                break
            chosen.extend(group)
        return chosen

    def remove_oldest(self, count: int) -> None:
        """Drop the `count` oldest entries."""
        del self.entries[:count]


def _start_of_last_exchange(groups: Sequence[tuple[QueueEntry, ...]]) -> int:
    starts = [i for i, group in enumerate(groups) if group[0].message.kind is MessageKind.USER]
    return starts[-1] if starts else len(groups) - 1


def _tokens(entries: Iterable[QueueEntry]) -> int:
    return sum(entry.tokens for entry in entries)
