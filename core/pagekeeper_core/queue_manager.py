"""The queue manager: admits messages, warns of memory pressure, flushes (paper, section 2.2).

Recall first, then the queue: nothing that was said is lost by a crash or a flush. A flush always
frees space: it takes at least one group out, whatever the model does about the summary. Which ones
leave is the eviction policy's choice.
"""

import threading
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from dataclasses import replace

from pagekeeper_core import prompts
from pagekeeper_core.errors import ContextWindowError
from pagekeeper_core.eviction import eviction_policy
from pagekeeper_core.forgetting import repeating, without_lines
from pagekeeper_core.main_context import MainContext
from pagekeeper_core.memory_history import MemoryHistory
from pagekeeper_core.message_queue import MessageQueue, QueueEntry
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.protocols import Clock, RecallStore, StateStore
from pagekeeper_core.records import MemoryChange, QueueCheckpoint, RecallFilter
from pagekeeper_core.summarizer import Summarizer
from pagekeeper_core.updates import (
    MemoryPressure,
    MessageAdmitted,
    QueueFlushed,
    Update,
)
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
        history: MemoryHistory,
        clock: Clock,
    ) -> None:
        self._context = context
        self._working_context = working_context
        self._summarizer = summarizer
        self._recall = recall
        self._state = state
        self._history = history
        self._clock = clock
        self._eviction = eviction_policy(context.policy.eviction)
        self._thread_id = 1

    @property
    def thread_id(self) -> int:
        """The conversation that stands in the queue."""
        return self._thread_id

    def is_unused(self) -> bool:
        """Whether user and assistant have said nothing in the open conversation."""
        said_here = RecallFilter(thread_id=self._thread_id)
        return self._recall.search([], where=said_here, page_size=1).total == 0

    def restore(self, thread_id: int) -> None:
        """Rebuild the main context of a conversation as it was left, however that ended.

        A call whose result was never written gets one that says so. What has been forgotten since,
        from wherever, is not in it.

        Raises:
            StoreError: Something cannot be read or written; the open conversation stays.
        """
        stored = self._state.latest_checkpoint(thread_id)
        queue = self._read_queue(thread_id, stored)
        has_changed = self._forget_in(queue, self._history.forgotten())
        if stored is None or has_changed:
            stored = self._store_checkpoint(thread_id, queue)
        self._open(thread_id, queue, stored)

    def switch(self, thread_id: int) -> None:
        """Put another conversation into the queue, under the blocks as they stand now.

        Its prompt has to be evaluated anyway, so that the blocks, which other conversations may
        have changed, can be shown anew at no cost.

        Raises:
            StoreError: Something cannot be read or written; the open conversation stays.
        """
        queue = self._read_queue(thread_id, self._state.latest_checkpoint(thread_id))
        self._forget_in(queue, self._history.forgotten())
        self._open(thread_id, queue, self._store_checkpoint(thread_id, queue))

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
        left = MessageQueue(summary, *queue.without(evicted), self._recall.count())
        self._take_over(left, self._store_checkpoint(self._thread_id, left))
        yield QueueFlushed(len(evicted), sum(entry.tokens for entry in evicted), summary)

    def drop(self, forgotten: MemoryChange) -> None:
        """Take what was forgotten out of the queue and its summary, and what repeats it.

        The other conversations are looked through when they are opened.
        """
        queue = replace(self._context.queue)
        if self._forget_in(queue, [forgotten]):
            self._take_over(queue, self._store_checkpoint(self._thread_id, queue))

    def unheeded_warning(self, heeding: Collection[str]) -> int:
        """The number of the warning since the last flush after which none of these was called.

        0 if there is none.
        """
        warning = 0
        for entry in self._context.queue.entries:
            if self._is_warning(entry.message):
                warning = entry.message.seq
            elif entry.message.call is not None and entry.message.call.name in heeding:
                warning = 0
        return warning

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

    def _read_queue(self, thread_id: int, checkpoint: QueueCheckpoint | None) -> MessageQueue:
        if checkpoint is None:
            tail = self._recall.read(1, thread_id=thread_id)
            return MessageQueue(entries=[*map(self._context.entry, tail)])
        kept = self._entries_of(checkpoint.kept)
        tail = self._recall.read(checkpoint.first_seq, thread_id=thread_id)
        entries = [*kept, *map(self._context.entry, tail)]
        return MessageQueue(checkpoint.summary, entries, len(kept), checkpoint.flushed_after)

    def _entries_of(self, numbers: Iterable[int]) -> list[QueueEntry]:
        """Messages by number; those that a damaged file has lost are left out."""
        return [
            self._context.entry(message)
            for number in numbers
            for message in self._recall.read(number, number)
        ]

    def _forget_in(self, queue: MessageQueue, forgotten: Sequence[MemoryChange]) -> bool:
        """Take it out; whether there was anything to take out."""
        leaving, summary = repeating(queue, forgotten), without_lines(queue.summary, forgotten)
        has_changed = bool(leaving) or summary != queue.summary
        queue.summary = summary
        if leaving:
            queue.entries, queue.spared = queue.without(leaving)
        return has_changed

    def _open(self, thread_id: int, queue: MessageQueue, checkpoint: QueueCheckpoint) -> None:
        """The last step of opening a conversation; what can fail comes before the assignments."""
        if queue.open_call() is not None:
            queue.append(self._stored_entry(self._interrupted(), thread_id))
        self._thread_id = thread_id
        self._take_over(queue, checkpoint)

    def _stored_entry(self, message: Message, thread_id: int) -> QueueEntry:
        stored = self._recall.append(replace(message, thread_id=thread_id))
        return self._context.entry(stored)

    def _admit(self, message: Message) -> Message:
        entry = self._stored_entry(message, self._thread_id)
        self._context.queue.append(entry)
        return entry.message

    def _store_checkpoint(self, thread_id: int, queue: MessageQueue) -> QueueCheckpoint:
        """Store the state of a queue, with the blocks as they stand now."""
        checkpoint = QueueCheckpoint(
            first_seq=_first_seq(queue.tail) or self._recall.count() + 1,
            summary=queue.summary,
            working_context=self._working_context.render(),
            at=self._clock.now(),
            thread_id=thread_id,
            kept=_numbers(queue.entries[: queue.spared]),
            flushed_after=queue.flushed_after,
        )
        self._state.append_checkpoint(checkpoint)
        return checkpoint

    def _take_over(self, queue: MessageQueue, checkpoint: QueueCheckpoint) -> None:
        self._context.working_context = checkpoint.working_context
        self._context.queue = queue

    def _is_warned(self) -> bool:
        return any(self._is_warning(entry.message) for entry in self._context.queue.entries)

    def _is_warning(self, message: Message) -> bool:
        return (
            message.kind is MessageKind.SYSTEM
            and message.text == prompts.MEMORY_PRESSURE
            and message.seq > self._context.queue.flushed_after
        )

    def _interrupted(self) -> Message:
        text = prompts.interrupted_call()
        return Message(MessageKind.FUNCTION, text, text, self._clock.now())

    def _answer_open_call(self) -> None:
        if self._context.queue.open_call() is not None:
            self._admit(self._interrupted())


def _first_seq(entries: Sequence[QueueEntry]) -> int:
    """The number of the oldest; 0 where there is none."""
    return entries[0].message.seq if entries else 0


def _numbers(entries: Iterable[QueueEntry]) -> tuple[int, ...]:
    return tuple(entry.message.seq for entry in entries)
