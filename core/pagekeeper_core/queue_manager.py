"""The queue manager: admits messages, warns of memory pressure, flushes (paper, section 2.2).

Recall first, then the queue: nothing that was said is lost by a crash or a flush. A flush always
frees space: it takes at least one group out, whatever the model does about the summary. Which ones
leave is the eviction policy's choice.
"""

import threading
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import replace

from pagekeeper_core import prompts
from pagekeeper_core.errors import ContextWindowError
from pagekeeper_core.eviction import QUOTE, SHORTEST_QUOTE, eviction_policy
from pagekeeper_core.main_context import MainContext
from pagekeeper_core.message_queue import QueueEntry
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.protocols import Clock, RecallStore, StateStore
from pagekeeper_core.records import MemoryChange, QueueCheckpoint, Target, TargetKind
from pagekeeper_core.summarizer import Summarizer
from pagekeeper_core.updates import (
    MemoryPressure,
    MessageAdmitted,
    QueueFlushed,
    Update,
)
from pagekeeper_core.wording import folded
from pagekeeper_core.working_context import WorkingContext

__all__ = ["QueueManager"]


class QueueManager:
    """Keeps the main context within its window, and in step with what is stored."""

    def __init__(
        self,
        context: MainContext,
        *,
        working_context: WorkingContext,
        summarizer: Summarizer,
        recall: RecallStore,
        state: StateStore,
        clock: Clock,
    ) -> None:
        self._context = context
        self._working_context = working_context
        self._summarizer = summarizer
        self._recall = recall
        self._state = state
        self._clock = clock
        self._eviction = eviction_policy(context.policy.eviction)
        self._thread_id = 1

    @property
    def thread_id(self) -> int:
        """The conversation that stands in the queue."""
        return self._thread_id

    def is_unused(self) -> bool:
        """Whether nothing has been said in the open conversation."""
        return not self._recall.read_last(1, thread_id=self._thread_id)

    def restore(self, thread_id: int) -> None:
        """Rebuild the main context of a conversation as it was left, however that ended.

        A call whose result was never written gets one that says so.
        """
        self._thread_id = thread_id
        checkpoint = self._state.latest_checkpoint(thread_id)
        if checkpoint is None:
            checkpoint = self._checkpoint(first_seq=1)
            self._state.append_checkpoint(checkpoint)
        queue = self._context.queue
        kept = self._entries_of(checkpoint.kept)
        tail = self._recall.read(checkpoint.first_seq, thread_id=thread_id)
        queue.entries = [*kept, *map(self._context.entry, tail)]
        queue.spared = len(kept)
        self._take_over(checkpoint)
        self._answer_open_call()

    def switch(self, thread_id: int) -> None:
        """Put another conversation into the queue, under the blocks as they stand now.

        Its prompt has to be evaluated anyway, so that the blocks, which other conversations may
        have changed, can be shown anew at no cost.
        """
        self.restore(thread_id)
        queue = self._context.queue
        shown_anew = self._checkpoint(
            first_seq=_first_seq(queue.tail) or self._recall.count() + 1,
            summary=queue.summary,
            kept=_numbers(queue.entries[: queue.spared]),
            flushed_after=queue.flushed_after,
        )
        self._state.append_checkpoint(shown_anew)
        self._take_over(shown_anew)

    def admit(self, message: Message) -> Generator[Update, None, Message]:
        """Store a message in recall, then put it into the queue; gives it back with its number.

        A call that an error or a stop left without a result gets one first.
        """
        if message.kind is not MessageKind.FUNCTION:
            self._answer_open_call()
        stored = self._admit(message)
        yield MessageAdmitted(stored)
        return stored

    def relieve(self, cancel: threading.Event) -> Iterator[Update]:
        """Before a step: flush until the prompt is below the flush level.

        For the level's sake only whole exchanges leave; for the window's, also parts of the last.

        Raises:
            Cancelled: `cancel` was set.
            ContextWindowError: The newest message alone does not fit the window.
        """
        usage = self._context.usage()
        while usage.total > usage.flush_level:
            must = usage.total > usage.usable
            if not must and not self._context.queue.evictable(within_last_exchange=False):
                break
            yield from self.flush(cancel)
            usage = self._context.usage()
        yield usage

    def relieve_early(self, cancel: threading.Event) -> Iterator[Update]:
        """In idle time: flush before the person has to wait for it.

        Raises:
            Cancelled: `cancel` was set; nothing has changed.
        """
        usage = self._context.usage()
        level = usage.usable * self._context.policy.early_flush_level
        if usage.total > level and self._context.queue.evictable(within_last_exchange=False):
            yield from self.flush(cancel)

    def warn(self) -> Iterator[Update]:
        """Raise the memory-pressure warning, once between two flushes."""
        usage = self._context.usage()
        if usage.total <= usage.warning_level or self._is_warned():
            return
        yield from self.admit(self.system_message(prompts.MEMORY_PRESSURE))
        yield MemoryPressure(usage)

    def flush(self, cancel: threading.Event) -> Iterator[Update]:
        """Evict what the policy chooses and let the summary stand for it.

        All is as before until the checkpoint is stored, in one transaction: a stop, an error or a
        kill before that leaves the old state, after it the new one.

        Raises:
            ContextWindowError: There is nothing that could be evicted.
            Cancelled: `cancel` was set; nothing has changed.
        """
        evicted = self._choose()
        queue = self._context.queue
        summary = yield from self._summarizer.summarize(
            evicted, queue.summary, self._context.prompt_of, cancel
        )
        self._remove(evicted, summary=summary, flushed_after=self._recall.count())
        yield QueueFlushed(len(evicted), sum(entry.tokens for entry in evicted), summary)

    def drop(self, forgotten: MemoryChange) -> None:
        """Take what was forgotten out of the queue, and the results and notes that quote it.

        The summary stays as it is: it keeps no wording.
        """
        queue = self._context.queue
        quote = folded(forgotten.before)[:QUOTE]
        quoting = [
            entry
            for group in queue.groups()
            if any(_is_or_quotes(entry.message, forgotten.target, quote) for entry in group)
            for entry in group
        ]
        if quoting:
            self._remove(quoting, summary=queue.summary, flushed_after=queue.flushed_after)

    def _remove(self, leaving: Sequence[QueueEntry], *, summary: str, flushed_after: int) -> None:
        queue = self._context.queue
        remaining, spared = queue.without(leaving)
        checkpoint = self._checkpoint(
            first_seq=_first_seq(remaining[spared:]) or self._recall.count() + 1,
            summary=summary,
            kept=_numbers(remaining[:spared]),
            flushed_after=flushed_after,
        )
        self._state.append_checkpoint(checkpoint)
        queue.entries, queue.spared = remaining, spared
        self._take_over(checkpoint)

    def system_message(self, text: str) -> Message:
        """A message of the program itself."""
        return Message(MessageKind.SYSTEM, text, text, self._clock.now())

    def _choose(self) -> list[QueueEntry]:
        queue = self._context.queue
        evictable = queue.evictable()
        if not evictable:
            raise ContextWindowError(
                "The newest message and the instructions do not fit the context window together.",
                hint="Choose a larger context window in the settings.",
            )
        order = self._eviction.order(queue, evictable)
        return queue.first_of(order, self._context.policy.evicted_share)

    def _entries_of(self, numbers: Iterable[int]) -> list[QueueEntry]:
        """Messages by number; those that a damaged file has lost are left out."""
        return [
            self._context.entry(message)
            for number in numbers
            for message in self._recall.read(number, number)
        ]

    def _admit(self, message: Message) -> Message:
        stored = self._recall.append(replace(message, thread_id=self._thread_id))
        self._context.queue.append(self._context.entry(stored))
        return stored

    def _checkpoint(
        self,
        *,
        first_seq: int,
        summary: str = "",
        kept: tuple[int, ...] = (),
        flushed_after: int = 0,
    ) -> QueueCheckpoint:
        """The state to be stored, with the blocks as they stand now."""
        return QueueCheckpoint(
            first_seq=first_seq,
            summary=summary,
            working_context=self._working_context.render(),
            at=self._clock.now(),
            thread_id=self._thread_id,
            kept=kept,
            flushed_after=flushed_after,
        )

    def _take_over(self, checkpoint: QueueCheckpoint) -> None:
        self._context.working_context = checkpoint.working_context
        self._context.queue.summary = checkpoint.summary
        self._context.queue.flushed_after = checkpoint.flushed_after

    def _is_warned(self) -> bool:
        queue = self._context.queue
        return any(
            entry.message.kind is MessageKind.SYSTEM
            and entry.message.text == prompts.MEMORY_PRESSURE
            and entry.message.seq > queue.flushed_after
            for entry in queue.entries
        )

    def _answer_open_call(self) -> None:
        if self._context.queue.open_call() is not None:
            text = prompts.interrupted_call()
            self._admit(Message(MessageKind.FUNCTION, text, text, self._clock.now()))


def _is_or_quotes(message: Message, target: Target, quote: str) -> bool:
    if target == Target(TargetKind.MESSAGE, str(message.seq)):
        return True
    if message.kind not in {MessageKind.SYSTEM, MessageKind.FUNCTION}:
        return False
    return len(quote) >= SHORTEST_QUOTE and quote in folded(message.prompt_text)


def _first_seq(entries: Sequence[QueueEntry]) -> int:
    """The number of the oldest; 0 where there is none."""
    return entries[0].message.seq if entries else 0


def _numbers(entries: Iterable[QueueEntry]) -> tuple[int, ...]:
    return tuple(entry.message.seq for entry in entries)
