"""The whole assistant, with a real model, over a folder of its own."""

import contextlib
import tempfile
import threading
from collections.abc import Generator, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from pagekeeper_core import prompts
from pagekeeper_core.function_calls import SEND_MESSAGE, call_text
from pagekeeper_core.messages import FunctionCall, Message, MessageKind
from pagekeeper_desktop.composition import Assistant, load_assistant, open_memory
from pagekeeper_desktop.options import Options
from pagekeeper_models.llama_runtime import LlamaRuntime

LARGE = "qwen2.5-coder-1.5b"
SMALL = "qwen2.5-coder-0.5b"

ResultT = TypeVar("ResultT")

SAID = (
    ("My sister Clara moved to Faro in May.", "That is a lovely place to live."),
    ("She works at the harbour office there.", "That must be busy in summer."),
    ("Yesterday we planted two lemon trees.", "They need sun and little water."),
    ("The small one stands next to the well.", "Then it is easy to water it."),
    ("I read about the history of tiles.", "The oldest ones are from Seville."),
    ("Our car makes a strange noise when it is cold.", "Have the belt looked at."),
)


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """A data folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@contextlib.contextmanager
def assistant(
    data: Path, *, model: str, window: int, said: Sequence[Message] = ()
) -> Iterator[Assistant]:
    """The assistant over a data folder, in which `said` stands already."""
    options = Options(data_dir=data, model=model, context_window=window)
    memory = open_memory(options)
    try:
        for message in said:
            memory.recall.append(message)
        loaded = result(load_assistant(memory, options, threading.Event()))
        yield loaded
        loaded.close()
    finally:
        memory.close()


def runtime_of(loaded: Assistant) -> LlamaRuntime:
    """The model that an assistant runs."""
    return loaded._runtime


def result(work: Generator[object, None, ResultT]) -> ResultT:
    """Run a generator to its end; gives what it returns."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            value: ResultT = end.value
            return value


def conversation(exchanges: int) -> list[Message]:
    """Small talk of an hour ago."""
    at = datetime.now(UTC) - timedelta(minutes=30)
    messages = []
    for number in range(exchanges):
        question, answer = SAID[number % len(SAID)]
        asked = f"{question} ({number + 1})"
        messages.append(Message(MessageKind.USER, asked, prompts.user_message(asked), at))
        call = FunctionCall(SEND_MESSAGE, {"message": answer}, "A friendly answer.")
        messages.append(Message(MessageKind.ASSISTANT, answer, call_text(call), at, call))
    return messages
