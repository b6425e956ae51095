"""A JSON array, one element at a time: a file of a gigabyte never stands in memory whole."""

import json
from collections.abc import Iterator
from typing import IO

__all__ = ["json_elements"]

_AT_ONCE = 1024 * 1024

_LONGEST = 128 * 1024 * 1024
"""Bytes of the longest element."""

_BETWEEN = " \t\r\n,"


def json_elements(file: IO[bytes]) -> Iterator[object]:
    """The elements of the array that the file holds, in UTF-8.

    Raises:
        ValueError: It is no array, or it is damaged from here on; what came before is whole.
        OSError: It cannot be read.
    """
    text = _Text(file)
    text.skip("\ufeff" + _BETWEEN)
    if not text.take("["):
        raise ValueError("it is not an array")
    decoder = json.JSONDecoder()
    while True:
        text.skip(_BETWEEN)
        if text.take("]"):
            return
        yield text.element(decoder)


class _Text:
    """The part of the file that is being looked at."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._cut = b""
        self._text = ""
        self._at = 0
        self._is_all = False

    def skip(self, characters: str) -> None:
        while True:
            while self._at < len(self._text) and self._text[self._at] in characters:
                self._at += 1
            if self._at < len(self._text) or not self._more(_AT_ONCE):
                return

    def take(self, character: str) -> bool:
        if not self._text.startswith(character, self._at):
            return False
        self._at += 1
        return True

    def element(self, decoder: json.JSONDecoder) -> object:
        """The next element; what is read for it doubles until it is whole."""
        wanted = _AT_ONCE
        while True:
            try:
                value, end = decoder.raw_decode(self._text, self._at)
            except RecursionError as error:
                raise ValueError("it is nested too deep") from error
            except ValueError:
                if wanted > _LONGEST or not self._more(wanted):
                    raise
                wanted *= 2
                continue
            # A number or a word could go on behind what has been read.
            if end == len(self._text) and self._more(_AT_ONCE):
                continue
            self._at = end
            return value

    def _more(self, wanted: int) -> bool:
        """Read on and drop what is done with; whether there was anything."""
        block = self._cut + self._file.read(wanted)
        if self._is_all or not block:
            return False
        # A character must not be cut in two: it begins at most three bytes before the end.
        border = len(block)
        self._is_all = len(block) - len(self._cut) < wanted
        if not self._is_all:
            border = _character_border(block)
        self._text = self._text[self._at :] + block[:border].decode(errors="replace")
        self._at = 0
        self._cut = block[border:]
        return True


def _character_border(block: bytes) -> int:
    """Where the last character that may go on behind the block begins."""
    for border in range(len(block) - 1, max(len(block) - 5, -1), -1):
        if block[border] & 0xC0 != 0x80:
            return border
    return len(block)
