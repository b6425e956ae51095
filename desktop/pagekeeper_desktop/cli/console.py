"""Where a command writes: results to standard output, everything else to standard error.

Text that comes from documents or from a model may hold terminal control sequences; they are taken
out of what goes to a terminal, and kept in what goes to a file or another program.
"""

import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

from pagekeeper_core.errors import PagekeeperError

__all__ = ["Console", "input_lines"]

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_DIM = "\x1b[2m"
_PLAIN = "\x1b[0m"


class Console:
    """The two output streams of a command.

    Attributes:
        out: Standard output.
        err: Standard error.
    """

    def __init__(self, out: TextIO, err: TextIO) -> None:
        self.out = out
        self.err = err
        self._line_is_open = False

    @classmethod
    def standard(cls) -> "Console":
        """The process's own streams, made to take any text.

        A character that the terminal's encoding lacks is shown as its escape; what is piped is
        UTF-8 on every system. What was closed before the start takes everything and shows nothing.
        """
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                encoding = None if stream.isatty() else "utf-8"
                stream.reconfigure(encoding=encoding, errors="backslashreplace")
        return cls(sys.stdout or _nowhere(), sys.stderr or _nowhere())

    def write(self, text: str) -> None:
        """Write a piece of a result, at once.

        Raises:
            BrokenPipeError: Whoever read it has gone.
            PagekeeperError: It cannot be written: the disk is full.
        """
        if self.out.isatty():
            text = _printable(text)
        self._put(text)
        if text:
            self._line_is_open = self.out.isatty() and not text.endswith("\n")

    def line(self, text: str = "") -> None:
        """Write a line of a result."""
        self.write(f"{text}\n")

    def emit(self, value: Mapping[str, object]) -> None:
        """Write a result for a program: one JSON object on one line."""
        self._put(json.dumps(value, ensure_ascii=False) + "\n")

    def note(self, text: str) -> None:
        """Tell the person something that is not the result."""
        self._write_error(text)

    def aside(self, text: str) -> None:
        """Tell the person something that they may overlook."""
        self._write_error(text, dim=True)

    def error(self, error: PagekeeperError) -> None:
        """Say what failed and, on a line of its own, what can be done about it."""
        self._write_error(f"pagekeeper: {error}")
        if error.hint:
            self._write_error(error.hint)

    def end_line(self) -> None:
        """Go to a new line if a piece of a result has left the terminal in the middle of one."""
        if self._line_is_open:
            self.line()

    def _put(self, text: str) -> None:
        try:
            self.out.write(text)
            self.out.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise PagekeeperError(
                f"The result cannot be written: {error.strerror or error}.",
                hint="What was done is done; check where the output goes, and its free space.",
            ) from error

    def _write_error(self, text: str, *, dim: bool = False) -> None:
        self.end_line()
        if self.err.isatty():
            text = _printable(text)
            text = f"{_DIM}{text}{_PLAIN}" if dim else text
        self.err.write(f"{text}\n")
        self.err.flush()


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def input_lines() -> Iterable[bytes]:
    """Standard input line by line; nothing where the process was started without one."""
    return () if sys.stdin is None else sys.stdin.buffer


def _printable(text: str) -> str:
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)
