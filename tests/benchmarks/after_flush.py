"""The turn after a flush, when the machine had thirty idle seconds, against one without a flush.

Two conversations with the default model, one of them so full that idle time flushes it. What is
written is answered after thirty idle seconds there, and with the prompt evaluated ahead in the
other. At 1, flush, summary and the evaluation of the new prompt all happened while nobody waited.
"""

import shutil
import statistics
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import Figure, at_least, at_most, reported
from helpers.assistants import LARGE, assistant, conversation, folder
from pagekeeper_core.agent import SAVING
from pagekeeper_core.events import UserMessage
from pagekeeper_core.messages import MessageKind
from pagekeeper_core.updates import PromptProgress, QueueFlushed, ReplyDelta, StepFinished
from pagekeeper_desktop.composition import Assistant

WINDOW = 3072
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
    """Both kinds of turn in alternation, a question at a time."""
    with folder() as data:
        pairs = [(_turn(data, HALF, q), _turn(data, FULL, q)) for q in QUESTIONS]
    done = sum(full.flushed for _, full in pairs) / len(pairs)
    yield at_least("flushes that thirty idle seconds are enough for", done, 1, "share")
    name = "turn after a flush in 30 idle seconds / without a flush"
    yield at_most(f"{name}, to the reply's first word", _ratio(pairs, "to_reply"), 1.1)
    yield at_most(f"{name}, whole, per token", _ratio(pairs, "a_token"), 1.1)
    idle = max(full.idle for _, full in pairs)
    yield reported("idle seconds used by flush, summary and evaluation", idle, "s")


def _ratio(pairs: list[tuple[Turn, Turn]], what: str) -> float:
    return statistics.median(_of(full, what) / _of(half, what) for half, full in pairs)


def _of(turn: Turn, what: str) -> float:
    return turn.to_reply if what == "to_reply" else turn.whole / turn.tokens


def _turn(data: Path, filled: float, question: str) -> Turn:
    shutil.rmtree(data / "memory", ignore_errors=True)
    with assistant(data, model=LARGE, window=WINDOW) as loaded:
        _fill(loaded, WARNED)
        list(loaded.agent._queue_manager.warn())
        loaded.agent._heard.add(loaded.agent._queue_manager.unheeded_warning(SAVING))
        _fill(loaded, filled)
        list(loaded.agent.prepare(NEVER))
        idle, flushed = _idle(loaded) if filled == FULL else (0.0, False)
        return _timed(loaded, question, flushed=flushed, idle=idle)


def _fill(loaded: Assistant, share: float) -> None:
    """Let user and assistant talk until the prompt has this share of its room."""
    for message in conversation(500):
        usage = loaded.agent.usage()
        if usage.total >= share * usage.usable and message.kind is MessageKind.USER:
            break
        list(loaded.agent._queue_manager.admit(message))


def _idle(loaded: Assistant) -> tuple[float, bool]:
    """Thirty idle seconds: when the prompt was ready again, and whether there was a flush."""
    cancel = threading.Event()
    timer = threading.Timer(IDLE_SECONDS, cancel.set)
    timer.start()
    start, ready, flushed = time.perf_counter(), 0.0, False
    try:
        for update in loaded.agent.idle(cancel):
            flushed = flushed or isinstance(update, QueueFlushed)
            if isinstance(update, PromptProgress) and update.done == update.total:
                ready = ready or (time.perf_counter() - start if flushed else 0.0)
    finally:
        timer.cancel()
    return ready or IDLE_SECONDS, flushed


def _timed(loaded: Assistant, question: str, *, flushed: bool, idle: float) -> Turn:
    start, first, tokens = time.perf_counter(), 0.0, 0
    for update in loaded.agent.handle(UserMessage(question), NEVER):
        if isinstance(update, ReplyDelta) and not first:
            first = time.perf_counter() - start
        if isinstance(update, StepFinished):
            tokens += update.usage.generated_tokens
    return Turn(first, time.perf_counter() - start, tokens, flushed, idle)
