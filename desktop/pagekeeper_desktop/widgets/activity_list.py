"""The activity list: one quiet line for what the assistant does, which unfolds to the details."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from pagekeeper_desktop.theme import colours_of
from pagekeeper_desktop.view_models.activity_model import (
    ActivityEntry,
    ActivityModel,
    ActivityState,
)
from pagekeeper_desktop.view_models.formatting import clock_time, one_line
from pagekeeper_desktop.widgets.icons import draw_icon

__all__ = ["ActivityList", "ActivityRow"]

ICON = 16
LONGEST_DETAIL = 4000

STATE_ICONS = {
    ActivityState.RUNNING: "dot",
    ActivityState.DONE: "check",
    ActivityState.FAILED: "dash",
    ActivityState.NOTICE: "info",
}
STATE_WORDS = {
    ActivityState.RUNNING: "running",
    ActivityState.DONE: "done",
    ActivityState.FAILED: "found nothing, or did not work",
    ActivityState.NOTICE: "notice",
}


class ActivityList(QWidget):
    """All lines, newest first.

    Signals:
        undo_requested (int): Take the change of this number back.
    """

    undo_requested = Signal(int)

    def __init__(self, model: ActivityModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "content")
        self._model = model
        self._rows: list[ActivityRow] = []
        self._empty = _text(
            "What the assistant does to its memory appears here: searches, notes, summaries.",
            "muted",
            self,
        )
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(8, 0, 8, 12)
        self._column.setSpacing(0)
        self._empty.setContentsMargins(8, 0, 8, 0)
        self._column.addWidget(self._empty)
        self._column.addStretch(1)
        model.added.connect(self._added)
        model.changed.connect(self._changed)
        model.dropped.connect(self._dropped)

    @property
    def rows(self) -> list["ActivityRow"]:
        """The lines, newest first."""
        return list(self._rows)

    def unfold_newest(self) -> None:
        """Open the newest line that is a call."""
        if self._rows:
            self._rows[0].unfold(unfolded=True)

    def _added(self, entry: ActivityEntry) -> None:
        self._empty.hide()
        row = ActivityRow(entry, self)
        row.undo_requested.connect(self.undo_requested)
        self._rows.insert(0, row)
        self._column.insertWidget(0, row)

    def _changed(self, place: int) -> None:
        self._rows[place].show_entry(self._model.entries[place])

    def _dropped(self) -> None:
        row = self._rows.pop()
        self._column.removeWidget(row)
        row.deleteLater()


class ActivityRow(QWidget):
    """One line and, unfolded, its details.

    Signals:
        undo_requested (int): Take the change of this number back.
    """

    undo_requested = Signal(int)

    def __init__(self, entry: ActivityEntry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entry = entry
        self._line = _Line(self)
        self._line.clicked.connect(lambda: self.unfold(unfolded=not self.is_unfolded))
        self._details: QWidget | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(self._line)
        self.show_entry(entry)

    @property
    def is_unfolded(self) -> bool:
        """Whether the details are shown."""
        return self._details is not None

    def show_entry(self, entry: ActivityEntry) -> None:
        """Show the entry as it is now."""
        self._entry = entry
        self._line.show_entry(entry)
        if self._details is not None:
            self.unfold(unfolded=False)
            self.unfold(unfolded=True)

    def unfold(self, *, unfolded: bool) -> None:
        """Show or hide the details."""
        if self._details is not None:
            self._column.removeWidget(self._details)
            self._details.hide()
            self._details.deleteLater()
            self._details = None
        if unfolded:
            self._details = self._make_details()
            self._column.addWidget(self._details)
        self._line.show_unfolded(unfolded)

    def _make_details(self) -> QWidget:
        details = QWidget(self)
        column = QVBoxLayout(details)
        column.setContentsMargins(2 * ICON + 12, 0, 8, 8)
        column.setSpacing(0)
        for heading, words in self._entry.details:
            label = _text(heading, "muted", details)
            label.setContentsMargins(0, 6, 0, 0)
            column.addWidget(label)
            shown = words if len(words) <= LONGEST_DETAIL else words[:LONGEST_DETAIL] + " …"
            label = _text(shown, "detail", details)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            column.addWidget(label)
        if self._entry.change_id:
            column.addWidget(self._undo_button(details), 0, Qt.AlignmentFlag.AlignLeft)
        return details

    def _undo_button(self, parent: QWidget) -> QPushButton:
        number = self._entry.change_id
        button = QPushButton("Undo", parent)
        button.setProperty("role", "link")
        button.setAccessibleName(f"Undo: {one_line(self._entry.title, 100)}")
        button.clicked.connect(lambda: self.undo_requested.emit(number))
        return button


class _Line(QAbstractButton):
    """Chevron, state, title."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._entry: ActivityEntry | None = None
        self._unfolded = False
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_entry(self, entry: ActivityEntry) -> None:
        self._entry = entry
        self.setAccessibleName(f"{entry.title}, {STATE_WORDS[entry.state]}")
        self.setToolTip(f"{clock_time(entry.at)}  {one_line(entry.title, 200)}")
        self.update()

    def show_unfolded(self, unfolded: bool) -> None:  # noqa: FBT001 - its one property
        self._unfolded = unfolded
        self.setAccessibleDescription("Unfolded" if unfolded else "Folded")
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(120, self.fontMetrics().height() + 12)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802, ARG002 - Qt's name and signature
        if self._entry is None:
            return
        colours = colours_of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse() or self.hasFocus():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colours.raised)
            painter.drawRoundedRect(QRectF(self.rect()), 6, 6)
        top = (self.height() - ICON) / 2
        chevron = "chevron-down" if self._unfolded else "chevron-right"
        draw_icon(painter, chevron, colours.muted, QRectF(2, top, ICON, ICON))
        ink = colours.accent if self._entry.state is not ActivityState.FAILED else colours.muted
        draw_icon(painter, STATE_ICONS[self._entry.state], ink, QRectF(ICON + 4, top, ICON, ICON))
        self._paint_title(painter, self._entry.title, colours.text)

    def _paint_title(self, painter: QPainter, title: str, colour: str) -> None:
        font = self.font()
        font.setPixelSize(font.pixelSize() - 1)
        metrics = QFontMetrics(font)
        left = 2 * ICON + 12
        room = self.width() - left - 8
        baseline = (self.height() + metrics.ascent() - metrics.descent()) // 2
        painter.setFont(font)
        painter.setPen(colour)
        shown = metrics.elidedText(title, Qt.TextElideMode.ElideRight, room)
        painter.drawText(left, baseline, shown)


def _text(words: str, role: str, parent: QWidget) -> QLabel:
    label = QLabel(words, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setProperty("role", role)
    return label
