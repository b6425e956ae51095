"""What all rows of the transcript have in common: they lay themselves out for a width."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

from pagekeeper_desktop.colours import Colours

__all__ = ["TranscriptRow", "draw_card", "wrapped_label"]

CARD_RADIUS = 10


class TranscriptRow(QWidget):
    """A row; the transcript gives it its width, and it tells its height."""

    def height_for(self, width: int) -> int:
        """Lay the row out for this width; gives its height."""
        raise NotImplementedError

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """As large as it is: the transcript decides."""
        return self.size()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Place the parts."""
        super().resizeEvent(event)
        self.height_for(event.size().width())


def draw_card(painter: QPainter, card: QRectF, colours: Colours) -> None:
    """Draw the ground of a card with its border."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(colours.border), 1))
    painter.setBrush(QColor(colours.surface))
    painter.drawRoundedRect(card, CARD_RADIUS, CARD_RADIUS)


def wrapped_label(parent: QWidget, role: str) -> QLabel:
    """A label of plain text that breaks its lines; `role` chooses its look in the style sheet."""
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setProperty("role", role)
    return label
