"""The conversations at the left: search, the list, a new one, those that were put away."""

from typing import TypeGuard

from PySide6.QtCore import QEvent, QModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QAbstractItemView,
    QHBoxLayout,
    QLineEdit,
    QListView,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from pagekeeper_desktop.view_models.archive_search import ArchiveSearch
from pagekeeper_desktop.view_models.conversation_list import NEW, ConversationList
from pagekeeper_desktop.view_models.conversation_rows import (
    ConversationRows,
    HitRow,
    PassageRow,
    Row,
    ThreadRow,
)
from pagekeeper_desktop.view_models.conversation_search import ConversationSearch
from pagekeeper_desktop.widgets.conversation_delegate import ConversationDelegate, menu_place

__all__ = ["ConversationPanel"]

LEAST_WIDTH = 200
PAUSE = 200
"""Milliseconds after the last key stroke before a search begins."""


class ConversationPanel(QWidget):
    """The list with what belongs to it.

    Signals:
        chosen: A conversation was chosen, or a new one begun: the person wants to write in it.
        passage_chosen (str, str, bool): Show the passage of this identifier, of the document of
            this title; whether it may not be about what was looked for.
    """

    chosen = Signal()
    passage_chosen = Signal(str, str, bool)

    def __init__(
        self,
        conversations: ConversationList,
        search: ConversationSearch,
        archive: ArchiveSearch,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "sidebar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(LEAST_WIDTH)
        self._conversations = conversations
        self.rows = ConversationRows(conversations, search, archive, self)
        self.search = _SearchField(self)
        self.list = _List(self.rows, self)
        self.new = QPushButton("New", self)
        self.new.setToolTip("New conversation (Ctrl+N)")
        self.new.setAccessibleName("New conversation")
        self.away = QPushButton("Put away", self)
        self.away.setProperty("role", "quiet")
        self.away.setCheckable(True)
        self.away.setToolTip("Show the conversations that were put away too")
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE)
        self._lay_out()
        self._pause.timeout.connect(lambda: search.look_for(self.search.text()))
        self._pause.timeout.connect(lambda: archive.look_for(self.search.text()))
        self.search.textChanged.connect(self._begin_pause)
        self.search.left.connect(self._leave_search)
        self.search.down_pressed.connect(self.list.enter)
        self.new.clicked.connect(self.begin)
        self.away.toggled.connect(self.rows.show_put_away)
        self.list.chosen.connect(self._choose)
        self.list.archive_wanted.connect(self._archive)

    def begin(self) -> None:
        """Begin a new conversation."""
        self.search.clear()
        self._conversations.begin()
        self.chosen.emit()

    def _lay_out(self) -> None:
        foot = QHBoxLayout()
        foot.addWidget(self.new)
        foot.addStretch(1)
        foot.addWidget(self.away)
        foot.setContentsMargins(12, 8, 8, 12)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 12, 0, 0)
        column.setSpacing(4)
        head = QHBoxLayout()
        head.setContentsMargins(12, 0, 12, 0)
        head.addWidget(self.search)
        column.addLayout(head)
        column.addWidget(self.list, 1)
        column.addLayout(foot)

    def _begin_pause(self) -> None:
        self._pause.start()

    def _leave_search(self) -> None:
        self.search.clear()
        self.list.setFocus()

    def _choose(self, row: Row) -> None:
        if isinstance(row, ThreadRow):
            self._conversations.open(row.thread.thread_id)
            self.chosen.emit()
        elif isinstance(row, HitRow):
            message = row.hit.message
            self._conversations.open(message.thread_id, message.seq)
        elif isinstance(row, PassageRow):
            self.passage_chosen.emit(row.hit.passage_id, row.title, row.is_weak)

    def _archive(self, thread_id: int, archived: bool) -> None:  # noqa: FBT001 - a signal's value
        self._conversations.archive(thread_id, archived=archived)


class _SearchField(QLineEdit):
    """Where the person says what is looked for.

    Signals:
        left: Escape.
        down_pressed: The person goes on to what was found.
    """

    left = Signal()
    down_pressed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "search")
        self.setPlaceholderText("Search")
        self.setAccessibleName("Search conversations and documents")
        self.setToolTip("Search all conversations and documents (Ctrl+F)")
        self.setClearButtonEnabled(True)
        self.setMaxLength(500)

    def event(self, event: QEvent) -> bool:
        """Claim Escape, which is the window's shortcut for Stop everywhere else."""
        overrides = event.type() is QEvent.Type.ShortcutOverride
        if overrides and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Escape leaves the search, Down goes to what was found."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.down_pressed.emit()
        else:
            super().keyPressEvent(event)


class _List(QListView):
    """The rows; Enter or a click opens, F2 renames, Delete puts away, a menu has all of it.

    Signals:
        chosen (Row): Open this.
        archive_wanted (int, bool): Put this conversation away, or fetch it back.
    """

    chosen = Signal(object)
    archive_wanted = Signal(int, bool)

    def __init__(self, rows: ConversationRows, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows = rows
        self._kept: int | None = None
        self.setModel(rows)
        self.setItemDelegate(ConversationDelegate(self))
        self.setProperty("role", "conversations")
        self.setAccessibleName("Conversations")
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setUniformItemSizes(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        rows.modelAboutToBeReset.connect(self._keep_current)
        rows.modelReset.connect(self._restore_current)

    def enter(self) -> None:
        """Go to the first row that can be opened."""
        self.setFocus()
        for number in range(self._rows.rowCount()):
            index = self._rows.index(number)
            if index.flags() & Qt.ItemFlag.ItemIsSelectable:
                self.setCurrentIndex(index)
                return

    def rename(self, index: QModelIndex) -> None:
        """Let the person write another title into the row."""
        if index.flags() & Qt.ItemFlag.ItemIsEditable:
            self._rows.hold(held=True)
            self.setCurrentIndex(index)
            self.edit(index)

    def menu_for(self, index: QModelIndex) -> QMenu | None:
        """What can be done with the conversation of a row; None for other rows."""
        row = self._rows.row_at(index)
        if not _has_number(row):
            return None
        number, archived = row.thread.thread_id, row.thread.archived
        menu = QMenu(self)
        menu.addAction("Open", lambda: self.chosen.emit(row))
        menu.addAction("Rename\tF2", lambda: self.rename(self._rows.index_of(number)))
        label = "Fetch back\tDel" if archived else "Put away\tDel"
        menu.addAction(label, lambda: self.archive_wanted.emit(number, not archived))
        return menu

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """The keys of the menu; not those that end the writing of a title."""
        if self.state() is QAbstractItemView.State.EditingState:
            return
        index = self.currentIndex()
        row = self._rows.row_at(index)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and row is not None:
            self.chosen.emit(row)
        elif event.key() == Qt.Key.Key_F2:
            self.rename(index)
        elif event.key() == Qt.Key.Key_Delete and _has_number(row):
            self.archive_wanted.emit(row.thread.thread_id, not row.thread.archived)
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """A click opens the row, or its menu."""
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        if event.button() != Qt.MouseButton.LeftButton or not index.isValid():
            return
        sign = menu_place(self.visualRect(index))
        if sign.contains(event.position().toPoint()) and self._open_menu(index, sign.bottomLeft()):
            return
        self.chosen.emit(self._rows.row_at(index))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802 - Qt's name
        """The menu, by the right button or the menu key."""
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        index = self.indexAt(event.pos()) if by_mouse else self.currentIndex()
        self._open_menu(index, event.pos() if by_mouse else self.visualRect(index).center())

    def closeEditor(  # noqa: N802 - Qt's name
        self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint
    ) -> None:
        """The rows may change again."""
        super().closeEditor(editor, hint)
        self._rows.hold(held=False)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Headings wrap in another way."""
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()

    def _open_menu(self, index: QModelIndex, place: QPoint) -> bool:
        menu = self.menu_for(index)
        if menu is None:
            return False
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.viewport().mapToGlobal(place))
        return True

    def _keep_current(self) -> None:
        row = self._rows.row_at(self.currentIndex())
        self._kept = row.thread.thread_id if isinstance(row, ThreadRow) else None

    def _restore_current(self) -> None:
        if self._kept is not None:
            index = self._rows.index_of(self._kept)
            if index.isValid():
                self.setCurrentIndex(index)


def _has_number(row: Row | None) -> TypeGuard[ThreadRow]:
    """Whether a row is a conversation that the agent knows."""
    return isinstance(row, ThreadRow) and row.thread.thread_id != NEW
