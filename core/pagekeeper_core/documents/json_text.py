"""JSON and JSON Lines: a line a value, below the names that lead to it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import NamedTuple

from pagekeeper_core.documents.json_tokens import (
    JsonDamagedError,
    Leaf,
    json_leaves,
    json_value_begins,
)
from pagekeeper_core.documents.reading import PageText, SourceFile
from pagekeeper_core.documents.text_encoding import decoded_head, looks_like_text, open_text
from pagekeeper_core.errors import DocumentError

__all__ = ["JsonReader"]

_NAMES = frozenset({".json", ".jsonl", ".ndjson", ".geojson", ".jsonc", ".ipynb", ".webmanifest"})
_LINES = frozenset({".jsonl", ".ndjson"})

# Bytes in UTF-8: about what an embedder reads at once, of English as of Chinese.
_BLOCK = 600
_LONGEST_BLOCK = 16_000
_HEAD = 4096


class JsonReader:
    """Reads value by value; elements of the outermost array are kept together."""

    kind = "json"

    def accepts(self, head: bytes, source: SourceFile) -> bool:
        """Whether it is text that begins as JSON; one that is named so may be damaged."""
        if not looks_like_text(head):
            return False
        named = PurePath(source.name).suffix.lower() in _NAMES
        return named or json_value_begins(decoded_head(head))

    def read(self, source: SourceFile) -> Iterator[PageText]:
        """The values, with "orders, items 3 to 9" or "keys name to version" as place.

        Raises:
            DocumentError: It is damaged, or its encoding is unknown.
            OSError: It vanished or may not be read.
        """
        with open_text(source.path) as file:
            is_lines = _is_lines(file.read(_HEAD), source.name)
            file.seek(0)
            try:
                yield from _pages(json_leaves(file), is_lines=is_lines)
            except JsonDamagedError as error:
                raise DocumentError(
                    f"{source.name} is damaged: it begins like JSON and breaks off or goes on as "
                    "something else.",
                    hint="Get the file again, or rename it to .txt to have it read as it stands.",
                ) from error


def _is_lines(head: str, name: str) -> bool:
    """Whether each line is a value of its own."""
    if PurePath(name).suffix.lower() in _LINES:
        return True
    first, _, rest = head.lstrip("\ufeff \n").partition("\n")
    return first.rstrip().endswith("}") and rest.startswith("{")


class _Spot(NamedTuple):
    """Where a leaf belongs: the array around it, the number of its element, its name in that.

    The number is 0 where there is no array.
    """

    around: tuple[str | int, ...]
    number: int
    name: str


@dataclass(slots=True)
class _Block:
    """Lines that belong into one passage."""

    first: _Spot
    last: _Spot
    lines: list[str] = field(default_factory=list)
    size: int = 0

    def add(self, spot: _Spot, leaf: Leaf) -> None:
        is_element = self.lines and spot == self.last and isinstance(leaf.path[-1], int)
        if is_element and spot.name:
            line = f"{self.lines.pop()}, {leaf.text}"
        else:
            line = f"{spot.name}: {leaf.text}" if spot.name else leaf.text
            if spot.number != self.last.number and spot.name:
                line = f"\n{line}"
        self.lines.append(line)
        self.size += len(line.encode()) if not is_element else len(leaf.text.encode())
        self.last = spot

    def page(self) -> PageText:
        return PageText("\n".join(self.lines) + "\n", place=self._place())

    def _place(self) -> str:
        around = " › ".join(map(str, self.first.around))
        if not self.first.number:
            return _keys(self.first.name, self.last.name)
        first, last = self.first.number, self.last.number
        items = f"item {first}" if first == last else f"items {first} to {last}"
        return f"{around}, {items}" if around else items


def _pages(leaves: Iterable[Leaf], *, is_lines: bool) -> Iterator[PageText]:
    block: _Block | None = None
    for leaf in leaves:
        spot = _spot(leaf.path, is_lines=is_lines)
        if block and _ends(block, spot):
            yield block.page()
            block = None
        if block is None:
            block = _Block(spot, spot)
        block.add(spot, leaf)
    if block:
        yield block.page()


def _ends(block: _Block, spot: _Spot) -> bool:
    """Whether a new block begins: elsewhere, or where the last one is full."""
    is_elsewhere = (spot.around, spot.number > 0) != (block.last.around, block.last.number > 0)
    is_next = spot.number != block.last.number or not spot.number
    return is_elsewhere or (is_next and block.size >= _BLOCK) or block.size >= _LONGEST_BLOCK


def _spot(path: Sequence[str | int], *, is_lines: bool) -> _Spot:
    if is_lines:
        return _Spot((), int(path[0]), _name(path[1:]))
    for at, part in enumerate(path[1:], start=1):
        if isinstance(part, int):
            return _Spot(tuple(path[1:at]), part, _name(path[at + 1 :]))
    return _Spot((), 0, _name(path[1:]))


def _name(path: Iterable[str | int]) -> str:
    return ".".join(part for part in path if isinstance(part, str))


def _keys(first: str, last: str) -> str:
    start, end = first.partition(".")[0], last.partition(".")[0]
    if not start:
        return ""
    return f"key {start}" if start == end else f"keys {start} to {end}"
