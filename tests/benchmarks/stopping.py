"""From Stop to the end of what ran, with the default model: while it writes, reads, works ahead.

Each try starts something, sets the cancel event at a random moment, and takes the time from then to
the end of the generator that the agent thread runs. What was over before Stop came is tried again.
"""

import random
import statistics
import threading
import time
from collections.abc import Callable, Iterator

from benchmarks.figures import Figure, at_most
from helpers.assistants import LARGE, assistant, conversation, folder, runtime_of
from pagekeeper_core.errors import Cancelled
from pagekeeper_core.events import UserMessage
from pagekeeper_core.index_upkeep import IndexUpkeep
from pagekeeper_desktop.composition import Assistant

WINDOW = 8192
EXCHANGES = 6
TRIES = 40
FEWER_TRIES = 12
LIMIT_MS = 200.0

Work = Callable[[threading.Event], Iterator[object]]


def measure() -> Iterator[Figure]:
    """Forty tries while a reply is written and while a prompt is read, fewer in idle work."""
    with (
        folder() as data,
        assistant(data, model=LARGE, window=WINDOW, said=conversation(EXCHANGES)) as loaded,
    ):
        list(loaded.agent.prepare(threading.Event()))
        for name, begin, tries, moments in (
            ("while a reply is written", _reply(loaded), TRIES, (1.0, 2.2)),
            ("in a flush's summary", _flush(loaded), FEWER_TRIES, (0.0, 2.0)),
            ("in consolidation", _consolidation(loaded), FEWER_TRIES, (0.0, 2.0)),
            ("while messages are indexed", _indexing(loaded), FEWER_TRIES, (0.0, 0.6)),
            ("while a prompt is evaluated", _evaluation(loaded), TRIES, (0.0, 1.5)),
        ):
            delays = _delays(begin, tries, moments)
            yield at_most(f"Stop {name}, 95th percentile", _percentile(delays, 95), LIMIT_MS, "ms")


def _reply(loaded: Assistant) -> Work:
    return lambda cancel: loaded.agent.handle(UserMessage("Tell me a long story."), cancel)


def _evaluation(loaded: Assistant) -> Work:
    """The whole prompt, from its beginning."""

    def work(cancel: threading.Event) -> Iterator[object]:
        runtime_of(loaded)._cache.keep_prefix([])
        return loaded.agent.prepare(cancel)

    return work


def _flush(loaded: Assistant) -> Work:
    return loaded.agent._queue_manager.flush


def _consolidation(loaded: Assistant) -> Work:
    return loaded.agent._idle_jobs[1].work


def _indexing(loaded: Assistant) -> Work:
    """Everything that was said, each time from the beginning."""
    upkeep = loaded.agent._idle_jobs[0]
    assert isinstance(upkeep, IndexUpkeep)
    list(upkeep.work(threading.Event()))

    def work(cancel: threading.Event) -> Iterator[object]:
        upkeep._index.clear()
        upkeep._read_until = None
        return upkeep.work(cancel)

    return work


def _delays(begin: Work, tries: int, moments: tuple[float, float]) -> list[float]:
    """Milliseconds from Stop to the end."""
    chance = random.Random(tries)
    delays: list[float] = []
    for _ in range(2 * tries):
        if len(delays) < tries:
            delays += _try(begin, chance.uniform(*moments))
    return delays


def _try(begin: Work, moment: float) -> list[float]:
    """One try; nothing if it was over before."""
    cancel, stopped = threading.Event(), 0.0

    def stop() -> None:
        nonlocal stopped
        stopped = time.perf_counter()
        cancel.set()

    timer = threading.Timer(moment, stop)
    timer.start()
    try:
        for _ in begin(cancel):
            pass
    except Cancelled:
        pass
    ended = time.perf_counter()
    timer.cancel()
    return [(ended - stopped) * 1000] if stopped else []


def _percentile(values: list[float], percent: int) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]
