"""Where the person writes: grows to eight lines, Enter sends, Shift+Enter breaks the line.

A very long paste becomes a chip beside the text: one paragraph of 100,000 characters in an edit
field costs 0.4 s at every key stroke (measured), a chip costs nothing.
"""

from PySide6.QtCore import QMimeData, Qt, QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QFocusEvent, QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from pagekeeper_core.messages import storable_text
from pagekeeper_desktop.view_models.formatting import counted, is_blank
from pagekeeper_desktop.widgets.drop_zone import local_files
from pagekeeper_desktop.widgets.icon_button import IconButton

__all__ = ["Composer"]

MOST_LINES = 8
LONG_PASTE = 4000
"""Characters from which on a paste becomes a chip."""


class Composer(QFrame):
    """The field with its buttons.

    Signals:
        send_requested (str): The person wants this said.
        stop_requested: The person wants the reply to end.
        attach_requested: The person wants to choose files.
        files_pasted (list[Path]): The person pasted these.
        text_kept (str): The person wants this long text in the library, not in a message.
    """

    files_pasted = Signal(list)
    text_kept = Signal(str)
    send_requested = Signal(str)
    stop_requested = Signal()
    attach_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "field")
        self._busy = False
        self._stopping = False
        self._pasted: list[str] = []
        self.field = ComposerField(self)
        self._attach = IconButton("attach", "Add documents (Ctrl+O)", self)
        self._button = IconButton("send", "Send (Enter)", self, filled=True)
        self._chips = QHBoxLayout()
        self._chips.setSpacing(8)
        self._lay_out()
        self.field.textChanged.connect(self._update_button)
        self.field.enter_pressed.connect(self._send)
        self.field.long_text_pasted.connect(self.add_pasted)
        self.field.files_pasted.connect(self.files_pasted)
        self.field.focus_changed.connect(self._show_focus)
        self._attach.clicked.connect(self.attach_requested)
        self._button.clicked.connect(self._button_clicked)
        self._update_button()

    @property
    def text(self) -> str:
        """All that would be sent: what was typed, then what was pasted beside it."""
        return "\n\n".join(filter(None, [self.field.toPlainText().strip(), *self._pasted]))

    def set_text(self, text: str) -> None:
        """Put a text into the field, at the place of what is there."""
        self._clear()
        if len(text) > LONG_PASTE:
            self.add_pasted(text)
        else:
            self.field.setPlainText(text)
            self.field.moveCursor(self.field.textCursor().MoveOperation.End)
        self._update_button()

    def add_text(self, text: str) -> None:
        """Put a text in front of what is there, so that neither is lost."""
        self.set_text("\n\n".join(filter(None, [text, self.text])))

    def add_pasted(self, text: str) -> None:
        """Put a long text beside the field."""
        self._pasted.append(text)
        self._show_chips()

    def set_busy(self, *, busy: bool, stopping: bool) -> None:
        """Offer Stop while the assistant writes; Enter still queues the next message."""
        self._busy = busy
        self._stopping = stopping
        self._update_button()

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._attach, 0, Qt.AlignmentFlag.AlignBottom)
        row.addWidget(self.field, 1)
        row.addWidget(self._button, 0, Qt.AlignmentFlag.AlignBottom)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(4)
        column.addLayout(self._chips)
        column.addLayout(row)

    def _button_clicked(self) -> None:
        if self._busy:
            self.stop_requested.emit()
        else:
            self._send()

    def _send(self) -> None:
        text = self.text
        if not is_blank(text):
            self._clear()
            self.send_requested.emit(text)

    def _clear(self) -> None:
        self.field.clear()
        self._pasted.clear()
        self._show_chips()

    def _update_button(self) -> None:
        if self._busy:
            self._button.set_icon("stop", "Stopping…" if self._stopping else "Stop (Esc)")
            self._button.setEnabled(not self._stopping)
            return
        self._button.set_icon("send", "Send (Enter)")
        self._button.setEnabled(bool(self._pasted) or not self.field.is_blank())

    def _show_focus(self, focused: bool) -> None:  # noqa: FBT001 - a signal's value
        self.setProperty("focused", focused)
        self.style().unpolish(self)
        self.style().polish(self)

    def _show_chips(self) -> None:
        while (entry := self._chips.takeAt(0)) is not None:
            if (widget := entry.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for index, text in enumerate(self._pasted):
            chip = _Chip(f"Pasted text · {counted(len(text), 'character')}", self)
            chip.removed.connect(lambda at=index: self._remove_pasted(at))
            chip.kept.connect(lambda at=index: self._keep_pasted(at))
            self._chips.addWidget(chip)
        if self._pasted:
            self._chips.addStretch(1)
        self._update_button()

    def _keep_pasted(self, index: int) -> None:
        self.text_kept.emit(self._pasted[index])
        self._remove_pasted(index)

    def _remove_pasted(self, index: int) -> None:
        del self._pasted[index]
        self._show_chips()
        self.field.setFocus()


class ComposerField(QPlainTextEdit):
    """The text itself.

    Signals:
        enter_pressed: Enter without Shift.
        long_text_pasted (str): A paste that is too long to be edited here.
        files_pasted (list[Path]): Files of this computer were pasted.
        focus_changed (bool): Whether it has the keyboard.
    """

    files_pasted = Signal(list)
    enter_pressed = Signal()
    long_text_pasted = Signal(str)
    focus_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "composer")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setPlaceholderText("Message, or drop a file")
        self.setAccessibleName("Message")
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.document().setDocumentMargin(4)
        self._fit_timer = QTimer(self)
        self._fit_timer.setSingleShot(True)
        self._fit_timer.timeout.connect(self._fit)
        self.document().documentLayout().documentSizeChanged.connect(self._fit_timer.start)
        self._fit()

    def is_blank(self) -> bool:
        """Whether there is nothing to send."""
        return self.document().isEmpty() or is_blank(self.toPlainText())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Enter sends, with Shift it breaks the line."""
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.enter_pressed.emit()
            return
        super().keyPressEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:  # noqa: N802 - Qt's name
        """Files can be pasted; those that are dragged go to the window itself."""
        return bool(local_files(source)) or super().canInsertFromMimeData(source)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802 - Qt's name
        """Leave files to the window, which shows where they fall."""
        if local_files(event.mimeData()):
            event.ignore()
        else:
            super().dragEnterEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:  # noqa: N802 - Qt's name
        """Paste plain text; a very long one goes beside the field, files into the library."""
        files = local_files(source)
        if files:
            self.files_pasted.emit(files)
            return
        text = storable_text(source.text())
        if len(text) > LONG_PASTE:
            self.long_text_pasted.emit(text)
        elif text:
            self.insertPlainText(text)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        """Tell the frame."""
        super().focusInEvent(event)
        self.focus_changed.emit(True)  # noqa: FBT003 - a signal's value

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        """Tell the frame."""
        super().focusOutEvent(event)
        self.focus_changed.emit(False)  # noqa: FBT003 - a signal's value

    def _fit(self) -> None:
        """As high as the text, from one line to eight."""
        line = self.fontMetrics().lineSpacing()
        lines = max(1, min(MOST_LINES, round(self.document().size().height())))
        self.setFixedHeight(lines * line + 2 * int(self.document().documentMargin()) + 2)


class _Chip(QFrame):
    """A pasted text beside the field, which can be taken out.

    Signals:
        removed: The person takes it out.
        kept: The person wants it in the library.
    """

    removed = Signal()
    kept = Signal()

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "chip")
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 2, 4, 2)
        row.addWidget(QLabel(text))
        keep = QPushButton("Keep in the library", self)
        keep.setProperty("role", "link")
        keep.setToolTip("It is read like a document, and not sent")
        keep.clicked.connect(self.kept)
        row.addWidget(keep)
        close = IconButton("close", "Remove the pasted text", self, size=24)
        close.clicked.connect(self.removed)
        row.addWidget(close)
