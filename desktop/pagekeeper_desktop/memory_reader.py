"""Reads memory on a thread of its own, so that the window waits for no database and no reply."""

import logging
from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, QThreadPool, Signal

from pagekeeper_core.errors import PagekeeperError, StoreError, is_refusal

__all__ = ["MemoryReader"]

log = logging.getLogger(__name__)

Answer = TypeVar("Answer")


class MemoryReader(QObject):
    """Runs one question to the stores after another; their answers come in the window's thread.

    Signals:
        unreadable (PagekeeperError): The person must hear that something could not be read.
        ended: After `close`: nothing is being read any more.
    """

    unreadable = Signal(object)
    ended = Signal()
    _done = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = QThreadPool()
        self._pool.setMaxThreadCount(1)
        self._closed = False
        self._done.connect(self._hand_over, Qt.ConnectionType.QueuedConnection)

    def ask(
        self,
        question: Callable[[], Answer],
        answer: Callable[[Answer], None],
        failed: Callable[[PagekeeperError], None],
    ) -> None:
        """Have something read.

        Args:
            question: Reads; on the reader's thread.
            answer: Takes what was read; in the window's thread.
            failed: Takes the error instead, so that it is shown: `unreadable.emit`, where what was
                asked for has no place of its own to say so.
        """
        if not self._closed:
            self._pool.start(lambda: self._read(question, answer, failed))

    def close(self) -> None:
        """Answer nothing from now on; `ended` follows behind what is being read."""
        self._closed = True
        self._pool.clear()
        self._pool.start(self.ended.emit)

    def _read(
        self,
        question: Callable[[], Answer],
        answer: Callable[[Answer], None],
        failed: Callable[[PagekeeperError], None],
    ) -> None:
        """A boundary: what cannot be read is logged and told, and the window goes on."""
        try:
            result = question()
        except PagekeeperError as error:
            problem = error
            if not is_refusal(error):
                log.warning("Memory cannot be read: %s", error)
            self._deliver(lambda: failed(problem))
        except Exception:
            log.exception("Memory cannot be read")
            self._deliver(lambda: failed(_unexpected()))
        else:
            self._deliver(lambda: answer(result))

    def _deliver(self, answer: Callable[[], None]) -> None:
        self._done.emit(answer)

    def _hand_over(self, answer: Callable[[], None]) -> None:
        if not self._closed:
            answer()


def _unexpected() -> StoreError:
    return StoreError(
        "Something went wrong while memory was read.",
        hint="The log file says more; trying again may help.",
    )
