"""The agent: one event in, a chain of steps, updates out.

What a step does is in `steps`, what ends a chain in `chain`; one that began with a user message
ends in a message to the user.
"""

import logging
import threading
from collections.abc import Generator, Iterator, Sequence
from typing import assert_never

from pagekeeper_core.chain import Chain
from pagekeeper_core.conversations import Conversations
from pagekeeper_core.document_talk import DocumentTalk
from pagekeeper_core.errors import Cancelled, ModelError, PagekeeperError, is_refusal
from pagekeeper_core.events import (
    BlockMade,
    ChangeUndone,
    DocumentImported,
    DocumentsArrived,
    Event,
    Forgotten,
    Login,
    MemoryEdited,
    MessageMarked,
    ProposalDecided,
    ReminderCancelled,
    ReminderSet,
    SummaryAsked,
    ThreadArchived,
    ThreadOpened,
    ThreadRenamed,
    TimedEvent,
    UserMessage,
)
from pagekeeper_core.function_calls import (
    WAIT_FOR_USER,
)
from pagekeeper_core.functions import FunctionSet, Turn
from pagekeeper_core.intake import Intake
from pagekeeper_core.main_context import MainContext
from pagekeeper_core.messages import (
    MessageKind,
    PromptMessage,
    storable_text,
)
from pagekeeper_core.protocols import IdleJob, LanguageModel
from pagekeeper_core.queue_manager import QueueManager
from pagekeeper_core.records import ChangeAction, Reminder
from pagekeeper_core.reminder_functions import REMINDER_FUNCTIONS
from pagekeeper_core.reply_rules import ReplyRules
from pagekeeper_core.schedule import Reminders
from pagekeeper_core.sources import Sources
from pagekeeper_core.steps import Steps
from pagekeeper_core.updates import (
    ChainCancelled,
    ChainFailed,
    ChainFinished,
    ChainStarted,
    ContextUsage,
    MemoryChanged,
    RemindersChanged,
    ThreadsChanged,
    Update,
)
from pagekeeper_core.user_actions import MemoryAction, UserActions
from pagekeeper_core.working_context import WorkingContext

__all__ = ["Agent"]

log = logging.getLogger(__name__)

SAVING = ("core_memory_append", "archival_memory_insert", WAIT_FOR_USER)
"""What is offered after a memory-pressure warning."""


class Agent:
    """Answers events, one at a time, on one thread.

    Attributes:
        working_context: The blocks, for whoever shows them.
    """

    def __init__(
        self,
        *,
        model: LanguageModel,
        context: MainContext,
        queue_manager: QueueManager,
        working_context: WorkingContext,
        intake: Intake,
        user_actions: UserActions,
        conversations: Conversations,
        reminders: Reminders,
        documents: DocumentTalk,
        functions: FunctionSet,
        steps: Steps,
        idle_jobs: Sequence[IdleJob],
    ) -> None:
        self.working_context = working_context
        self._model = model
        self._context = context
        self._queue_manager = queue_manager
        self._intake = intake
        self._user_actions = user_actions
        self._conversations = conversations
        self._reminders = reminders
        self._documents = documents
        self._idle_jobs = tuple(idle_jobs)
        self._functions = functions
        self._steps = steps
        self._heard: set[int] = set()

    @property
    def instructions(self) -> tuple[PromptMessage, ...]:
        """The part of the prompt that never changes: its evaluated state can be kept on disk."""
        return self._context.instructions

    def prompt(self) -> list[PromptMessage]:
        """All that the model would see now."""
        return self._context.prompt()

    def handle(self, event: Event, cancel: threading.Event) -> Iterator[Update]:
        """Answer an event. Never raises what the person can be told: see ChainFailed.

        Args:
            event: What happened.
            cancel: Set from any thread, it ends the chain at the next token; what was said until
                then is kept.
        """
        yield ChainStarted()
        try:
            steps = yield from self._answer(event, cancel)
            yield self.usage()
            yield ChainFinished(steps)
        except Cancelled:
            yield ChainCancelled()
        except PagekeeperError as error:
            if not is_refusal(error):
                log.warning("The chain failed: %s", error, exc_info=True)
            yield ChainFailed(error)

    def idle(self, cancel: threading.Event) -> Iterator[Update]:
        """Do what is due while nobody waits.

        Warn, save, flush early, evaluate the prompt ahead; then the jobs that were given.

        Every part of it can be cut short by `cancel`, and is taken up again the next time.

        Raises:
            StoreError: A database cannot be written.
        """
        try:
            yield from self._queue_manager.warn()
            yield from self._save(cancel)
            yield from self._queue_manager.relieve_early(cancel)
            yield from self.prepare(cancel)
            for job in self._idle_jobs:
                yield from job.work(cancel)
        except Cancelled:
            return
        except ModelError:
            log.warning("Idle work failed", exc_info=True)

    def prepare(self, cancel: threading.Event) -> Iterator[Update]:
        """Evaluate the prompt ahead, so that the next reply starts at once.

        Raises:
            Cancelled: `cancel` was set.
        """
        yield from self._queue_manager.relieve(cancel)
        yield from self._model.evaluate(self._context.prompt(), cancel=cancel)

    def usage(self) -> ContextUsage:
        """The context window by region."""
        return self._context.usage()

    def threads(self) -> ThreadsChanged:
        """The conversations, and which of them is open."""
        return self._conversations.current()

    def reminders(self) -> RemindersChanged:
        """The reminders that will fire."""
        return self._reminders.current()

    def timed_event(self) -> TimedEvent | DocumentsArrived | None:
        """What is due now by itself, to be handled: a reminder, or new documents; None if nothing.

        May be called from any thread.
        """
        return self._reminders.timed_event() or self._documents.news.event()

    def seconds_to_timed_event(self) -> float | None:
        """How long to wait before asking again: 60 at most; None while nothing can fall due.

        May be called from any thread.
        """
        waits = (self._reminders.seconds_to_timed_event(), self._documents.news.seconds())
        return min((seconds for seconds in waits if seconds is not None), default=None)

    def _answer(self, event: Event, cancel: threading.Event) -> Generator[Update, None, int]:
        match event:
            case UserMessage(text):
                return (yield from self._converse(storable_text(text), cancel))
            case Login() | MessageMarked():
                yield from self._intake.user_action(event)
            case DocumentImported():
                yield from self._documents.imported(event)
            case DocumentsArrived():
                yield from self._documents.speak_first(event, cancel)
            case SummaryAsked():
                return (yield from self._documents.summarise_asked(event, cancel))
            case ThreadOpened() | ThreadRenamed() | ThreadArchived():
                yield from self._conversations.carry_out(event)
            case MemoryEdited() | BlockMade() | ChangeUndone() | Forgotten() | ProposalDecided():
                yield from self._carry_out_by_hand(event)
            case ReminderSet() | ReminderCancelled():
                yield from self._reminders.carry_out(event)
            case TimedEvent(reminder):
                return (yield from self._speak_first(reminder, cancel))
            case _:
                assert_never(event)
        return 0

    def _carry_out_by_hand(self, action: MemoryAction) -> Iterator[Update]:
        """What the person does to memory; what is forgotten leaves the model's view at once."""
        for update in self._user_actions.carry_out(action):
            if isinstance(update, MemoryChanged) and update.change.action is ChangeAction.FORGET:
                self._queue_manager.drop(update.change)
            yield update

    def _converse(self, text: str, cancel: threading.Event) -> Generator[Update, None, int]:
        if not text.strip():
            return 0
        asked = yield from self._intake.user_message(text, cancel)
        yield from self._conversations.name_after(text)
        if wanted := self._documents.asked_for(text):
            return (yield from self._documents.summarise(wanted, text, cancel))
        chain = self._chain(self._turn(text, asked.seq), owes_reply=True)
        chain.begins_with = self._intake.first_functions(text)
        yield from self._steps.run(chain, cancel)
        yield from self._queue_manager.warn()
        return chain.steps

    def _speak_first(
        self, reminder: Reminder, cancel: threading.Event
    ) -> Generator[Update, None, int]:
        """Say a due reminder; only then has it fired (see `schedule`)."""
        if not self._reminders.begin(reminder):
            return 0
        noted = yield from self._intake.reminder(reminder)
        turn = self._turn(reminder.text, noted.seq if noted else 0)
        chain = self._chain(turn, owes_reply=True, without=REMINDER_FUNCTIONS)
        chain.replies.may_echo = True
        try:
            if noted is not None:
                yield from self._steps.run(chain, cancel)
        except (Cancelled, ModelError):
            if not self._reminders.is_last_attempt(reminder):
                raise
            log.warning("The model did not say reminder %d", reminder.reminder_id, exc_info=True)
            yield from self._steps.say(self._reminders.plain(reminder))
        yield from self._reminders.end(reminder)
        yield from self._queue_manager.warn()
        return chain.steps

    def _save(self, cancel: threading.Event) -> Iterator[Update]:
        """Give the steps to save that a warning is owed, once for each warning."""
        warning = self._queue_manager.unheeded_warning(SAVING)
        if not warning or warning in self._heard:
            return
        cause = self._context.queue.entries[-1].message.seq
        yield from self._steps.run(self._chain(self._turn("", cause), owes_reply=False), cancel)
        self._heard.add(warning)

    def _turn(self, question: str, cause_seq: int) -> Turn:
        visible = (entry.message for entry in self._context.queue.entries)
        return Turn(question, cause_seq, Sources(visible))

    def _chain(self, turn: Turn, *, owes_reply: bool, without: Sequence[str] = ()) -> Chain:
        policy = self._context.policy
        return Chain(
            turn=turn,
            functions=tuple(n for n in self._functions if n not in {WAIT_FOR_USER, *without})
            if owes_reply
            else SAVING,
            owes_reply=owes_reply,
            max_steps=policy.max_steps if owes_reply else policy.pressure_steps,
            max_failures=policy.max_failures,
            replies=ReplyRules(
                turn.question,
                heard=self._visible(MessageKind.USER),
                replied=self._visible(MessageKind.ASSISTANT),
            ),
        )

    def _visible(self, kind: MessageKind) -> list[str]:
        """What was said, as far as the model sees it."""
        said = (entry.message for entry in self._context.queue.entries)
        return [message.text for message in said if message.kind is kind and message.text]
