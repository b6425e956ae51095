"""One line of what the assistant keeps in mind, with ↩ (take it back) and ⓘ (why it is there)."""

from PySide6.QtCore import QEvent, Qt, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from pagekeeper_core.provenance import Explanation
from pagekeeper_core.records import MemoryChange
from pagekeeper_desktop.view_models.formatting import is_right_to_left, one_line
from pagekeeper_desktop.view_models.memory_words import (
    cause_words,
    origin_words,
    removed_and_added,
    replaced_words,
)
from pagekeeper_desktop.widgets.icon_button import IconButton

__all__ = ["MemoryLine"]

BUTTON = 22
LONGEST_NAME = 60


class MemoryLine(QWidget):
    """The line, its two buttons and, unfolded, the reason.

    Signals:
        why_requested: The person asks why it is there.
        undo_requested: The person takes back what brought it.
        change_undo_requested (int): The person takes the whole change of this number back.
        cause_requested (int): Show the message of this number.
    """

    why_requested = Signal()
    undo_requested = Signal()
    change_undo_requested = Signal(int)
    cause_requested = Signal(int)

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = text
        name = one_line(text, LONGEST_NAME)
        self.label = _words(text, "", self)
        side = Qt.AlignmentFlag.AlignRight if is_right_to_left(text) else Qt.AlignmentFlag.AlignLeft
        self.label.setAlignment(side | Qt.AlignmentFlag.AlignTop)
        self.undo = IconButton("undo", f"Take back “{name}”", self, size=BUTTON)
        self.why = IconButton("info", f"Why “{name}”?", self, size=BUTTON)
        self.why.setCheckable(True)
        self._reason: QFrame | None = None
        row = QHBoxLayout()
        row.setSpacing(2)
        row.addWidget(self.label, 1)
        for button in (self.undo, self.why):
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._column.addLayout(row)
        self.undo.clicked.connect(self.undo_requested)
        self.why.clicked.connect(self._why_clicked)

    @property
    def reason(self) -> QFrame | None:
        """The unfolded reason; None while it is folded."""
        return self._reason

    def explain(self, why: Explanation | None) -> None:
        """Unfold the reason."""
        if why is None:
            self.say("It was there from the beginning.")
            return
        cause = why.cause
        self._unfold([origin_words(why), cause_words(cause), replaced_words(why)])
        if cause is not None:
            self._offer("Show it in the conversation", self.cause_requested, cause.seq)

    def say(self, words: str) -> None:
        """Unfold a sentence in the reason's place."""
        self._unfold([words])

    def ask_about(self, change: MemoryChange) -> None:
        """Say what else a change did, and offer to take it back as a whole."""
        removed, added = removed_and_added(change)
        others = [line for line in added if line.strip() != self.text.strip()]
        self._unfold(
            [
                "The change that brought this did more, and is taken back as a whole.",
                *(f"− {line}" for line in others),
                *(f"+ {line}" for line in removed),
            ]
        )
        self._offer("Take all of it back", self.change_undo_requested, change.change_id)

    def fold(self) -> None:
        """Take the reason away."""
        self.why.setChecked(False)
        if self._reason is not None:
            self._column.removeWidget(self._reason)
            self._reason.hide()
            self._reason.deleteLater()
            self._reason = None

    def event(self, event: QEvent) -> bool:
        """Claim Escape while the reason is shown; it is the window's shortcut for Stop."""
        overrides = event.type() is QEvent.Type.ShortcutOverride and self._reason is not None
        if overrides and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Escape folds the reason."""
        if event.key() == Qt.Key.Key_Escape and self._reason is not None:
            self.fold()
            self.why.setFocus()
            return
        super().keyPressEvent(event)

    def _why_clicked(self) -> None:
        if self._reason is not None:
            self.fold()
        else:
            self.why.setChecked(True)
            self.why_requested.emit()

    def _offer(self, words: str, signal: SignalInstance, number: int) -> None:
        """A button below the reason."""
        if self._reason is not None and (column := self._reason.layout()) is not None:
            button = QPushButton(words, self._reason)
            button.setProperty("role", "link")
            button.clicked.connect(lambda: signal.emit(number))
            column.addWidget(button)
            column.setAlignment(button, Qt.AlignmentFlag.AlignLeft)

    def _unfold(self, sentences: list[str]) -> None:
        self.fold()
        self.why.setChecked(True)
        self._reason = QFrame(self)
        self._reason.setProperty("role", "reason")
        column = QVBoxLayout(self._reason)
        column.setContentsMargins(8, 6, 8, 6)
        column.setSpacing(4)
        for words in filter(None, sentences):
            column.addWidget(_words(words, "muted", self._reason))
        self._reason.setAccessibleName(" ".join(filter(None, sentences)))
        self._column.addWidget(self._reason)


def _words(text: str, role: str, parent: QWidget) -> QLabel:
    label = QLabel(text, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    if role:
        label.setProperty("role", role)
    return label
