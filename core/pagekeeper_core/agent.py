"""The agent: one event in, a chain of steps, updates out.

A step is one inference under the grammar of the functions that are offered, then one call. What
ends a chain is in `chain`; one that began with a user message ends in a message to the user.
"""

import logging
import threading
from collections.abc import Generator, Iterator, Sequence
from typing import assert_never

from pagekeeper_core import prompts
from pagekeeper_core.chain import Chain
from pagekeeper_core.conversations import Conversations
from pagekeeper_core.errors import Cancelled, FunctionError, ModelError, PagekeeperError, is_refusal
from pagekeeper_core.events import (
    BlockMade,
    ChangeUndone,
    DocumentImported,
    Event,
    Forgotten,
    Login,
    MemoryEdited,
    MessageMarked,
    ProposalDecided,
    ReminderCancelled,
    ReminderSet,
    ThreadArchived,
    ThreadOpened,
    ThreadRenamed,
    TimedEvent,
    UserMessage,
)
from pagekeeper_core.function_calls import (
    SEND_MESSAGE,
    WAIT_FOR_USER,
    ReplyReader,
    call_text,
    parse_call,
)
from pagekeeper_core.function_executor import FunctionExecutor
from pagekeeper_core.functions import FunctionSet, Turn
from pagekeeper_core.intake import Intake
from pagekeeper_core.main_context import MainContext
from pagekeeper_core.memory_history import MemoryHistory
from pagekeeper_core.messages import (
    FunctionCall,
    FunctionResult,
    Message,
    MessageKind,
    PromptMessage,
    storable_text,
)
from pagekeeper_core.protocols import Clock, IdleJob, LanguageModel
from pagekeeper_core.queue_manager import QueueManager
from pagekeeper_core.records import ChangeAction, Reminder
from pagekeeper_core.reminder_functions import REMINDER_FUNCTIONS
from pagekeeper_core.results import cut_to_tokens
from pagekeeper_core.schedule import Reminders
from pagekeeper_core.updates import (
    CallFinished,
    CallStarted,
    ChainCancelled,
    ChainFailed,
    ChainFinished,
    ChainStarted,
    ContextUsage,
    MemoryChanged,
    PromptProgress,
    RemindersChanged,
    ReplyDelta,
    ReplyFinished,
    StepFinished,
    ThreadsChanged,
    Update,
    Usage,
)
from pagekeeper_core.user_actions import MemoryAction, UserActions
from pagekeeper_core.working_context import WorkingContext

__all__ = ["Agent"]

log = logging.getLogger(__name__)

SAVING = ("core_memory_append", "archival_memory_insert", WAIT_FOR_USER)
"""What is offered after a memory-pressure warning."""

THOUGHTS = 100
THOUGHTS_AFTER_SEARCH = 200
"""Bounds of inner_thoughts in characters: after a search the model quotes the line it uses."""


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
        history: MemoryHistory,
        intake: Intake,
        user_actions: UserActions,
        conversations: Conversations,
        reminders: Reminders,
        functions: FunctionSet,
        clock: Clock,
        idle_jobs: Sequence[IdleJob],
    ) -> None:
        self.working_context = working_context
        self._model = model
        self._context = context
        self._queue_manager = queue_manager
        self._history = history
        self._intake = intake
        self._user_actions = user_actions
        self._conversations = conversations
        self._reminders = reminders
        self._idle_jobs = tuple(idle_jobs)
        self._functions = functions
        self._executor = FunctionExecutor(functions)
        self._clock = clock
        self._heard: set[int] = set()

    @property
    def instructions(self) -> tuple[PromptMessage, ...]:
        """The part of the prompt that never changes: its evaluated state can be kept on disk."""
        return self._context.instructions

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

    def timed_event(self) -> TimedEvent | None:
        """The reminder that is due now, to be handled; None while none is."""
        return self._reminders.timed_event()

    def seconds_to_timed_event(self) -> float | None:
        """How long to wait before asking again: 60 at most; None while there are no reminders.

        May be called from any thread.
        """
        return self._reminders.seconds_to_timed_event()

    def _answer(self, event: Event, cancel: threading.Event) -> Generator[Update, None, int]:
        match event:
            case UserMessage(text):
                return (yield from self._converse(storable_text(text), cancel))
            case Login() | DocumentImported() | MessageMarked():
                yield from self._intake.user_action(event)
            case ThreadOpened():
                yield from self._conversations.open(event)
            case ThreadRenamed():
                yield from self._conversations.rename(event)
            case ThreadArchived():
                yield from self._conversations.archive(event)
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
        chain = self._chain(Turn(text, asked.seq), owes_reply=True)
        yield from self._run(chain, cancel)
        yield from self._queue_manager.warn()
        return chain.steps

    def _speak_first(
        self, reminder: Reminder, cancel: threading.Event
    ) -> Generator[Update, None, int]:
        """Say a due reminder; only then has it fired (see `schedule`)."""
        if not self._reminders.begin(reminder):
            return 0
        noted = yield from self._intake.reminder(reminder)
        turn = Turn(reminder.text, noted.seq if noted else 0)
        chain = self._chain(turn, owes_reply=True, without=REMINDER_FUNCTIONS)
        try:
            if noted is not None:
                yield from self._run(chain, cancel)
        except (Cancelled, ModelError):
            if not self._reminders.is_last_attempt(reminder):
                raise
            log.warning("The model did not say reminder %d", reminder.reminder_id, exc_info=True)
            yield from self._say(_reply(self._reminders.plain(reminder)))
        yield from self._reminders.end(reminder)
        yield from self._queue_manager.warn()
        return chain.steps

    def _save(self, cancel: threading.Event) -> Iterator[Update]:
        """Give the steps to save that a warning is owed, once for each warning."""
        warning = self._queue_manager.unheeded_warning(SAVING)
        if not warning or warning in self._heard:
            return
        cause = self._context.queue.entries[-1].message.seq
        yield from self._run(self._chain(Turn("", cause), owes_reply=False), cancel)
        self._heard.add(warning)

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
        )

    def _run(self, chain: Chain, cancel: threading.Event) -> Iterator[Update]:
        while not chain.done:
            yield from self._queue_manager.relieve(cancel)
            yield from self._step(chain, cancel)

    def _step(self, chain: Chain, cancel: threading.Event) -> Iterator[Update]:
        call = yield from self._decide(chain, cancel)
        if call is None:
            chain.after_nothing()
        elif call.name == SEND_MESSAGE:
            yield from self._say(call)
            chain.after_reply()
        else:
            result = yield from self._carry_out(call, chain.turn)
            spec = self._functions.get(call.name)
            chain.after_call(call, result, is_search=spec is not None and spec.is_search)

    def _decide(
        self, chain: Chain, cancel: threading.Event
    ) -> Generator[Update, None, FunctionCall | None]:
        """One inference; a repeated call is decided again without its function.

        A repeat is not shown to the model as an error, which a small one reads out to the user.
        """
        offered = chain.offered()
        while True:
            call = yield from self._infer(offered, chain, cancel)
            if call is None or not chain.is_repeat(call):
                return call
            offered.remove(call.name)

    def _infer(
        self, offered: list[str], chain: Chain, cancel: threading.Event
    ) -> Generator[Update, None, FunctionCall | None]:
        thoughts = THOUGHTS_AFTER_SEARCH if chain.after_search else THOUGHTS
        writing = self._model.generate(
            self._context.prompt(),
            self._functions.schema(offered, thoughts=thoughts),
            max_tokens=self._context.budget.reply_reserve,
            cancel=cancel,
        )
        reader = ReplyReader()
        try:
            usage = yield from _stream(writing, reader)
        except Cancelled:
            if chain.owes_reply:
                yield from self._keep_stopped_reply(reader)
            raise
        yield StepFinished(usage)
        try:
            return parse_call(reader.text)
        except FunctionError:
            log.warning("A step of %d tokens gave no whole call", usage.generated_tokens)
            return _reply(reader.reply + "…") if reader.reply else None

    def _say(self, call: FunctionCall) -> Iterator[Update]:
        stored = yield from self._queue_manager.admit(self._call_message(call))
        yield ReplyFinished(stored)

    def _carry_out(self, call: FunctionCall, turn: Turn) -> Generator[Update, None, FunctionResult]:
        yield from self._queue_manager.admit(self._call_message(call))
        yield CallStarted(call)
        result = yield from self._execute(call, turn)
        yield from self._admit_result(result.text)
        yield CallFinished(call, result)
        yield from self._reminders.updates()
        yield from self._history.take_updates()
        return result

    def _execute(self, call: FunctionCall, turn: Turn) -> Generator[Update, None, FunctionResult]:
        """Run the call; when the environment fails it, the queue still gets a result to it."""
        try:
            return self._executor.execute(call, turn)
        except PagekeeperError as error:
            yield from self._history.take_updates()
            yield from self._admit_result(prompts.call_failed(str(error)))
            raise

    def _admit_result(self, text: str) -> Iterator[Update]:
        shown = cut_to_tokens(text, self._context.budget.result, self._model)
        now = self._clock.now()
        yield from self._queue_manager.admit(Message(MessageKind.FUNCTION, shown, shown, now))

    def _call_message(self, call: FunctionCall) -> Message:
        text = str(call.arguments.get("message", "")) if call.name == SEND_MESSAGE else ""
        return Message(MessageKind.ASSISTANT, text, call_text(call), self._clock.now(), call)

    def _keep_stopped_reply(self, reader: ReplyReader) -> Iterator[Update]:
        if reader.reply:
            yield from self._say(_reply(reader.reply))
        yield from self._intake.note(prompts.reply_stopped())


def _stream(
    writing: Generator[PromptProgress | str, None, Usage], reader: ReplyReader
) -> Generator[Update, None, Usage]:
    while True:
        try:
            piece = next(writing)
        except StopIteration as end:
            usage: Usage = end.value
            return usage
        if isinstance(piece, PromptProgress):
            yield piece
        elif delta := reader.feed(piece):
            yield ReplyDelta(delta)


def _reply(text: str) -> FunctionCall:
    return FunctionCall(SEND_MESSAGE, {"message": text}, "…")
