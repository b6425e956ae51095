"""What stands in the place of the conversation before there is one."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from pagekeeper_desktop.widgets.icons import draw_icon

__all__ = ["Welcome"]

SUGGESTIONS = (
    "My name is … and I live in …",
    "Remember that I am allergic to …",
    "What do you know about me?",
)
WIDTH = 440


class Welcome(QWidget):
    """A greeting, and three beginnings that go into the composer.

    Signals:
        suggested (str): The person wants to begin with this.
    """

    suggested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setSpacing(8)
        column.addStretch(2)
        middle = Qt.AlignmentFlag.AlignHCenter
        column.addWidget(_Mark(self), 0, middle)
        column.addSpacing(8)
        column.addWidget(
            _centred("Hello. I keep the pages.", "welcome"), 0, Qt.AlignmentFlag.AlignHCenter
        )
        words = (
            "Tell me what I should know, ask me what you told me before, or drop a document here. "
            "Everything stays on this computer."
        )
        column.addWidget(_centred(words, "muted"), 0, middle)
        column.addSpacing(16)
        for suggestion in SUGGESTIONS:
            column.addWidget(self._button(suggestion), 0, middle)
        column.addStretch(3)

    def _button(self, suggestion: str) -> QPushButton:
        button = QPushButton(suggestion, self)
        button.setProperty("role", "suggestion")
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.setFixedWidth(WIDTH - 80)
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
    label.setMaximumWidth(WIDTH)
    label.setMinimumWidth(WIDTH)
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    return label
