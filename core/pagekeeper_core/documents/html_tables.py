"""The rows of an HTML table, in the columns of its grid, while its tags stream by."""

from pagekeeper_core.documents.sections import Paragraph, Row

__all__ = ["OpenTable"]

_MOST_COLUMNS = 1000
_MOST_SPAN = 100


class OpenTable:
    """A table whose end has not come yet.

    A table that lays out the page, with headings or tables in its cells, is given up: the texts of
    its cells are then paragraphs.
    """

    def __init__(self) -> None:
        self._cells: list[str] = []
        self._in_cell = False
        self._spans = (1, 1)
        self._from_above: dict[int, tuple[str, int]] = {}
        self._any_row = False
        self._given_up = False

    def begin_cell(self, columns: int, rows: int) -> None:
        """A cell that lies over so many columns and rows."""
        self._end_cell()
        if self._given_up:
            return
        self._fill_from_above()
        self._in_cell = len(self._cells) < _MOST_COLUMNS
        self._spans = (min(max(columns, 1), _MOST_SPAN), min(max(rows, 1), _MOST_SPAN))
        if self._in_cell:
            self._cells.append("")

    def takes(self, text: str) -> bool:
        """Whether the text belongs to the open cell, where it is kept."""
        if not self._in_cell or self._given_up:
            return False
        self._cells[-1] += f"\n{text}" if self._cells[-1] else text
        return True

    def end_row(self) -> Row | None:
        """The row, if there is anything in it."""
        self._end_cell()
        if not self._cells or self._given_up:
            self._cells = []
            return None
        self._fill_from_above()
        row = Row(tuple(self._cells), begins_table=not self._any_row)
        self._cells, self._any_row = [], True
        return row

    def give_up(self) -> list[Paragraph]:
        """What the row held so far; nothing is kept from now on."""
        texts = [] if self._given_up else [Paragraph(cell) for cell in self._cells if cell]
        self._cells, self._in_cell, self._given_up = [], False, True
        return texts

    def _end_cell(self) -> None:
        if not self._in_cell:
            return
        self._in_cell = False
        columns, rows = self._spans
        begin = len(self._cells) - 1
        self._cells += [""] * (columns - 1)
        if rows > 1:
            # The text is repeated downwards, so that each row can be understood alone.
            self._from_above[begin] = (self._cells[begin], rows - 1)
            self._from_above |= {begin + more: ("", rows - 1) for more in range(1, columns)}

    def _fill_from_above(self) -> None:
        while (above := self._from_above.pop(len(self._cells), None)) is not None:
            text, rows = above
            if rows > 1:
                self._from_above[len(self._cells)] = (text, rows - 1)
                self._cells.append(text)
                continue
            self._cells.append(text)
