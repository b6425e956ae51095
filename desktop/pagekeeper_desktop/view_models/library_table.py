"""The documents as a table: filtered and sorted in the window's memory, thousands of rows at once.

Sorting by Qt's proxy would ask Python for every comparison; here each row's keys are made once.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from pagekeeper_desktop.view_models.formatting import (
    byte_size,
    clock_time,
    counted,
    day_name,
    thousands,
)

__all__ = ["Column", "DocumentRow", "DocumentState", "LibraryTable", "kind_name"]

Index = QModelIndex | QPersistentModelIndex
TOP = QModelIndex()
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

KINDS = {
    "pdf": "PDF",
    "text": "Text",
    "paste": "Pasted text",
    "markdown": "Markdown",
    "csv": "Table (CSV)",
    "tsv": "Table (TSV)",
    "json": "JSON",
    "jsonl": "JSON lines",
    "docx": "Word",
    "pptx": "PowerPoint",
    "xlsx": "Excel",
    "odt": "OpenDocument",
    "epub": "Book (EPUB)",
    "html": "Web page",
    "rtf": "Rich text",
    "eml": "E-mail",
    "mbox": "Mailbox",
    "email": "E-mail",
    "code": "Source code",
    "image": "Picture",
    "picture": "Picture",
    "subtitles": "Subtitles",
}


class DocumentState(StrEnum):
    """How a document stands."""

    READY = "Ready"
    READING = "Being read"
    WAITING = "Waiting"
    PAUSED = "Paused"
    LOCKED = "Needs its password"
    FAILED = "Not read"
    AWAY = "No longer in its folder"


class Column(StrEnum):
    """What the table tells of a document, in this order."""

    NAME = "Name"
    KIND = "Kind"
    SIZE = "Size"
    PAGES = "Pages"
    PASSAGES = "Passages"
    ADDED = "Added"
    STATE = "State"


COLUMNS = tuple(Column)
FIGURES = (Column.SIZE, Column.PAGES, Column.PASSAGES)


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document, or a file that is to become one.

    Attributes:
        document_id: In the archive; empty where it is not there.
        title: What people call it.
        kind: What the archive calls its kind.
        added: When it was archived; None while it is not.
        size: Bytes; 0 where that is not known.
        pages: 0 where it has none.
        passages: In the archive.
        state: How it stands.
        reason: Why it was not read, or how far the reading is; may be empty.
        path: Where it came from; empty for a pasted text.
        job_id: The import that is about it; 0 if there is none.
    """

    document_id: str
    title: str
    kind: str
    added: datetime | None = None
    size: int = 0
    pages: int = 0
    passages: int = 0
    state: DocumentState = DocumentState.READY
    reason: str = ""
    path: str = ""
    job_id: int = 0


class LibraryTable(QAbstractTableModel):
    """The rows that are shown.

    Attributes:
        shown: Those that the filter admits, in their order.
        total: How many there are without the filter.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.shown: list[DocumentRow] = []
        self._all: list[tuple[str, DocumentRow]] = []
        self._words: Sequence[str] = ()
        self._column = Column.ADDED
        self._descending = True

    @property
    def total(self) -> int:
        """How many documents there are."""
        return len(self._all)

    def show_rows(self, rows: Iterable[DocumentRow]) -> None:
        """Show these in place of those before."""
        self._all = [(_searched(row), row) for row in rows]
        self._arrange()

    def look_for(self, text: str) -> None:
        """Show those only that hold every word of `text` in their name, kind, state or folder."""
        self._words = text.casefold().split()
        self._arrange()

    def row_at(self, index: Index) -> DocumentRow | None:
        """The document of an index."""
        return self.shown[index.row()] if 0 <= index.row() < len(self.shown) else None

    def rowCount(self, parent: Index = TOP) -> int:  # noqa: N802 - Qt's name
        """How many documents are shown."""
        return 0 if parent.isValid() else len(self.shown)

    def columnCount(self, parent: Index = TOP) -> int:  # noqa: N802 - Qt's name
        """How much is told of each."""
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401 - Qt's
        """A cell's words, its alignment, and more in its tooltip."""
        row = self.row_at(index)
        if row is None:
            return None
        column = COLUMNS[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return cell_words(row, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column in FIGURES else LEFT
        if role == Qt.ItemDataRole.ToolTipRole:
            return _more(row, column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{column}: {cell_words(row, column) or 'none'}"
        return None

    def headerData(  # noqa: N802 - Qt's name
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:  # noqa: ANN401 - Qt's
        """A column's name, aligned as its cells."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(COLUMNS):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return str(COLUMNS[section])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if COLUMNS[section] in FIGURES else LEFT
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Put the documents into the order of a column."""
        if 0 <= column < len(COLUMNS):
            self._column = COLUMNS[column]
            self._descending = order is Qt.SortOrder.DescendingOrder
            self._arrange()

    def _arrange(self) -> None:
        """Filter and sort; what is chosen stays chosen where it is still shown."""
        wanted = [row for text, row in self._all if all(word in text for word in self._words)]
        wanted.sort(key=_KEYS[self._column], reverse=self._descending)
        if wanted == self.shown:
            return
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        kept = [(_identity(self.shown[i.row()]), i.column()) for i in old]
        self.shown = wanted
        places = {_identity(row): number for number, row in enumerate(wanted)}
        moved = [
            self.index(places[key], column) if key in places else QModelIndex()
            for key, column in kept
        ]
        self.changePersistentIndexList(old, moved)
        self.layoutChanged.emit()


def kind_name(kind: str) -> str:
    """What people call a kind of file."""
    return KINDS.get(kind, kind.upper() if len(kind) <= 4 else kind.capitalize())


def cell_words(row: DocumentRow, column: Column) -> str:
    """What stands in a cell."""
    return _WORDS[column](row)


def _more(row: DocumentRow, column: Column) -> str:
    if column is Column.STATE:
        return f"{row.state}. {row.reason}" if row.reason else str(row.state)
    extent = [
        cell_words(row, Column.KIND),
        cell_words(row, Column.SIZE),
        counted(row.pages, "page") if row.pages else "",
        counted(row.passages, "passage") if row.passages else "",
    ]
    return "\n".join(filter(None, [row.title, " · ".join(filter(None, extent)), row.path]))


def _when(moment: datetime) -> str:
    today = datetime.now().astimezone().date()
    return f"{day_name(moment.astimezone().date(), today)}, {clock_time(moment)}"


def _searched(row: DocumentRow) -> str:
    return f"{row.title}\n{kind_name(row.kind)}\n{row.state}\n{row.path}".casefold()


def _identity(row: DocumentRow) -> tuple[str, int]:
    return row.document_id, row.job_id


_KEYS: dict[Column, Callable[[DocumentRow], Any]] = {
    Column.NAME: lambda row: row.title.casefold(),
    Column.KIND: lambda row: (kind_name(row.kind), row.title.casefold()),
    Column.SIZE: lambda row: row.size,
    Column.PAGES: lambda row: row.pages,
    Column.PASSAGES: lambda row: row.passages,
    # What is on its way has no date yet: it stands with the newest.
    Column.ADDED: lambda row: (row.added is None, row.added.timestamp() if row.added else 0.0),
    Column.STATE: lambda row: (str(row.state), row.title.casefold()),
}

_WORDS: dict[Column, Callable[[DocumentRow], str]] = {
    Column.NAME: lambda row: row.title,
    Column.KIND: lambda row: kind_name(row.kind) if row.kind else "",
    Column.SIZE: lambda row: byte_size(row.size) if row.size else "",
    Column.PAGES: lambda row: thousands(row.pages) if row.pages else "",
    Column.PASSAGES: lambda row: thousands(row.passages) if row.passages else "",
    Column.ADDED: lambda row: _when(row.added) if row.added else "",
    Column.STATE: lambda row: str(row.state),
}
