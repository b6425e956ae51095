"""Reads older messages on a thread of its own, so that scrolling waits for no running reply."""

import logging
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QThreadPool, Signal

from pagekeeper_core.errors import StoreError
from pagekeeper_core.protocols import RecallStore

if TYPE_CHECKING:
    from pagekeeper_core.messages import Message

__all__ = ["HistoryReader"]

log = logging.getLogger(__name__)

PAGE = 50
"""Messages that one scroll to the top brings."""


class HistoryReader(QObject):
    """Older messages, a page at a time.

    Signals:
        loaded (tuple[Message, ...]): The next older messages, in order; empty: there are no more.
    """

    loaded = Signal(object)

    def __init__(self, recall: RecallStore) -> None:
        super().__init__()
        self._recall = recall
        self._pool = QThreadPool()
        self._pool.setMaxThreadCount(1)

    def read_before(self, seq: int) -> None:
        """Read the page that ends before a message; `loaded` follows."""
        self._pool.start(lambda: self._read(seq))

    def close(self) -> None:
        """Wait for a page that is being read (milliseconds); none is read after."""
        self._pool.clear()
        self._pool.waitForDone()

    def _read(self, seq: int) -> None:
        messages: tuple[Message, ...] = ()
        try:
            messages = tuple(self._recall.read_last(PAGE, before_seq=seq))
        except StoreError as error:
            log.warning("Older messages cannot be read: %s", error)
        self.loaded.emit(messages)
