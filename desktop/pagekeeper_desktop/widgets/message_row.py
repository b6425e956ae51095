"""One message in the transcript: who and when, the text, and below it what is to be said of it."""

import time

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QLabel, QMenu, QPushButton, QWidget

from pagekeeper_desktop.theme import colours_of
from pagekeeper_desktop.view_models.formatting import clock_time, counted
from pagekeeper_desktop.view_models.transcript_items import MessageItem, MessageState, Sender
from pagekeeper_desktop.widgets.citation_chips import CitationChips
from pagekeeper_desktop.widgets.text_view import TextView
from pagekeeper_desktop.widgets.transcript_row import TranscriptRow

__all__ = ["MessageRow"]

BUBBLE_X, BUBBLE_Y = 14, 9
GAP = 4
SOURCES_GAP = 8
BUTTON_PADDING = 5
BELOW = 20
"""Pixels: inside the bubble, between the lines of a row, below a row."""

LONG_TEXT = 4000
"""Characters from which on a text of the person is folded: a pasted book stays scrollable."""

FOLDED_TEXT = 1200
"""Characters of a folded text that are shown."""

LONGEST_LINE = 4000
"""Characters of one line that are laid out together."""

RENDER_INTERVAL = 0.15
RENDER_COST_FACTOR = 8
"""Markdown of a growing reply is rendered at most every 0.15 s, and at most 1/8 of the time."""


class MessageRow(TranscriptRow):
    """A message of the person (in a bubble, on the right) or a reply (plain, over the whole width).

    Signals:
        height_changed: The row asks to be laid out anew.
        take_back_requested: The person withdraws a message that still waits.
        activity_requested: The person wants to see what the assistant did.
        forget_requested (int): The assistant is not to find the message of this number any more.
        citation_opened (Citation): Show this passage where it stands.
        source_pointed (SourceChip): Tell this chip how its passage begins.
    """

    citation_opened = Signal(object)
    source_pointed = Signal(object)
    forget_requested = Signal(int)
    height_changed = Signal()
    take_back_requested = Signal()
    activity_requested = Signal()

    def __init__(self, item: MessageItem, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._item = MessageItem(item.sender, "")
        self._shown = ""
        self._unfolded = False
        self._is_found = False
        self._last_render = 0.0
        self._render_cost = 0.0
        self._bubble = QRectF()
        self._header = _label(self)
        self._view = TextView(self)
        self._view.menu_made.connect(self._add_to_menu)
        self._view.citation_clicked.connect(self.citation_opened)
        self.sources = CitationChips(self)
        self.sources.opened.connect(self.citation_opened)
        self.sources.pointed.connect(self.source_pointed)
        self._status = _label(self)
        self._button = QPushButton(self)
        self._button.setCursor(Qt.CursorShape.PointingHandCursor)
        self._button.clicked.connect(self._clicked)
        self._render_timer = QTimer(self)
        self._render_timer.setSingleShot(True)
        self._render_timer.timeout.connect(self._render_written)
        self.show_item(item)

    @property
    def text_view(self) -> TextView:
        """The widget that holds the text."""
        return self._view

    def show_item(self, item: MessageItem) -> None:
        """Show the message as it is now."""
        previous, self._item = self._item, item
        if item.text != previous.text or item.state != previous.state:
            self._show_text(previous)
        self._view.set_citations(item.citations)
        self.sources.show_citations(item.citations)
        if previous.state is MessageState.WRITING and item.state is MessageState.DONE:
            self._announce(item.text)
        self._show_header()
        self._show_footer()
        self.setAccessibleName(f"{item.sender}, {self._header.text()}: {item.text[:500]}")
        self.height_changed.emit()

    def mark_found(self) -> None:
        """Show that this is the message that was looked for."""
        self._is_found = True
        self._show_header()
        self._announce(self.accessibleName())
        self.height_changed.emit()

    def height_for(self, width: int) -> int:
        """Lay the row out for this width; gives its height."""
        y = self._place(self._header, 0, width)
        if self._item.text:
            y = self._place_text(y + GAP, width)
        if self._item.citations:
            y += SOURCES_GAP
            height = self.sources.height_for(width)
            self.sources.setGeometry(0, y, width, height)
            y += height
        for widget in (self._status, self._button):
            if not widget.isHidden():
                y = self._place(widget, y + GAP, width)
        return y + BELOW

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802, ARG002 - Qt's name and signature
        """The person's bubble."""
        if self._is_user and self._item.text:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colours_of(self.palette()).user))
            painter.drawRoundedRect(self._bubble, 12, 12)

    @property
    def _is_user(self) -> bool:
        return self._item.sender is Sender.USER

    def _show_text(self, previous: MessageItem) -> None:
        text = self._item.text
        self._view.setVisible(bool(text))
        if self._is_user:
            self._show_plain(text)
        elif self._item.state is not MessageState.WRITING:
            self._render_timer.stop()
            self._render(text)
        elif previous.text and text.startswith(previous.text):
            self._view.append_plain(text[len(previous.text) :])
            self._plan_render()
        else:
            self._render(text)

    def _announce(self, text: str) -> None:
        """Have a screen reader read the reply, now that it is whole."""
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    def _show_plain(self, text: str) -> None:
        folded = len(text) > LONG_TEXT and not self._unfolded
        shown = text[:FOLDED_TEXT].rstrip() + " …" if folded else _in_paragraphs(text)
        if shown != self._shown:
            self._shown = shown
            self._view.set_plain(shown)

    def _add_to_menu(self, menu: QMenu) -> None:
        seq = self._item.seq
        if seq:
            menu.addSeparator()
            menu.addAction("Hide from the assistant", lambda: self.forget_requested.emit(seq))

    def _plan_render(self) -> None:
        """Markdown again, soon: the plain piece shows at once, so nobody waits for this."""
        if not self._render_timer.isActive():
            wait = max(RENDER_INTERVAL, self._render_cost * RENDER_COST_FACTOR)
            due = self._last_render + wait - time.monotonic()
            self._render_timer.start(max(0, int(due * 1000)))

    def _render_written(self) -> None:
        """Render what is written until now, unless the person is selecting in it."""
        if not self._view.textCursor().hasSelection():
            self._render(self._item.text)
            self.height_changed.emit()

    def _render(self, text: str) -> None:
        began = time.monotonic()
        self._view.set_markdown(text)
        self._last_render = time.monotonic()
        self._render_cost = self._last_render - began

    def _show_header(self) -> None:
        at = self._item.at
        words = f"{self._item.sender} · {clock_time(at)}" if at else self._item.sender
        _set_text(
            self._header,
            f"{words} · found" if self._is_found else words,
            "found" if self._is_found else "muted",
        )
        align = Qt.AlignmentFlag.AlignRight if self._is_user else Qt.AlignmentFlag.AlignLeft
        for label in (self._header, self._status):
            label.setAlignment(align)

    def _show_footer(self) -> None:
        item = self._item
        status, role = {
            MessageState.WAITING: ("Waits until the assistant is free", "muted"),
            MessageState.WRITING: (item.progress, "muted"),
            MessageState.STOPPED: ("Stopped", "muted"),
            MessageState.FAILED: ("Not answered", "danger"),
        }.get(item.state, ("", "muted"))
        _set_text(self._status, status, role)
        label, role = self._button_text()
        _set_text(self._button, label, role)

    def _button_text(self) -> tuple[str, str]:
        item = self._item
        if item.state is MessageState.WAITING:
            return "Take it back", "link"
        if self._is_user and len(item.text) > LONG_TEXT:
            whole = f"Show all {counted(len(item.text), 'character')}"
            return ("Show less" if self._unfolded else whole), "link"
        if item.calls and item.text:
            more = f" and {len(item.calls) - 1} more" if len(item.calls) > 1 else ""
            return f"▸ {item.calls[0]}{more}", "quiet"
        return "", "quiet"

    def _clicked(self) -> None:
        if self._item.state is MessageState.WAITING:
            self.take_back_requested.emit()
        elif self._is_user:
            self._unfolded = not self._unfolded
            self._show_plain(self._item.text)
            self._show_footer()
            self.height_changed.emit()
        else:
            self.activity_requested.emit()

    def _place(self, widget: QWidget, y: int, width: int) -> int:
        hint = widget.sizeHint()
        shown = min(width, hint.width())
        overhang = BUTTON_PADDING if widget is self._button else 0
        left = width - shown + overhang if self._is_user else -overhang
        widget.setGeometry(left, y, shown, hint.height())
        return y + hint.height()

    def _place_text(self, y: int, width: int) -> int:
        if not self._is_user:
            height = self._view.height_for(width)
            self._view.setGeometry(0, y, width, height)
            return y + height
        widest = int(width * 0.86) - 2 * BUBBLE_X
        inner = widest if self._unfolded else self._view.ideal_width(widest)
        height = self._view.height_for(inner)
        left = width - inner - BUBBLE_X
        self._bubble = QRectF(left - BUBBLE_X, y, inner + 2 * BUBBLE_X, height + 2 * BUBBLE_Y)
        self._view.setGeometry(left, y + BUBBLE_Y, inner, height)
        return y + height + 2 * BUBBLE_Y


def _in_paragraphs(text: str) -> str:
    """The text with its longest lines cut: layout time grows with the square of a line's length."""
    if len(text) <= LONGEST_LINE:
        return text
    lines = (
        line[start : start + LONGEST_LINE]
        for line in text.split("\n")
        for start in range(0, len(line) or 1, LONGEST_LINE)
    )
    return "\n".join(lines)


def _label(parent: QWidget) -> QLabel:
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setProperty("role", "muted")
    return label


def _set_text(widget: QLabel | QPushButton, text: str, role: str) -> None:
    widget.setText(text)
    widget.setVisible(bool(text))
    if widget.property("role") != role:
        widget.setProperty("role", role)
        if widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
            widget.style().unpolish(widget)
            widget.style().polish(widget)
