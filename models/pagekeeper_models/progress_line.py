"""Shows the progress of a download on a terminal, or line by line where the output is a file."""

import shutil
import time
from types import TracebackType
from typing import Self, TextIO

__all__ = ["ProgressLine"]

_REDRAW_SECONDS = 0.1


class ProgressLine:
    """One line that is drawn anew on a terminal; elsewhere a new line for each tenth."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_terminal = stream.isatty()
        self._label = ""
        self._started = self._drawn = 0.0
        self._first = 0
        self._last_line = ""

    def __enter__(self) -> Self:
        """Nothing is drawn yet."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the line as it stands; what follows begins on the next."""
        if self._is_terminal and self._last_line:
            self._stream.write("\n")

    def show(self, label: str, done: int, total: int) -> None:
        """Say that `done` of `total` bytes are at hand; may be called at any rate."""
        now = time.monotonic()
        if label != self._label:
            self._label, self._started, self._first, self._drawn = label, now, done, 0.0
        if self._is_terminal:
            if now - self._drawn >= _REDRAW_SECONDS or done == total:
                self._drawn = now
                self._redraw(label, self._figures(done, total, now))
            return
        line = label if self._first == total else f"{label}: {done * 10 // total * 10}%"
        if line != self._last_line:
            self._last_line = line
            self._stream.write(f"{line}\n")
            self._stream.flush()

    def _figures(self, done: int, total: int, now: float) -> str:
        """Share, size, and after a second of work the speed and the time left."""
        if done == total:
            return _megabytes(total)
        text = f"{done * 100 // total:3d}%  {_megabytes(done)} of {_megabytes(total)}"
        seconds = now - self._started
        if done == self._first or seconds < 1.0:
            return text
        speed = (done - self._first) / seconds
        left = int((total - done) / speed)
        return f"{text}  {speed / 1e6:.1f} MB/s  {left // 60}:{left % 60:02d} left"

    def _redraw(self, label: str, figures: str) -> None:
        """Draw over the line before; a line that the terminal would break is shortened."""
        room = shutil.get_terminal_size().columns - len(figures) - 3
        line = f"{label[: max(room, 10)]}  {figures}"
        padding = " " * (len(self._last_line) - len(line))
        self._stream.write(f"\r{line}{padding}")
        self._stream.flush()
        self._last_line = line


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count < 10_000_000 else f"{count / 1e6:,.0f} MB"
