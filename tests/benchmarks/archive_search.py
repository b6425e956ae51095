"""How searching the archive grows with it, and what the index of its vectors misses.

Archives of a thousand, ten thousand and a hundred thousand passages, made by the store itself from
made-up texts and vectors (`long_memory`) and tidied as idle time does it, are asked the same
questions in turn: words and meaning together, as the assistant asks. Then what the index of vectors
finds is set against an exact scan; and a search after six hundred notes that were added one by
one against the same search when idle time has tidied.
"""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.figures import Figure, at_least, at_most, reported
from benchmarks.long_memory import (
    SENTENCES,
    MixedEmbedder,
    bytes_of,
    grown,
    in_turn,
    mixed_vectors,
    questions,
    sentence_vectors,
    texts_of,
    word_rows,
)
from pagekeeper_core.records import DocumentRecord, Passage
from pagekeeper_core.storage.lancedb_archival import LanceDBArchivalStore
from pagekeeper_core.storage.lancedb_vectors import nearest_vectors

SIZES = (1_000, 10_000, 100_000)
A_DOCUMENT = 5_000
WORDS = 60
ASKED = 40
NOTES = 600


def measure() -> Iterator[Figure]:
    """Searching, adding, opening and size on disk; the index against a scan; many notes."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{size}.lance" for size in SIZES]
        tidying = [_fill(path, size) for path, size in zip(paths, SIZES, strict=True)]
        stores = [_store(path) for path in paths]
        opening = [_seconds(store.open) for store in stores]
        yield from _of_searching(in_turn(stores, _search, ASKED))
        adding = [statistics.median(side) for side in in_turn(stores, _add_note, ASKED)]
        yield from grown("archive insert", SIZES, adding)
        yield from grown("archive size on disk", SIZES, [bytes_of(path) for path in paths])
        yield reported(
            "opening an archive of 100,000 / of 1,000", opening[-1] / opening[0], "times"
        )
        yield reported("opening an archive of 100,000 passages", opening[-1] * 1e3, "ms")
        yield reported("indexing and tidying 100,000 passages", tidying[-1], "s")
        yield _recall_of_the_index(stores[-1])
        yield from _notes_one_by_one(Path(folder) / "notes.lance")


def _store(path: Path) -> LanceDBArchivalStore:
    return LanceDBArchivalStore(path, MixedEmbedder())


def _fill(path: Path, size: int) -> float:
    """Make an archive of documents; seconds that indexing and tidying took."""
    store = _store(path)
    for first in range(0, size, A_DOCUMENT):
        count = min(A_DOCUMENT, size - first)
        texts = texts_of(word_rows(count, seed=first, words=WORDS))
        record = DocumentRecord(f"document {first}", "text", f"hash {first}")
        vectors = mixed_vectors(count, seed=first).tolist()
        store.add_document(record, [Passage(text) for text in texts], vectors=vectors)
    seconds = _seconds(store.tidy)
    store.close()
    return seconds


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _search(store: LanceDBArchivalStore, number: int) -> None:
    store.search([QUESTIONS[number]])


def _add_note(store: LanceDBArchivalStore, number: int) -> None:
    store.insert_note(f"note {number} about {QUESTIONS[number]}")


QUESTIONS = questions(ASKED)


def _of_searching(times: Sequence[Sequence[float]]) -> Iterator[Figure]:
    medians = [statistics.median(side) for side in times]
    slowest = [statistics.quantiles(side, n=20)[-1] for side in times]
    name = "archive search, 100,000 passages / 10,000, 95th percentile"
    yield at_most(name, slowest[2] / slowest[1], 2)
    yield reported("archive search, 100,000 passages, 95th percentile", slowest[2] * 1e3, "ms")
    yield reported("archive search, 100,000 passages, median", medians[2] * 1e3, "ms")
    yield from grown("archive search", SIZES, medians)


def _recall_of_the_index(store: LanceDBArchivalStore) -> Figure:
    """The ten nearest by the index, of the ten nearest by a scan of the same vectors."""
    table = store._opened.passages  # type: ignore[union-attr]
    shares = []
    for vector in sentence_vectors()[SENTENCES:]:
        by_index = nearest_vectors(table, vector, 10)
        exact = nearest_vectors(table, vector, 10).bypass_vector_index()
        found, right = (
            {row["passage_id"] for row in search.select(["passage_id"]).to_list()}
            for search in (by_index, exact)
        )
        shares.append(len(found & right) / len(right))
    return at_least("recall at 10 of the index of 100,000 vectors", float(np.mean(shares)), 0.98)


def _notes_one_by_one(path: Path) -> Iterator[Figure]:
    store = _store(path)
    for number in range(NOTES):
        store.insert_note(f"note {number} about {texts_of(word_rows(1, seed=number))[0]}")
    scattered = in_turn([store], _search, ASKED)[0]
    tidying = _seconds(store.tidy)
    tidied = in_turn([store], _search, ASKED)[0]
    ratio = statistics.median(scattered) / statistics.median(tidied)
    yield reported("search after 600 single inserts / after tidying", ratio, "times")
    yield reported("tidying after 600 single inserts", tidying, "s")
    store.close()
