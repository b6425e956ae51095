"""Says in the log, with a stack, what kept the window from answering for over 0.2 seconds.

A timer in the main thread leaves a mark twenty times a second; a thread beside it looks at the
mark. (The habit is Anki's.)
"""

import logging
import sys
import threading
import time
import traceback

from PySide6.QtCore import QObject, Qt, QTimer

__all__ = ["MainThreadWatchdog"]

log = logging.getLogger(__name__)

LIMIT = 0.2
"""Seconds that the main thread may be busy before it is said."""

TICK = 0.05
"""Seconds between two marks."""


class MainThreadWatchdog(QObject):
    """Watches the thread that it is started in.

    Attributes:
        longest_block: Seconds of the longest time without a mark, since the start.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.longest_block = 0.0
        self._mark = time.monotonic()
        self._watched = threading.get_ident()
        self._ended = threading.Event()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._mark = time.monotonic()
        self._timer.start(int(TICK * 1000))
        self._thread.start()

    def stop(self) -> None:
        """End it."""
        self._timer.stop()
        self._ended.set()
        self._thread.join()

    def _tick(self) -> None:
        now = time.monotonic()
        blocked = now - self._mark - TICK
        self._mark = now
        self.longest_block = max(self.longest_block, blocked)
        if blocked > LIMIT:
            log.warning("The window did not answer for %.2f s", blocked)

    def _watch(self) -> None:
        told: float | None = None
        while not self._ended.wait(TICK):
            mark = self._mark
            if mark != told and time.monotonic() - mark > LIMIT + TICK:
                told = mark
                log.warning("The window does not answer; it is at:\n%s", self._stack())

    def _stack(self) -> str:
        frame = sys._current_frames().get(self._watched)  # noqa: SLF001 - the documented way
        return "".join(traceback.format_stack(frame)) if frame is not None else "(unknown)"
