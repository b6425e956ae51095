"""The conversations: which there are, which one is shown, and what the person does with them.

The list changes at once; the agent thread hears of it by an event and answers with what is so now.
Until it has answered the last request to open one, what it says about which is open is outdated.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from pagekeeper_core.events import Event, ThreadArchived, ThreadOpened, ThreadRenamed
from pagekeeper_core.messages import Message, storable_text
from pagekeeper_core.protocols import RecallStore, ThreadStore
from pagekeeper_core.records import Thread
from pagekeeper_core.updates import ThreadsChanged
from pagekeeper_desktop.memory_reader import MemoryReader

__all__ = ["NEW", "UNTITLED", "ConversationList", "title_of"]

NEW = 0
"""The number of a conversation that has none yet."""

UNTITLED = "New conversation"


def title_of(thread: Thread) -> str:
    """What a conversation is called in the window."""
    return thread.title or UNTITLED


class ConversationList(QObject):
    """What the list at the left shows.

    Args:
        post: Hands an event to the agent thread.
        is_free: Whether nothing of the shown conversation is being answered or waits to be.
        reader: Reads what the agent thread does not tell.

    Attributes:
        threads: Those that are not put away, the one with the newest message first.
        put_away: Those that are.
        shown: The number of the one whose messages are shown; NEW before the agent has made it.
        wanted: The one that is opened when the reply is written; None: none.

    Signals:
        changed: Titles, order, or which one is shown.
        opened (int, int): Another one is to be shown, and its message of this number (0: its end).
        jumped (int): The message of this number is to be shown, in the conversation that is.
        numbered (int): The new conversation that is shown has this number.
        kept: The shown one was not put away, because it waits for a reply.
        delayed (str): The one of this title is opened when the reply is written.
    """

    changed = Signal()
    opened = Signal(int, int)
    jumped = Signal(int)
    numbered = Signal(int)
    kept = Signal()
    delayed = Signal(str)

    def __init__(
        self,
        post: Callable[[Event], None],
        is_free: Callable[[], bool],
        reader: MemoryReader,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.threads: tuple[Thread, ...] = ()
        self.put_away: tuple[Thread, ...] = ()
        self.shown = NEW
        self.wanted: int | None = None
        self._wanted_seq = 0
        self._post = post
        self._is_free = is_free
        self._reader = reader
        self._store: ThreadStore | None = None
        self._recall: RecallStore | None = None
        self._asked = 0
        self._edits = 0
        self._in_queue = NEW

    @property
    def in_queue(self) -> int:
        """The conversation that the agent has in its queue, as far as the window knows."""
        return self._in_queue

    def use(self, store: ThreadStore, recall: RecallStore, threads: Iterable[Thread]) -> None:
        """Show what stands in memory; the newest conversation is open."""
        self._store, self._recall = store, recall
        self.threads = tuple(threads)
        self.shown = self._in_queue = self.threads[0].thread_id if self.threads else NEW
        self._read_all()
        self.changed.emit()

    def get(self, thread_id: int) -> Thread | None:
        """A conversation by its number."""
        every = (*self.threads, *self.put_away)
        return next((thread for thread in every if thread.thread_id == thread_id), None)

    def begin(self) -> None:
        """Open a new conversation."""
        self.open(NEW)

    def open(self, thread_id: int, seq: int = 0) -> None:
        """Show a conversation, its end or the message `seq`; after the reply that is written."""
        if thread_id == self.shown:
            self._want(None)
            if seq:
                self.jumped.emit(seq)
        elif self._is_free():
            self._switch(thread_id, seq)
        else:
            self._want(thread_id, seq)
            thread = self.get(thread_id)
            self.delayed.emit(title_of(thread) if thread else UNTITLED)

    def go_on(self) -> None:
        """Open what waits, if nothing is being answered any more."""
        if self.wanted is not None and self._is_free():
            self._switch(self.wanted, self._wanted_seq)

    def stay(self) -> None:
        """Open nothing when the reply is written: something is to be decided here first."""
        self._want(None)

    def show_message(self, seq: int) -> None:
        """Show a stored message in its conversation."""
        recall = self._recall
        if recall is not None and seq > 0:
            self._reader.ask(
                lambda: recall.read(seq, seq), self._show_found, self._reader.unreadable.emit
            )

    def rename(self, thread_id: int, title: str) -> None:
        """Give a conversation another title; a blank one changes nothing."""
        title = " ".join(storable_text(title).split())
        thread = self.get(thread_id)
        if title and thread is not None and thread.title != title:
            self._edit(thread_id, title=title)
            self._post(ThreadRenamed(thread_id, title))

    def archive(self, thread_id: int, *, archived: bool = True) -> None:
        """Put a conversation away, or fetch it back; not the one that waits for a reply.

        The shown one makes room for the newest of the others at once: what is written next must
        not be answered in one that the person has not seen.
        """
        if archived and thread_id == self.shown and not self._is_free():
            self.kept.emit()
            return
        self._edit(thread_id, archived=archived)
        self._post(ThreadArchived(thread_id, archived))
        if archived and thread_id == self.shown:
            self._switch(self.threads[0].thread_id if self.threads else NEW, 0)

    def told(self, update: ThreadsChanged) -> None:
        """The agent says how the conversations stand."""
        self.threads = update.threads
        self._in_queue = update.open_id
        if self._asked == 0 and update.open_id != self.shown:
            self._follow(update.open_id)
        self._read_all()
        self.changed.emit()

    def answered(self, event: Event) -> None:
        """The agent has carried out an event."""
        if isinstance(event, ThreadOpened):
            self._asked -= 1
            if self._asked == 0 and self._in_queue != self.shown:
                self._follow(self._in_queue)

    def refused(self, event: Event) -> None:
        """The agent could not carry out an event: show again what is so."""
        if isinstance(event, ThreadOpened):
            self._asked -= 1
            if self._asked == 0 and self._in_queue != self.shown:
                self.shown = self._in_queue
                self.opened.emit(self.shown, 0)
        if isinstance(event, ThreadOpened | ThreadRenamed | ThreadArchived):
            self._read_all()

    def said(self, message: Message) -> None:
        """A message was stored: its conversation is the newest one now."""
        thread = self.get(message.thread_id)
        if thread is not None and not thread.archived:
            moved = replace(thread, last_at=message.created_at)
            others = (t for t in self.threads if t.thread_id != thread.thread_id)
            self.threads = (moved, *others)
            self.changed.emit()

    def _switch(self, thread_id: int, seq: int) -> None:
        self._want(None)
        self.shown = thread_id
        self._asked += 1
        self._post(ThreadOpened(thread_id))
        self.opened.emit(thread_id, seq)
        self.changed.emit()

    def _follow(self, thread_id: int) -> None:
        """Show what the agent has open; a new conversation only gets its number."""
        was_new = self.shown == NEW
        self.shown = thread_id
        if was_new:
            self.numbered.emit(thread_id)
        else:
            self.opened.emit(thread_id, 0)
        self.changed.emit()

    def _want(self, thread_id: int | None, seq: int = 0) -> None:
        if (self.wanted, self._wanted_seq) != (thread_id, seq):
            self.wanted, self._wanted_seq = thread_id, seq
            self.changed.emit()

    def _edit(self, thread_id: int, **fields: object) -> None:
        """Show a change before the agent has carried it out; what was read before is outdated."""
        self._edits += 1
        change: Callable[..., Thread] = replace
        every = [
            change(thread, **fields) if thread.thread_id == thread_id else thread
            for thread in (*self.threads, *self.put_away)
        ]
        every.sort(key=lambda thread: (thread.last_at, thread.thread_id), reverse=True)
        self.threads = tuple(thread for thread in every if not thread.archived)
        self.put_away = tuple(thread for thread in every if thread.archived)
        self.changed.emit()

    def _show_found(self, messages: list[Message]) -> None:
        if messages:
            self.open(messages[0].thread_id, messages[0].seq)

    def _read_all(self) -> None:
        store = self._store
        if store is not None:
            edits = self._edits
            self._reader.ask(
                lambda: store.threads(archived=True),
                lambda threads: self._take_all(threads, edits),
                self._reader.unreadable.emit,
            )

    def _take_all(self, threads: list[Thread], edits: int) -> None:
        if edits != self._edits:
            return
        self.threads = tuple(thread for thread in threads if not thread.archived)
        self.put_away = tuple(thread for thread in threads if thread.archived)
        self.changed.emit()
