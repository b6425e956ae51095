"""What an event puts into the queue before the first step: the words, and what belongs to them."""

import logging
import threading
from collections.abc import Callable, Generator, Iterator
from datetime import datetime
from typing import assert_never

from pagekeeper_core import prompts
from pagekeeper_core.document_request import DOCUMENT_FUNCTIONS, asks_documents
from pagekeeper_core.earlier_note import note_before
from pagekeeper_core.errors import Cancelled, PagekeeperError, StoreError
from pagekeeper_core.events import DocumentImported, Login, MessageMarked
from pagekeeper_core.main_context import MainContext
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.notes import Notes
from pagekeeper_core.protocols import Clock, RecallStore, TokenCounter
from pagekeeper_core.queue_manager import QueueManager
from pagekeeper_core.read_ahead import ReadAhead
from pagekeeper_core.records import Reminder
from pagekeeper_core.reminder_functions import REMINDER_FUNCTIONS
from pagekeeper_core.reminder_note import new_note
from pagekeeper_core.reminder_request import asks_to_set, request_note
from pagekeeper_core.results import cut_to_tokens, newest_lines
from pagekeeper_core.schedule import Reminders
from pagekeeper_core.time_note import due_time_note
from pagekeeper_core.updates import Update

__all__ = ["Intake"]

log = logging.getLogger(__name__)

LOOK_BACK = 30
"""Messages among which the user's last one, or the note of a reminder, is looked for."""


class Intake:
    """Turns events into messages of the queue."""

    def __init__(
        self,
        context: MainContext,
        queue_manager: QueueManager,
        *,
        read_ahead: ReadAhead,
        recall: RecallStore,
        counter: TokenCounter,
        clock: Clock,
        archive_text: Callable[[str, threading.Event], None],
        reminders: Reminders,
        notes: Notes,
    ) -> None:
        self._context = context
        self._queue_manager = queue_manager
        self._read_ahead = read_ahead
        self._recall = recall
        self._counter = counter
        self._clock = clock
        self._archive_text = archive_text
        self._reminders = reminders
        self._notes = notes

    def user_message(self, text: str, cancel: threading.Event) -> Generator[Update, None, Message]:
        """Store what the user said before anything else can fail, then add what belongs to it."""
        shown = cut_to_tokens(text, self._context.budget.message, self._counter)
        stored = yield from self._queue_manager.admit(self._as_message(text, shown))
        yield from self._note_time(before_seq=stored.seq)
        if shown != text:
            yield from self._archive(text, cancel)
        if self._context.policy.read_ahead:
            yield from self._remind_of(text)
        about_reminders = request_note(text, self._reminders, self._clock)
        if about_reminders:
            yield from self.note(about_reminders)
        return stored

    def first_functions(self, text: str) -> tuple[str, ...]:
        """The functions that the first step about a message must choose from; empty for any."""
        if asks_to_set(text, self._clock):
            return REMINDER_FUNCTIONS
        looks_ahead = self._context.policy.read_ahead and not self._read_ahead.is_known(text)
        return DOCUMENT_FUNCTIONS if looks_ahead and asks_documents(text, self._notes) else ()

    def _remind_of(self, text: str) -> Iterator[Update]:
        reminder = self._read_ahead.reminder(text)
        if reminder:
            yield from self.note(reminder)

    def _archive(self, text: str, cancel: threading.Event) -> Iterator[Update]:
        try:
            self._archive_text(text, cancel)
        except Cancelled:
            yield from self.note(prompts.not_archived("the user stopped it."))
            raise
        except PagekeeperError as error:
            log.warning("A long message was not archived", exc_info=True)
            yield from self.note(prompts.not_archived(str(error)))

    def _as_message(self, text: str, shown: str) -> Message:
        now = self._clock.now()
        prompt_text = prompts.user_message(shown, behind=self._last_exchange())
        if shown != text:
            prompt_text += prompts.cut_note(len(shown), len(text))
        return Message(MessageKind.USER, text, prompt_text, now)

    def _last_exchange(self) -> list[str]:
        """What the user said last in this conversation, and what was answered."""
        spoken = (MessageKind.USER, MessageKind.ASSISTANT)
        entries = (entry.message for entry in self._context.queue.entries)
        return [m.text for m in entries if m.kind in spoken and m.text][-2:]

    def user_action(self, event: Login | DocumentImported | MessageMarked) -> Iterator[Update]:
        """The person did something that the assistant should know of, but not answer.

        Raises:
            StoreError: There is no message that was marked.
        """
        match event:
            case Login():
                yield from self._note_time()
            case DocumentImported(title=title, passages=passages, pages=pages):
                yield from self.note(prompts.document_imported(title, passages, pages))
            case MessageMarked(seq):
                yield from self._mark(seq)
            case _:
                assert_never(event)

    def newest_lines(self, text: str) -> str:
        """As many of the last lines of a block as a note of what changed in it shows."""
        return newest_lines(text, self._context.budget.result // 2, self._counter)

    def reminder(self, reminder: Reminder) -> Generator[Update, None, Message | None]:
        """A reminder is due: the message to answer, or None when it was answered before a kill."""
        note = new_note(reminder, self._clock)
        return (yield from self.announce(note, reminder.created_at))

    def announce(self, note: Message, since: datetime) -> Generator[Update, None, Message | None]:
        """Put in the note on which the assistant speaks first, unless a kill came after that.

        Gives the message to answer, or None when it was answered already.

        Args:
            note: The note; the same text stands for the same thing.
            since: An older one is about something else.
        """
        earlier = note_before(note.text, since, self._recall.read_last(LOOK_BACK))
        if earlier is not None and earlier.is_answered:
            return None
        thread = self._queue_manager.thread_id
        if earlier is not None and earlier.is_newest and earlier.message.thread_id == thread:
            return earlier.message
        yield from self._note_time()
        return (yield from self._queue_manager.admit(note))

    def note(self, text: str) -> Iterator[Update]:
        """Put a system message of at most one result's length into the queue."""
        shown = cut_to_tokens(text, self._context.budget.result, self._counter)
        yield from self._queue_manager.admit(self._queue_manager.system_message(shown))

    def _mark(self, seq: int) -> Iterator[Update]:
        found = self._recall.read(seq, seq)
        if not found or not found[0].text:
            raise StoreError(f"There is no message {seq} that could be marked.")
        yield from self.note(prompts.message_marked(found[0].text))

    def _note_time(self, *, before_seq: int | None = None) -> Iterator[Update]:
        thread = self._queue_manager.thread_id
        earlier = self._recall.read_last(LOOK_BACK, before_seq=before_seq, thread_id=thread)
        said = [message for message in earlier if message.kind is MessageKind.USER]
        visible = (entry.message for entry in self._context.queue.entries)
        note = due_time_note(visible, said[-1] if said else None, self._clock)
        if note:
            yield from self.note(note)
