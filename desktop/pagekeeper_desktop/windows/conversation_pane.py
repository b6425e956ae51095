"""The middle of the window: meter, banner, conversation, composer."""

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from pagekeeper_desktop.view_models.conversation_list import NEW
from pagekeeper_desktop.view_models.session import Session
from pagekeeper_desktop.view_models.session_state import Action, Notice, Phase, SessionState
from pagekeeper_desktop.widgets.banner import Banner
from pagekeeper_desktop.widgets.composer import Composer
from pagekeeper_desktop.widgets.context_meter import ContextMeter
from pagekeeper_desktop.widgets.load_strip import LoadStrip
from pagekeeper_desktop.widgets.transcript import Transcript, column_width
from pagekeeper_desktop.widgets.welcome import Welcome

__all__ = ["ConversationPane"]

MARGIN = 24
COMMANDS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
LOADING = (Action.DOWNLOAD, Action.LOAD_AGAIN)
"""What a notice offers while nothing can be answered."""
OVERHANG = 12
"""Pixels that the composer's frame stands out from the column of text, so that the texts align."""


class ConversationPane(QWidget):
    """Shows the session's conversation and sends what is written.

    Signals:
        attach_requested: The person wants to choose files.
        activity_requested: The person wants to see what the assistant did.
    """

    attach_requested = Signal()
    activity_requested = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._notice: Notice | None = None
        self._drafts: dict[int, str] = {}
        self._drafted = NEW
        self.meter = ContextMeter(self)
        self.banner = Banner(self)
        self.transcript = Transcript(session.transcript, self)
        self.welcome = Welcome(self)
        self.composer = Composer(self)
        self.load_strip = LoadStrip(self)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self.welcome)
        self._pages.addWidget(self.transcript)
        self._foot = QWidget(self)
        self._lay_out()
        self._connect_widgets()
        self._connect_session()
        self._show_state(session.state)

    def drafts(self) -> dict[int, str]:
        """What was written and is not stored, by the numbers of the conversations."""
        return self._drafts | {self._drafted: self._unsent(self._session.unsent_texts())}

    def restore_drafts(self, drafts: dict[int, str]) -> None:
        """Have what was written before stand in its conversations again.

        What belongs to none stands in the composer at once, and goes to the first one shown.
        """
        self._drafts = dict(drafts)
        self._fetch_draft()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Letters typed while nothing takes them go into the message."""
        text = event.text()
        if text and text.isprintable() and not event.modifiers() & COMMANDS:
            self.composer.field.setFocus()
            self.composer.field.insertPlainText(text)
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """The composer is as wide as the column of text above it."""
        super().resizeEvent(event)
        self._foot.setFixedWidth(column_width(self, self.width()) + 2 * OVERHANG)

    def _lay_out(self) -> None:
        header = QWidget(self)
        header.setProperty("role", "header")
        header.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(header)
        row.setContentsMargins(MARGIN, 10, MARGIN, 8)
        row.addWidget(self.meter)
        foot = QVBoxLayout(self._foot)
        foot.setContentsMargins(0, 0, 0, 16)
        foot.setSpacing(0)
        foot.addWidget(self.load_strip)
        foot.addWidget(self.composer)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (header, self.banner):
            column.addWidget(widget)
        column.addWidget(self._pages, 1)
        column.addWidget(self._foot, 0, Qt.AlignmentFlag.AlignHCenter)

    def _connect_widgets(self) -> None:
        session = self._session
        self.composer.send_requested.connect(self._send)
        self.composer.stop_requested.connect(session.stop)
        self.composer.field.textChanged.connect(session.typed)
        self.composer.attach_requested.connect(self.attach_requested)
        self.composer.files_pasted.connect(session.imports.add)
        self.composer.text_kept.connect(session.imports.add_text)
        self.load_strip.cancel_requested.connect(session.stop)
        self.banner.acted.connect(self._act)
        self.welcome.suggested.connect(self._suggest)
        self.transcript.older_wanted.connect(session.history.load_older)
        self.transcript.take_back_requested.connect(self._take_back)
        self.transcript.cancel_requested.connect(session.imports.cancel)
        self.transcript.pause_requested.connect(session.imports.rest)
        self.transcript.retry_requested.connect(session.imports.retry)
        self.transcript.activity_requested.connect(self.activity_requested)
        self.transcript.forget_requested.connect(session.explanations.forget_message)

    def _connect_session(self) -> None:
        session = self._session
        session.state_changed.connect(self._show_state)
        session.usage_changed.connect(self.meter.show_usage)
        session.noticed.connect(self._show_notice)
        session.notice_outdated.connect(self._hide_notice)
        session.transcript.inserted.connect(self._show_page)
        session.transcript.removed.connect(self._show_page)
        session.history.shown.connect(self._show_page)
        session.history.revealed.connect(self._reveal)
        session.conversation_left.connect(self._leave_conversation)
        session.conversation_shown.connect(self._show_conversation)
        session.conversations.numbered.connect(self._number_conversation)

    def _show_page(self) -> None:
        page = self.transcript if len(self._session.transcript) else self.welcome
        self._pages.setCurrentWidget(page)

    def _reveal(self, position: int) -> None:
        self._show_page()
        self.transcript.reveal(position)

    def _unsent(self, waiting: list[str]) -> str:
        return "\n\n".join(filter(None, [*waiting, self.composer.text]))

    def _leave_conversation(self, waiting: list[str]) -> None:
        self._drafts[self._drafted] = self._unsent(waiting)
        self.composer.set_text("")

    def _show_conversation(self, thread_id: int) -> None:
        self._drafted = thread_id
        self._fetch_draft()

    def _number_conversation(self, thread_id: int) -> None:
        """The agent may have used a conversation again in which something was written before."""
        self._drafted = thread_id
        self._fetch_draft()

    def _fetch_draft(self) -> None:
        text = self._drafts.pop(self._drafted, "")
        if text:
            self.composer.add_text(text)

    def _show_state(self, state: SessionState) -> None:
        self.composer.set_busy(busy=state.busy, stopping=state.stopping)
        label = "Stopping" if state.stopping and state.stage else state.stage
        if state.phase is Phase.OPENING:
            label = "Opening your memory"
        self.load_strip.show_stage(
            label,
            state.done,
            state.total,
            can_cancel=state.phase is Phase.DOWNLOADING and not state.stopping,
        )

    def _show_notice(self, notice: Notice) -> None:
        """What offers nothing leaves the offer that loads the model in its place."""
        standing = None if self.banner.isHidden() else self._notice
        if notice.action is None and standing is not None and standing.action in LOADING:
            notice = replace(notice, action=standing.action, label=standing.label)
        self._notice = notice
        self.banner.show_notice(notice.message, notice.hint, notice.label, is_error=notice.is_error)

    def _hide_notice(self) -> None:
        if self._notice is not None and not self._notice.lasts:
            self.banner.hide()

    def _act(self) -> None:
        if self._notice is not None and self._notice.action is not None:
            self._session.act(self._notice.action)

    def _send(self, text: str) -> None:
        self._session.send(text)
        self.transcript.scroll_to_end()

    def _suggest(self, text: str) -> None:
        self.composer.set_text(text)
        self.composer.field.setFocus()

    def _take_back(self, row: int) -> None:
        text = self._session.take_back(row)
        if text:
            self.composer.add_text(text)
            self.composer.field.setFocus()
