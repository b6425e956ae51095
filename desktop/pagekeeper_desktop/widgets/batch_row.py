"""Files that were added together: one line for all of them, which opens to show each."""

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QProgressBar, QPushButton, QWidget

from pagekeeper_desktop.theme import colours_of
from pagekeeper_desktop.view_models.formatting import about, counted, thousands
from pagekeeper_desktop.view_models.transcript_items import (
    OPEN,
    BatchItem,
    ImportItem,
    ImportState,
)
from pagekeeper_desktop.widgets.icon_button import IconButton
from pagekeeper_desktop.widgets.icons import draw_icon
from pagekeeper_desktop.widgets.import_row import ImportRow
from pagekeeper_desktop.widgets.transcript_row import TranscriptRow, draw_card, wrapped_label

__all__ = ["BatchRow", "batch_words", "import_row"]

PADDING, BELOW, ICON, BUTTON, INDENT = 12, 12, 24, 28, 24
MOST_SHOWN = 30
"""Files that are shown when the row is open; those that are not read yet come first."""

MOST_TROUBLES = 5
"""Files that need the person, or could not be read, which are shown when it is folded, too."""

TROUBLES = (ImportState.LOCKED, ImportState.FAILED)


class BatchRow(TranscriptRow):
    """One drop of several files.

    Signals:
        height_changed: The row asks to be laid out anew.
        cancel_requested (int): This file is not to be read.
        pause_requested (int, bool): It is to rest, or to go on.
        retry_requested (int, str): It is to be read again, with this password.
    """

    height_changed = Signal()
    cancel_requested = Signal(int)
    pause_requested = Signal(int, bool)
    retry_requested = Signal(int, str)

    def __init__(self, item: BatchItem, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._item = item
        self._is_unfolded = False
        self.rows: dict[int, ImportRow] = {}
        self.title = wrapped_label(self, "heading")
        self._bar = QProgressBar(self)
        self._bar.setTextVisible(False)
        self._fold = QPushButton(self)
        self._fold.setProperty("role", "quiet")
        self._cancel = IconButton("close", "Stop reading these files", self, size=BUTTON)
        self._pause = IconButton("pause", "Let these files rest", self, size=BUTTON)
        self._more = wrapped_label(self, "muted")
        self._fold.clicked.connect(self.unfold)
        self._cancel.clicked.connect(self._cancel_all)
        self._pause.clicked.connect(self._rest_all)
        self.show_item(item)

    def show_item(self, item: BatchItem) -> None:
        """Show the files as they are now."""
        self._item = item
        words = batch_words(item)
        self.title.setText(words)
        self._bar.setRange(0, len(item.files))
        self._bar.setValue(item.finished)
        for widget in (self._bar, self._cancel, self._pause):
            widget.setVisible(item.is_open)
        verb = "Go on with these files" if self._rests else "Let these files rest"
        self._pause.set_icon("play" if self._rests else "pause", verb)
        self._show_files()
        self.setAccessibleName(words)
        self.update()
        self.height_changed.emit()

    def unfold(self) -> None:
        """Show each file, or only those that need the person."""
        self._is_unfolded = not self._is_unfolded
        self._show_files()
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
        height = self.title.heightForWidth(inner)
        self.title.setGeometry(left, y, inner, height)
        y += height + 2
        if not self._bar.isHidden():
            self._bar.setGeometry(left, y + 4, inner, 4)
            y += 12
        hint = self._fold.sizeHint()
        self._fold.setGeometry(left - 5, y, hint.width(), hint.height())
        self._card = y + hint.height() + PADDING - 4
        return self._place_files(self._card + 8, width)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802, ARG002 - Qt's name and signature
        """A card with the state's drawing; each file has its own below."""
        colours = colours_of(self.palette())
        painter = QPainter(self)
        card = QRectF(0.5, 0.5, self.width() - 1, self._card - 1)
        draw_card(painter, card, colours)
        done = not self._item.is_open
        ink = colours.accent if done else colours.muted
        place = QRectF(PADDING, PADDING, ICON, ICON)
        draw_icon(painter, "check" if done else "folder", ink, place)

    @property
    def _rests(self) -> bool:
        """Whether everything that may still be read was told to rest."""
        left = [item.state for item in self._item.files if item.state in OPEN]
        return ImportState.PAUSED in left and ImportState.RUNNING not in left

    def _shown_files(self) -> list[ImportItem]:
        files = self._item.files
        if self._is_unfolded:
            return sorted(files, key=_urgency)[:MOST_SHOWN]
        return [item for item in files if item.state in TROUBLES][:MOST_TROUBLES]

    def _show_files(self) -> None:
        shown = self._shown_files()
        for number in self.rows.keys() - {item.import_id for item in shown}:
            row = self.rows.pop(number)
            row.hide()
            row.deleteLater()
        ordered: dict[int, ImportRow] = {}
        for item in shown:
            row = self.rows.get(item.import_id) or self._make_row(item)
            row.show_item(item)
            ordered[item.import_id] = row
        self.rows = ordered
        left = len(self._item.files) - len(shown)
        self._more.setText(f"and {counted(left, 'more file')}")
        self._more.setVisible(self._is_unfolded and left > 0)
        self._fold.setText("▾ Hide the files" if self._is_unfolded else "▸ Show the files")

    def _make_row(self, item: ImportItem) -> ImportRow:
        row = ImportRow(item, self)
        row.cancel_requested.connect(self.cancel_requested)
        row.pause_requested.connect(self.pause_requested)
        row.retry_requested.connect(self.retry_requested)
        row.show()
        return row

    def _place_files(self, y: int, width: int) -> int:
        for row in self.rows.values():
            height = row.height_for(width - INDENT)
            row.setGeometry(INDENT, y, width - INDENT, height)
            y += height - 4
        if not self._more.isHidden():
            self._more.setGeometry(INDENT + PADDING, y, width - INDENT - PADDING, 20)
            y += 24
        return y + BELOW - 8

    def _cancel_all(self) -> None:
        for item in self._item.files:
            if item.state in OPEN:
                self.cancel_requested.emit(item.import_id)

    def _rest_all(self) -> None:
        rest = not self._rests
        for item in self._item.files:
            if item.state in OPEN and item.state is not ImportState.LOCKED:
                self.pause_requested.emit(item.import_id, rest)


def import_row(item: ImportItem | BatchItem, parent: QWidget) -> "ImportRow | BatchRow":
    """The row of one file, or of several that were added together."""
    return ImportRow(item, parent) if isinstance(item, ImportItem) else BatchRow(item, parent)


def batch_words(item: BatchItem) -> str:
    """How far the files are: "Reading 3 of 17 files, about 4 minutes left"."""
    total, states = len(item.files), [file.state for file in item.files]
    if item.is_open:
        number = min(item.finished + 1, total)
        left = "" if item.seconds_left is None else f", {about(item.seconds_left)} left"
        if ImportState.RUNNING in states:
            return f"Reading {thousands(number)} of {counted(total, 'file')}{left}"
        rests = "Paused" if ImportState.PAUSED in states else "Waiting"
        return f"{rests}: {thousands(item.finished)} of {counted(total, 'file')} read"
    failed, stopped = states.count(ImportState.FAILED), states.count(ImportState.CANCELLED)
    parts = [f"{counted(total - failed - stopped, 'file')} read"]
    if failed:
        parts.append(f"{thousands(failed)} could not be read")
    if stopped:
        parts.append(f"{thousands(stopped)} stopped by you")
    return ", ".join(parts)


def _urgency(item: ImportItem) -> int:
    if item.state is ImportState.RUNNING:
        return 0
    return 1 if item.state in TROUBLES else 2 if item.state in OPEN else 3
