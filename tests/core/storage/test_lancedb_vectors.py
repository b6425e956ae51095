"""The index of vectors: what it finds, what stands beside it, and who notices when it is made."""

import logging
import math
import random
import shutil
import threading
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from helpers.memory_stores import HashEmbedder
from pagekeeper_core.index_upkeep import ArchiveUpkeep
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.protocols import EVERYTHING_SAID
from pagekeeper_core.records import DocumentRecord, IndexEntry, Passage, RecallFilter
from pagekeeper_core.storage import lancedb_vectors
from pagekeeper_core.storage.lancedb_archival import LanceDBArchivalStore
from pagekeeper_core.storage.lancedb_recall_index import LanceDBRecallIndex

NOON = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)
MANY = 1200
SUBJECTS = [f"subject{n}" for n in range(60)]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lancedb_vectors, "INDEXED_FROM", MANY)
    monkeypatch.setattr(lancedb_vectors, "BESIDE_AT_MOST", 50)


class Scattered(HashEmbedder):
    """No two texts have the same vector, so that there is one right order of the nearest."""

    def _vector(self, text: str) -> list[float]:
        chance = random.Random(text)
        noise = (chance.gauss(0, 0.05) for _ in range(self.dimension))
        values = [value + more for value, more in zip(super()._vector(text), noise, strict=True)]
        length = math.hypot(*values)
        return [value / length for value in values]


def sentences(count: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    return [f"{chance.choice(SUBJECTS)} {chance.choice(SUBJECTS)} word{n}" for n in range(count)]


def entries(first: int, texts: Sequence[str]) -> list[IndexEntry]:
    return [
        IndexEntry(Message(MessageKind.USER, t, t, NOON + timedelta(minutes=n), None, n, n % 2), t)
        for n, t in enumerate(texts, start=first)
    ]


@pytest.fixture
def index(tmp_path: Path) -> LanceDBRecallIndex:
    index = LanceDBRecallIndex(tmp_path / "index.lance", Scattered())
    index.make_ready()
    index.add(entries(1, sentences(MANY, 1)))
    return index


def nearest(index: LanceDBRecallIndex, where: RecallFilter = EVERYTHING_SAID) -> list[list[int]]:
    return [index.nearest(query, where, 10) for query in sentences(20, 2)]


def shared(found: list[list[int]], expected: list[list[int]]) -> float:
    same = [len(set(a) & set(b)) for a, b in zip(found, expected, strict=True)]
    return sum(same) / sum(map(len, expected))


def indexed(index: LanceDBRecallIndex) -> tuple[int, int]:
    assert index._table is not None
    about = index._table.index_stats("vector_idx")
    return (about.num_indexed_rows, about.num_unindexed_rows) if about else (0, 0)


@pytest.mark.thorough
def test_a_table_that_has_grown_is_indexed_and_finds_the_same(index: LanceDBRecallIndex) -> None:
    exact = nearest(index)
    index.tidy()
    assert indexed(index) == (MANY, 0)
    assert shared(nearest(index), exact) > 0.95


def test_a_small_one_is_not(tmp_path: Path) -> None:
    index = LanceDBRecallIndex(tmp_path / "small.lance", Scattered())
    index.make_ready()
    index.add(entries(1, sentences(MANY - 1, 1)))
    index.tidy()
    assert indexed(index) == (0, 0)


def test_what_is_new_is_found_beside_the_index_and_put_into_it_later(
    index: LanceDBRecallIndex,
) -> None:
    index.tidy()
    index.add(entries(MANY + 1, ["a zebra in the garden"]))
    assert index.nearest("a zebra in the garden", RecallFilter(), 10)[0] == MANY + 1
    index.tidy()
    assert indexed(index) == (MANY, 1)
    index.add(entries(MANY + 2, sentences(60, 3)))
    index.tidy()
    assert indexed(index) == (MANY + 61, 0)
    assert index.nearest("a zebra in the garden", RecallFilter(), 10)[0] == MANY + 1


@pytest.mark.thorough
@pytest.mark.parametrize(
    "where",
    [
        RecallFilter(before_seq=40),
        RecallFilter(thread_id=1),
        RecallFilter(seen=(0, 100), hidden=frozenset(range(3, 600))),
        RecallFilter(start=NOON + timedelta(minutes=MANY - 20)),
    ],
    ids=["before", "thread", "seen", "date"],
)
def test_a_filter_is_applied_before_the_nearest_are_counted(
    index: LanceDBRecallIndex, where: RecallFilter
) -> None:
    exact = nearest(index, where)
    index.tidy()
    assert sum(map(len, exact)) > 20
    assert shared(nearest(index, where), exact) > 0.95


def test_one_that_cannot_be_made_disturbs_nobody(
    index: LanceDBRecallIndex, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shutil.rmtree(tmp_path / "index.lance" / "said.lance" / "data")
    with caplog.at_level(logging.WARNING):
        index.tidy()
    assert "were not indexed" in caplog.text


@pytest.mark.thorough
def test_the_archive_is_indexed_and_tidied_in_idle_time(tmp_path: Path) -> None:
    store = LanceDBArchivalStore(tmp_path / "a.lance", Scattered())
    upkeep = ArchiveUpkeep(store)
    list(upkeep.work(threading.Event()))
    assert not (tmp_path / "a.lance").exists()
    passages = [Passage(text) for text in sentences(MANY, 1)]
    store.add_document(DocumentRecord("long.txt", "text", "l1"), passages)
    for number in range(40):
        store.insert_note(f"note {number} of the zebra")
    found = store.search(["note 3 of the zebra"]).hits[0]
    assert store._opened is not None
    fragments = store._opened.passages.stats()["fragment_stats"]["num_fragments"]
    list(upkeep.work(threading.Event()))
    tidied = store._opened.passages.stats()["fragment_stats"]["num_fragments"]
    assert tidied < fragments
    assert store.search(["note 3 of the zebra"]).hits[0] == found
    assert not store.insert_note("note 3 of the zebra").is_new
