"""One sitting with the assistant: what the window shows and what it asks for.

Session joins the agent thread, the import thread and the reader of older messages. Its slots run in
the window's thread; whatever is slow runs in theirs.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from pagekeeper_core.errors import PagekeeperError, StoreError
from pagekeeper_core.events import DocumentImported, Event, MemoryEdited, UserMessage
from pagekeeper_core.messages import Message, storable_text
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
from pagekeeper_desktop.history_reader import HistoryReader
from pagekeeper_desktop.options import Options
from pagekeeper_desktop.view_models.activity_model import ActivityModel
from pagekeeper_desktop.view_models.call_phrases import block_title
from pagekeeper_desktop.view_models.formatting import byte_size, is_blank
from pagekeeper_desktop.view_models.import_list import ImportList
from pagekeeper_desktop.view_models.reply_tracker import ReplyTracker
from pagekeeper_desktop.view_models.session_state import Action, Notice, Phase, SessionState
from pagekeeper_desktop.view_models.transcript_items import (
    MessageItem,
    MessageState,
    Sender,
    items_of,
)
from pagekeeper_desktop.view_models.transcript_model import RowId, TranscriptModel

__all__ = ["Session"]


class Session(QObject):
    """The window's model and the threads behind it.

    Attributes:
        transcript: The rows of the conversation.
        activity: What the assistant does to its memory.
        imports: The files that are read.

    Signals:
        state_changed (SessionState): Controls are to be adapted.
        blocks_changed (tuple[BlockView, ...]): The working context as it is now.
        usage_changed (ContextUsage): The context window as it is now.
        edit_saved (str): The person's edit of this block is stored.
        edit_refused (str, PagekeeperError): It is not, and why.
        noticed (Notice): A banner is to be shown.
        notice_outdated: What the banner says is no longer so.
        history_complete: There are no older messages.
        closed: All threads have ended.
    """

    state_changed = Signal(object)
    blocks_changed = Signal(object)
    usage_changed = Signal(object)
    edit_saved = Signal(str)
    edit_refused = Signal(str, object)
    noticed = Signal(object)
    notice_outdated = Signal()
    history_complete = Signal()
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
        self._history: HistoryReader | None = None
        self._oldest_seq = 0
        self._reading_history = False
        self._connect()

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
        self.imports.imported.connect(self._document_imported)
        self.imports.finished.connect(worker.end)

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
        return item.text

    def unsent_texts(self) -> list[str]:
        """Messages that no storage holds yet."""
        unsent = (MessageState.WAITING, MessageState.SENT)
        return [
            item.text
            for item in self.transcript.items()
            if isinstance(item, MessageItem) and item.state in unsent
        ]

    def stop(self) -> None:
        """Interrupt the reply, or the download, at once."""
        if self.state.busy or self.state.phase is Phase.DOWNLOADING:
            self._worker.stop()
            self._set_state(stopping=True)

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

    def load_older(self) -> None:
        """Bring the page of messages before the oldest one that is shown."""
        if self._history is not None and not self._reading_history and self._oldest_seq > 1:
            self._reading_history = True
            self._history.read_before(self._oldest_seq)

    def close(self) -> None:
        """Interrupt everything; `closed` follows when the threads have ended, a write included."""
        self._set_state(phase=Phase.CLOSING)
        self._worker.stop()
        if self._history is not None:
            self._history.close()
        self.imports.end()

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
        if not free or self._tracker.asked is not None or not self._outbox:
            return
        row = self._outbox.pop(0)
        item = self.transcript.get(row)
        if isinstance(item, MessageItem):
            sent = replace(item, at=datetime.now(UTC), state=MessageState.SENT)
            self.transcript.set(row, sent)
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
        self.transcript.prepend(items_of(opened.history))
        self._oldest_seq = opened.history[0].seq if opened.history else 0
        self._history = HistoryReader(opened.memory.recall)
        self._history.loaded.connect(self._older_loaded, Qt.ConnectionType.QueuedConnection)
        self._set_state(phase=Phase.LOADING)
        if opened.memory.notices:
            self._notice(Notice(" ".join(opened.memory.notices), is_error=False, lasts=True))
        if self._oldest_seq <= 1:
            self.history_complete.emit()

    def _older_loaded(self, messages: tuple[Message, ...]) -> None:
        self._reading_history = False
        self._oldest_seq = messages[0].seq if messages else 0
        items = items_of(messages)
        self.transcript.prepend(items)
        if self._oldest_seq <= 1:
            self.history_complete.emit()
        elif not items:
            self.load_older()

    def _models_missing(self, missing: Sequence[MissingModel]) -> None:
        self._set_state(phase=Phase.MODEL_MISSING, stage="", stopping=False)
        size = byte_size(sum(model.size for model in missing))
        names = " and ".join(model.name for model in missing)
        notice = Notice(
            f"Pagekeeper needs {names} to answer.",
            hint=f"It is downloaded once ({size}) and then works without a network. "
            "You can write already; your messages wait.",
            action=Action.DOWNLOAD,
            label=f"Download {size}",
            is_error=False,
        )
        self._notice(notice)

    def _stage(self, stage: Stage) -> None:
        self.notice_outdated.emit()
        self._set_state(stage=stage.label, done=stage.done, total=stage.total)

    def _ready(self, ready: AssistantReady) -> None:
        self.notice_outdated.emit()
        self._set_state(phase=Phase.READY, stage="", stopping=False, model_name=ready.model_name)
        self.imports.use(ready.importer)
        self._send_next()

    def _load_failed(self, failed: LoadFailed) -> None:
        self._set_state(phase=Phase.FAILED, stage="", stopping=False, busy=False)
        error = failed.error
        self._notice(Notice(str(error), error.hint, Action.LOAD_AGAIN, "Try again"))

    def _load_stopped(self) -> None:
        self._set_state(phase=Phase.MODEL_MISSING, stage="", stopping=False)
        notice = Notice(
            "The download was stopped.",
            hint="What has arrived is kept; it goes on from there.",
            action=Action.DOWNLOAD,
            label="Go on with it",
            is_error=False,
        )
        self._notice(notice)

    def _event_started(self, event: Event) -> None:
        self._event = event
        self._refusal = None
        if isinstance(event, UserMessage):
            self.notice_outdated.emit()

    def _update(self, update: Update) -> None:
        if isinstance(update, ContextUsage):
            self.usage_changed.emit(update)
        elif isinstance(update, ChainFailed):
            self._failed(update)
        ends = isinstance(update, ChainFinished | ChainCancelled | ChainFailed)
        if not ends or isinstance(self._event, UserMessage):
            self._tracker.feed(update)

    def _failed(self, update: ChainFailed) -> None:
        self._refusal = update.error
        answering = isinstance(self._event, UserMessage)
        self._failed_row = self._tracker.asked if answering else None
        if self._failed_row is not None or isinstance(update.error, StoreError):
            again = self._failed_row is not None
            self._notice(
                Notice(
                    str(update.error),
                    update.error.hint,
                    Action.SEND_AGAIN if again else None,
                    "Send again" if again else "",
                )
            )

    def _event_done(self, event: Event) -> None:
        self._event = None
        if isinstance(event, MemoryEdited):
            self._edit_done(event)
        if isinstance(event, UserMessage):
            self._set_state(
                busy=False,
                stopping=False,
                tokens_per_second=self._tracker.tokens_per_second,
            )
        self._send_next()

    def _edit_done(self, event: MemoryEdited) -> None:
        if self._refusal is not None:
            self.edit_refused.emit(event.block, self._refusal)
            return
        self.activity.memory_edited(block_title(event.block), event.text)
        self.edit_saved.emit(event.block)

    def _document_imported(self, event: DocumentImported) -> None:
        self._worker.post(event)

    def _worker_finished(self) -> None:
        if self.state.phase is Phase.CLOSING:
            self.closed.emit()
            return
        self._set_state(phase=Phase.FAILED, stage="", busy=False)
        self._notice(
            Notice("The assistant stopped working.", "Close Pagekeeper and open it again.")
        )
