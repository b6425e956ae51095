"""The folders that are watched, at the foot of the library."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from pagekeeper_desktop.widgets.icon_button import IconButton

__all__ = ["WatchedStrip"]


class WatchedStrip(QWidget):
    """One line a folder, and a button for another one.

    Signals:
        add_requested: Choose another folder.
        removed (str): Watch this one no more.
    """

    add_requested = Signal()
    removed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.folders: tuple[str, ...] = ()
        self.buttons: dict[str, IconButton] = {}
        self.add = QPushButton("Watch a folder …", self)
        self.add.setProperty("role", "quiet")
        self.add.setToolTip("What is put into it, or changed in it, is read by itself")
        self.add.clicked.connect(self.add_requested)
        self._lines = QVBoxLayout()
        self._lines.setSpacing(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._lines)
        column.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeft)

    def show_folders(self, folders: Sequence[str]) -> None:
        """Show these."""
        while (entry := self._lines.takeAt(0)) is not None:
            if (line := entry.widget()) is not None:
                line.hide()
                line.deleteLater()
        self.folders = tuple(folders)
        self.buttons = {}
        for folder in self.folders:
            self._lines.addWidget(self._line(folder))

    def _line(self, folder: str) -> QWidget:
        line = QWidget(self)
        words = QLabel(f"Watched: {Path(folder).name or folder}", line)
        words.setTextFormat(Qt.TextFormat.PlainText)
        words.setProperty("role", "muted")
        words.setToolTip(folder)
        button = IconButton("close", f"Watch {folder} no more; what was read stays", line, size=24)
        button.clicked.connect(lambda: self.removed.emit(folder))
        self.buttons[folder] = button
        row = QHBoxLayout(line)
        row.setContentsMargins(5, 0, 0, 0)
        row.addWidget(words)
        row.addWidget(button)
        row.addStretch(1)
        return line
