"""RTF as tokens, while it is read: a file full of pictures never stands in memory."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Literal

__all__ = ["RtfToken", "rtf_tokens"]

_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?[0-9]{1,10})? ?"
    rb"|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|([^\\{}\r\n\0]+)|[\r\n\0]+|\\",
    re.DOTALL,
)
_READ_AT_ONCE = 64 * 1024
_LONGEST_TOKEN = 64


@dataclass(frozen=True, slots=True)
class RtfToken:
    """A piece of RTF (specification 1.9.1, "RTF Syntax").

    Attributes:
        kind: A group begins or ends, a control word, a control symbol, or bytes of text.
        word: The word or symbol.
        number: The word's number; None if it has none.
        data: The bytes of text.
    """

    kind: Literal["open", "close", "word", "symbol", "bytes"]
    word: str = ""
    number: int | None = None
    data: bytes = b""


_OPEN, _CLOSE = RtfToken("open"), RtfToken("close")


def rtf_tokens(file: IO[bytes]) -> Iterator[RtfToken]:
    """The tokens of a file; what is binary in it is passed over."""
    rest = b""
    while block := file.read(_READ_AT_ONCE):
        rest += block
        place = 0
        # A token at the end may be cut.
        while place < len(rest) - _LONGEST_TOKEN:
            token, place = _next(rest, place)
            if token and token.word == "bin":
                missing = place + max(token.number or 0, 0) - len(rest)
                place += max(token.number or 0, 0)
                _pass_over(file, missing)
            elif token:
                yield token
        rest = rest[place:]
    place = 0
    while place < len(rest):
        token, place = _next(rest, place)
        if token:
            yield token


def _next(data: bytes, place: int) -> tuple[RtfToken | None, int]:
    match = _TOKEN.match(data, place)
    if match is None:
        return None, place + 1
    word, number, byte, symbol, brace, text = match.groups()
    end = match.end()
    if word:
        return RtfToken("word", word.decode("ascii"), int(number) if number else None), end
    if byte:
        return RtfToken("bytes", data=bytes.fromhex(byte.decode("ascii"))), end
    if symbol:
        return RtfToken("symbol", symbol.decode("latin-1")), end
    if brace:
        return (_OPEN if brace == b"{" else _CLOSE), end
    return (RtfToken("bytes", data=text) if text else None), end


def _pass_over(file: IO[bytes], size: int) -> None:
    while size > 0 and (block := file.read(min(size, _READ_AT_ONCE))):
        size -= len(block)
