"""What stands in the place of the conversation before there is one."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from pagekeeper_desktop.widgets.icons import draw_icon

__all__ = ["Welcome"]

SUGGESTIONS = (
    "My name is … and I live in …",
    "Remember that I am allergic to …",
    "What do you know about me?",
)
WIDTH = 400
MARGIN = 24
TIGHT = 380
"""Pixels of height below which there is no room for the mark."""


class Welcome(QWidget):
    """A greeting, and three beginnings that go into the composer.

    Signals:
        suggested (str): The person wants to begin with this.
    """

    suggested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._mark = _Mark(self)
        words = (
            "Tell me what I should know, ask me what you told me before, or drop a document here. "
            "Everything stays on this computer."
        )
        self._column = QWidget(self)
        column = QVBoxLayout(self._column)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(_centred("Hello. I keep the pages.", "welcome"))
        column.addWidget(_centred(words, "muted"))
        column.addSpacing(12)
        for suggestion in SUGGESTIONS:
            column.addWidget(self._button(suggestion))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """In the middle, a little above half; without the mark where it is tight."""
        super().resizeEvent(event)
        width = min(WIDTH, self.width() - 2 * MARGIN)
        self._mark.setVisible(self.height() >= TIGHT)
        layout = self._column.layout()
        height = layout.heightForWidth(width) if layout is not None else 0
        top = max(MARGIN // 2, (self.height() - height) * 2 // 5)
        self._column.setGeometry((self.width() - width) // 2, top, width, height)

    def _button(self, suggestion: str) -> QPushButton:
        button = QPushButton(suggestion, self)
        button.setProperty("role", "suggestion")
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.clicked.connect(lambda: self.suggested.emit(suggestion))
        return button


class _Mark(QWidget):
    """The program's icon."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedSize(56, 56)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(56, 56)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802, ARG002 - Qt's name and signature
        draw_icon(QPainter(self), "pagekeeper", "#000000", QRectF(self.rect()))


def _centred(words: str, role: str) -> QLabel:
    label = QLabel(words)
    label.setProperty("role", role)
    label.setWordWrap(True)
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    return label
