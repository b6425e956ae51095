"""How far the database had come: kept beside it, to notice when its log comes back shorter.

DuckDB stops at the first damaged entry of its log, drops what follows and says nothing. A number
that stands outside the log shows that something is missing.
"""

import logging
import os
from pathlib import Path

__all__ = ["CommitMark"]

_log = logging.getLogger(__name__)
_DIGITS = 20


class CommitMark:
    """The number of the newest commit, in a file of its own.

    It is written after the commit and never waits for the disk, so after a power cut it may be
    behind the database; it is never ahead of it. A mark that cannot be written is no reason to
    lose a message: it is given up, with a line in the log.

    Attributes:
        number: The newest commit known; 0 where no mark has been kept.
    """

    def __init__(self, path: Path) -> None:
        self.number = 0
        self._descriptor: int | None = None
        try:
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
            self._descriptor = os.open(path, flags, 0o600)
            self.number = _parsed(os.read(self._descriptor, _DIGITS))
        except OSError as error:
            _log.warning("No commit mark at %s: %s", path, error)

    def set(self, number: int) -> None:
        """Write the mark."""
        self.number = number
        if self._descriptor is None:
            return
        try:
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.write(self._descriptor, f"{number:0{_DIGITS}d}".encode())
        except OSError as error:
            _log.warning("The commit mark was not written: %s", error)

    def advance(self) -> None:
        """One more commit stands in the database."""
        self.set(self.number + 1)

    def close(self) -> None:
        """Let go of the file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _parsed(digits: bytes) -> int:
    return int(digits) if digits.isdigit() else 0
