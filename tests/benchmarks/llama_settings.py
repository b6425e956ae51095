"""What llama.cpp is told, one setting changed at a time, against what Pagekeeper tells it.

With the default model: seconds to evaluate a prompt, and to write a token behind it. Each setting
has its own run of Pagekeeper's settings beside it, so that a slow minute hits both. A KV cache of
8-bit numbers loses something: how often its likeliest token is another one, and by how much its
probabilities differ, along the text that the 16-bit cache writes.
"""

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from benchmarks.figures import Figure, reported
from helpers.assistants import LARGE
from helpers.generation import model_path
from pagekeeper_models.kv_cache import CacheType, FlashAttention, KvCache
from pagekeeper_models.llama_library import LlamaModel
from pagekeeper_models.llama_runtime import BATCH_SIZE, physical_cores

Scores = npt.NDArray[np.float32]
Settings = Mapping[str, object]

PROMPT = 640
WRITTEN = 24
NEVER = threading.Event()
TEXT = (
    "The harbour master wrote down every ship that came in, its cargo and its captain. In winter "
    "the list was short: two colliers, a mail boat, a schooner with salt cod for the convent. "
)

VARIANTS: Mapping[str, Settings] = {
    "half the threads": {"threads": max(physical_cores() // 2, 1)},
    "flash attention": {"flash_attention": FlashAttention.ON},
    "8-bit KV cache": {"cache_type": CacheType.Q8_0, "flash_attention": FlashAttention.ON},
    "batches of 64": {"batch_size": 64},
    "batches of 256": {"batch_size": 256},
    "batches of 512": {"batch_size": 512},
}


@dataclass(slots=True)
class Run:
    """What one set of settings took, and the scores of each written token."""

    reading: float = 0.0
    writing: float = 0.0
    megabytes: float = 0.0
    written: list[int] = field(default_factory=list)
    scores: list[Scores] = field(default_factory=list)


def measure() -> Iterator[Figure]:
    """Each variant beside Pagekeeper's own settings."""
    model = LlamaModel.load(model_path(LARGE))
    try:
        prompt = model.tokenize(TEXT * 40, parse_special=False)[:PROMPT]
        for name, settings in VARIANTS.items():
            own = _run(model, prompt, {})
            other = _run(model, prompt, settings, along=own.written)
            yield reported(f"prompt, {name} / as set", other.reading / own.reading, "ratio")
            yield reported(f"token, {name} / as set", other.writing / own.writing, "ratio")
            if "cache_type" in settings:
                yield from _loss(own, other)
    finally:
        model.close()


def _run(
    model: LlamaModel, prompt: list[int], settings: Settings, *, along: Sequence[int] = ()
) -> Run:
    """Read the prompt, then write: greedily, or the tokens that another run wrote."""
    told: dict[str, object] = {"batch_size": BATCH_SIZE, "threads": physical_cores(), **settings}
    cache, run = KvCache(model, window=2 * PROMPT, **told), Run()  # type: ignore[arg-type]
    try:
        start = time.perf_counter()
        for _ in cache.evaluate(prompt, NEVER):
            pass
        run.reading = time.perf_counter() - start
        for place in range(WRITTEN):
            run.scores.append(np.array(cache.logits()))
            token = along[place] if along else int(np.argmax(run.scores[-1]))
            run.written.append(token)
            cache.append([token], NEVER)
        run.writing = time.perf_counter() - start - run.reading
        run.megabytes = cache.image_size() / 1e6
        return run
    finally:
        cache.close()


def _loss(own: Run, other: Run) -> Iterator[Figure]:
    pairs = list(zip(own.scores, other.scores, strict=True))
    equal = sum(int(np.argmax(a)) == int(np.argmax(b)) for a, b in pairs)
    yield reported("8-bit KV cache: likeliest token the same", equal / len(pairs), "share")
    divergence = float(np.mean([_divergence(a, b) for a, b in pairs]))
    yield reported("8-bit KV cache: divergence of the probabilities", divergence, "nats")
    yield reported("8-bit KV cache: bytes / 16-bit", other.megabytes / own.megabytes, "ratio")


def _divergence(scores: Scores, others: Scores) -> float:
    """Kullback-Leibler, of the second from the first."""
    expected, seen = _log_probabilities(scores), _log_probabilities(others)
    return float(np.sum(np.exp(expected) * (expected - seen)))


def _log_probabilities(scores: Scores) -> npt.NDArray[np.float64]:
    shifted = scores.astype(np.float64) - float(np.max(scores))
    normalised: npt.NDArray[np.float64] = shifted - np.log(np.sum(np.exp(shifted)))
    return normalised
