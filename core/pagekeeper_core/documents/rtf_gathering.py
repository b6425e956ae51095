"""What RTF gathers on its way: text whose bytes are still to be read, and the cells of a row."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from pagekeeper_core.documents.rtf_encodings import SYMBOLS
from pagekeeper_core.documents.sections import Row

__all__ = ["GatheredText", "RowCells"]


@dataclass(slots=True)
class GatheredText:
    """Text that is gathered: of the paragraph, a footnote, a page header.

    Attributes:
        parts: What was decoded so far.
        data: Bytes that wait for those that belong to the same character.
        encoding: How they are to be read.
        length: About how many characters there are.
    """

    parts: list[str] = field(default_factory=list)
    data: bytearray = field(default_factory=bytearray)
    encoding: str = "cp1252"
    length: int = 0

    def add(self, text: str) -> None:
        """Append text."""
        self.decode()
        self.parts.append(text)
        self.length += len(text)

    def add_bytes(self, data: bytes, encoding: str) -> None:
        """Append bytes; a character may be in several pieces of them."""
        if encoding != self.encoding:
            self.decode()
            self.encoding = encoding
        self.data += data
        self.length += len(data)

    def decode(self) -> None:
        """Read the bytes so far: what comes next is in another encoding."""
        if not self.data:
            return
        if self.encoding == SYMBOLS:
            self.parts.append("•" if self.data.strip() else " ")
        else:
            self.parts.append(self.data.decode(self.encoding, errors="replace"))
        self.data.clear()

    def taken(self) -> str:
        """The text, which is gone from here."""
        self.decode()
        # Characters beyond the first plane come as two numbers.
        text = "".join(self.parts).encode("utf-16-le", "surrogatepass")
        self.parts, self.length = [], 0
        return text.decode("utf-16-le", errors="replace")


class RowCells:
    """The cells of a table's row; what is merged downwards is repeated.

    Attributes:
        in_table: Whether the paragraph is in a table.
        any_row: Whether the table has begun.
        cells: What the row has so far.
        goes_on: Whether the next cell to be defined goes on with the one above it.
    """

    def __init__(self) -> None:
        self.in_table = False
        self.any_row = False
        self.cells: list[str] = []
        self.goes_on = False
        self._going_on: list[bool] = []
        self._above: dict[int, str] = {}

    def begin(self) -> None:
        """The definitions of a row's cells begin."""
        self._going_on = []

    def define(self) -> None:
        """The definition of a cell ends."""
        self._going_on.append(self.goes_on)
        self.goes_on = False

    def taken(self) -> Iterator[Row]:
        """The row, if it has cells, which are gone from here."""
        if not self.cells:
            return
        for place, goes_on in enumerate(self._going_on[: len(self.cells)]):
            if goes_on:
                self.cells[place] = self._above.get(place, "")
            self._above[place] = self.cells[place]
        yield Row(tuple(self.cells), begins_table=not self.any_row)
        self.cells, self.any_row = [], True
