"""How far loading or downloading is: a line of words over a thin bar, gone when there is none."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from pagekeeper_desktop.view_models.formatting import byte_size

__all__ = ["LoadStrip"]

BYTES = 10_000_000
"""Totals from here on are bytes, shown as such; smaller ones are shown in per cent."""

STEPS = 1000
"""Steps of the bar: a bar's range is 32 bits wide, a download can be longer."""


class LoadStrip(QWidget):
    """The strip.

    Signals:
        cancel_requested: The person wants the download to stop.
    """

    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = QLabel(self)
        self._words.setProperty("role", "muted")
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._bar = QProgressBar(self)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName("Progress")
        self._cancel = QPushButton("Cancel", self)
        self._cancel.setProperty("role", "link")
        self._cancel.clicked.connect(self.cancel_requested)
        row = QHBoxLayout()
        row.addWidget(self._words, 1)
        row.addWidget(self._cancel, 0, Qt.AlignmentFlag.AlignRight)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 0, 12, 8)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self._bar)
        self.hide()

    def show_stage(self, label: str, done: int, total: int, *, can_cancel: bool) -> None:
        """Show a stage; an empty label takes the strip away. `total` 0: nobody knows how long."""
        self.setVisible(bool(label))
        self._cancel.setVisible(can_cancel)
        self._words.setText(_in_words(label, done, total))
        self._bar.setRange(0, STEPS if total else 0)
        self._bar.setValue(round(STEPS * min(done, total) / total) if total else 0)


def _in_words(label: str, done: int, total: int) -> str:
    if total >= BYTES:
        return f"{label} · {byte_size(done)} of {byte_size(total)}"
    return f"{label} · {round(100 * done / total)}%" if total else f"{label} …"
