"""What every reader of flowing documents gives: headings, paragraphs, rows; and their pages."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pagekeeper_core.documents.reading import PageText
from pagekeeper_core.documents.table_rows import row_blocks, row_text

__all__ = ["Block", "Heading", "Paragraph", "Row", "place_named", "section_pages"]

# Characters. A page of text ends with the paragraph that makes it this long.
_LONG_PAGE = 16_000
_LONGEST_NAME = 100

# A longer cell is not a value in a table: the table only lays out the page.
_LONGEST_CELL = 600

_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of what follows it."""

    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph; lines end with a line feed.

    Attributes:
        text: Its text.
        item: Whether it is an item of a list, which belongs to the line before it.
    """

    text: str
    item: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table.

    Attributes:
        cells: The text of each column; lines end with a line feed.
        begins_table: Whether it is the first row of its table.
    """

    cells: tuple[str, ...]
    begins_table: bool = False


Block = Heading | Paragraph | Row


class _Page:
    """The text since the last heading, as far as it has come."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self.length = 0

    def add(self, text: str, *, tight: bool = False) -> None:
        if not text.strip():
            return
        if self._parts:
            self._parts.append("\n" if tight else "\n\n")
        self._parts.append(text)
        self.length += len(text)

    def taken(self) -> str:
        text = "".join(self._parts)
        self._parts, self.length = [], 0
        return text


def section_pages(
    blocks: Iterable[Block], *, word: str = "section", place: str = ""
) -> Iterator[PageText]:
    """The text of a document, a heading with what stands below it.

    Args:
        blocks: In reading order.
        word: What a part that has a heading is called in its place.
        place: Where the text before the first heading stands; with an empty `word`, all of it.
    """
    page, table = _Page(), _Table()
    for block in blocks:
        if not isinstance(block, Row) or block.begins_table:
            table.put_into(page)
        if isinstance(block, Heading) or page.length > _LONG_PAGE:
            yield from _finished(page, place)
        match block:
            case Heading(text):
                place = place_named(word, text) if word else place
                page.add(text)
            case Paragraph(text, item):
                page.add(text, tight=item)
            case Row():
                table.add(block, page)
    table.put_into(page)
    yield from _finished(page, place)


def place_named(word: str, name: str) -> str:
    """The place of what has a name, "section Costs", shortened where that is long."""
    plain = _SPACE.sub(" ", name).strip()
    if len(plain) > _LONGEST_NAME:
        plain = plain[:_LONGEST_NAME].rstrip() + "…"
    return f"{word} {plain}"


class _Table:
    """Rows that wait for the end of their block."""

    _MOST_WAITING = 50

    def __init__(self) -> None:
        self._header = ""
        self._number = 0
        self._waiting: list[tuple[int, str]] = []

    def add(self, row: Row, page: _Page) -> None:
        if row.begins_table:
            self._header, self._number = "", 0
        if _lays_out(row):
            self.put_into(page)
            for cell in row.cells:
                page.add(cell)
            return
        line = row_text(row.cells)
        if not line:
            return
        self._header = self._header or line
        self._number += 1
        self._waiting.append((self._number, line))
        if len(self._waiting) >= self._MOST_WAITING:
            self.put_into(page)

    def put_into(self, page: _Page) -> None:
        """The rows so far, the header once more at the head of each block of them."""
        for block in row_blocks(self._waiting, self._header):
            page.add(block.text)
        self._waiting = []


def _lays_out(row: Row) -> bool:
    return len(row.cells) == 1 or any(len(cell) > _LONGEST_CELL for cell in row.cells)


def _finished(page: _Page, place: str) -> Iterator[PageText]:
    text = page.taken()
    if text.strip():
        yield PageText(text, place=place)
