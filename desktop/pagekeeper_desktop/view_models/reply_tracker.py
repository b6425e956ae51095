"""Turns the updates of one chain into rows of the transcript and lines of the activity list."""

from dataclasses import replace
from datetime import UTC, datetime

from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.updates import (
    CallFinished,
    CallStarted,
    ChainCancelled,
    ChainFailed,
    ChainFinished,
    MemoryPressure,
    MessageAdmitted,
    PromptProgress,
    QueueFlushed,
    ReplyDelta,
    ReplyFinished,
    StepFinished,
    SummaryProgress,
    Update,
)
from pagekeeper_desktop.view_models.activity_model import ActivityModel
from pagekeeper_desktop.view_models.call_phrases import call_phrase, summary_phrase
from pagekeeper_desktop.view_models.formatting import thousands
from pagekeeper_desktop.view_models.transcript_items import (
    MessageItem,
    MessageState,
    ReminderItem,
    Sender,
    is_reminder,
)
from pagekeeper_desktop.view_models.transcript_model import RowId, TranscriptModel

__all__ = ["ReplyTracker"]

THINKING = "Thinking…"

IN_TRANSCRIPT = (PromptProgress, SummaryProgress, ReplyDelta, ReplyFinished, MessageAdmitted)
"""Updates that are about the conversation whose chain runs."""

LONG_PROMPT = 200
"""Tokens to evaluate from which on the reading is shown in figures."""


class ReplyTracker:
    """Follows the chain that is running.

    Attributes:
        tokens_per_second: Of the last chain that wrote something; 0 before the first.
    """

    def __init__(self, transcript: TranscriptModel, activity: ActivityModel) -> None:
        self._transcript = transcript
        self._activity = activity
        self._asked: RowId | None = None
        self._reply: RowId | None = None
        self._written: RowId | None = None
        self._calls: tuple[str, ...] = ()
        self._is_shown = True
        self._tokens = 0
        self._seconds = 0.0
        self.tokens_per_second = 0.0

    @property
    def asked(self) -> RowId | None:
        """The row of the message that is being answered."""
        return self._asked

    def begin(self, asked: RowId) -> None:
        """The agent took up the person's message in this row."""
        self._start(is_shown=True)
        self._asked = asked
        self._reply = self._new_reply()

    def begin_unasked(self, *, is_shown: bool) -> None:
        """The assistant speaks first, in the conversation that is shown or in another one."""
        self._start(is_shown=is_shown)

    def put_back(self) -> None:
        """The message that was to be answered has to wait: nothing is written for it yet."""
        if self._reply is not None:
            self._transcript.remove(self._reply)
        self._asked = self._reply = None

    def _start(self, *, is_shown: bool) -> None:
        self._asked = self._reply = self._written = None
        self._calls = ()
        self._is_shown = is_shown
        self._tokens, self._seconds = 0, 0.0

    def feed(self, update: Update) -> None:
        """Take an update of the running chain."""
        if isinstance(update, IN_TRANSCRIPT) and not self._is_shown:
            return
        match update:
            case PromptProgress() | SummaryProgress() | ReplyDelta() | ReplyFinished():
                self._feed_reply(update)
            case MessageAdmitted(message):
                self._admitted(message)
            case CallStarted(call):
                self._activity.call_started(call)
                self._call(call_phrase(call))
            case CallFinished(call, result):
                self._activity.call_finished(call, result)
                self._progress(THINKING)
            case MemoryPressure():
                self._activity.pressure(update)
            case QueueFlushed():
                self._activity.flushed(update)
            case StepFinished(usage):
                self._tokens += usage.generated_tokens
                self._seconds += usage.generation_seconds
            case ChainFinished() | ChainCancelled() | ChainFailed():
                self._end(update)
            case _:
                pass

    def _feed_reply(
        self, update: PromptProgress | SummaryProgress | ReplyDelta | ReplyFinished
    ) -> None:
        match update:
            case SummaryProgress():
                self._summarising(update)
            case PromptProgress(done, total):
                if total >= LONG_PROMPT:
                    self._progress(f"Reading {thousands(done)} of {thousands(total)} tokens")
            case ReplyDelta(text):
                self._write(text)
            case ReplyFinished(message):
                self._finish(message)

    def _new_reply(self) -> RowId:
        item = MessageItem(
            Sender.ASSISTANT, "", datetime.now(UTC), MessageState.WRITING, progress=THINKING
        )
        return self._transcript.insert_after(self._asked or 0, item)

    def _reply_item(self) -> MessageItem | None:
        item = self._transcript.get(self._reply) if self._reply is not None else None
        return item if isinstance(item, MessageItem) else None

    def _admitted(self, message: Message) -> None:
        if message.kind is MessageKind.USER and self._asked is not None:
            self._transcript.edit(
                self._asked, at=message.created_at, state=MessageState.DONE, seq=message.seq
            )

        elif is_reminder(message):
            self._transcript.append(ReminderItem(message.text, message.created_at))
            self._reply = self._new_reply()

    def _progress(self, text: str) -> None:
        item = self._reply_item()
        if self._reply is not None and item is not None and not item.text:
            self._transcript.set(self._reply, replace(item, progress=text, calls=self._calls))

    def _summarising(self, update: SummaryProgress) -> None:
        if self._reply is None:
            self._reply = self._new_reply()
        self._progress(summary_phrase(update))

    def _call(self, phrase: str) -> None:
        self._calls = (*self._calls, phrase)
        self._progress(f"{phrase} …")

    def _write(self, text: str) -> None:
        if self._reply is None:
            self._reply = self._new_reply()
        item = self._reply_item()
        if item is not None:
            self._transcript.set(self._reply, replace(item, text=item.text + text, progress=""))

    def _finish(self, message: Message) -> None:
        row = self._reply if self._reply is not None else self._new_reply()
        reply = MessageItem(
            Sender.ASSISTANT,
            message.text,
            message.created_at,
            calls=self._calls,
            seq=message.seq,
            citations=message.citations,
        )
        self._transcript.set(row, reply)
        self._reply, self._written, self._calls = None, row, ()

    def _end(self, update: ChainFinished | ChainCancelled | ChainFailed) -> None:
        self._activity.chain_ended()
        self._end_reply(stopped=isinstance(update, ChainCancelled))
        if self._asked is not None:
            failed = isinstance(update, ChainFailed)
            state = MessageState.FAILED if failed else MessageState.DONE
            self._transcript.edit(self._asked, state=state)
        if self._seconds > 0:
            self.tokens_per_second = self._tokens / self._seconds
        self._reply = self._asked = self._written = None
        self._is_shown = True

    def _end_reply(self, *, stopped: bool) -> None:
        """Close the reply that was being written, or mark the one that a Stop cut off."""
        item = self._reply_item()
        if self._reply is None or item is None:
            if stopped and self._written is not None:
                self._transcript.edit(self._written, state=MessageState.STOPPED)
        elif item.text or stopped:
            self._transcript.edit(self._reply, state=MessageState.STOPPED, progress="")
        else:
            self._transcript.remove(self._reply)
