"""A file on its way into the archive: name, progress, rest, cancel, and what became of it."""

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit, QProgressBar, QPushButton, QWidget

from pagekeeper_desktop.theme import colours_of
from pagekeeper_desktop.view_models.transcript_items import OPEN, ImportItem, ImportState
from pagekeeper_desktop.widgets.icon_button import IconButton
from pagekeeper_desktop.widgets.icons import draw_icon
from pagekeeper_desktop.widgets.transcript_row import TranscriptRow, draw_card, wrapped_label

__all__ = ["ImportRow"]

PADDING, BELOW, ICON, BUTTON = 12, 12, 24, 28
FIELD_HEIGHT, FIELD_WIDTH = 32, 280

ICONS = {
    ImportState.WAITING: "file",
    ImportState.RUNNING: "file",
    ImportState.PAUSED: "pause",
    ImportState.LOCKED: "lock",
    ImportState.DONE: "check",
    ImportState.FAILED: "alert",
    ImportState.CANCELLED: "dash",
}


class ImportRow(TranscriptRow):
    """One file.

    Signals:
        height_changed: The row asks to be laid out anew.
        cancel_requested (int): The person wants this file not to be read.
        pause_requested (int): It is to rest, or to go on.
        retry_requested (int, str): It is to be read again, with this password.
    """

    height_changed = Signal()
    cancel_requested = Signal(int)
    pause_requested = Signal(int, bool)
    retry_requested = Signal(int, str)

    def __init__(self, item: ImportItem, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._item = item
        self._name = wrapped_label(self, "heading")
        self._message = wrapped_label(self, "muted")
        self._bar = QProgressBar(self)
        self._bar.setTextVisible(False)
        self._cancel = IconButton("close", f"Stop reading {item.name}", self, size=BUTTON)
        self._pause = IconButton("pause", f"Let {item.name} rest", self, size=BUTTON)
        self.retry = QPushButton("Try again", self)
        self.retry.setProperty("role", "link")
        self.password = _Password(item.name, self)
        self._cancel.clicked.connect(lambda: self.cancel_requested.emit(self._item.import_id))
        self._pause.clicked.connect(self._rest)
        self.retry.clicked.connect(lambda: self.retry_requested.emit(self._item.import_id, ""))
        self.password.given.connect(self._unlock)
        self.show_item(item)

    def show_item(self, item: ImportItem) -> None:
        """Show the file as it is now."""
        self._item = item
        state = item.state
        in_danger = state in (ImportState.FAILED, ImportState.LOCKED)
        self._name.setText(item.name)
        self._message.setProperty("role", "danger" if in_danger else "muted")
        self._message.setText(self._words())
        self._bar.setVisible(state is ImportState.RUNNING)
        self._bar.setRange(0, max(0, item.total))
        self._bar.setValue(item.done)
        self._cancel.setVisible(state in OPEN)
        rests = state is ImportState.PAUSED
        self._pause.setVisible(state in OPEN and state is not ImportState.LOCKED)
        verb = f"Go on with {item.name}" if rests else f"Let {item.name} rest"
        self._pause.set_icon("play" if rests else "pause", verb)
        self.retry.setVisible(state in (ImportState.FAILED, ImportState.CANCELLED))
        self.retry.setAccessibleName(f"Read {item.name} again")
        self.password.setVisible(state is ImportState.LOCKED)
        self.setAccessibleName(f"{item.name}: {self._words()}")
        self.update()
        self.height_changed.emit()

    def height_for(self, width: int) -> int:
        """Lay the row out for this width; gives its height."""
        left, right = PADDING + ICON + 10, width - PADDING
        for button in (self._cancel, self._pause):
            if not button.isHidden():
                right -= BUTTON
                button.move(right, PADDING - 2)
        inner = max(40, right - left - 8)
        y = PADDING
        for label in (self._name, self._message):
            height = label.heightForWidth(inner)
            label.setGeometry(left, y, inner, height)
            y += height + 2
        if not self._bar.isHidden():
            self._bar.setGeometry(left, y + 4, inner, 4)
            y += 10
        if not self.retry.isHidden():
            hint = self.retry.sizeHint()
            self.retry.setGeometry(left - 5, y, hint.width(), hint.height())
            y += hint.height() + 2
        if not self.password.isHidden():
            self.password.setGeometry(left, y + 4, min(inner, FIELD_WIDTH), FIELD_HEIGHT)
            y += FIELD_HEIGHT + 8
        return y + PADDING - 2 + BELOW

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802, ARG002 - Qt's name and signature
        """A card with the state's drawing."""
        colours = colours_of(self.palette())
        painter = QPainter(self)
        card = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -BELOW - 0.5)
        draw_card(painter, card, colours)
        inks = {
            ImportState.DONE: colours.accent,
            ImportState.FAILED: colours.danger,
            ImportState.LOCKED: colours.danger,
        }
        ink = inks.get(self._item.state, colours.muted)
        draw_icon(painter, ICONS[self._item.state], ink, QRectF(PADDING, PADDING, ICON, ICON))

    def _rest(self) -> None:
        rests = self._item.state is ImportState.PAUSED
        self.pause_requested.emit(self._item.import_id, not rests)

    def _unlock(self, password: str) -> None:
        self.retry_requested.emit(self._item.import_id, password)

    def _words(self) -> str:
        item = self._item
        return f"{item.message}\n{item.hint}" if item.hint else item.message


class _Password(QLineEdit):
    """Where a password is typed; it is forgotten as soon as it was handed on.

    Signals:
        given (str): The person typed it and pressed Enter.
    """

    given = Signal(str)

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setEchoMode(QLineEdit.EchoMode.Password)
        self.setPlaceholderText("Password, then Enter")
        self.setAccessibleName(f"Password of {name}")
        self.setMaxLength(500)
        self.returnPressed.connect(self._give)

    def event(self, event: QEvent) -> bool:
        """Claim Escape while something is typed: elsewhere it stops a reply."""
        is_escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if is_escape and event.type() is QEvent.Type.ShortcutOverride and self.text():
            event.accept()
            return True
        if is_escape and event.type() is QEvent.Type.KeyPress:
            self.clear()
            return True
        return super().event(event)

    def _give(self) -> None:
        password = self.text()
        self.clear()
        if password:
            self.given.emit(password)
