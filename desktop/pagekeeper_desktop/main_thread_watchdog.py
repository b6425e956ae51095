"""Says in the log what kept the window from answering, with the stack that it was stuck in.

A timer in the main thread leaves a mark some forty times a second; a thread beside it looks at the
mark, and does all the writing, so that watching never holds the window up. (The habit is Anki's.)

The main thread's stack alone may say little: while another thread holds the interpreter (a native
library that initialises itself), the window waits in its event loop. So all threads' are written.
"""

import faulthandler
import logging
import tempfile
import threading
import time
from collections import deque
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, QTimer

__all__ = ["MainThreadWatchdog"]

log = logging.getLogger(__name__)

LIMIT = 0.05
"""Seconds that the main thread may be busy before it is said: from here on, people feel it."""

LONG = 0.2
"""Seconds from which on it is a warning."""

TICK = 0.025
"""Seconds between two marks."""

HANG = 2.0
"""Seconds after which a block is told without waiting for its end."""

SILENCE = 10.0
"""Seconds after a block was told in which shorter ones are only counted."""


class MainThreadWatchdog(QObject):
    """Watches the thread that it is started in.

    Attributes:
        longest_block: Seconds by which a mark came too late, at most, since the start.
    """

    def __init__(self, parent: QObject | None = None, *, tick: float = TICK) -> None:
        """Leave a mark every `tick` seconds; a block is measured as short by that at most."""
        super().__init__(parent)
        self.longest_block = 0.0
        self._tick_seconds = tick
        self._mark = time.monotonic()
        self._blocks: deque[_Block] = deque()
        self._watched = threading.get_ident()
        self._ended = threading.Event()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._diary = _Diary()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._mark = time.monotonic()
        self._timer.start(int(self._tick_seconds * 1000))
        self._thread.start()

    def stop(self) -> None:
        """End it."""
        self._timer.stop()
        self._ended.set()
        self._thread.join()

    def _tick(self) -> None:
        now = time.monotonic()
        blocked = now - self._mark - self._tick_seconds
        if blocked > LIMIT:
            self._blocks.append(_Block(self._mark, blocked))
        self._mark = now
        self.longest_block = max(self.longest_block, blocked)

    def _watch(self) -> None:
        seen, place = 0.0, ""
        is_ending = False
        while not is_ending:
            is_ending = self._ended.wait(self._tick_seconds)
            mark = self._mark
            lasts = time.monotonic() - mark - self._tick_seconds
            if mark != seen and lasts > LIMIT:
                seen, place = mark, f"it was at:\n{_places(self._watched)}"
            if mark == seen and lasts > HANG:
                self._diary.note_hang(mark, place)
            while self._blocks:
                block = self._blocks.popleft()
                after = f"just after that it is at:\n{_places(self._watched)}"
                self._diary.note(block.seconds, place if block.mark == seen else after)


@dataclass(frozen=True, slots=True)
class _Block:
    """A time without a mark: the last mark before it (monotonic seconds), and how long it was."""

    mark: float
    seconds: float


class _Diary:
    """Writes blocks into the log, not too often."""

    def __init__(self) -> None:
        self._hang = 0.0
        self._told_at = -SILENCE
        self._told = 0.0
        self._untold = 0

    def note(self, seconds: float, place: str) -> None:
        """Tell of a block, or count it where one at least as long was told just now."""
        now = time.monotonic()
        if now - self._told_at < SILENCE and seconds < 2 * self._told:
            self._untold += 1
            return
        more = f", and {self._untold} more times since the last word" if self._untold else ""
        level = logging.WARNING if seconds > LONG else logging.INFO
        log.log(level, "The window did not answer for %.2f s%s; %s", seconds, more, place)
        self._told_at, self._told, self._untold = now, seconds, 0

    def note_hang(self, mark: float, place: str) -> None:
        """Tell of a block that may never end, once."""
        if mark != self._hang:
            self._hang = mark
            log.warning("The window does not answer; %s", place)


def _places(watched: int) -> str:
    """Where all threads stand, innermost line first; the watched one before the others.

    Not by `sys._current_frames`: whoever holds a frame keeps its local variables alive, and a
    QPainter that outlives its paint event, or ends in another thread, breaks the window.
    """
    with tempfile.TemporaryFile() as file:
        faulthandler.dump_traceback(file)
        file.seek(0)
        text = file.read().decode("utf-8", errors="replace").replace("Current thread", "Thread")
    for thread in threading.enumerate():
        text = text.replace(f"Thread {thread.ident or 0:#018x}", thread.name)
    own = f"{threading.current_thread().name} ("
    stacks = [stack for stack in text.strip().split("\n\n") if not stack.startswith(own)]
    name = next((t.name for t in threading.enumerate() if t.ident == watched), "")
    return "\n".join(sorted(stacks, key=lambda stack: not stack.startswith(f"{name} (")))
