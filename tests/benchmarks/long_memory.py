"""Memories of many years, made up at once: conversations and archives of any size.

Writing them message by message would take hours, so tables are filled past the stores, in the form
in which the stores leave them. Words follow Zipf's law as those of real chats do (the commonest
that is no stop word stands in one message of eight, the thousandth in one of four hundred), and
their number grows with the text. A real embedder would take days for a million vectors: those of
some thousand sentences of this repository are real, each of the others is two of them mixed, with
noise. Queries have the vectors of sentences that were left out.
"""

import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from benchmarks.figures import Figure, reported
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.lancedb_recall_index import LanceDBRecallIndex
from pagekeeper_core.storage.search_terms import term_number
from pagekeeper_desktop.model_choice import embedder_folder
from pagekeeper_models.sentence_embedder import SentenceEmbedder

__all__ = [
    "BIRTH",
    "MixedEmbedder",
    "bytes_of",
    "fill_index",
    "fill_recall",
    "grown",
    "in_turn",
    "mixed_vectors",
    "questions",
    "sentence_vectors",
    "texts_of",
    "word_rows",
]

BIRTH = datetime(2006, 1, 1, tzinfo=UTC)
DIMENSION = 384
AT_ONCE = 50_000
WORDS_A_TEXT = 20
SENTENCES = 2_000
LEFT_OUT = 300
REPOSITORY = Path(__file__).resolve().parents[2]

_WORDS = np.array([f"w{number:x}q" for number in range(200_000)])
_FREQUENCIES = (np.arange(len(_WORDS)) + 60.0) ** -1.35
_FREQUENCIES /= _FREQUENCIES.sum()

Vectors = npt.NDArray[np.float32]


class MixedEmbedder:
    """Gives every text the real vector of a sentence that its words choose; without a model."""

    name = "mixed"
    dimension = DIMENSION
    max_tokens = 256
    is_loaded = True

    def count(self, text: str) -> int:
        """Words."""
        return len(text.split()) + 2

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text, of unit length."""
        left_out = sentence_vectors()[SENTENCES:]
        return [left_out[term_number(text) % len(left_out)].tolist() for text in texts]


@lru_cache(maxsize=1)
def sentence_vectors() -> Vectors:
    """Real vectors of sentences of this repository; the last `LEFT_OUT` are for queries."""
    files = sorted(f for f in REPOSITORY.glob("**/*.py") if ".venv" not in f.parts)
    lines = (line for file in files for line in file.read_text(encoding="utf-8").splitlines())
    prose = dict.fromkeys(line for line in lines if len(re.findall(r"[^\W\d_]{2,}", line)) >= 7)
    texts = random.Random(1).sample(list(prose), SENTENCES + LEFT_OUT)
    return np.array(SentenceEmbedder(embedder_folder()).embed(texts), np.float32)


def mixed_vectors(count: int, seed: int) -> Vectors:
    """Vectors of unit length, each of two sentences and noise."""
    chance = np.random.default_rng(seed)
    near, far = sentence_vectors()[chance.integers(0, SENTENCES, (2, count))]
    noise = chance.standard_normal((count, DIMENSION), np.float32) / np.sqrt(DIMENSION)
    vectors: Vectors = 0.85 * near + 0.35 * far + 0.3 * noise.astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def word_rows(count: int, seed: int, words: int = WORDS_A_TEXT) -> npt.NDArray[np.int64]:
    """The words of so many texts by their number, a row each."""
    return np.random.default_rng(seed).choice(len(_WORDS), (count, words), p=_FREQUENCIES)


def texts_of(rows: npt.NDArray[np.int64]) -> list[str]:
    """The texts of such rows."""
    return [" ".join(words) for words in _WORDS[rows].tolist()]


def questions(count: int) -> list[str]:
    """Queries of four words, common ones as often as people say them."""
    return texts_of(word_rows(count, seed=77, words=4))


def fill_recall(database: Database, messages: int) -> None:
    """Write so many messages into an empty conversation, a quarter of an hour apart."""
    numbers = np.array([term_number(word) for word in _WORDS.tolist()], np.uint64)
    for start in range(1, messages + 1, AT_ONCE):
        count = min(AT_ONCE, messages + 1 - start)
        rows = word_rows(count, seed=start)
        said = pa.table({"seq": pa.array(range(start, start + count)), "text": texts_of(rows)})
        _write(database, said, _postings(rows, start, numbers))


def fill_index(index: LanceDBRecallIndex, messages: int) -> None:
    """Write so many messages into an empty index by meaning."""
    table = index._table
    if table is None:
        raise TypeError("The index is not open.")
    for start in range(1, messages + 1, AT_ONCE):
        seqs = np.arange(start, min(start + AT_ONCE, messages + 1))
        vectors = pa.array(mixed_vectors(len(seqs), seed=start).ravel())
        columns = {
            "seq": pa.array(seqs),
            "kind": np.where(seqs % 2 == 1, "user", "assistant"),
            "thread_id": np.ones_like(seqs),
            "created_at": [BIRTH + timedelta(minutes=15 * seq) for seq in seqs.tolist()],
            "vector": pa.FixedSizeListArray.from_arrays(vectors, DIMENSION),
        }
        table.add(pa.table(columns).cast(table.schema))


def _postings(rows: npt.NDArray[np.int64], start: int, numbers: npt.NDArray[np.uint64]) -> pa.Table:
    places = np.arange(start, start + len(rows))[:, None] * len(_WORDS) + rows
    kinds, times = np.unique(places, return_counts=True)
    seqs, words = np.divmod(kinds, len(_WORDS))
    return pa.table({"term": numbers[words], "seq": seqs, "times": times})


def _write(database: Database, said: pa.Table, held: pa.Table) -> None:
    with database.transaction() as connection:
        connection.register("said", said)
        connection.register("held", held)
        connection.execute(
            "INSERT INTO messages (seq, kind, text, prompt_text, created_at, term_count, "
            "thread_id) SELECT seq, if(seq % 2 = 1, 'user', 'assistant'), text, text, "
            f"$birth + to_minutes(15 * seq), {WORDS_A_TEXT}, 1 FROM said",
            {"birth": BIRTH},
        )
        connection.execute(
            f"INSERT INTO new_postings SELECT term, seq, times, {WORDS_A_TEXT}, 1, seq % 2 = 1 "
            "FROM held"
        )
        connection.unregister("said")
        connection.unregister("held")


_Side = TypeVar("_Side")


def in_turn(
    sides: Sequence[_Side], work: Callable[[_Side, int], object], rounds: int
) -> list[list[float]]:
    """Seconds of each round of the work on each side, the sides taking turns; one round unseen."""
    times: list[list[float]] = [[] for _ in sides]
    for number in (0, *range(rounds)):
        for seconds, side in zip(times, sides, strict=True):
            began = time.perf_counter()
            work(side, number)
            seconds.append(time.perf_counter() - began)
    return [seconds[1:] for seconds in times]


def grown(what: str, sizes: Sequence[int], costs: Sequence[float]) -> Iterator[Figure]:
    """What each size costs, as a multiple of what the smallest does."""
    for size, cost in zip(sizes, costs, strict=True):
        yield reported(f"growth: {what} at {size:,}", cost / costs[0], "times")


def bytes_of(path: Path) -> int:
    """Bytes that a file or a folder takes."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())
