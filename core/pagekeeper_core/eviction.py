"""Which messages a flush takes out of the queue: the seam between fifo and second-chance.

A policy only puts the groups that may leave into an order; the flush takes them from its beginning
until the share is reached. So every policy frees the same space, never parts a call from its
result, and keeps the last exchange.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Protocol, assert_never

from pagekeeper_core import prompts
from pagekeeper_core.config import Eviction
from pagekeeper_core.message_queue import Group, MessageQueue
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.wording import gist, quotes

__all__ = [
    "EvictionPolicy",
    "FirstInFirstOut",
    "SecondChance",
    "eviction_policy",
]

TELLING_SHARE = 0.2
TELLING_COUNT = 4
"""A word tells what is meant when it occurs in at most this share of the messages, or this many."""

TELLING_WORDS = 2
"""Telling words that a message must share with an older one to refer to it."""

SHORTEST_WORD = 3
"""Letters; where a sign is a word (Han, kana), a pair of neighbours is taken for one."""


class EvictionPolicy(Protocol):
    """Decides which of the groups that may leave go first."""

    def order(self, queue: MessageQueue, evictable: Sequence[Group]) -> Sequence[Group]:
        """All of `evictable`, which is oldest first: those that should leave before the others."""
        ...


def eviction_policy(choice: Eviction) -> EvictionPolicy:
    """The policy of that name."""
    match choice:
        case Eviction.FIFO:
            return FirstInFirstOut()
        case Eviction.SECOND_CHANCE:
            return SecondChance()
        case _:
            assert_never(choice)


class FirstInFirstOut:
    """The oldest leave first (the paper)."""

    def order(self, queue: MessageQueue, evictable: Sequence[Group]) -> Sequence[Group]:  # noqa: ARG002
        """The groups as they are."""
        return evictable


class SecondChance:
    """What was said and was of use since then stays one round longer: the clock algorithm.

    Of use is what a later exchange retrieved, quoted or referred to, or the person marked. These
    are the reference bits; they are read from the queue itself, so that a restart finds the same
    ones. A group that was spared has its bit cleared: only what came after that flush sets it
    again. When every group is of use, the hand of the clock comes round and the oldest leave.
    """

    def order(self, queue: MessageQueue, evictable: Sequence[Group]) -> Sequence[Group]:
        """First the groups that nothing referred to, then the others; the oldest first in each."""
        used = _numbers_of_use(queue)
        return sorted(evictable, key=lambda group: group[0].message.seq in used)


def _numbers_of_use(queue: MessageQueue) -> set[int]:
    """Numbers of the messages to which a later exchange refers."""
    messages = [entry.message for entry in queue.entries]
    words = {message.seq: _words(message) for message in messages}
    spread = Counter(word for seq in words for word in words[seq])
    most = max(TELLING_SHARE * len(messages), TELLING_COUNT)
    telling = {seq: {word for word in words[seq] if spread[word] <= most} for seq in words}
    spared = {entry.message.seq for entry in queue.entries[: queue.spared]}
    return {
        message.seq
        for place, message in enumerate(messages)
        if _was_said(message)
        and any(
            _refers(later, message, telling)
            for later in _later_exchanges(messages[place + 1 :])
            if message.seq not in spared or later.seq > queue.flushed_after
        )
    }


def _later_exchanges(messages: Sequence[Message]) -> Iterator[Message]:
    """Marks, and all from the next message of the user on: what precedes it is the answer."""
    begun = False
    for message in messages:
        begun = begun or message.kind is MessageKind.USER
        if message.kind is MessageKind.SYSTEM:
            if message.text.startswith(prompts.MARKED):
                yield message
        elif begun:
            yield message


def _refers(later: Message, earlier: Message, telling: dict[int, set[str]]) -> bool:
    if quotes(earlier.text, later.text):
        return True
    return _was_said(later) and len(telling[later.seq] & telling[earlier.seq]) >= TELLING_WORDS


def _was_said(message: Message) -> bool:
    return message.kind in {MessageKind.USER, MessageKind.ASSISTANT} and bool(message.text)


def _words(message: Message) -> set[str]:
    if not _was_said(message):
        return set()
    words = gist(message.text)
    pairs = {a + b for a, b in pairwise(words) if len(a) == len(b) == 1}
    return pairs | {word for word in words if len(word) >= SHORTEST_WORD}
