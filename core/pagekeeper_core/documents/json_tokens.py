"""JSON as a stream of its leaves: no size, depth or number is too large (RFC 8259, read leniently).

Kept as they are typed: huge numbers, NaN, keys that occur twice. Left out: comments and commas too
many, as in settings files. Several values one after the other (JSON Lines) are read as such.
"""

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple, TextIO

__all__ = ["JsonDamagedError", "Leaf", "json_leaves", "json_value_begins"]

_AT_ONCE = 256 * 1024
_LONGEST_TOKEN = 16 * 1024 * 1024
_DEEPEST = 20

_TOKEN = re.compile(
    r"""
      (?P<space>[\s,\ufeff\x1e]+|//[^\n]*\n|/\*.*?\*/|\#[^\n]*\n)
    | (?P<string>"(?:[^"\\]|\\.)*+")
    | (?P<mark>[\[\]{}:])
    | (?P<word>[-+]?[\w.+-]++)
    """,
    re.VERBOSE | re.DOTALL,
)

_WORD = re.compile(r"[-+]?(?:\d[\d.eE+-]*|Infinity|NaN)|true|false|null|NaN|Infinity")
_SURROGATES = re.compile("[\ud800-\udfff]")


class JsonDamagedError(ValueError):
    """What stands there is no JSON."""


class Leaf(NamedTuple):
    """A value that holds no others.

    Attributes:
        path: The number of the value in the file, then the keys and the numbers (from 1) of the
            elements that lead to it; the first 20.
        text: Its text; of a string without quotation marks and escapes.
    """

    path: tuple[str | int, ...]
    text: str


def json_value_begins(head: str) -> bool:
    """Whether a text that begins like this is an object or an array of JSON, or several."""
    found = (match[0] for match in _tokens_of(head) if match.lastgroup != "space")
    marks = list(islice(found, 3))
    if marks[:1] == ["{"]:
        return marks[1:2] == ["}"] or (marks[1:2] != [] and marks[2:3] == [":"])
    return marks[:1] == ["["] and (
        len(marks) == 1 or marks[1] in {"[", "]", "{"} or _is_value(marks[1])
    )


def json_leaves(file: TextIO) -> Iterator[Leaf]:
    """The leaves in order. Of several values each is an element, as if they stood in an array.

    Raises:
        JsonDamagedError: From here on it is no JSON.
        OSError: It cannot be read.
    """
    walk = _Walk()
    for kind, text in _tokens(file):
        leaf = walk.take(kind, text)
        if leaf:
            yield leaf
    walk.end()


class _Walk:
    """Where in the value the last token stood; a stack, so that no depth is too much."""

    def __init__(self) -> None:
        self._path: list[str | int] = []
        self._open: list[str] = []
        self._key: str | None = None
        self._has_colon = False
        self._values = 0

    def take(self, kind: str, text: str) -> Leaf | None:
        if kind == "mark":
            self._mark(text)
            return None
        value = _string(text) if kind == "string" else text
        if self._in_object() and self._key is None:
            self._key, self._has_colon = value, False
            return None
        if kind == "word" and not _WORD.fullmatch(text):
            raise JsonDamagedError(text)
        return self._leaf(value)

    def end(self) -> None:
        if self._open:
            raise JsonDamagedError("it ends too early")

    def _in_object(self) -> bool:
        return bool(self._open) and self._open[-1] == "{"

    def _mark(self, mark: str) -> None:
        if mark == ":":
            if self._key is None or self._has_colon:
                raise JsonDamagedError(mark)
            self._has_colon = True
        elif mark in "{[":
            self._step()
            self._open.append(mark)
            if mark == "[":
                self._path.append(0)
        else:
            self._close(mark)

    def _close(self, mark: str) -> None:
        if not self._open or {"{": "}", "[": "]"}[self._open.pop()] != mark:
            raise JsonDamagedError(mark)
        if mark == "]":
            self._path.pop()
        self._key = None
        if self._path and (not self._open or self._in_object()):
            self._path.pop()

    def _step(self) -> None:
        """Go to the place of the next value."""
        if not self._open:
            self._values += 1
            self._path = [self._values]
        elif self._in_object():
            if self._key is None or not self._has_colon:
                raise JsonDamagedError("a value without a key")
            self._path.append(self._key)
            self._key = None
        else:
            number = self._path[-1]
            self._path[-1] = number + 1 if isinstance(number, int) else 1

    def _leaf(self, text: str) -> Leaf:
        self._step()
        leaf = Leaf(tuple(self._path[:_DEEPEST]), text)
        if self._in_object() or not self._open:
            self._path.pop()
        return leaf


def _tokens(file: TextIO) -> Iterator[tuple[str, str]]:
    text = ""
    while block := file.read(_AT_ONCE):
        text += block
        at = 0
        for match in _tokens_of(text):
            # What ends where the block ends may go on behind it.
            if match.end() == len(text):
                break
            at = match.end()
            if match.lastgroup != "space":
                yield match.lastgroup or "", match[0]
        text = text[at:]
        if len(text) > _LONGEST_TOKEN:
            raise JsonDamagedError("a value is too long")
    yield from _last_tokens(text)


def _last_tokens(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    for match in _tokens_of(text):
        at = match.end()
        if match.lastgroup != "space":
            yield match.lastgroup or "", match[0]
    if text[at:].strip():
        raise JsonDamagedError(text[at : at + 20])


def _tokens_of(text: str) -> Iterator[re.Match[str]]:
    """The tokens from the beginning on, up to the first place where there is none."""
    at = 0
    while match := _TOKEN.match(text, at):
        yield match
        at = match.end()


def _string(text: str) -> str:
    try:
        value = str(json.loads(text, strict=False))
    except ValueError:
        value = text[1:-1]
    return _SURROGATES.sub("\ufffd", value)


def _is_value(token: str) -> bool:
    return token.startswith('"') or bool(_WORD.fullmatch(token))
