"""Workbooks: SpreadsheetML by ECMA-376 part 1, 18, row by row while it is unpacked."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from xml.etree.ElementTree import Element

from pagekeeper_core.documents.delimited import table_pages
from pagekeeper_core.documents.drawing_text import (
    alternative_text,
    chart_blocks,
    descendants,
    drawn_paragraphs,
)
from pagekeeper_core.documents.office_container import OfficeContainer, Relation, open_container
from pagekeeper_core.documents.office_kinds import office_kind
from pagekeeper_core.documents.reading import PageText, SourceFile
from pagekeeper_core.documents.sections import Block, Paragraph, section_pages
from pagekeeper_core.documents.table_rows import row_text
from pagekeeper_core.documents.xlsx_numbers import NumberFormats
from pagekeeper_core.documents.xml_events import attribute, child, children, local, pieces

__all__ = ["XlsxReader"]

_COLUMN = re.compile(r"([A-Za-z]{1,3})\d*$")
_MOST_COLUMNS = 16_384

# The row that names the columns is looked for among so many rows that have anything in them.
_ROWS_BEFORE_HEADER = 10

_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]*?ref=[\"']([A-Z]{1,3})(\d+):[A-Z]{1,3}(\d+)[\"']")
_MOST_MERGED = 200_000
_SCANNED_AT_ONCE = 1024 * 1024
_LONGEST_TAG = 256


class XlsxReader:
    """Reads the values of all sheets, the hidden ones too; macros and links are left alone."""

    kind = "xlsx"

    def accepts(self, head: bytes, source: SourceFile) -> bool:
        """Whether its main part is a workbook, whatever the file's name."""
        return office_kind(head, source) == "xlsx"

    def read(self, source: SourceFile) -> Iterator[PageText]:
        """Each sheet in blocks of rows below their header, then its comments and drawings.

        Raises:
            DocumentLocked: A password is needed, or was wrong.
            DocumentError: It is damaged or made to fill the memory.
            OSError: It vanished or may not be read.
        """
        with open_container(source) as container:
            workbook = _Workbook(container)
            for name, part in workbook.sheets():
                yield from _Sheet(container, workbook, name, part).pages()


class _Workbook:
    """What all sheets share.

    Attributes:
        strings: The shared texts, to which cells refer by number.
        formats: How numbers are written.
    """

    def __init__(self, container: OfficeContainer) -> None:
        self._container = container
        main = container.main_part()
        self._tree = container.tree(main)
        self._relations = container.relations(main)
        properties = child(self._tree, "workbookPr")
        date_1904 = "" if properties is None else attribute(properties, "date1904")
        self.strings = list(self._shared_strings())
        styles = self._of_kind("styles")
        self.formats = NumberFormats(
            container.tree(styles) if styles else None, from_1904=date_1904 in {"1", "true"}
        )

    def sheets(self) -> Iterator[tuple[str, str]]:
        """What each sheet is called in places, and its part; sheets of charts have no rows."""
        for sheet in children(child(self._tree, "sheets"), "sheet"):
            reference = next((v for k, v in sheet.attrib.items() if k.endswith("}id")), "")
            relation = self._relations.get(reference, Relation("", ""))
            if relation.kind == "worksheet" and self._container.has(relation.target):
                hidden = attribute(sheet, "state", "visible") != "visible"
                name = f"sheet {attribute(sheet, 'name')}{' (hidden)' if hidden else ''}"
                yield name, relation.target

    def _shared_strings(self) -> Iterator[str]:
        part = self._of_kind("sharedStrings")
        if part:
            with self._container.open(part) as file:
                for _, element in pieces(file, frozenset({"si"})):
                    yield _rich_text(element)

    def _of_kind(self, kind: str) -> str:
        for relation in self._relations.values():
            if relation.kind == kind and self._container.has(relation.target):
                return relation.target
        return ""


@dataclass(frozen=True, slots=True)
class _Row:
    """A row that is not empty.

    Attributes:
        number: From 1.
        text: Its cells as a line.
        names_columns: Whether it has two cells or more, all of them words.
    """

    number: int
    text: str
    names_columns: bool


class _Sheet:
    """One sheet."""

    def __init__(
        self, container: OfficeContainer, workbook: _Workbook, name: str, part: str
    ) -> None:
        self._container = container
        self._workbook = workbook
        self._name = name
        self._part = part
        self._first_column = _MOST_COLUMNS

    def pages(self) -> Iterator[PageText]:
        """Its rows, what others comment on them, and what is drawn over them."""
        rows = self._rows()
        first = list(islice(rows, _ROWS_BEFORE_HEADER))
        begin = next((n for n, row in enumerate(first) if row.names_columns), len(first))
        header = first[begin].text if begin < len(first) else ""
        before = [(row.number, row.text) for row in first[:begin]]
        rest = ((row.number, row.text) for row in chain(first[begin:], rows))
        yield from table_pages(before, where=self._name)
        yield from table_pages(rest, header=header, where=self._name)
        for relation in self._container.relations(self._part).values():
            yield from self._beside(relation)

    def _rows(self) -> Iterator[_Row]:
        merged = self._merged_down()
        number = 0
        with self._container.open(self._part) as file:
            for _, element in pieces(file, frozenset({"row"})):
                own = attribute(element, "r")
                number = int(own) if own.isdecimal() else number + 1
                row = self._row(element, number, merged)
                if row.text:
                    yield row

    def _row(self, element: Element, number: int, merged: "_Merged") -> _Row:
        cells: dict[int, str] = {}
        only_words = True
        column = 0
        for cell in children(element, "c"):
            column = _column(attribute(cell, "r")) or column + 1
            text = self._cell_text(cell)
            if text and column <= _MOST_COLUMNS:
                cells[column] = text
                only_words &= attribute(cell, "t") in {"s", "str", "inlineStr"}
        filled = len(cells)
        merged.fill(cells, number)
        return _Row(number, self._line(cells), only_words and filled > 1)

    def _line(self, cells: dict[int, str]) -> str:
        """The cells in their columns, from the first that is used; far apart ones side by side."""
        if not cells:
            return ""
        last = max(cells)
        self._first_column = min(self._first_column, *cells)
        if last - self._first_column > 4 * len(cells) + 50:
            return row_text([cells[column] for column in sorted(cells)])
        return row_text([cells.get(n, "") for n in range(self._first_column, last + 1)])

    def _cell_text(self, cell: Element) -> str:
        kind = attribute(cell, "t", "n")
        if kind == "inlineStr":
            inline = child(cell, "is")
            return "" if inline is None else _rich_text(inline).strip()
        found = child(cell, "v")
        value = ("" if found is None else found.text or "").strip()
        if not value:
            return _formula(cell)
        if kind == "s":
            place = int(value) if value.isdecimal() else -1
            known = 0 <= place < len(self._workbook.strings)
            return self._workbook.strings[place].strip() if known else ""
        if kind == "b":
            return "TRUE" if value == "1" else "FALSE"
        if kind == "n":
            return self._workbook.formats.written(value, attribute(cell, "s"))
        return value.removesuffix("T00:00:00") if kind == "d" else value

    def _merged_down(self) -> "_Merged":
        """Which cells are merged is told behind all rows, so it is looked for beforehand."""
        merged = _Merged()
        rest = b""
        with self._container.open(self._part) as file:
            while block := file.read(_SCANNED_AT_ONCE):
                seen = rest + block
                for match in _MERGED.finditer(seen):
                    merged.add(_column(match[1].decode()), int(match[2]), int(match[3]))
                # A tag that is cut by the end of the block is seen whole with the next one.
                cut = max(seen.rfind(b"<", len(seen) - _LONGEST_TAG), 0)
                rest = seen[cut:] if b">" not in seen[cut:] else b""
        return merged

    def _beside(self, relation: Relation) -> Iterator[PageText]:
        if relation.kind in {"comments", "threadedComment"}:
            blocks = _comments(self._container.tree(relation.target))
            yield from section_pages(blocks, word="", place=f"{self._name}, comments")
        elif relation.kind == "drawing":
            blocks = self._drawn(relation.target)
            yield from section_pages(blocks, word="", place=f"{self._name}, drawings")

    def _drawn(self, part: str) -> Iterator[Block]:
        tree = self._container.tree(part)
        for element in tree.iter() if tree is not None else ():
            if local(element) == "txBody":
                yield from drawn_paragraphs(element)
            elif local(element) == "cNvPr" and alternative_text(element):
                yield Paragraph(alternative_text(element))
        for relation in self._container.relations(part).values():
            chart = self._container.tree(relation.target) if relation.kind == "chart" else None
            if chart is not None:
                yield from chart_blocks(chart)


class _Merged:
    """The cells that are merged downwards: their text is repeated in each of their rows."""

    def __init__(self) -> None:
        self._begin: dict[int, list[tuple[int, int]]] = {}
        self._open: dict[int, tuple[int, str]] = {}
        self._count = 0

    def add(self, column: int, first_row: int, last_row: int) -> None:
        if last_row > first_row and self._count < _MOST_MERGED:
            self._count += 1
            self._begin.setdefault(first_row, []).append((column, last_row))

    def fill(self, cells: dict[int, str], row: int) -> None:
        """Put what is merged into this row in its place, and keep what is merged from it on."""
        for column, (last_row, text) in list(self._open.items()):
            if row > last_row:
                del self._open[column]
            elif cells:
                cells.setdefault(column, text)
        for column, last_row in self._begin.pop(row, ()):
            if column in cells:
                self._open[column] = (last_row, cells[column])


def _column(reference: str) -> int:
    """The number of a column by its letters, from 1; 0 if there are none."""
    match = _COLUMN.match(reference)
    number = 0
    for letter in match[1].upper() if match else "":
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def _formula(cell: Element) -> str:
    """A formula that was never calculated stands for its value."""
    found = child(cell, "f")
    text = "" if found is None else (found.text or "").strip()
    return f"={text}" if text else ""


def _rich_text(element: Element) -> str:
    """The text of a string of several looks, without the readings of its characters."""
    parts = []
    for below in element:
        if local(below) == "t":
            parts.append(below.text or "")
        elif local(below) == "r":
            parts += [each.text or "" for each in children(below, "t")]
    return "".join(parts)


def _comments(tree: Element | None) -> Iterator[Block]:
    if tree is None:
        return
    authors = [author.text or "" for author in children(child(tree, "authors"), "author")]
    for comment in chain(descendants(tree, "comment"), descendants(tree, "threadedComment")):
        text = child(comment, "text")
        if text is not None:
            written = _rich_text(text) or (text.text or "")
            number = attribute(comment, "authorId")
            known = number.isdecimal() and int(number) < len(authors)
            by = f" by {authors[int(number)]}" if known and authors[int(number)].strip() else ""
            cell = attribute(comment, "ref")
            yield Paragraph(f"Comment on {cell}{by}: {written.strip()}", item=True)
