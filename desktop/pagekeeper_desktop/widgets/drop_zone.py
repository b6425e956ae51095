"""What lies over the window while files are dragged over it, and takes them when they fall."""

from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QDragMoveEvent, QDropEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from pagekeeper_desktop.theme import colours_of
from pagekeeper_desktop.widgets.icons import draw_icon

__all__ = ["DropZone", "local_files"]

MARGIN, ICON = 16, 48


class DropZone(QWidget):
    """A frame and two lines of words over everything; the window's own events are watched.

    Signals:
        dropped (list[Path]): The person let these fall.
    """

    dropped = Signal(list)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        parent.setAcceptDrops(True)
        parent.installEventFilter(self)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName("Drop files and folders to read them into the library")
        self.hide()

    def cover(self) -> None:
        """Lie over the parent."""
        parent = self.parentWidget()
        if parent is not None:
            self.setGeometry(parent.rect())
        self.raise_()
        self.show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Follow what is dragged over the window, and the window's size."""
        kind = event.type()
        if kind is QEvent.Type.Resize and not self.isHidden():
            self.cover()
        elif kind in (QEvent.Type.DragEnter, QEvent.Type.DragMove):
            return isinstance(event, QDragMoveEvent) and self._admit(event)
        elif kind is QEvent.Type.DragLeave:
            self.hide()
        elif kind is QEvent.Type.Drop and isinstance(event, QDropEvent):
            self._take(event)
            return True
        return super().eventFilter(watched, event)

    def _admit(self, event: QDragMoveEvent) -> bool:
        """Files and folders may fall anywhere; addresses and texts are none."""
        if not local_files(event.mimeData()):
            return False
        event.acceptProposedAction()
        if self.isHidden():
            self.cover()
        return True

    def _take(self, event: QDropEvent) -> None:
        self.hide()
        event.acceptProposedAction()
        self.dropped.emit(local_files(event.mimeData()))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802, ARG002 - Qt's name and signature
        """Veil, frame, drawing, words."""
        colours = colours_of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        veil = QColor(colours.window)
        veil.setAlphaF(0.95)
        painter.fillRect(self.rect(), veil)
        frame = QRectF(self.rect()).adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
        painter.setPen(QPen(QColor(colours.accent), 2, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(frame, 16, 16)
        middle = frame.center()
        icon = QRectF(middle.x() - ICON / 2, middle.y() - ICON - 12, ICON, ICON)
        draw_icon(painter, "archive", colours.accent, icon)
        self._paint_words(painter, frame.translated(0, 8), colours.text, "Drop to read", bold=True)
        words = "Files and folders go into the library, on this computer only."
        self._paint_words(painter, frame.translated(0, 36), colours.muted, words, bold=False)

    def _paint_words(
        self, painter: QPainter, place: QRectF, colour: str, words: str, *, bold: bool
    ) -> None:
        font = self.font()
        font.setBold(bold)
        painter.setFont(font)
        painter.setPen(QColor(colour))
        lower = place.adjusted(0, place.height() / 2, 0, 0)
        flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
        painter.drawText(lower, flags, words)


def local_files(data: QMimeData) -> list[Path]:
    """The files and folders of this computer that are dragged or pasted."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
