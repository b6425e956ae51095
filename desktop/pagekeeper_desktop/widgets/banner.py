"""A calm strip above the conversation: what happened, what can be done, a button that does it."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from pagekeeper_desktop.theme import colours_of
from pagekeeper_desktop.widgets.icon_button import IconButton
from pagekeeper_desktop.widgets.icons import draw_icon

__all__ = ["Banner"]


class Banner(QFrame):
    """One notice at a time; a newer one takes the older one's place.

    Signals:
        acted: The person wants the offered thing done.
    """

    acted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = _Sign(self)
        self._message = _words(self, "heading")
        self._hint = _words(self, "muted")
        self._button = QPushButton(self)
        self._button.setProperty("role", "primary")
        self._button.clicked.connect(self._act)
        self._close = IconButton("close", "Close this notice", self, size=28)
        self._close.clicked.connect(self.hide)
        self._lay_out()
        self.hide()

    def show_notice(self, message: str, hint: str, button: str, *, is_error: bool) -> None:
        """Show a notice; without a button's text there is no button."""
        self.setProperty("role", "failure" if is_error else "notice")
        self._icon.set_error(is_error)
        self._message.setText(message)
        self._hint.setText(hint)
        self._hint.setVisible(bool(hint))
        self._button.setText(button)
        self._button.setVisible(bool(button))
        self.setAccessibleName(message)
        self.setAccessibleDescription(hint)
        self.style().unpolish(self)
        self.style().polish(self)
        self.show()

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self._message)
        words.addWidget(self._hint)
        row = QHBoxLayout(self)
        row.setContentsMargins(24, 12, 16, 12)
        row.setSpacing(12)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        row.addWidget(self._button, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self._close, 0, Qt.AlignmentFlag.AlignVCenter)

    def _act(self) -> None:
        self.hide()
        self.acted.emit()


class _Sign(QWidget):
    """The drawing that says whether something failed."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._is_error = True
        self.setFixedSize(22, 22)

    def set_error(self, is_error: bool) -> None:  # noqa: FBT001 - its one property
        self._is_error = is_error
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(22, 22)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802, ARG002 - Qt's name and signature
        colours = colours_of(self.palette())
        ink = colours.danger if self._is_error else colours.accent_text
        draw_icon(QPainter(self), "alert" if self._is_error else "info", ink, QRectF(0, 0, 22, 22))


def _words(parent: QWidget, role: str) -> QLabel:
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setProperty("role", role)
    return label
