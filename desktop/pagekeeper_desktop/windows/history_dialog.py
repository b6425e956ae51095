"""The history of a block: what was written when, by whom and why, each change with Undo."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.events import ChangeUndone, Event
from pagekeeper_core.records import MemoryChange
from pagekeeper_desktop.view_models.call_phrases import block_title
from pagekeeper_desktop.view_models.explanations import BlockHistory
from pagekeeper_desktop.view_models.formatting import counted
from pagekeeper_desktop.view_models.memory_words import moment, removed_and_added, who

__all__ = ["HistoryDialog"]

MOST_SHOWN = 200
"""Changes that are shown; the terminal's `memory history` has all of them."""


class HistoryDialog(QDialog):
    """The changes, newest first. It stays open while the person tries out what to take back.

    Signals:
        undo_requested (int): Take the change of this number back.
        cause_requested (int): Show the message of this number.
    """

    undo_requested = Signal(int)
    cause_requested = Signal(int)

    def __init__(self, block: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.block = block
        self.setWindowTitle(f"History of “{block_title(block)}”")
        self.resize(560, 520)
        self.rows: list[QFrame] = []
        self.undos: dict[int, QPushButton] = {}
        self._note = _words("Reading …", "muted")
        self._scroll = QScrollArea(self)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setAccessibleName("Changes, the newest first")
        close = QPushButton("Close", self)
        close.clicked.connect(self.close)
        buttons = QHBoxLayout()
        buttons.addWidget(self._note, 1)
        buttons.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 16)
        column.setSpacing(12)
        column.addWidget(self._scroll, 1)
        column.addLayout(buttons)

    def show_history(self, history: BlockHistory) -> None:
        """Show the changes as they are now."""
        if history.block != self.block:
            return
        content = QWidget()
        content.setProperty("role", "content")
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 8, 0)
        column.setSpacing(8)
        self.undos.clear()
        self.rows = [
            self._row(change, undone=change.change_id in history.undone)
            for change in history.changes[:MOST_SHOWN]
        ]
        for row in self.rows:
            column.addWidget(row)
        column.addStretch(1)
        place = self._scroll.verticalScrollBar().value()
        self._scroll.setWidget(content)
        self._scroll.verticalScrollBar().setValue(place)
        total = len(history.changes)
        more = f", the newest {MOST_SHOWN} are shown" if total > MOST_SHOWN else ""
        count = f"{counted(total, 'change')}{more}"
        self._note.setText(count if total else "Nothing was changed yet.")

    def say_untold(self, block: str, words: str) -> None:
        """Say why the changes cannot be shown."""
        if block == self.block:
            self._note.setText(words)

    def refused(self, event: Event, error: PagekeeperError) -> None:
        """Say why a change cannot be taken back."""
        if isinstance(event, ChangeUndone):
            self._note.setText(error.with_hint)

    def _row(self, change: MemoryChange, *, undone: bool) -> QFrame:
        row = QFrame()
        row.setProperty("role", "card")
        column = QVBoxLayout(row)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(4)
        did = "took a change back" if change.undoes else "wrote"
        head = f"{who(change.actor)} {did} · {moment(change.at)}"
        column.addWidget(_words(f"{head} · taken back" if undone else head, "muted"))
        removed, added = removed_and_added(change)
        for sign, lines, role in (("−", removed, "muted"), ("+", added, "detail")):
            for line in lines:
                column.addWidget(_words(f"{sign} {line}", role))
        column.addLayout(self._buttons(change, undone=undone))
        row.setAccessibleName(f"{head}: {', '.join(added or removed)}")
        return row

    def _buttons(self, change: MemoryChange, *, undone: bool) -> QHBoxLayout:
        buttons = QHBoxLayout()
        if not undone:
            undo = _link("Undo")
            undo.clicked.connect(lambda: self.undo_requested.emit(change.change_id))
            self.undos[change.change_id] = undo
            buttons.addWidget(undo)
        if change.cause_seq:
            show = _link("Show it in the conversation")
            show.clicked.connect(lambda: self.cause_requested.emit(change.cause_seq))
            buttons.addWidget(show)
        buttons.addStretch(1)
        return buttons


def _words(text: str, role: str) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setProperty("role", role)
    return label


def _link(text: str) -> QPushButton:
    button = QPushButton(text)
    button.setProperty("role", "link")
    return button
