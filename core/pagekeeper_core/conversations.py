"""Conversations (threads): each has a queue and a summary of its own, over one shared memory."""

from collections.abc import Iterator
from typing import assert_never

from pagekeeper_core.events import ThreadArchived, ThreadOpened, ThreadRenamed
from pagekeeper_core.protocols import Clock, ThreadStore
from pagekeeper_core.queue_manager import QueueManager
from pagekeeper_core.updates import ThreadsChanged, Update

__all__ = ["Conversations"]

TITLE = 48
"""Characters of a title that is taken from a message."""


class Conversations:
    """Opens, names and puts away conversations; one of them stands in the queue."""

    def __init__(self, threads: ThreadStore, queue_manager: QueueManager, clock: Clock) -> None:
        self._threads = threads
        self._queue_manager = queue_manager
        self._clock = clock

    def restore(self) -> None:
        """Open the conversation with the newest message, as it was left."""
        self._queue_manager.restore(self._newest())

    def current(self) -> ThreadsChanged:
        """The conversations as they are now."""
        return ThreadsChanged(self._queue_manager.thread_id, tuple(self._threads.threads()))

    def carry_out(self, event: ThreadOpened | ThreadRenamed | ThreadArchived) -> Iterator[Update]:
        """Do what the person did to the conversations.

        Raises:
            StoreError: There is none of that number.
        """
        match event:
            case ThreadOpened():
                yield from self._open(event)
            case ThreadRenamed():
                yield from self._rename(event)
            case ThreadArchived():
                yield from self._archive(event)
            case _:
                assert_never(event)

    def _open(self, event: ThreadOpened) -> Iterator[Update]:
        """Put a conversation into the queue; a new one where the open one is in use."""
        if event.thread_id:
            self._switch(self._threads.get(event.thread_id).thread_id)
        else:
            current = self._threads.get(self._queue_manager.thread_id)
            if current.title or not self._queue_manager.is_unused():
                self._switch(self._threads.create(self._clock.now()).thread_id)
        yield self.current()

    def _rename(self, event: ThreadRenamed) -> Iterator[Update]:
        """Give a conversation another title."""
        self._threads.rename(event.thread_id, event.title)
        yield self.current()

    def _archive(self, event: ThreadArchived) -> Iterator[Update]:
        """Put a conversation away or fetch it back; the open one makes room for another."""
        self._threads.archive(event.thread_id, archived=event.archived)
        if event.archived and event.thread_id == self._queue_manager.thread_id:
            self._switch(self._newest())
        yield self.current()

    def name_after(self, text: str) -> Iterator[Update]:
        """Call the open conversation after its first message; fetch it back if it was put away."""
        thread = self._threads.get(self._queue_manager.thread_id)
        if thread.archived:
            self._threads.archive(thread.thread_id, archived=False)
        if not thread.title:
            self._threads.rename(thread.thread_id, title_of(text))
        if thread.archived or not thread.title:
            yield self.current()

    def _newest(self) -> int:
        """The conversation with the newest message; a new one where all are put away."""
        threads = self._threads.threads()
        thread = threads[0] if threads else self._threads.create(self._clock.now())
        return thread.thread_id

    def _switch(self, thread_id: int) -> None:
        if thread_id != self._queue_manager.thread_id:
            self._queue_manager.switch(thread_id)


def title_of(text: str) -> str:
    """The beginning of a message, cut between words where it has any."""
    flat = " ".join(text.split())
    if len(flat) <= TITLE:
        return flat
    cut = flat[:TITLE]
    head, space, _ = cut.rpartition(" ")
    return f"{head if space and len(head) > TITLE // 2 else cut}…"
