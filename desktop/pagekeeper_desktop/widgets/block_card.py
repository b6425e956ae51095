"""A block of working context: its text, how full it is, and a way to change it by hand."""

from itertools import chain

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from pagekeeper_core.line_edits import lines_of
from pagekeeper_core.messages import storable_text
from pagekeeper_desktop.agent_worker import BlockView
from pagekeeper_desktop.theme import colours_of
from pagekeeper_desktop.view_models.call_phrases import block_title
from pagekeeper_desktop.view_models.formatting import thousands
from pagekeeper_desktop.widgets.icon_button import IconButton
from pagekeeper_desktop.widgets.memory_line import MemoryLine

__all__ = ["BlockCard"]

EDITOR_LINES = 8


class BlockCard(QFrame):
    """One block.

    Signals:
        save_requested (str): The person gave the block this text.
        history_requested: The person asks what the block was before.
        why_requested (str): The person asks why this line stands there.
        undo_requested (str): The person takes back what brought this line.
        change_undo_requested (int): The person takes the whole change of this number back.
        cause_requested (int): Show the message of this number.
    """

    save_requested = Signal(str)
    history_requested = Signal()
    why_requested = Signal(str)
    undo_requested = Signal(str)
    change_undo_requested = Signal(int)
    cause_requested = Signal(int)

    def __init__(self, block: BlockView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._block = block
        self._text_before_edit = block.text
        title = block_title(block.name)
        self._title = QLabel(title, self)
        self._title.setProperty("role", "heading")
        self._figures = QLabel(self)
        self._figures.setProperty("role", "muted")
        self._edit = IconButton("edit", f"Edit “{title}”", self, size=28)
        self._history = IconButton("history", f"History of “{title}”", self, size=28)
        self._gauge = _Gauge(self)
        self._lines: list[MemoryLine] = []
        self._text = QWidget(self)
        self._text_column = QVBoxLayout(self._text)
        self._text_column.setContentsMargins(0, 0, 0, 0)
        self._text_column.setSpacing(6)
        self._empty = QLabel("Nothing yet.", self._text)
        self._empty.setProperty("role", "muted")
        self._text_column.addWidget(self._empty)
        self._editor = _Editor(self)
        self._editor.setAccessibleName(f"Text of “{title}”")
        self._note = QLabel(self)
        self._note.setWordWrap(True)
        self._save = QPushButton("Save", self)
        self._save.setProperty("role", "primary")
        self._cancel = QPushButton("Cancel", self)
        self._lay_out()
        self._edit.clicked.connect(self.begin_edit)
        self._history.clicked.connect(self.history_requested)
        self._save.clicked.connect(self._save_clicked)
        self._cancel.clicked.connect(self.end_edit)
        self._editor.cancelled.connect(self.end_edit)
        self.end_edit()
        self.show_block(block)

    @property
    def is_editing(self) -> bool:
        """Whether the person is writing in it."""
        return not self._editor.isHidden()

    @property
    def lines(self) -> list[MemoryLine]:
        """The lines of its text."""
        return list(self._lines)

    def line(self, text: str) -> MemoryLine | None:
        """The line that says this; None where none does."""
        return next((line for line in self._lines if line.text == text), None)

    def show_block(self, block: BlockView) -> None:
        """Show the block as it is now; an edit that is open keeps its own text."""
        self._block = block
        self._show_lines(lines_of(block.text))
        share = block.tokens / max(1, block.limit)
        figures = f"{thousands(block.tokens)} of {thousands(block.limit)} tokens"
        self._figures.setText(f"{share:.0%}")
        self._figures.setToolTip(figures)
        self._gauge.show_share(share)
        self.setToolTip(block.description)
        self.setAccessibleName(f"{self._title.text()}, {figures}: {block.text or 'empty'}")
        if self.is_editing and block.text != self._text_before_edit:
            self._say("The assistant changed this meanwhile; saving replaces its text.", "muted")

    def begin_edit(self) -> None:
        """Open the editor on the text as it is."""
        self._text_before_edit = self._block.text
        self._editor.setPlainText(self._block.text)
        self._say("", "muted")
        self._show_editor(editing=True)
        self._editor.setFocus()

    def end_edit(self) -> None:
        """Close the editor; what was written in it is dropped."""
        self._show_editor(editing=False)
        self._say("", "muted")

    def saved(self) -> None:
        """The text is stored."""
        self.end_edit()
        self._edit.setFocus()

    def refused(self, message: str, hint: str) -> None:
        """The text is not stored; it stays in the editor."""
        self._enable_editor(enabled=True)
        self._say(f"{message} {hint}".strip(), "danger")

    def _lay_out(self) -> None:
        header = QHBoxLayout()
        header.addWidget(self._title)
        header.addStretch(1)
        header.addWidget(self._figures)
        header.addWidget(self._history)
        header.addWidget(self._edit)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self._cancel)
        buttons.addWidget(self._save)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 8, 12)
        column.setSpacing(6)
        column.addLayout(header)
        for widget in (self._gauge, self._text, self._editor, self._note):
            column.addWidget(widget)
        column.addLayout(buttons)

    def _show_lines(self, texts: list[str]) -> None:
        """Lines that stay keep their widgets, and what is unfolded below them."""
        kept: dict[str, list[MemoryLine]] = {}
        for line in self._lines:
            kept.setdefault(line.text, []).append(line)
        lines = [kept[text].pop(0) if kept.get(text) else self._new_line(text) for text in texts]
        for line in chain.from_iterable(kept.values()):
            self._text_column.removeWidget(line)
            line.hide()
            line.deleteLater()
        for place, line in enumerate(lines):
            self._text_column.insertWidget(place, line)
        self._lines = lines
        self._empty.setVisible(not lines)

    def _new_line(self, text: str) -> MemoryLine:
        line = MemoryLine(text, self._text)
        line.why_requested.connect(lambda: self.why_requested.emit(text))
        line.undo_requested.connect(lambda: self.undo_requested.emit(text))
        line.change_undo_requested.connect(self.change_undo_requested)
        line.cause_requested.connect(self.cause_requested)
        return line

    def _save_clicked(self) -> None:
        self._enable_editor(enabled=False)
        self._say("Saving …", "muted")
        self.save_requested.emit(storable_text(self._editor.toPlainText()))

    def _show_editor(self, *, editing: bool) -> None:
        shown: tuple[QWidget, ...] = (self._editor, self._save, self._cancel)
        hidden: tuple[QWidget, ...] = (self._text, self._edit, self._history)
        for widget in shown:
            widget.setVisible(editing)
        for widget in hidden:
            widget.setVisible(not editing)
        self._enable_editor(enabled=True)

    def _enable_editor(self, *, enabled: bool) -> None:
        for widget in (self._editor, self._save):
            widget.setEnabled(enabled)

    def _say(self, text: str, role: str) -> None:
        self._note.setText(text)
        self._note.setVisible(bool(text))
        self._note.setProperty("role", role)
        self._note.style().unpolish(self._note)
        self._note.style().polish(self._note)


class _Editor(QPlainTextEdit):
    """The field of an edit; Escape leaves it.

    Signals:
        cancelled: Escape.
    """

    cancelled = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "editor")
        self.setTabChangesFocus(True)
        self.setFixedHeight(EDITOR_LINES * self.fontMetrics().lineSpacing() + 16)

    def event(self, event: QEvent) -> bool:
        """Claim Escape, which is the window's shortcut for Stop everywhere else."""
        overrides = event.type() is QEvent.Type.ShortcutOverride
        if overrides and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() == Qt.Key.Key_Escape:
            self.cancelled.emit()
            return
        super().keyPressEvent(event)


class _Gauge(QWidget):
    """How full the block is, in the meter's colour of working context."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._share = 0.0
        self.setFixedHeight(4)

    def show_share(self, share: float) -> None:
        self._share = min(1.0, max(0.0, share))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802, ARG002 - Qt's name and signature
        colours = colours_of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colours.reserve))
        painter.drawRoundedRect(QRectF(self.rect()), 2, 2)
        if self._share > 0:
            painter.setBrush(QColor(colours.working_context))
            width = max(4.0, self.width() * self._share)
            painter.drawRoundedRect(QRectF(0, 0, width, self.height()), 2, 2)
