"""The past of the conversation that is shown: read page by page, and around a message."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.messages import Message
from pagekeeper_core.protocols import RecallStore
from pagekeeper_desktop.agent_worker import HISTORY_LENGTH
from pagekeeper_desktop.memory_reader import MemoryReader
from pagekeeper_desktop.view_models.transcript_items import items_of
from pagekeeper_desktop.view_models.transcript_model import TranscriptModel

__all__ = ["History"]

PAGE = 50
"""Messages that one scroll to the top brings."""

BEFORE = 20
"""Messages that are read before one that is jumped to."""


class History(QObject):
    """Fills the transcript with what was said before, without waiting for a running reply.

    Signals:
        shown: What was read of the conversation stands in the transcript now.
        revealed (int): The message that was asked for stands at this position.
        complete: There are no older messages in this conversation.
    """

    shown = Signal()
    revealed = Signal(int)
    complete = Signal()

    def __init__(
        self, transcript: TranscriptModel, reader: MemoryReader, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._transcript = transcript
        self._reader = reader
        self._recall: RecallStore | None = None
        self._thread_id = 0
        self._oldest = 0
        self._has_older = False
        self._is_reading = False
        self._question = 0

    def use(self, recall: RecallStore) -> None:
        """Read from this store."""
        self._recall = recall

    def start(self, thread_id: int, messages: tuple[Message, ...]) -> None:
        """Show the newest messages of a conversation, which were read already."""
        self._thread_id = thread_id
        self._question += 1
        self._add(messages, complete=len(messages) < HISTORY_LENGTH)

    def adopt(self, thread_id: int) -> None:
        """What is shown is this conversation, which had no number before."""
        self._thread_id = thread_id

    def open(self, thread_id: int, seq: int = 0) -> None:
        """Show another conversation, its end or the message `seq`; 0 is one without a past."""
        self._transcript.clear()
        self._thread_id, self._oldest, self._has_older = thread_id, 0, False
        self._question += 1
        if thread_id:
            self._read(lambda recall: _newest_page(recall, thread_id, seq), seq)
        else:
            self.shown.emit()

    def jump(self, seq: int) -> None:
        """Show a message of this conversation, reading all that stands between if need be."""
        oldest, thread_id = self._oldest, self._thread_id
        if seq >= oldest or not self._has_older:
            self._reveal(seq)
        else:
            self._question += 1
            self._read(lambda recall: _page_from(recall, thread_id, seq, oldest - 1), seq)

    def load_older(self) -> None:
        """Bring the page of messages before the oldest one that is shown."""
        oldest, thread_id = self._oldest, self._thread_id
        if self._has_older and not self._is_reading:
            self._read(
                lambda recall: recall.read_last(PAGE, before_seq=oldest, thread_id=thread_id)
            )

    def _read(self, page: Callable[[RecallStore], list[Message]], seq: int = 0) -> None:
        recall, question = self._recall, self._question
        if recall is not None:
            self._is_reading = True
            self._reader.ask(
                lambda: page(recall),
                lambda found: self._take(question, found, seq),
                lambda error: self._failed(question, error),
            )

    def _failed(self, question: int, error: PagekeeperError) -> None:
        """What could not be read can be asked for again."""
        if question == self._question:
            self._is_reading = False
            self._reader.unreadable.emit(error)

    def _take(self, question: int, messages: list[Message], seq: int) -> None:
        if question != self._question:
            return
        self._is_reading = False
        items = self._add(tuple(messages), complete=not messages)
        if seq:
            self._reveal(seq)
        elif messages and not items:
            self.load_older()

    def _add(self, messages: tuple[Message, ...], *, complete: bool) -> int:
        items = items_of(messages)
        self._oldest = messages[0].seq if messages else self._oldest
        self._has_older = not complete and self._oldest > 1
        self._transcript.prepend(items)
        self.shown.emit()
        if not self._has_older:
            self.complete.emit()
        return len(items)

    def _reveal(self, seq: int) -> None:
        position = self._transcript.position_of(seq)
        if position is not None:
            self.revealed.emit(position)


def _newest_page(recall: RecallStore, thread_id: int, seq: int) -> list[Message]:
    page = recall.read_last(HISTORY_LENGTH, thread_id=thread_id)
    if not seq or not page or page[0].seq <= seq:
        return page
    return _page_from(recall, thread_id, seq, recall.count())


def _page_from(recall: RecallStore, thread_id: int, seq: int, last: int) -> list[Message]:
    before = recall.read_last(BEFORE, before_seq=seq, thread_id=thread_id)
    return [*before, *recall.read(seq, last, thread_id=thread_id)]
