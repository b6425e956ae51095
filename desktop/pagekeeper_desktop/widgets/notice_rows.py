"""Rows of the transcript that are not messages: a day's heading, a quiet line, a reminder."""

from datetime import datetime

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QWidget

from pagekeeper_desktop.theme import colours_of
from pagekeeper_desktop.view_models.formatting import day_name
from pagekeeper_desktop.view_models.transcript_items import DayItem, NoteItem, ReminderItem
from pagekeeper_desktop.widgets.icons import draw_icon
from pagekeeper_desktop.widgets.transcript_row import TranscriptRow

__all__ = ["LineRow", "ReminderRow"]

ABOVE, BELOW = 4, 20
ICON, INSET = 18, 12


class LineRow(TranscriptRow):
    """One centred line; a day's stands between two rules."""

    def __init__(self, item: DayItem | NoteItem, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_day = isinstance(item, DayItem)
        self._label = QLabel(self)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setProperty("role", "muted")
        self._label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.show_item(item)

    def show_item(self, item: DayItem | NoteItem) -> None:
        """Show the line as it is now."""
        today = datetime.now().astimezone().date()
        text = day_name(item.day, today) if isinstance(item, DayItem) else item.text
        self._label.setText(text)
        self.setAccessibleName(text)

    def height_for(self, width: int) -> int:
        """Lay the row out for this width; gives its height."""
        hint = self._label.sizeHint()
        shown = min(width, hint.width())
        self._label.setGeometry((width - shown) // 2, ABOVE, shown, hint.height())
        return ABOVE + hint.height() + BELOW

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802, ARG002 - Qt's name and signature
        """The rules at both sides of a day."""
        if not self._is_day:
            return
        painter = QPainter(self)
        painter.setPen(QColor(colours_of(self.palette()).border))
        label = self._label.geometry()
        middle = label.center().y()
        painter.drawLine(0, middle, label.left() - 12, middle)
        painter.drawLine(label.right() + 12, middle, self.width(), middle)


class ReminderRow(TranscriptRow):
    """A reminder that was due: a clock and its words, on the ground of what only tells."""

    def __init__(self, item: ReminderItem, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = QLabel(self)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setWordWrap(True)
        self._label.setProperty("role", "detail")
        self.show_item(item)

    def show_item(self, item: ReminderItem) -> None:
        """Show the reminder as it is now."""
        self._label.setText(item.text)
        self.setAccessibleName(item.text)

    def height_for(self, width: int) -> int:
        """Lay the row out for this width; gives its height."""
        left = 2 * INSET + ICON
        room = max(40, width - left - INSET)
        height = max(ICON, self._label.heightForWidth(room))
        self._label.setGeometry(left, INSET - 2, room, height)
        return height + 2 * (INSET - 2) + BELOW

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802, ARG002 - Qt's name and signature
        """The ground and the clock."""
        colours = colours_of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colours.notice_surface))
        painter.drawRoundedRect(QRectF(0, 0, self.width(), self.height() - BELOW), 8, 8)
        draw_icon(painter, "bell", colours.accent_text, QRectF(INSET, INSET - 2, ICON, ICON))
