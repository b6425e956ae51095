"""How searching what was said grows over the years: ten thousand to a million messages.

Three made-up conversations (`long_memory`), kept as idle time leaves them: words packed, vectors
indexed. They are searched in turn by words and meaning together, in the way in which a message
brings up what belongs to it: what the model has before it is left out. Beside them an archive of
ten thousand passages is searched, against which the aim is set. Messages are appended, memory is
opened.
"""

import statistics
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import archive_search
from benchmarks.figures import Figure, at_most, reported
from benchmarks.long_memory import (
    MixedEmbedder,
    bytes_of,
    fill_index,
    fill_recall,
    grown,
    in_turn,
    questions,
)
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.records import RecallFilter
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.duckdb_recall import DuckDBRecallStore
from pagekeeper_core.storage.duckdb_threads import DuckDBThreadStore
from pagekeeper_core.storage.lancedb_recall_index import LanceDBRecallIndex

SIZES = (10_000, 100_000, 1_000_000)
ASKED = 40
APPENDED = 130
IN_QUEUE = 40
QUESTIONS = questions(ASKED)


class Conversation:
    """A conversation of so many messages, with its index."""

    def __init__(self, folder: Path, size: int) -> None:
        self.size = size
        self.file = folder / f"{size}.duckdb"
        self.index = LanceDBRecallIndex(folder / f"{size}.lance", MixedEmbedder())

    def fill(self) -> tuple[float, float]:
        """Write it; seconds that packing the words and indexing the vectors took."""
        database = Database(self.file)
        fill_recall(database, self.size)
        began = time.perf_counter()
        DuckDBRecallStore(database).tidy(threading.Event())
        packed = time.perf_counter()
        database.close()
        self.index.make_ready()
        fill_index(self.index, self.size)
        filled = time.perf_counter()
        self.index.tidy()
        return packed - began, time.perf_counter() - filled

    def open(self) -> tuple[float, float]:
        """Open it; seconds that this took, as at a start, and those of the index, in idle time."""
        self.index.close()
        began = time.perf_counter()
        self.database = Database(self.file)
        self.store = DuckDBRecallStore(self.database, self.index)
        DuckDBThreadStore(self.database).threads()
        self.store.read_last(IN_QUEUE, thread_id=1)
        opened = time.perf_counter()
        self.index.make_ready()
        self.index.newest()
        return opened - began, time.perf_counter() - opened

    def search(self, number: int) -> None:
        """Words and meaning, without what stands in the queue."""
        where = RecallFilter(seen=(1, self.size - IN_QUEUE))
        self.store.search([QUESTIONS[number]], where=where)

    def search_words(self, number: int) -> None:
        """Words alone."""
        DuckDBRecallStore(self.database).search([QUESTIONS[number]])

    def append(self, number: int) -> None:
        """One more message."""
        self.store.append(Message(MessageKind.USER, QUESTIONS[number % ASKED], "", NOW))


NOW = datetime(2036, 1, 1, tzinfo=UTC)


def measure() -> Iterator[Figure]:
    """Searching, appending, opening, size on disk, and what idle time does for it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sides = [Conversation(folder, size) for size in SIZES]
        idle = [side.fill() for side in sides]
        opening = [side.open() for side in sides]
        archive_search._fill(folder / "archive.lance", 10_000)
        archive = archive_search._store(folder / "archive.lance")
        archive.open()
        yield from _of_searching(sides, archive)
        appending = [statistics.median(s) for s in in_turn(sides, Conversation.append, APPENDED)]
        yield from grown("message append", SIZES, appending)
        yield reported("appending to a million messages", appending[-1] * 1e3, "ms")
        yield from grown("opening memory", SIZES, [start for start, _ in opening])
        yield reported("opening a memory of a million messages", opening[-1][0] * 1e3, "ms")
        yield reported("opening its index by meaning, in idle time", opening[-1][1] * 1e3, "ms")
        yield from _of_files(sides)
        yield reported("packing the words of a million messages", idle[-1][0], "s")
        yield reported("indexing the vectors of a million messages", idle[-1][1], "s")
        for side in sides:
            side.database.close()


def _of_searching(sides: Sequence[Conversation], archive: object) -> Iterator[Figure]:
    def ask(side: object, number: int) -> None:
        if isinstance(side, Conversation):
            side.search(number)
        else:
            archive_search._search(side, number)  # type: ignore[arg-type]

    times = in_turn([*sides, archive], ask, ASKED)
    medians = [statistics.median(side) for side in times]
    slowest = [statistics.quantiles(side, n=20)[-1] for side in times]
    name = "recall search, a million messages / archive of 10,000 passages, 95th percentile"
    yield at_most(name, slowest[2] / slowest[3], 2)
    name = "recall search, a million messages / 10,000 messages, 95th percentile"
    yield reported(name, slowest[2] / slowest[0], "ratio")
    yield reported("recall search, a million messages, 95th percentile", slowest[2] * 1e3, "ms")
    yield reported("recall search, a million messages, median", medians[2] * 1e3, "ms")
    yield from grown("recall search", SIZES, medians[:3])
    words = in_turn(sides, Conversation.search_words, ASKED)
    yield from grown("recall search by words", SIZES, [statistics.median(side) for side in words])


def _of_files(sides: Sequence[Conversation]) -> Iterator[Figure]:
    words = [bytes_of(side.file) for side in sides]
    vectors = [bytes_of(side.file.with_suffix(".lance")) for side in sides]
    whole = [a + b for a, b in zip(words, vectors, strict=True)]
    yield from grown("database size on disk", SIZES, whole)
    yield reported("a million messages on disk, texts and words", words[-1] / 1e6, "MB")
    yield reported("a million messages on disk, vectors and index", vectors[-1] / 1e6, "MB")
