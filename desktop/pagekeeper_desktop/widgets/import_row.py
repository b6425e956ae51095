"""A file on its way into the archive: name, progress, cancel, and what became of it."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QLabel, QProgressBar, QWidget

from pagekeeper_desktop.theme import colours_of
from pagekeeper_desktop.view_models.transcript_items import ImportItem, ImportState
from pagekeeper_desktop.widgets.icon_button import IconButton
from pagekeeper_desktop.widgets.icons import draw_icon

__all__ = ["ImportRow"]

PADDING, BELOW, ICON = 12, 12, 24

ICONS = {
    ImportState.WAITING: "file",
    ImportState.RUNNING: "file",
    ImportState.DONE: "check",
    ImportState.FAILED: "alert",
    ImportState.CANCELLED: "dash",
}


class ImportRow(QWidget):
    """One file.

    Signals:
        height_changed: The row asks to be laid out anew.
        cancel_requested: The person wants this file not to be read.
    """

    height_changed = Signal()
    cancel_requested = Signal()

    def __init__(self, item: ImportItem, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._item = item
        self._name = _label(self, "heading")
        self._message = _label(self, "muted")
        self._bar = QProgressBar(self)
        self._bar.setTextVisible(False)
        self._cancel = IconButton("close", f"Stop reading {item.name}", self, size=28)
        self._cancel.clicked.connect(self.cancel_requested)
        self.show_item(item)

    def show_item(self, item: ImportItem) -> None:
        """Show the file as it is now."""
        self._item = item
        failed = item.state is ImportState.FAILED
        running = item.state in (ImportState.RUNNING, ImportState.WAITING)
        self._name.setText(item.name)
        self._message.setProperty("role", "danger" if failed else "muted")
        self._message.setText(self._words())
        for widget in (self._bar, self._cancel):
            widget.setVisible(running)
        self._bar.setVisible(item.state is ImportState.RUNNING)
        self._bar.setRange(0, max(0, item.total))
        self._bar.setValue(item.done)
        self.setAccessibleName(f"{item.name}: {self._words()}")
        self.update()
        self.height_changed.emit()

    def height_for(self, width: int) -> int:
        """Lay the row out for this width; gives its height."""
        left = PADDING + ICON + 10
        inner = width - left - PADDING - (36 if not self._cancel.isHidden() else 0)
        y = PADDING
        for label in (self._name, self._message):
            height = label.heightForWidth(inner)
            label.setGeometry(left, y, inner, height)
            y += height + 2
        if not self._bar.isHidden():
            self._bar.setGeometry(left, y + 4, inner, 4)
            y += 10
        self._cancel.move(width - PADDING - 24, PADDING - 2)
        return y + PADDING - 2 + BELOW

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """As large as it is: the transcript decides."""
        return self.size()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Place the parts."""
        super().resizeEvent(event)
        self.height_for(event.size().width())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802, ARG002 - Qt's name and signature
        """A card with the state's drawing."""
        colours = colours_of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(colours.border), 1))
        painter.setBrush(QColor(colours.surface))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -BELOW - 0.5), 10, 10)
        inks = {ImportState.DONE: colours.accent, ImportState.FAILED: colours.danger}
        ink = inks.get(self._item.state, colours.muted)
        draw_icon(painter, ICONS[self._item.state], ink, QRectF(PADDING, PADDING, ICON, ICON))

    def _words(self) -> str:
        item = self._item
        return f"{item.message}\n{item.hint}" if item.hint else item.message


def _label(parent: QWidget, role: str) -> QLabel:
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setProperty("role", role)
    return label
