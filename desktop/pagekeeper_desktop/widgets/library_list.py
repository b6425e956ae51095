"""The table of documents: Enter or a double click opens, Delete deletes, a menu has all of it."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QMenu, QTableView, QWidget

from pagekeeper_desktop.view_models.library_table import (
    Column,
    DocumentRow,
    DocumentState,
    LibraryTable,
)

__all__ = ["LibraryList"]

ROW_HEIGHT = 34
LEAST_NAME = 160
WIDTHS = {
    Column.KIND: 104,
    Column.SIZE: 76,
    Column.PAGES: 68,
    Column.PASSAGES: 88,
    Column.ADDED: 128,
    Column.STATE: 112,
}
SPARED = (Column.PAGES, Column.KIND, Column.SIZE, Column.ADDED, Column.PASSAGES)
"""Columns that are left out one after another where there is no room for them."""


class LibraryList(QTableView):
    """The documents.

    Signals:
        open_wanted (DocumentRow): In the program that the system has for it.
        folder_wanted (DocumentRow): Show where it lies.
        summary_wanted (DocumentRow): Have the assistant summarise it.
        reading_wanted (list[DocumentRow]): Read these again.
        deletion_wanted (list[DocumentRow]): Delete these.
        retry_wanted (int): Read the file of this import again.
        stop_wanted (int): Do not read it.
    """

    open_wanted = Signal(object)
    folder_wanted = Signal(object)
    summary_wanted = Signal(object)
    reading_wanted = Signal(list)
    deletion_wanted = Signal(list)
    retry_wanted = Signal(int)
    stop_wanted = Signal(int)

    def __init__(self, table: LibraryTable, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._table = table
        self.setModel(table)
        self.setProperty("role", "library")
        self.setAccessibleName("Documents")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setSortingEnabled(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setAccessibleName("Columns; a click sorts")
        self.sortByColumn(list(Column).index(Column.ADDED), Qt.SortOrder.DescendingOrder)
        self.doubleClicked.connect(self._open)

    @property
    def chosen(self) -> list[DocumentRow]:
        """The documents that are selected, in the order in which they are shown."""
        rows = sorted({index.row() for index in self.selectionModel().selectedRows()})
        return [self._table.shown[row] for row in rows if row < len(self._table.shown)]

    def menu_for(self, rows: Sequence[DocumentRow]) -> QMenu | None:
        """What can be done with these documents; None where there is none."""
        if not rows:
            return None
        menu = QMenu(self)
        menu.setAccessibleName("What can be done with the document")
        one = rows[0] if len(rows) == 1 else None
        if one is not None and one.path:
            menu.addAction("Open", lambda: self.open_wanted.emit(one))
            menu.addAction("Show in its folder", lambda: self.folder_wanted.emit(one))
        if one is not None and one.document_id:
            menu.addAction("Summarise", lambda: self.summary_wanted.emit(one))
        self._add_import(menu, one)
        menu.addSeparator()
        again = [row for row in rows if row.path and row.document_id]
        if again:
            menu.addAction("Read again", lambda: self.reading_wanted.emit(again))
        if any(row.document_id for row in rows):
            menu.addAction("Delete …\tDel", lambda: self.deletion_wanted.emit(list(rows)))
        return menu

    def _add_import(self, menu: QMenu, row: DocumentRow | None) -> None:
        """What can be done with a file that is not in the archive yet."""
        if row is None or not row.job_id:
            return
        number = row.job_id
        if row.state is DocumentState.FAILED:
            menu.addAction("Try again", lambda: self.retry_wanted.emit(number))
        else:
            menu.addAction("Stop reading it", lambda: self.stop_wanted.emit(number))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """The keys of the menu."""
        chosen = self.chosen
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and len(chosen) == 1:
            self.open_wanted.emit(chosen[0])
        elif event.key() == Qt.Key.Key_Delete and chosen:
            self.deletion_wanted.emit(chosen)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802 - Qt's name
        """The menu, by the right button or the menu key."""
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        at = event.pos() if by_mouse else self.visualRect(self.currentIndex()).center()
        self.open_menu(at)

    def open_menu(self, at: QPoint) -> None:
        """The menu of what is selected, at a place of the table."""
        menu = self.menu_for(self.chosen)
        if menu is not None:
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(self.viewport().mapToGlobal(at))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Show as many columns as there is room for."""
        super().resizeEvent(event)
        left = event.size().width() - LEAST_NAME - sum(WIDTHS.values())
        hidden = set()
        for column in SPARED:
            if left < 0:
                hidden.add(column)
                left += WIDTHS[column]
        for number, column in enumerate(Column):
            self.setColumnHidden(number, column in hidden)
            if column in WIDTHS:
                self.setColumnWidth(number, WIDTHS[column])

    def _open(self, index: QModelIndex) -> None:
        row = self._table.row_at(index)
        if row is not None:
            self.open_wanted.emit(row)
