"""The library: every document with what is known of it, and the folders that are watched."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from pagekeeper_desktop.view_models.formatting import counted
from pagekeeper_desktop.view_models.library import Library, deletion_question
from pagekeeper_desktop.view_models.library_table import DocumentRow
from pagekeeper_desktop.widgets.library_list import LibraryList
from pagekeeper_desktop.widgets.watched_strip import WatchedStrip

__all__ = ["LibraryPage"]

MARGIN = 24
PAUSE = 120
"""Milliseconds after the last key stroke before the table is filtered."""

EMPTY = (
    "Drop files or folders anywhere on this window: PDFs and scans, Word, Excel and PowerPoint, "
    "books, web pages, e-mails, tables, notes, pictures of text, ZIP archives of these. They are "
    "read on this computer, and the assistant finds what stands in them."
)


class LibraryPage(QWidget):
    """The documents of this data folder.

    Signals:
        add_requested: Choose files to read.
        folder_requested: Choose a folder to read.
        reading_requested (list[str]): Read the documents of these identifiers again.
        summary_requested (str): Summarise the document of this identifier.
    """

    add_requested = Signal()
    folder_requested = Signal()
    reading_requested = Signal(list)
    summary_requested = Signal(str)

    def __init__(self, library: Library, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._library = library
        self.filter = _Filter(self)
        self.list = LibraryList(library.table, self)
        self.add = QPushButton("Add files", self)
        self.add.setProperty("role", "primary")
        self.add_folder = QPushButton("Add a folder", self)
        self.note = _words("", "muted", self)
        self.count = _words("", "muted", self)
        self.empty = _words(EMPTY, "muted", self)
        self._pages = QStackedWidget(self)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE)
        self.watched = WatchedStrip(self)
        self._lay_out()
        self._connect()
        self._show()

    def begin(self) -> None:
        """The person looks at it: read what there is, and take what is typed."""
        self._say("", "muted")
        self._library.read()
        self.filter.setFocus()

    def ask_and_delete(self, rows: Sequence[DocumentRow]) -> None:
        """Delete documents, after the person has heard what goes."""
        stored = [row for row in rows if row.document_id]
        if not stored:
            return
        question, consequence = deletion_question(stored)
        box = QMessageBox(QMessageBox.Icon.Question, "Delete", question, parent=self)
        box.setInformativeText(consequence)
        delete = box.addButton("Delete", QMessageBox.ButtonRole.DestructiveRole)
        keep = box.addButton("Keep", QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(keep)
        box.setEscapeButton(keep)
        box.exec()
        if box.clickedButton() is delete:
            self._library.delete(stored)

    def _lay_out(self) -> None:
        title = _words("Library", "welcome", self)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.filter, 1)
        head.addWidget(self.add_folder)
        head.addWidget(self.add)
        empty = QWidget(self)
        middle = QVBoxLayout(empty)
        middle.setContentsMargins(0, 16, 0, 0)
        middle.addWidget(self.empty)
        middle.addStretch(1)
        self._pages.addWidget(self.list)
        self._pages.addWidget(empty)
        below = QHBoxLayout()
        below.addWidget(self.note, 1)
        below.addWidget(self.count)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, MARGIN, MARGIN, 16)
        column.setSpacing(12)
        column.addWidget(title)
        column.addLayout(head)
        column.addWidget(self._pages, 1)
        column.addLayout(below)
        column.addWidget(self.watched)

    def _connect(self) -> None:
        library = self._library
        library.changed.connect(self._show)
        library.told.connect(lambda words: self._say(words, "muted"))
        library.failed.connect(lambda words: self._say(words, "danger"))
        self._pause.timeout.connect(self._filter)
        self.filter.textChanged.connect(self._pause.start)
        self.filter.down_pressed.connect(self._enter_list)
        self.add.clicked.connect(self.add_requested)
        self.add_folder.clicked.connect(self.folder_requested)
        self.list.open_wanted.connect(self._open)
        self.list.folder_wanted.connect(self._open_folder)
        self.list.deletion_wanted.connect(self.ask_and_delete)
        self.list.reading_wanted.connect(self._read_again)
        self.list.summary_wanted.connect(lambda row: self.summary_requested.emit(row.document_id))

    def _filter(self) -> None:
        self._library.table.look_for(self.filter.text())
        self._show()

    def _enter_list(self) -> None:
        self.list.setFocus()
        if not self.list.currentIndex().isValid() and self._library.table.shown:
            self.list.selectRow(0)

    def _open(self, row: DocumentRow) -> None:
        self._open_path(Path(row.path), row.title) if row.path else self._say(
            f"“{row.title}” was pasted: there is no file to open.", "muted"
        )

    def _open_folder(self, row: DocumentRow) -> None:
        self._open_path(Path(row.path).parent, row.title)

    def _open_path(self, path: Path, title: str) -> None:
        if not path.exists():
            self._say(f"“{title}” is no longer where it was: {path}", "danger")
        elif not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
            self._say(f"The system has no program that opens {path.name}.", "danger")

    def _read_again(self, rows: Sequence[DocumentRow]) -> None:
        self.reading_requested.emit([row.document_id for row in rows])

    def _say(self, words: str, role: str) -> None:
        self.note.setText(words)
        self.note.setProperty("role", role)
        self.note.style().unpolish(self.note)
        self.note.style().polish(self.note)

    def _show(self) -> None:
        table = self._library.table
        shown, total = len(table.shown), table.total
        self._pages.setCurrentIndex(0 if total else 1)
        if not total:
            reading = "" if self._library.is_read else "Reading the library …"
            self.empty.setText(reading or EMPTY)
        of = f"{counted(shown, 'document')} of {total:,}" if shown != total else ""
        self.count.setText(of or (counted(total, "document") if total else ""))


class _Filter(QLineEdit):
    """Where the person says which documents are to be shown.

    Signals:
        down_pressed: The person goes on to the documents.
    """

    down_pressed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setPlaceholderText("Filter by name, kind or folder")
        self.setAccessibleName("Filter the documents")
        self.setClearButtonEnabled(True)
        self.setMaxLength(200)
        self.setMinimumWidth(120)

    def event(self, event: QEvent) -> bool:
        """Claim Escape while there is something to clear: elsewhere it stops a reply."""
        overrides = event.type() is QEvent.Type.ShortcutOverride
        is_escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if overrides and is_escape and self.text():
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Escape clears, Down goes to the documents."""
        if event.key() == Qt.Key.Key_Escape:
            self.clear()
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.down_pressed.emit()
        else:
            super().keyPressEvent(event)


def _words(text: str, role: str, parent: QWidget) -> QLabel:
    label = QLabel(text, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setProperty("role", role)
    return label
