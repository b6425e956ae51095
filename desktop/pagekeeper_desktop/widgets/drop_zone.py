"""What lies over the window while files are dragged over it."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from pagekeeper_desktop.theme import colours_of
from pagekeeper_desktop.widgets.icons import draw_icon

__all__ = ["DropZone"]

MARGIN, ICON = 16, 48


class DropZone(QWidget):
    """A frame and two lines of words over everything; it takes no events itself."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName("Drop files to read them into the archive")
        self.hide()

    def cover(self) -> None:
        """Lie over the parent."""
        parent = self.parentWidget()
        if parent is not None:
            self.setGeometry(parent.rect())
        self.raise_()
        self.show()

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
        words = "Text files and PDFs go into the archive, on this computer only."
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
