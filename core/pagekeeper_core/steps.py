"""The steps of a chain: each is one inference under the grammar of its functions, then one call."""

import logging
import threading
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace

from pagekeeper_core import prompts
from pagekeeper_core.chain import Chain
from pagekeeper_core.citations import ReplyText, cited, without_unknown
from pagekeeper_core.errors import Cancelled, FunctionError, PagekeeperError
from pagekeeper_core.function_calls import SEND_MESSAGE, ReplyReader, call_text, parse_call
from pagekeeper_core.function_executor import FunctionExecutor
from pagekeeper_core.functions import FunctionSet, Turn
from pagekeeper_core.main_context import MainContext
from pagekeeper_core.memory_history import MemoryHistory
from pagekeeper_core.messages import (
    Citation,
    FunctionCall,
    FunctionResult,
    Message,
    MessageKind,
    PromptMessage,
    PromptRole,
)
from pagekeeper_core.protocols import Clock, LanguageModel
from pagekeeper_core.queue_manager import QueueManager
from pagekeeper_core.reply_rules import ANY_REPLY, Unwanted
from pagekeeper_core.results import cut_to_tokens
from pagekeeper_core.schedule import Reminders
from pagekeeper_core.sources import Sources
from pagekeeper_core.updates import (
    CallFinished,
    CallStarted,
    PromptProgress,
    ReplyDelta,
    ReplyFinished,
    StepFinished,
    Update,
    Usage,
)

__all__ = ["Steps"]

log = logging.getLogger(__name__)


class Steps:
    """Runs chains: asks the model for a call, carries it out, puts both into the queue."""

    def __init__(
        self,
        *,
        model: LanguageModel,
        context: MainContext,
        queue_manager: QueueManager,
        history: MemoryHistory,
        reminders: Reminders,
        functions: FunctionSet,
        clock: Clock,
    ) -> None:
        self._model = model
        self._context = context
        self._queue_manager = queue_manager
        self._history = history
        self._reminders = reminders
        self._functions = functions
        self._executor = FunctionExecutor(functions)
        self._clock = clock

    def run(self, chain: Chain, cancel: threading.Event) -> Iterator[Update]:
        """Take the steps of a chain until it ends.

        Raises:
            Cancelled: `cancel` was set; what was said until then is kept.
            ModelError: The model or its runtime failed.
            StoreError: A database cannot be read or written.
        """
        while not chain.done:
            yield from self._queue_manager.relieve(cancel)
            yield from self._step(chain, cancel)

    def _step(self, chain: Chain, cancel: threading.Event) -> Iterator[Update]:
        call = yield from self._decide(chain, cancel)
        if call is None:
            chain.after_nothing()
        elif call.name == SEND_MESSAGE:
            yield from self._say(
                call, cited(_said_in(call), chain.turn.question, chain.turn.sources)
            )
            chain.after_reply()
        else:
            result = yield from self._carry_out(call, chain.turn)
            spec = self._functions.get(call.name)
            chain.after_call(call, result, is_search=spec is not None and spec.is_search)

    def _decide(
        self, chain: Chain, cancel: threading.Event
    ) -> Generator[Update, None, FunctionCall | None]:
        """One inference; a repeated call is decided again without its function.

        A repeat is not shown to the model as an error, which a small one reads out to the user. An
        unwanted reply is written again: where one stands, all after it follow.
        """
        offered = chain.offered()
        unwanted = ANY_REPLY
        while True:
            call = yield from self._infer(offered, chain, cancel, unwanted)
            refused = chain.replies.refuse(_said_in(call)) if call is not None else None
            if refused is not None:
                unwanted = replace(refused, letters=refused.letters or unwanted.letters)
            elif call is not None and chain.is_repeat(call):
                offered.remove(call.name)
            else:
                return call

    def _infer(
        self,
        offered: list[str],
        chain: Chain,
        cancel: threading.Event,
        unwanted: Unwanted,
    ) -> Generator[Update, None, FunctionCall | None]:
        """One inference; a hint stands behind the prompt for this one only."""
        policy = self._context.policy
        thoughts = policy.thoughts_after_search if chain.after_search else policy.thoughts
        shown = [PromptMessage(PromptRole.SYSTEM, unwanted.hint)] if unwanted.hint else []
        prompt = [*self._context.prompt(), *shown]
        budget = self._context.budget
        writing = self._model.generate(
            prompt,
            self._functions.schema(offered, thoughts=thoughts, unwanted=unwanted),
            max_tokens=min(budget.reply_reserve, budget.window - self._model.count_prompt(prompt)),
            cancel=cancel,
        )
        reader = ReplyReader()
        try:
            usage = yield from _stream(writing, reader, chain)
        except Cancelled:
            if chain.owes_reply:
                yield from self._keep_stopped_reply(reader, chain.turn.sources)
            raise
        yield StepFinished(usage)
        try:
            return _citing_known(parse_call(reader.text), chain.turn.sources)
        except FunctionError:
            log.warning("A step of %d tokens gave no whole call", usage.generated_tokens)
            said = without_unknown(reader.reply, chain.turn.sources)
            return _reply(said + "…") if said.strip() else None

    def say(self, text: str, citations: Sequence[Citation] = ()) -> Iterator[Update]:
        """Say something in the model's place, with the passages that it rests on."""
        yield from self._say(_reply(text), citations)

    def _say(self, call: FunctionCall, citations: Sequence[Citation] = ()) -> Iterator[Update]:
        message = replace(self.call_message(call), citations=tuple(citations))
        stored = yield from self._queue_manager.admit(message)
        yield ReplyFinished(stored)

    def _carry_out(self, call: FunctionCall, turn: Turn) -> Generator[Update, None, FunctionResult]:
        yield from self._queue_manager.admit(self.call_message(call))
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

    def call_message(self, call: FunctionCall) -> Message:
        """A call as a message of the queue."""
        return Message(
            MessageKind.ASSISTANT, _said_in(call), call_text(call), self._clock.now(), call
        )

    def _keep_stopped_reply(self, reader: ReplyReader, sources: Sources) -> Iterator[Update]:
        said = without_unknown(reader.reply, sources)
        if said.strip():
            yield from self.say(said)
        stopped = self._queue_manager.system_message(prompts.reply_stopped())
        yield from self._queue_manager.admit(stopped)


def _stream(
    writing: Generator[PromptProgress | str, None, Usage], reader: ReplyReader, chain: Chain
) -> Generator[Update, None, Usage]:
    """Pass the reply on while it is written; what may be refused is held back."""
    held, is_own, text = "", False, ReplyText(chain.turn.sources)
    while True:
        try:
            piece = next(writing)
        except StopIteration as end:
            held += text.rest(reader.reply)
            if held and chain.replies.unwanted(reader.reply) is None:
                yield ReplyDelta(held)
            usage: Usage = end.value
            return usage
        if isinstance(piece, PromptProgress):
            yield piece
            continue
        if reader.feed(piece):
            held += text.grown(reader.reply)
        is_own = is_own or not chain.replies.may_become_unwanted(reader.reply)
        if held and is_own:
            yield ReplyDelta(held)
            held = ""


def _citing_known(call: FunctionCall, sources: Sources) -> FunctionCall | None:
    """The call, its reply without what was not retrieved; None where nothing is left of it."""
    if call.name != SEND_MESSAGE:
        return call
    said = without_unknown(_said_in(call), sources)
    return replace(call, arguments={**call.arguments, "message": said}) if said.strip() else None


def _said_in(call: FunctionCall) -> str:
    return str(call.arguments.get("message", "")) if call.name == SEND_MESSAGE else ""


def _reply(text: str) -> FunctionCall:
    return FunctionCall(SEND_MESSAGE, {"message": text}, "…")
