"""A chain: the steps that answer one event, and the rules that end it (paper, section 2.4).

It goes on while the model asks for a heartbeat, a call failed, or the user still waits for an
answer. After `max_steps` steps or `max_failures` failed calls only `send_message` is offered.
"""

import json
from dataclasses import dataclass, field

from pagekeeper_core.errors import ModelError
from pagekeeper_core.function_calls import SEND_MESSAGE
from pagekeeper_core.functions import Turn
from pagekeeper_core.messages import FunctionCall, FunctionResult
from pagekeeper_core.reply_rules import ReplyRules

__all__ = ["Chain"]

LAST_ATTEMPTS = 3
"""Steps beyond the limit in which the model may still fail to write a message."""


@dataclass(slots=True)
class Chain:
    """What has happened in a chain, and what its next step may be.

    Attributes:
        turn: What the calls are made for.
        functions: The functions that this chain may use.
        owes_reply: Whether the user waits for a message.
        begins_with: The functions of the first step, where it is plain what must come first.
        max_steps: Steps before the chain must end.
        max_failures: Failed calls before the chain must end.
        steps: Steps taken.
        failures: Calls that failed.
        after_search: Whether the newest result is a page of search results.
        reply_only: Whether the next step must be a message to the user.
        replies: Which messages to the user are taken.
        done: Whether the chain has ended.
    """

    turn: Turn
    functions: tuple[str, ...]
    owes_reply: bool
    max_steps: int
    max_failures: int
    steps: int = 0
    failures: int = 0
    after_search: bool = False
    reply_only: bool = False
    begins_with: tuple[str, ...] = ()
    replies: ReplyRules = field(default_factory=ReplyRules)
    done: bool = False
    _made: set[str] = field(default_factory=set)

    def offered(self) -> list[str]:
        """The functions that the next step may call."""
        if self.reply_only:
            return [SEND_MESSAGE]
        return list(self.begins_with if self.begins_with and not self.steps else self.functions)

    def is_repeat(self, call: FunctionCall) -> bool:
        """Whether the very call was made before and nothing has changed since."""
        return _signature(call) in self._made

    def after_reply(self) -> None:
        """The user was answered: the chain ends."""
        self.steps += 1
        self.done = True

    def after_call(self, call: FunctionCall, result: FunctionResult, *, is_search: bool) -> None:
        """A function was run."""
        if result.changed_memory:
            self._made.clear()
        self._made.add(_signature(call))
        self.after_search = is_search
        self._end_step(wants_more=call.request_heartbeat, failed=not result.ok)

    def after_nothing(self) -> None:
        """The step gave no call at all: its text was cut off."""
        self._end_step(wants_more=True, failed=True)

    def _end_step(self, *, wants_more: bool, failed: bool) -> None:
        self.steps += 1
        self.failures += failed
        at_limit = self.steps >= self.max_steps or self.failures >= self.max_failures
        if not self.owes_reply:
            self.done = at_limit or not (wants_more or failed)
            return
        self.reply_only = at_limit or not (wants_more or failed)
        if self.steps >= self.max_steps + LAST_ATTEMPTS:
            raise ModelError(
                "The model did not manage to write an answer.",
                hint="Say it again in other words, or choose a larger model.",
                retryable=True,
            )


def _signature(call: FunctionCall) -> str:
    return json.dumps([call.name, dict(call.arguments)], sort_keys=True, ensure_ascii=False)
