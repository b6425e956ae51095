"""The queue manager: admits messages, warns of memory pressure, flushes (paper, section 2.2).

Recall first, then the queue: nothing that was said is lost by a crash or a flush. A flush always
frees space: it takes at least the oldest group out, whatever the model does about the summary.
"""

import threading
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace

from pagekeeper_core import prompts
from pagekeeper_core.errors import ContextWindowError
from pagekeeper_core.main_context import MainContext
from pagekeeper_core.message_queue import QueueEntry
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.protocols import Clock, RecallStore, StateStore
from pagekeeper_core.records import QueueCheckpoint
from pagekeeper_core.summarizer import Summarizer
from pagekeeper_core.updates import (
    MemoryPressure,
    MessageAdmitted,
    PromptProgress,
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
        clock: Clock,
    ) -> None:
        self._context = context
        self._working_context = working_context
        self._summarizer = summarizer
        self._recall = recall
        self._state = state
        self._clock = clock
        self._thread_id = 1
        self._flushed_at = 0

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
        self._flushed_at = 0
        checkpoint = self._state.latest_checkpoint(thread_id)
        if checkpoint is None:
            checkpoint = self._store_checkpoint(first_seq=1, summary="")
        self._context.working_context = checkpoint.working_context
        self._context.queue.summary = checkpoint.summary
        self._context.queue.entries = [
            self._context.entry(message)
            for message in self._recall.read(checkpoint.first_seq, thread_id=thread_id)
        ]
        self._answer_interrupted_call()

    def switch(self, thread_id: int) -> None:
        """Put another conversation into the queue, under the blocks as they stand now.

        Its prompt has to be evaluated anyway, so that the blocks, which other conversations may
        have changed, can be shown anew at no cost.
        """
        self.restore(thread_id)
        queue = self._context.queue
        first = queue.entries[0].message.seq if queue.entries else self._recall.count() + 1
        self._store_checkpoint(first_seq=first, summary=queue.summary)

    def admit(self, message: Message) -> Generator[Update, None, Message]:
        """Store a message in recall, then put it into the queue; gives it back with its number."""
        stored = self._admit(message)
        yield MessageAdmitted(stored)
        return stored

    def relieve(self, cancel: threading.Event) -> Iterator[Update]:
        """Before a step: flush until the prompt fits.

        Raises:
            ContextWindowError: The newest message alone does not fit.
        """
        usage = self._context.usage()
        while usage.total > usage.flush_level:
            yield from self.flush(cancel)
            usage = self._context.usage()
        yield usage

    def warn(self) -> Iterator[Update]:
        """Raise the memory-pressure warning, once between two flushes."""
        usage = self._context.usage()
        if usage.total <= usage.warning_level or self._is_warned():
            return
        yield from self.admit(self.system_message(prompts.MEMORY_PRESSURE))
        yield MemoryPressure(usage)

    def flush(self, cancel: threading.Event) -> Iterator[Update]:
        """Evict the oldest messages and let the summary stand for them.

        Raises:
            ContextWindowError: There is nothing that could be evicted.
            Cancelled: `cancel` was set; nothing has changed.
        """
        queue = self._context.queue
        usage = self._context.usage()
        room = usage.usable - (usage.total - usage.queue)
        evicted = queue.oldest(self._context.policy.evicted_share, limit=room)
        if not evicted:
            raise ContextWindowError(
                "The newest message and the instructions do not fit the context window together.",
                hint="Choose a larger context window in the settings.",
            )
        summary = yield from self._summarize(evicted, cancel)
        kept = queue.entries[len(evicted) :]
        self._store_checkpoint(first_seq=kept[0].message.seq, summary=summary)
        queue.remove_oldest(len(evicted))
        yield QueueFlushed(len(evicted), sum(entry.tokens for entry in evicted), summary)

    def system_message(self, text: str) -> Message:
        """A message of the program itself."""
        return Message(MessageKind.SYSTEM, text, text, self._clock.now())

    def _summarize(
        self, evicted: Sequence[QueueEntry], cancel: threading.Event
    ) -> Generator[PromptProgress, None, str]:
        prompt = self._context.prompt(evicted)
        old_summary = self._context.queue.summary
        return (yield from self._summarizer.summarize(prompt, evicted, old_summary, cancel))

    def _admit(self, message: Message) -> Message:
        stored = self._recall.append(replace(message, thread_id=self._thread_id))
        self._context.queue.append(self._context.entry(stored))
        return stored

    def _store_checkpoint(self, *, first_seq: int, summary: str) -> QueueCheckpoint:
        rendered = self._working_context.render()
        now = self._clock.now()
        checkpoint = QueueCheckpoint(first_seq, summary, rendered, now, self._thread_id)
        self._state.append_checkpoint(checkpoint)
        self._flushed_at = self._recall.count()
        self._context.working_context = rendered
        self._context.queue.summary = summary
        return checkpoint

    def _is_warned(self) -> bool:
        return any(
            entry.message.text == prompts.MEMORY_PRESSURE and entry.message.seq > self._flushed_at
            for entry in self._context.queue.entries
        )

    def _answer_interrupted_call(self) -> None:
        entries = self._context.queue.entries
        if not entries or not _awaits_result(entries[-1].message):
            return
        text = prompts.interrupted_call()
        self._admit(Message(MessageKind.FUNCTION, text, text, self._clock.now()))


def _awaits_result(message: Message) -> bool:
    return message.kind is MessageKind.ASSISTANT and not message.text
