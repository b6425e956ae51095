"""The conversation: rows of widgets, made only for the part that is near the view.

The model holds all rows that were loaded; at most 200 of them have a widget. Scrolling to the top
makes older ones (and asks for more when there are none), and the far end lets go of its own.
"""

from collections.abc import Iterable

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QWidget

from pagekeeper_desktop.view_models.transcript_items import (
    BatchItem,
    DayItem,
    ImportItem,
    Item,
    MessageItem,
    NoteItem,
    ReminderItem,
)
from pagekeeper_desktop.view_models.transcript_model import TranscriptModel
from pagekeeper_desktop.widgets.batch_row import BatchRow, import_row
from pagekeeper_desktop.widgets.import_row import ImportRow
from pagekeeper_desktop.widgets.message_row import MessageRow
from pagekeeper_desktop.widgets.notice_rows import LineRow, ReminderRow

__all__ = ["Transcript", "column_width"]

Row = MessageRow | ImportRow | BatchRow | LineRow | ReminderRow

MOST_LIVE = 200
"""Rows that have a widget at one time."""

PORTION = 10
"""Rows that are made at one time: about 2 ms each."""

FIRST_PORTION = 20
"""Rows that are made of a conversation that was loaded: more than a high window shows."""

COLUMN_CHARACTERS = 72
"""Widest line of text, in average characters."""

MARGIN = 24
NEAR_EDGE = 400
"""Pixels from the edge at which more rows are made."""

AT_END = 32
"""Pixels from the end within which the view follows what is written."""


class Transcript(QScrollArea):
    """The scrolling list.

    Signals:
        older_wanted: The oldest loaded row is near the view.
        take_back_requested (int): The person withdraws the message of this row id.
        cancel_requested (int): The person stops this import, by its number.
        pause_requested (int, bool): The person lets it rest, or go on.
        retry_requested (int, str): The person has it read again, with this password.
        activity_requested: The person wants to see what the assistant did.
        forget_requested (int): The assistant is not to find the message of this number any more.
        citation_opened (Citation): The person wants to see this passage where it stands.
        source_pointed (SourceChip): This chip is to be told how its passage begins.
    """

    older_wanted = Signal()
    take_back_requested = Signal(int)
    cancel_requested = Signal(int)
    pause_requested = Signal(int, bool)
    retry_requested = Signal(int, str)
    activity_requested = Signal()
    forget_requested = Signal(int)
    citation_opened = Signal(object)
    source_pointed = Signal(object)

    def __init__(self, model: TranscriptModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._rows: list[Row] = []
        self._heights: dict[Row, int] = {}
        self._first = 0
        self._follows = True
        self._column = QWidget()
        self._column.setProperty("role", "content")
        self.setWidget(self._column)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName("Conversation")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.verticalScrollBar().setSingleStep(32)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        self._to_end = self._make_end_button()
        self._layout_timer = QTimer(self)
        self._layout_timer.setSingleShot(True)
        self._layout_timer.timeout.connect(self._lay_out)
        model.inserted.connect(self._inserted)
        model.removed.connect(self._removed)
        model.changed.connect(self._changed)
        model.cleared.connect(self._cleared)

    @property
    def live_rows(self) -> list[Row]:
        """The widgets that stand for rows now, in order."""
        return list(self._rows)

    def scroll_to_end(self) -> None:
        """Show the newest row and follow what is written."""
        self._follows = True
        while self._first + len(self._rows) < len(self._model):
            self._make_newer()
        self._lay_out()

    def reveal(self, position: int) -> None:
        """Show the row at a position, marked, with what was said around it."""
        self._drop(self._rows, at_start=True)
        self._first = max(0, position - PORTION)
        stop = min(len(self._model), position + FIRST_PORTION)
        self._rows = [self._make_row(self._model[i]) for i in range(self._first, stop)]
        self._follows = False
        self._lay_out()
        row = self._rows[position - self._first]
        if isinstance(row, MessageRow):
            row.mark_found()
        self.verticalScrollBar().setValue(max(0, row.y() - MARGIN))
        self._scrolled(self.verticalScrollBar().value())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Lay the column out for the new width."""
        super().resizeEvent(event)
        self._heights.clear()
        self._lay_out()
        self._place_end_button()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Lay everything out anew when fonts or colours changed."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._heights.clear()
            self._plan_layout()

    def _make_end_button(self) -> QPushButton:
        button = QPushButton("↓ Newest", self)
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.setAccessibleName("Show the newest message")
        button.clicked.connect(self.scroll_to_end)
        button.hide()
        return button

    def _place_end_button(self) -> None:
        hint = self._to_end.sizeHint()
        self._to_end.setGeometry(
            (self.width() - hint.width()) // 2,
            self.height() - hint.height() - 12,
            hint.width(),
            hint.height(),
        )

    def _inserted(self, position: int, count: int) -> None:
        end = self._first + len(self._rows)
        if position < self._first or (position == self._first == 0 and self._rows):
            self._first += count
            if not self._follows and self.verticalScrollBar().value() < NEAR_EDGE:
                self._make_older()
        elif position == end and not self._follows and len(self._rows) >= FIRST_PORTION:
            self._show_end_button()
        elif position <= end:
            self._insert_rows(position, count)
        self._plan_layout()

    def _insert_rows(self, position: int, count: int) -> None:
        """Make the newest of the inserted rows; older ones are made when they are scrolled to."""
        start = max(position, position + count - FIRST_PORTION) if not self._rows else position
        if not self._rows:
            self._first = start
        for offset in range(start, position + count):
            self._rows.insert(offset - self._first, self._make_row(self._model[offset]))
        if self._follows:
            self._drop(self._rows[: max(0, len(self._rows) - MOST_LIVE)], at_start=True)

    def _removed(self, position: int) -> None:
        index = position - self._first
        if index < 0:
            self._first -= 1
        elif index < len(self._rows):
            row = self._rows.pop(index)
            self._let_go(row)
            self._plan_layout()

    def _cleared(self) -> None:
        self._drop(self._rows, at_start=True)
        self._first = 0
        self._follows = True
        self._to_end.hide()
        self._plan_layout()

    def _changed(self, position: int) -> None:
        index = position - self._first
        if 0 <= index < len(self._rows):
            row = self._rows[index]
            _show(row, self._model[position])
            if isinstance(row, LineRow):
                self._heights.pop(row, None)
                self._plan_layout()

    def _make_row(self, item: Item) -> Row:
        row: Row
        if isinstance(item, MessageItem):
            row = MessageRow(item, self._column)
            row.take_back_requested.connect(self._take_back)
            row.activity_requested.connect(self.activity_requested)
            row.forget_requested.connect(self.forget_requested)
            row.citation_opened.connect(self.citation_opened)
            row.source_pointed.connect(self.source_pointed)
            row.height_changed.connect(self._row_changed)
        elif isinstance(item, ImportItem | BatchItem):
            row = import_row(item, self._column)
            row.cancel_requested.connect(self.cancel_requested)
            row.pause_requested.connect(self.pause_requested)
            row.retry_requested.connect(self.retry_requested)
            row.height_changed.connect(self._row_changed)
        elif isinstance(item, ReminderItem):
            row = ReminderRow(item, self._column)
        else:
            row = LineRow(item, self._column)
        row.show()
        return row

    def _take_back(self) -> None:
        row = self.sender()
        if isinstance(row, MessageRow) and row in self._rows:
            self.take_back_requested.emit(self._model.row_id(self._first + self._rows.index(row)))

    def _row_changed(self) -> None:
        row = self.sender()
        if isinstance(row, MessageRow | ImportRow | BatchRow):
            self._heights.pop(row, None)
            self._plan_layout()

    def _plan_layout(self) -> None:
        if not self._layout_timer.isActive():
            self._layout_timer.start()

    def _lay_out(self, anchor: Row | None = None) -> None:
        """Put the rows below each other; the anchor, or the end, keeps its place in the view."""
        anchor = anchor or self._row_in_view()
        before = anchor.y() if anchor else 0
        bar = self.verticalScrollBar()
        width = self._text_width()
        left = (self.width() - width) // 2
        y = MARGIN
        for row in self._rows:
            height = self._height(row, width)
            row.setGeometry(left, y, width, height)
            y += height
        follows = self._follows
        self._column.resize(self.viewport().width(), max(y, self.viewport().height()))
        if follows:
            bar.setValue(bar.maximum())
        elif anchor:
            bar.setValue(bar.value() + anchor.y() - before)
        self._follows = follows
        if y < self.viewport().height() and self._first > 0:
            self._make_older()

    def _height(self, row: Row, width: int) -> int:
        height = self._heights.get(row)
        if height is None:
            height = self._heights[row] = row.height_for(width)
        return height

    def _text_width(self) -> int:
        return column_width(self, self.width())

    def _row_in_view(self) -> Row | None:
        top = self.verticalScrollBar().value()
        return next((row for row in self._rows if row.y() + row.height() > top), None)

    def _scrolled(self, value: int) -> None:
        bar = self.verticalScrollBar()
        at_newest = self._first + len(self._rows) == len(self._model)
        self._follows = at_newest and value >= bar.maximum() - AT_END
        if self._follows:
            self._to_end.hide()
        else:
            self._show_end_button()
        if value < NEAR_EDGE:
            self._make_older()
        if value > bar.maximum() - NEAR_EDGE and not at_newest:
            self._make_newer()

    def _show_end_button(self) -> None:
        self._to_end.setVisible(bool(self._rows))
        self._to_end.raise_()
        self._place_end_button()

    def _make_older(self) -> None:
        """Make the portion before the first live row, or ask for it."""
        if self._first == 0:
            self.older_wanted.emit()
            return
        anchor = self._row_in_view()
        start = max(0, self._first - PORTION)
        self._rows[:0] = [self._make_row(self._model[i]) for i in range(start, self._first)]
        self._first = start
        self._drop(self._rows[MOST_LIVE:], at_start=False)
        self._lay_out(anchor)

    def _make_newer(self) -> None:
        anchor = self._row_in_view()
        end = self._first + len(self._rows)
        stop = min(len(self._model), end + PORTION)
        self._rows += [self._make_row(self._model[i]) for i in range(end, stop)]
        self._drop(self._rows[: max(0, len(self._rows) - MOST_LIVE)], at_start=True)
        self._lay_out(anchor if anchor in self._rows else None)

    def _drop(self, rows: Iterable[Row], *, at_start: bool) -> None:
        gone = list(rows)
        if not gone:
            return
        if at_start:
            del self._rows[: len(gone)]
            self._first += len(gone)
        else:
            del self._rows[-len(gone) :]
        for row in gone:
            self._let_go(row)

    def _let_go(self, row: Row) -> None:
        self._heights.pop(row, None)
        row.hide()
        row.deleteLater()


def column_width(widget: QWidget, available: int) -> int:
    """How wide the column of text is in a place of that width, in pixels."""
    widest = widget.fontMetrics().averageCharWidth() * COLUMN_CHARACTERS
    return max(200, min(widest, available - 2 * MARGIN))


def _show(row: Row, item: Item) -> None:
    match item:
        case MessageItem() if isinstance(row, MessageRow):
            row.show_item(item)
        case ImportItem() if isinstance(row, ImportRow):
            row.show_item(item)
        case BatchItem() if isinstance(row, BatchRow):
            row.show_item(item)
        case ReminderItem() if isinstance(row, ReminderRow):
            row.show_item(item)
        case DayItem() | NoteItem() if isinstance(row, LineRow):
            row.show_item(item)
        case _:
            pass
