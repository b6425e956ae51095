"""The first token after a restart: from the state on disk, against evaluating the prompt anew.

A conversation that fills most of a window, with the default model. Each time a model is loaded
afresh, as after a restart, and the time runs from the reading of the file (or without it) until the
first piece of the reply. The scores must be those of before, bit for bit.
"""

import os
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import llama_cpp
import numpy as np
import numpy.typing as npt

from benchmarks.figures import Figure, at_least, at_most, reported
from helpers.assistants import LARGE, assistant, conversation, folder
from helpers.generation import call_schema, model_path
from pagekeeper_core.messages import PromptMessage
from pagekeeper_models.llama_runtime import LlamaRuntime

Scores = npt.NDArray[np.float32]

WINDOW = 4096
EXCHANGES = 26
RESTARTS = 5
NEVER = threading.Event()
CALLS = call_schema({"send_message": ["message"]})


def measure() -> Iterator[Figure]:
    """One evaluation, one write, five restarts."""
    with folder() as data:
        prompt, file = _prompt(data), data / "measured.kv"
        runtime = LlamaRuntime.load(model_path(LARGE), context_window=WINDOW)
        anew = _first_token(runtime, prompt)
        writing = _seconds(lambda: runtime.save_state(file, prompt))
        library = _llama_writes(runtime, data / "library.kv")
        scores = _scores(runtime, prompt)
        tokens = runtime.count_prompt(prompt)
        runtime.close()
        warm, equal = zip(*(_restart(prompt, file, scores) for _ in range(RESTARTS)), strict=True)
        size = file.stat().st_size
    yield at_most(
        "first token after a restart / evaluating the prompt anew",
        statistics.median(warm) / anew,
        0.02,
    )
    yield at_least(
        "restarts with the scores of before, bit for bit", sum(equal) / RESTARTS, 1, "share"
    )
    yield reported(f"first token of a prompt of {tokens:,} tokens, anew", anew, "s")
    yield reported("the same after a restart", statistics.median(warm), "s")
    yield reported("state on disk", size / 1e6, "MB")
    yield reported("writing it", writing, "s")
    yield reported("writing it by llama.cpp's own function, without a checksum", library, "s")


def _prompt(data: Path) -> list[PromptMessage]:
    said = conversation(EXCHANGES)
    with assistant(data, model="smollm2-135m", window=WINDOW, said=said) as loaded:
        return loaded.agent.prompt()


def _first_token(runtime: LlamaRuntime, prompt: list[PromptMessage]) -> float:
    start = time.perf_counter()
    for item in runtime.generate(prompt, CALLS, max_tokens=64, cancel=NEVER):
        if isinstance(item, str):
            break
    return time.perf_counter() - start


def _restart(prompt: list[PromptMessage], file: Path, scores: Scores) -> tuple[float, bool]:
    """Seconds to the first token, and whether the scores behind the prompt are the same."""
    runtime = LlamaRuntime.load(model_path(LARGE), context_window=WINDOW)
    try:
        start = time.perf_counter()
        runtime.load_state(file, prompt)
        seconds = time.perf_counter() - start + _first_token(runtime, prompt)
        runtime.load_state(file, prompt)
        return seconds, np.array_equal(_scores(runtime, prompt), scores)
    finally:
        runtime.close()


def _scores(runtime: LlamaRuntime, prompt: list[PromptMessage]) -> Scores:
    """Those of the token after the prompt, evaluated behind what is held."""
    for _ in runtime.evaluate(prompt, cancel=NEVER):
        pass
    return np.array(runtime._cache.logits())


def _llama_writes(runtime: LlamaRuntime, file: Path) -> float:
    cache = runtime._cache
    tokens = (llama_cpp.llama_token * len(cache.tokens))(*cache.tokens)
    return _seconds(
        lambda: llama_cpp.llama_state_seq_save_file(
            cache._handle, os.fsencode(file), 0, tokens, len(tokens)
        )
    )


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
