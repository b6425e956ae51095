"""The line at the bottom: model, speed, that nothing leaves the machine, memory in use."""

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from pagekeeper_desktop.view_models.formatting import byte_size

__all__ = ["StatusLine"]

MEMORY_INTERVAL = 2000
"""Milliseconds between two looks at the memory in use."""


class StatusLine(QWidget):
    """Model name · tokens a second · offline, and on the right the memory in use."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "status")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._left = QLabel(self)
        self._right = QLabel(self)
        for label in (self._left, self._right):
            label.setProperty("role", "muted")
        self._right.setToolTip("Memory that Pagekeeper uses, the model included")
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 4, 16, 4)
        row.addWidget(self._left, 1)
        row.addWidget(self._right)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.show_memory)
        self.show_model("", 0.0, online=False)

    def start(self) -> None:
        """Begin to show the memory in use."""
        self._timer.start(MEMORY_INTERVAL)
        self.show_memory()

    def show_model(self, name: str, tokens_per_second: float, *, online: bool) -> None:
        """Show the model and how fast it wrote; `online` only while a model is downloaded."""
        speed = f"{tokens_per_second:.0f} tokens/s" if tokens_per_second else ""
        network = "downloading a model" if online else "offline"
        self._left.setText(" · ".join(filter(None, [name or "No model yet", speed, network])))
        self._left.setToolTip(
            "Nothing that you write or drop here leaves this computer." if not online else ""
        )

    def show_memory(self) -> None:
        """Show the memory in use now."""
        import psutil  # noqa: PLC0415 - not before the window stands

        self._right.setText(byte_size(psutil.Process().memory_info().rss))
