"""The person makes a block of their own: its name, what belongs in it, how large it may grow."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.events import BlockMade
from pagekeeper_desktop.view_models.formatting import is_blank

__all__ = ["BlockForm"]

BOX_HEIGHT = 32
LEAST, DEFAULT, MOST, STEP = 20, 150, 4000, 10
"""Tokens of a block."""


class BlockForm(QWidget):
    """A button that opens the form.

    Signals:
        made (BlockMade): The person wants this block.
    """

    made = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.open_button = QPushButton("New block …", self)
        self.open_button.setProperty("role", "quiet")
        self.form = QFrame(self)
        self.form.setProperty("role", "card")
        self.name = _field("work", "Name of the block", self.form)
        self.about = _field("What my projects are", "What belongs in the block", self.form)
        self.limit = QSpinBox(self.form)
        self.limit.setRange(LEAST, MOST)
        self.limit.setSingleStep(STEP)
        self.limit.setValue(DEFAULT)
        self.limit.setSuffix(" tokens")
        self.limit.setMinimumHeight(BOX_HEIGHT)
        self.limit.setAccessibleName("How large the block may grow, in tokens")
        self.note = QLabel(self.form)
        self.note.setWordWrap(True)
        self.note.setProperty("role", "danger")
        self.save = QPushButton("Make it", self.form)
        self.save.setProperty("role", "primary")
        self.leave = QPushButton("Cancel", self.form)
        self._lay_out()
        self.open_button.clicked.connect(self.open)
        self.leave.clicked.connect(self.close_form)
        self.save.clicked.connect(self._save)
        for field in (self.name, self.about):
            field.textChanged.connect(self._update)
            field.returnPressed.connect(self._save)
        self.close_form()

    def open(self) -> None:
        """Show the form."""
        self.form.show()
        self.open_button.hide()
        self._say("")
        self._update()
        self.name.setFocus()

    def close_form(self) -> None:
        """Hide the form; what was written in it is dropped."""
        had_focus = self.form.isAncestorOf(self.focusWidget()) if self.focusWidget() else False
        for field in (self.name, self.about):
            field.clear()
        self.form.hide()
        self.open_button.show()
        if had_focus:
            self.open_button.setFocus()

    def refused(self, error: PagekeeperError) -> None:
        """The block is not made; what was written stays."""
        self._say(error.with_hint)
        self._update()
        self.name.setFocus()

    def event(self, event: QEvent) -> bool:
        """Claim Escape while the form is open; it is the window's shortcut for Stop."""
        overrides = event.type() is QEvent.Type.ShortcutOverride and not self.form.isHidden()
        if overrides and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Escape leaves the form."""
        if event.key() == Qt.Key.Key_Escape and not self.form.isHidden():
            self.close_form()
            return
        super().keyPressEvent(event)

    def _lay_out(self) -> None:
        fields = QFormLayout()
        fields.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapAllRows)
        fields.setSpacing(4)
        fields.addRow("Name", self.name)
        fields.addRow("What belongs in it", self.about)
        fields.addRow("At most", self.limit)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.leave)
        buttons.addWidget(self.save)
        column = QVBoxLayout(self.form)
        column.setContentsMargins(12, 8, 12, 12)
        column.setSpacing(8)
        column.addLayout(fields)
        column.addWidget(self.note)
        column.addLayout(buttons)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.open_button, 0, Qt.AlignmentFlag.AlignLeft)
        outer.addWidget(self.form)

    def _update(self) -> None:
        blank = is_blank(self.name.text()) or is_blank(self.about.text())
        self.save.setEnabled(not blank)

    def _save(self) -> None:
        if self.save.isEnabled():
            self.save.setEnabled(False)
            self._say("")
            name = "_".join(self.name.text().split()).lower()
            self.made.emit(BlockMade(name, self.about.text().strip(), self.limit.value()))

    def _say(self, words: str) -> None:
        self.note.setText(words)
        self.note.setVisible(bool(words))


def _field(placeholder: str, name: str, parent: QWidget) -> QLineEdit:
    field = QLineEdit(parent)
    field.setPlaceholderText(placeholder)
    field.setAccessibleName(name)
    field.setMaxLength(120)
    return field
