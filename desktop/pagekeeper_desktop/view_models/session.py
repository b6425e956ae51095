"""One sitting with the assistant: what the window shows and what it asks for.

Session joins the agent thread, the import thread and the reader of memory. Its slots run in the
window's thread; whatever is slow runs in theirs.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from PySide6.QtCore import QObject, Signal

from pagekeeper_core.errors import PagekeeperError, StoreError
from pagekeeper_core.events import (
    DocumentsArrived,
    Event,
    MemoryEdited,
    SummaryAsked,
    TimedEvent,
    UserMessage,
)
from pagekeeper_core.messages import storable_text
from pagekeeper_core.updates import (
    ChainCancelled,
    ChainFailed,
    ChainFinished,
    ContextUsage,
    Update,
)
from pagekeeper_desktop.agent_worker import (
    AgentWorker,
    AssistantReady,
    LoadFailed,
    MemoryOpened,
    Task,
)
from pagekeeper_desktop.assistant_parts import Composition, MissingModel, Stage
from pagekeeper_desktop.options import Options
from pagekeeper_desktop.view_models import notices
from pagekeeper_desktop.view_models.activity_model import ActivityModel
from pagekeeper_desktop.view_models.day_watch import DayWatch
from pagekeeper_desktop.view_models.formatting import is_blank
from pagekeeper_desktop.view_models.import_list import ImportList
from pagekeeper_desktop.view_models.memory_desk import MemoryDesk
from pagekeeper_desktop.view_models.reply_tracker import ReplyTracker
from pagekeeper_desktop.view_models.session_state import Action, Notice, Phase, SessionState
from pagekeeper_desktop.view_models.transcript_items import MessageItem, MessageState, Sender
from pagekeeper_desktop.view_models.transcript_model import RowId, TranscriptModel

__all__ = ["Session"]

SPOKEN = (UserMessage, TimedEvent, DocumentsArrived, SummaryAsked)
"""Events that the assistant answers with a message."""


class Session(QObject):
    """The window's model and the threads behind it.

    Attributes:
        transcript: The rows of the conversation.
        activity: What the assistant does to its memory.
        imports: The files that are read.
        conversations: Which there are, and which one is shown.
        search: Across all of them.
        history: What was said before in the one that is shown.
        reminders: What is to be brought up when.
        proposals: What idle work proposes.
        explanations: Why memory holds what it holds.
        archive: Documents and notes.
        days: Tells when the day turns.

    Signals:
        state_changed (SessionState): Controls are to be adapted.
        blocks_changed (tuple[BlockView, ...]): The working context as it is now.
        usage_changed (ContextUsage): The context window as it is now.
        answered (Event): The agent has carried out what the person asked for.
        refused (Event, PagekeeperError): It has not, and why.
        conversation_left (list[str]): Another conversation is shown next; what was written in this
            one and is not stored.
        conversation_shown (int): This one is shown now.
        noticed (Notice): A banner is to be shown.
        notice_outdated: What the banner says is no longer so.
        reminded (Reminder): It is due: the assistant speaks first.
        closed: All threads have ended.
    """

    state_changed = Signal(object)
    blocks_changed = Signal(object)
    usage_changed = Signal(object)
    answered = Signal(object)
    refused = Signal(object, object)
    conversation_left = Signal(list)
    conversation_shown = Signal(int)
    noticed = Signal(object)
    notice_outdated = Signal()
    reminded = Signal(object)
    closed = Signal()

    def __init__(
        self, composition: Composition[Any], options: Options, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.transcript = TranscriptModel(self)
        self.activity = ActivityModel(self)
        self.imports = ImportList(self.transcript, self)
        self.state = SessionState()
        self._worker = AgentWorker(composition, options)
        self._tracker = ReplyTracker(self.transcript, self.activity)
        self._outbox: list[RowId] = []
        self._failed_row: RowId | None = None
        self._event: Event | None = None
        self._refusal: PagekeeperError | None = None
        self._handed: RowId | None = None
        self._desk = MemoryDesk(
            self.transcript, self.activity, self._worker.post, lambda: self.is_free, self
        )
        self.conversations, self.search = self._desk.conversations, self._desk.search
        self.history, self.explanations = self._desk.history, self._desk.explanations
        self.reminders, self.proposals = self._desk.reminders, self._desk.proposals
        self.archive = self._desk.archive
        self.days = DayWatch(self)
        self._connect()
        self._connect_conversations()

    def _connect(self) -> None:
        worker = self._worker
        worker.memory_opened.connect(self._memory_opened)
        worker.models_missing.connect(self._models_missing)
        worker.stage.connect(self._stage)
        worker.ready.connect(self._ready)
        worker.load_failed.connect(self._load_failed)
        worker.load_stopped.connect(self._load_stopped)
        worker.event_started.connect(self._event_started)
        worker.update.connect(self._update)
        worker.blocks.connect(self.blocks_changed)
        worker.event_done.connect(self._event_done)
        worker.finished.connect(self._worker_finished)
        self._desk.unreadable.connect(
            lambda error: self._notice(notices.failed(error, can_send_again=False))
        )
        self._desk.ended.connect(self.imports.end)
        self.imports.imported.connect(worker.post)
        self.imports.arrived.connect(self.archive.library.arrived)
        self.imports.changed.connect(self.archive.library.follow)
        self.imports.looked.connect(lambda seen: self.archive.library.show_away(seen.away))
        self.imports.told.connect(
            lambda sentence: self._notice(Notice(sentence, is_error=False, lasts=True))
        )
        self.imports.finished.connect(worker.end)

    def _connect_conversations(self) -> None:
        conversations = self.conversations
        self.days.turned.connect(self._desk.renew_days)
        conversations.opened.connect(self._show_conversation)
        conversations.kept.connect(lambda: self._notice(notices.kept_open()))
        conversations.delayed.connect(
            lambda title: self._notice(notices.opens_later(title, can_stop=self.state.busy))
        )

    @property
    def is_free(self) -> bool:
        """Whether nothing of the shown conversation is being answered or waits to be."""
        return not self.state.busy and self._handed is None and not self._outbox

    def start(self) -> None:
        """Open memory and load the model, in the agent thread."""
        if self.state.phase is not Phase.CLOSING:
            self._worker.start()

    def send(self, text: str) -> None:
        """Have a message answered as soon as the assistant is free; a blank one is not sent."""
        text = storable_text(text).strip()
        if is_blank(text):
            return
        item = MessageItem(Sender.USER, text, state=MessageState.WAITING)
        self._outbox.append(self.transcript.append(item))
        self._send_next()

    def take_back(self, row: RowId) -> str:
        """Withdraw a message that still waits; gives its text, empty when it was sent already."""
        item = self.transcript.get(row)
        if row not in self._outbox or not isinstance(item, MessageItem):
            return ""
        self._outbox.remove(row)
        self.transcript.remove(row)
        self.conversations.go_on()
        return item.text

    def unsent_texts(self) -> list[str]:
        """Messages that no storage holds yet."""
        unsent = (MessageState.WAITING, MessageState.SENT, MessageState.FAILED)
        return [
            item.text
            for item in self.transcript.items()
            if isinstance(item, MessageItem) and item.state in unsent and not item.seq
        ]

    def stop(self) -> None:
        """Interrupt the reply, or the download, at once."""
        if self.state.busy or self.state.phase is Phase.DOWNLOADING:
            self._worker.stop()
            self._set_state(stopping=True)

    def typed(self) -> None:
        """The person presses keys in the composer."""
        self._worker.typed()

    def post(self, event: Event) -> None:
        """Have an event answered; `answered` or `refused` follows."""
        self._worker.post(event)

    def edit_block(self, block: str, text: str) -> None:
        """Give a block of working context a new text."""
        self._worker.post(MemoryEdited(block, storable_text(text)))

    def act(self, action: Action) -> None:
        """Do what a notice offered."""
        match action:
            case Action.LOAD_AGAIN:
                self._set_state(phase=Phase.LOADING, stage="Trying again", done=0, total=0)
                self._worker.request(Task.LOAD)
            case Action.DOWNLOAD:
                self._set_state(
                    phase=Phase.DOWNLOADING, stage="Starting the download", done=0, total=0
                )
                self._worker.request(Task.DOWNLOAD)
            case Action.SEND_AGAIN:
                self._send_again()
            case Action.STOP:
                self.stop()

    def close(self) -> None:
        """Interrupt everything; `closed` follows when the threads have ended, a write included."""
        self._set_state(phase=Phase.CLOSING)
        self._worker.stop()
        self._desk.close()

    def join(self, seconds: float | None = None) -> bool:
        """Wait for both threads after `close`; False when one still runs."""
        return self.imports.join(seconds) and self._worker.join(seconds)

    def _set_state(self, **fields: Any) -> None:  # noqa: ANN401 - fields of SessionState
        if self.state.phase is Phase.CLOSING:
            return
        state = replace(self.state, **fields)
        if state != self.state:
            self.state = state
            self.state_changed.emit(state)

    def _notice(self, notice: Notice) -> None:
        if self.state.phase is not Phase.CLOSING:
            self.noticed.emit(notice)

    def _send_next(self) -> None:
        """Hand the next waiting message to the agent; the others can still be withdrawn."""
        free = self.state.phase is Phase.READY and not self.state.busy
        if not free or self._handed is not None or not self._outbox:
            return
        row = self._outbox.pop(0)
        item = self.transcript.get(row)
        if isinstance(item, MessageItem):
            sent = replace(item, at=datetime.now(UTC), state=MessageState.SENT)
            self.transcript.set(row, sent)
            self._handed = row
            self._tracker.begin(row)
            self._set_state(busy=True, stopping=False)
            self._worker.post(UserMessage(item.text))

    def _send_again(self) -> None:
        row, self._failed_row = self._failed_row, None
        if row is not None and self.transcript.get(row) is not None:
            self.transcript.edit(row, state=MessageState.WAITING)
            self._outbox.insert(0, row)
            self._send_next()

    def _memory_opened(self, opened: MemoryOpened) -> None:
        self._desk.use(opened)
        self.imports.use(opened.memory.imports, opened.memory.watched)
        self.conversation_shown.emit(self.conversations.shown)
        self._set_state(phase=Phase.LOADING)
        if opened.memory.notices:
            self._notice(Notice(" ".join(opened.memory.notices), is_error=False, lasts=True))

    def _show_conversation(self, thread_id: int, seq: int) -> None:
        self.notice_outdated.emit()
        self._failed_row = None
        self.conversation_left.emit(self.unsent_texts())
        self.history.open(thread_id, seq)
        self.conversation_shown.emit(thread_id)

    def _models_missing(self, missing: Sequence[MissingModel]) -> None:
        self._set_state(phase=Phase.MODEL_MISSING, stage="", stopping=False)
        self._notice(notices.models_missing(missing))

    def _stage(self, stage: Stage) -> None:
        self.notice_outdated.emit()
        self._set_state(stage=stage.label, done=stage.done, total=stage.total)

    def _ready(self, ready: AssistantReady) -> None:
        self.notice_outdated.emit()
        self._set_state(phase=Phase.READY, stage="", stopping=False, model_name=ready.model_name)
        self.imports.begin()
        self._send_next()

    def _load_failed(self, failed: LoadFailed) -> None:
        self._set_state(phase=Phase.FAILED, stage="", stopping=False, busy=False)
        self._notice(notices.load_failed(failed.error))

    def _load_stopped(self) -> None:
        self._set_state(phase=Phase.MODEL_MISSING, stage="", stopping=False)
        self._notice(notices.download_stopped())

    def _event_started(self, event: Event) -> None:
        self._event = event
        self._refusal = None
        if isinstance(event, UserMessage):
            self.notice_outdated.emit()
            if self._handed is not None and self._tracker.asked is None:
                self._tracker.begin(self._handed)
        elif isinstance(event, SPOKEN):
            self._speaks_first(event)

    def _speaks_first(self, event: Event) -> None:
        """It comes before a message that was handed over: that one is answered next."""
        self._tracker.put_back()
        is_shown = self.conversations.shown == self.conversations.in_queue
        self._tracker.begin_unasked(is_shown=is_shown)
        self._set_state(busy=True, stopping=False)
        if isinstance(event, TimedEvent):
            self.reminded.emit(event.reminder)

    def _update(self, update: Update) -> None:
        if isinstance(update, ContextUsage):
            self.usage_changed.emit(update)
        elif isinstance(update, ChainFailed):
            self._failed(update)
        self._desk.told(update)
        ends = isinstance(update, ChainFinished | ChainCancelled | ChainFailed)
        if not ends or isinstance(self._event, SPOKEN):
            self._tracker.feed(update)

    def _failed(self, update: ChainFailed) -> None:
        self._refusal = update.error
        if self._event is None and isinstance(update.error, StoreError):
            self._notice(notices.failed(update.error, can_send_again=False))
        answering = isinstance(self._event, UserMessage)
        self._failed_row = self._tracker.asked if answering else None

    def _event_done(self, event: Event) -> None:
        self._event = None
        if isinstance(event, UserMessage):
            self._handed = None
        if isinstance(event, SPOKEN):
            self._set_state(
                busy=self._handed is not None,
                stopping=False,
                tokens_per_second=self._tracker.tokens_per_second,
            )
        if self._refusal is not None:
            self._desk.refused(event, self._refusal)
            self.refused.emit(event, self._refusal)
            self._tell(self._refusal, event)
            if isinstance(event, UserMessage):
                self.conversations.stay()
        else:
            self._desk.answered(event)
            self.answered.emit(event)
        self._send_next()
        self.conversations.go_on()

    def _tell(self, error: PagekeeperError, event: Event) -> None:
        if isinstance(error, StoreError) or not notices.is_told_elsewhere(event):
            self._notice(notices.failed(error, can_send_again=self._failed_row is not None))

    def _worker_finished(self) -> None:
        if self.state.phase is Phase.CLOSING:
            self.closed.emit()
            return
        self._set_state(phase=Phase.FAILED, stage="", busy=False)
        self._notice(notices.worker_ended())
