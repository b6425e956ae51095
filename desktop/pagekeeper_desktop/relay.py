"""Carries a worker's signals into the window's thread: in order, at most thirty times a second.

Text that a model writes is joined on the way, so that a fast model costs the window no more than a
slow one, and nothing that was written waits for the next piece.
"""

import threading
import time

from PySide6.QtCore import QObject, Qt, QTimer, Signal, SignalInstance

from pagekeeper_core.updates import PromptProgress, ReplyDelta

__all__ = ["Relay"]

INTERVAL = 1 / 30
"""Seconds between two deliveries: more often, no eye sees it and the window lags."""

Post = tuple[SignalInstance, tuple[object, ...]]


class Relay(QObject):
    """A queue of signals to be emitted; it belongs to the thread that made it."""

    _arrived = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()
        self._posts: list[Post] = []
        self._delivered_at = 0.0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self.deliver)
        self._arrived.connect(self._plan, Qt.ConnectionType.QueuedConnection)

    def post(self, signal: SignalInstance, *arguments: object) -> None:
        """Have a signal emitted in the relay's thread; callable from any thread."""
        with self._lock:
            was_empty = not self._posts
            joined = self._joined(arguments)
            if joined is not None:
                self._posts[-1] = (signal, (joined,))
            else:
                self._posts.append((signal, arguments))
        if was_empty:
            self._arrived.emit()

    def deliver(self) -> None:
        """Emit what is waiting."""
        with self._lock:
            posts, self._posts = self._posts, []
        self._delivered_at = time.monotonic()
        for signal, arguments in posts:
            signal.emit(*arguments)

    def _plan(self) -> None:
        due = self._delivered_at + INTERVAL - time.monotonic()
        self._timer.start(max(0, int(due * 1000)))

    def _joined(self, arguments: tuple[object, ...]) -> object | None:
        """The last waiting value and this one as one value, where that loses nothing."""
        last = self._posts[-1][1] if self._posts else ()
        match last, arguments:
            case (ReplyDelta(written),), (ReplyDelta(text),):
                return ReplyDelta(written + text)
            case (PromptProgress(),), (PromptProgress() as newer,):
                return newer
        return None
