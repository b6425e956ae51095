"""The turn after a flush, when the machine had thirty idle seconds, against one without a flush.

Two conversations with the default model, one of them so full that idle time flushes it. Both get
thirty seconds of idle time, then the same message. At 1, the flush, its summary and the evaluation
of the new prompt all happened while nobody waited.
"""

import statistics
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.assistants import LARGE, SMALL, assistant, conversation, folder
from benchmarks.figures import Figure, at_most, reported
from pagekeeper_core.events import UserMessage
from pagekeeper_core.messages import MessageKind
from pagekeeper_core.updates import QueueFlushed, ReplyDelta, StepFinished
from pagekeeper_desktop.composition import Assistant

WINDOW = 4096
IDLE_SECONDS = 30.0
WARNED, HALF, FULL = 0.72, 0.8, 0.97
"""Shares of the room: where memory pressure is told, without a flush, and with one in idle time."""
NEVER = threading.Event()
QUESTIONS = ("What is the capital of Iceland?", "What is 15 percent of 240?")


@dataclass(frozen=True, slots=True)
class Turn:
    """Seconds of a turn, and what it computed."""

    to_reply: float
    whole: float
    tokens: int
    flushed: bool
    idle: float


def measure() -> Iterator[Figure]:
    """Both models, each with and without a flush in turn."""
    for model in (SMALL, LARGE):
        pairs = [(_turn(model, HALF, q), _turn(model, FULL, q)) for q in QUESTIONS]
        if not all(full.flushed and not half.flushed for half, full in pairs):
            raise AssertionError("the full conversation alone should have been flushed")
        name = f"turn after a flush in 30 s of idle time / without a flush ({model})"
        yield at_most(f"{name}, to the reply's first word", _ratio(pairs, "to_reply"), 1.1)
        yield at_most(f"{name}, whole, per token", _ratio(pairs, "a_token"), 1.1)
        idle = max(full.idle for _, full in pairs)
        yield reported(f"idle work with a flush ({model})", idle, "s")


def _ratio(pairs: list[tuple[Turn, Turn]], what: str) -> float:
    return statistics.median(_of(full, what) / _of(half, what) for half, full in pairs)


def _of(turn: Turn, what: str) -> float:
    return turn.to_reply if what == "to_reply" else turn.whole / turn.tokens


def _turn(model: str, filled: float, question: str) -> Turn:
    with folder() as data, assistant(data, model=model, window=WINDOW) as loaded:
        _fill(loaded, WARNED)
        list(loaded.agent._queue_manager.warn())
        list(loaded.agent._save(NEVER))
        _fill(loaded, filled)
        list(loaded.agent.prepare(NEVER))
        idle, flushed = _idle(loaded)
        return _timed(loaded, question, flushed=flushed, idle=idle)


def _fill(loaded: Assistant, share: float) -> None:
    """Let user and assistant talk until the prompt has this share of its room."""
    for message in conversation(500):
        usage = loaded.agent.usage()
        if usage.total >= share * usage.usable and message.kind is MessageKind.USER:
            break
        list(loaded.agent._queue_manager.admit(message))


def _idle(loaded: Assistant) -> tuple[float, bool]:
    """Thirty idle seconds: how many of them were used, and whether the queue was flushed."""
    cancel = threading.Event()
    timer = threading.Timer(IDLE_SECONDS, cancel.set)
    timer.start()
    start = time.perf_counter()
    try:
        updates = list(loaded.agent.idle(cancel))
    finally:
        timer.cancel()
    flushed = any(isinstance(update, QueueFlushed) for update in updates)
    return time.perf_counter() - start, flushed


def _timed(loaded: Assistant, question: str, *, flushed: bool, idle: float) -> Turn:
    start, first, tokens = time.perf_counter(), 0.0, 0
    for update in loaded.agent.handle(UserMessage(question), NEVER):
        if isinstance(update, ReplyDelta) and not first:
            first = time.perf_counter() - start
        if isinstance(update, StepFinished):
            tokens += update.usage.generated_tokens
    return Turn(first, time.perf_counter() - start, tokens, flushed, idle)
