"""How a turn's cost grows while the window fills tenfold: reading what is new, and writing a token.

With the small model. Sixty-four new tokens are read, and some written, behind ever more that is in
the cache; each cost stands against the one behind the shortest prompt. No token costs the same
everywhere: attention looks at all that stands before it.
"""

import statistics
import threading
import time
from collections.abc import Callable, Iterator

from benchmarks.figures import Figure, reported
from benchmarks.llama_settings import TEXT
from helpers.assistants import SMALL
from helpers.generation import model_path
from pagekeeper_models.kv_cache import KvCache
from pagekeeper_models.llama_library import LlamaModel
from pagekeeper_models.llama_runtime import BATCH_SIZE, physical_cores

SIZES = (600, 1_200, 2_400, 6_000)
NEW = 64
WRITTEN = 24
REPEATS = 3
NEVER = threading.Event()


def measure() -> Iterator[Figure]:
    """Every size in one cache, the smallest first."""
    model = LlamaModel.load(model_path(SMALL))
    cache = KvCache(model, window=8192, batch_size=BATCH_SIZE, threads=physical_cores())
    try:
        text = model.tokenize(TEXT * 200, parse_special=False)[: SIZES[-1] + NEW]
        costs = [_costs(cache, text, size) for size in SIZES]
    finally:
        cache.close()
        model.close()
    reading, writing = costs[0]
    for size, (read, written) in zip(SIZES, costs, strict=True):
        yield reported(f"growth: a turn's new words read at {size:,}", read / reading, "times")
        yield reported(f"growth: a word written at {size:,}", written / writing, "times")
    yield reported(f"{NEW} new tokens behind {SIZES[-1]:,}", costs[-1][0], "s")
    yield reported(f"a token written behind {SIZES[-1]:,}", costs[-1][1] * 1000 / WRITTEN, "ms")


def _costs(cache: KvCache, text: list[int], size: int) -> tuple[float, float]:
    """Seconds to read the new tokens, and to write, behind so many."""
    held = cache.keep_prefix(text[:size])
    _read(cache, text[held:size])
    new = text[size : size + NEW]
    reading = [_behind(cache, text[:size], lambda: _read(cache, new)) for _ in range(REPEATS)]
    writing = [_behind(cache, text[:size], lambda: _write(cache, new)) for _ in range(REPEATS)]
    return statistics.median(reading), statistics.median(writing)


def _behind(cache: KvCache, prefix: list[int], work: Callable[[], None]) -> float:
    cache.keep_prefix(prefix)
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _read(cache: KvCache, tokens: list[int]) -> None:
    for _ in cache.evaluate(tokens, NEVER):
        pass


def _write(cache: KvCache, tokens: list[int]) -> None:
    for token in tokens[:WRITTEN]:
        cache.append([token], NEVER)
