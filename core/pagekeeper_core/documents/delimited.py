"""Tables in text: CSV, TSV and their kin (RFC 4180, read as leniently as people write it)."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import PurePath

from pagekeeper_core.documents.reading import PageText, SourceFile
from pagekeeper_core.documents.table_rows import row_blocks, row_text
from pagekeeper_core.documents.text_encoding import decoded_head, looks_like_text, open_text

__all__ = ["DelimitedReader", "table_pages"]

_NAMES = {".csv": "", ".tsv": "\t", ".tab": "\t", ".psv": "|"}
_DELIMITERS = (",", ";", "\t", "|")

_SAMPLE_LINES = 60
_LONGEST_LINE = 64 * 1024

# A quoted cell of more lines than this was opened by a quotation mark that is only a mark.
_MOST_LINES = 200

# What a file without a telling name must have to be taken for a table.
_LEAST_ROWS, _LEAST_COLUMNS, _LONGEST_CELL = 4, 3, 60

_NUMBER = re.compile(r"[-+]?[\d.,]*\d[\d.,]*\s*%?")


class DelimitedReader:
    """Reads a table row by row, in blocks below its header row."""

    kind = "table"

    def accepts(self, head: bytes, source: SourceFile) -> bool:
        """Whether it is text that is named as a table, or plainly one."""
        if not looks_like_text(head):
            return False
        if PurePath(source.name).suffix.lower() in _NAMES:
            return True
        # The last line of the head may be cut.
        return _is_table(decoded_head(head).splitlines(keepends=True)[:-1])

    def read(self, source: SourceFile) -> Iterator[PageText]:
        """The rows in blocks with their numbers as place; the header row is row 1.

        Raises:
            DocumentError: Its encoding is unknown.
            OSError: It vanished or may not be read.
        """
        with open_text(source.path, newline="") as file:
            lines = _lines(file)
            sample = list(islice(lines, _SAMPLE_LINES))
            delimiter = _delimiter(sample, source.name)
            rows = _rows(chain(sample, lines), delimiter)
            first = next(rows, [])
            header = row_text(first) if _is_header(first) else ""
            yield from table_pages(_numbered(chain([first], rows)), header=header)


def table_pages(
    rows: Iterable[tuple[int, str]], *, header: str = "", where: str = ""
) -> Iterator[PageText]:
    """Numbered rows in blocks below their header, with "rows 2 to 40" as place, after `where`."""
    for block in row_blocks(rows, header):
        several = f"rows {block.first} to {block.last}"
        numbers = several if block.last > block.first else f"row {block.first}"
        yield PageText(f"{block.text}\n", place=f"{where}, {numbers}" if where else numbers)


def _numbered(rows: Iterable[Sequence[str]]) -> Iterator[tuple[int, str]]:
    return ((number, row_text(row)) for number, row in enumerate(rows, start=1) if any(row))


def _lines(file: Iterable[str]) -> Iterator[str]:
    """Lines with their ends; one that is longer than any row is cut."""
    for line in file:
        for start in range(0, len(line), _LONGEST_LINE):
            yield line[start : start + _LONGEST_LINE]


def _rows(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """Rows of cells; a cell in quotation marks may have line breaks in it."""
    pending: list[str] = []
    marks = 0
    for line in lines:
        pending.append(line)
        marks += line.count('"')
        if marks % 2 == 0:
            yield from _parsed(pending, delimiter)
        elif len(pending) > _MOST_LINES:
            yield from _unquoted(pending, delimiter)
        else:
            continue
        pending, marks = [], 0
    yield from _unquoted(pending, delimiter)


def _parsed(lines: Sequence[str], delimiter: str) -> Iterator[list[str]]:
    try:
        yield from list(csv.reader(lines, delimiter=delimiter))
    except csv.Error:
        yield from _unquoted(lines, delimiter)


def _unquoted(lines: Sequence[str], delimiter: str) -> Iterator[list[str]]:
    for line in lines:
        yield line.rstrip("\r\n").split(delimiter)


def _delimiter(sample: Sequence[str], name: str) -> str:
    """The one by which the rows have the same number of cells, and more than one."""
    by_name = _NAMES.get(PurePath(name).suffix.lower(), "")
    order = [by_name, *_DELIMITERS] if by_name else list(_DELIMITERS)
    return max(order, key=lambda delimiter: _evenness(sample, delimiter))


def _evenness(sample: Sequence[str], delimiter: str) -> float:
    counts = Counter(len(row) for row in _rows(sample, delimiter) if any(row))
    if not counts:
        return 0
    cells, times = counts.most_common(1)[0]
    return 0 if cells < 2 else times / counts.total()


def _is_table(lines: Sequence[str]) -> bool:
    delimiter = _delimiter(lines, "")
    rows = list(_rows(lines, delimiter))
    columns = {len(row) for row in rows}
    return (
        len(rows) >= _LEAST_ROWS
        and len(columns) == 1
        and columns.pop() >= _LEAST_COLUMNS
        and all(len(cell) <= _LONGEST_CELL for row in rows for cell in row)
    )


def _is_header(row: Sequence[str]) -> bool:
    """Whether the first row names the columns: each has a name of its own, none is a number."""
    names = [cell.strip() for cell in row]
    return (
        len(set(names)) == len(names)
        and all(names)
        and not any(_NUMBER.fullmatch(name) for name in names)
    )
