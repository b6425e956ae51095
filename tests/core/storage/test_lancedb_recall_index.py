"""Searching recall storage by meaning: what is found, by which filters, and after which damage."""

import logging
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from helpers.memory_stores import HashEmbedder
from pagekeeper_core.errors import ModelError, StoreError
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.records import IndexEntry, RecallFilter
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.duckdb_recall import DuckDBRecallStore
from pagekeeper_core.storage.lancedb_recall_index import LanceDBRecallIndex

NOON = datetime(2026, 5, 3, 12, 0, 0, 123456, tzinfo=UTC)


class Synonyms(HashEmbedder):
    """Knows that a dog is a puppy, which no word of either tells."""

    def embed(self, texts: Any) -> list[list[float]]:
        return super().embed([text.replace("puppy", "dog") for text in texts])


@pytest.fixture
def index(tmp_path: Path) -> LanceDBRecallIndex:
    index = LanceDBRecallIndex(tmp_path / "index.lance", Synonyms())
    index.make_ready()
    return index


@pytest.fixture
def store(tmp_path: Path, index: LanceDBRecallIndex) -> Iterator[DuckDBRecallStore]:
    database = Database(tmp_path / "recall.duckdb")
    yield DuckDBRecallStore(database, index)
    database.close()


def told(
    store: DuckDBRecallStore,
    index: LanceDBRecallIndex,
    text: str,
    kind: MessageKind = MessageKind.USER,
    *,
    days: int = 0,
    thread_id: int = 1,
) -> Message:
    at = NOON + timedelta(days=days)
    message = store.append(Message(kind, text, text, at, thread_id=thread_id))
    index.add([IndexEntry(message, text)])
    return message


def test_what_no_word_finds_is_found_by_meaning(
    store: DuckDBRecallStore, index: LanceDBRecallIndex
) -> None:
    told(store, index, "the weather is fine")
    dog = told(store, index, "a dog sleeps")
    found = store.search(["puppy"])
    assert [hit.message for hit in found.hits] == [dog]
    assert (found.total, found.pages) == (1, 1)


def test_words_and_meaning_make_one_result_with_an_exact_total(
    store: DuckDBRecallStore, index: LanceDBRecallIndex
) -> None:
    for number in range(4):
        told(store, index, f"dog {number}")
    for number in range(3):
        told(store, index, f"puppy {number}")
    pages = [store.search(["puppy"], page=n, page_size=3) for n in (1, 2, 3, 4)]
    assert [page.total for page in pages] == [7] * 4
    seqs = [hit.message.seq for page in pages for hit in page.hits]
    assert sorted(seqs) == list(range(1, 8))
    assert set(seqs[:3]) == {5, 6, 7}


def test_a_filter_holds_for_meaning_too(
    store: DuckDBRecallStore, index: LanceDBRecallIndex
) -> None:
    told(store, index, "dog one")
    told(store, index, "dog two", MessageKind.ASSISTANT, days=2)
    told(store, index, "dog three", thread_id=2)

    def found(**where: Any) -> list[int]:
        hits = store.search(["puppy"], where=RecallFilter(**where)).hits
        return sorted(hit.message.seq for hit in hits)

    assert found() == [1, 2, 3]
    assert found(speaker=MessageKind.ASSISTANT) == [2]
    assert found(thread_id=2) == [3]
    assert found(start=NOON + timedelta(days=1)) == [2]
    assert found(end=NOON) == []
    assert found(start=NOON, end=NOON + timedelta(microseconds=1)) == [1, 3]
    assert found(outside=(NOON, NOON + timedelta(days=1))) == [2]
    assert found(before_seq=2) == [1]
    assert found(seen=(1, 2)) == [1, 3]
    assert found(hidden=frozenset({1, 2})) == [3]


def test_a_filter_is_applied_before_the_nearest_are_counted(
    store: DuckDBRecallStore, index: LanceDBRecallIndex
) -> None:
    old = told(store, index, "dog and a cat")
    entries = [IndexEntry(replace(old, seq=seq, created_at=NOON), "dog") for seq in range(2, 99)]
    index.add(entries)
    assert index.nearest("puppy", RecallFilter(before_seq=2), 5) == [old.seq]


def test_parts_of_one_message_are_one_result(
    store: DuckDBRecallStore, index: LanceDBRecallIndex
) -> None:
    message = store.append(Message(MessageKind.USER, "dog dog", "", NOON))
    index.add([IndexEntry(message, "dog"), IndexEntry(message, "dog again")])
    assert index.nearest("puppy", RecallFilter(), 5) == [message.seq]


def test_an_index_that_is_not_ready_costs_nothing(tmp_path: Path) -> None:
    embedder = Synonyms()
    embedder.is_loaded = False
    index = LanceDBRecallIndex(tmp_path / "index.lance", embedder)
    assert index.nearest("puppy", RecallFilter(), 5) == []
    assert embedder.embedded == 0
    assert not (tmp_path / "index.lance").exists()


def test_it_knows_how_far_it_has_read(
    tmp_path: Path, store: DuckDBRecallStore, index: LanceDBRecallIndex
) -> None:
    assert index.newest() == (0, None)
    told(store, index, "dog one")
    told(store, index, "dog two", days=1)
    index.close()
    again = LanceDBRecallIndex(tmp_path / "index.lance", Synonyms())
    again.make_ready()
    assert again.newest() == (2, NOON + timedelta(days=1))


@pytest.mark.parametrize("other", [{"name": "other"}, {"dimension": 32}])
def test_one_of_another_embedder_is_made_anew(
    tmp_path: Path, store: DuckDBRecallStore, index: LanceDBRecallIndex, other: dict[str, Any]
) -> None:
    told(store, index, "a dog")
    index.close()
    again = LanceDBRecallIndex(tmp_path / "index.lance", Synonyms(**other))
    again.make_ready()
    assert again.newest() == (0, None)
    assert again.nearest("a dog", RecallFilter(), 5) == []


@pytest.mark.parametrize("part", ["_versions", "data"])
def test_a_damaged_one_is_made_anew(
    tmp_path: Path, store: DuckDBRecallStore, index: LanceDBRecallIndex, part: str
) -> None:
    told(store, index, "a dog")
    index.close()
    for file in (tmp_path / "index.lance" / "said.lance" / part).iterdir():
        file.write_bytes(b"\0" * 100)
    again = LanceDBRecallIndex(tmp_path / "index.lance", Synonyms())
    again.make_ready()
    assert again.newest() == (0, None)


def test_words_find_when_it_breaks_and_idle_work_can_make_it_anew(
    tmp_path: Path,
    store: DuckDBRecallStore,
    index: LanceDBRecallIndex,
    caplog: pytest.LogCaptureFixture,
) -> None:
    told(store, index, "a puppy")
    told(store, index, "a dog")
    shutil.rmtree(tmp_path / "index.lance" / "said.lance" / "data")
    with caplog.at_level(logging.WARNING):
        assert [hit.message.text for hit in store.search(["puppy"]).hits] == ["a puppy"]
        assert store.search(["puppy"]).total == 1
    assert sum("Words alone" in record.message for record in caplog.records) == 1
    assert not index.is_ready
    index.make_ready()
    assert index.newest() == (0, None)


def test_an_embedder_that_fails_leaves_the_words(
    tmp_path: Path, store: DuckDBRecallStore, index: LanceDBRecallIndex, monkeypatch: Any
) -> None:
    told(store, index, "a puppy")

    def fail(_: object, texts: object) -> list[list[float]]:
        raise ModelError("The embedder failed.")

    monkeypatch.setattr(Synonyms, "embed", fail)
    assert store.search(["puppy"]).total == 1


def test_what_the_index_knows_and_the_conversation_does_not_is_not_found(
    store: DuckDBRecallStore, index: LanceDBRecallIndex
) -> None:
    message = told(store, index, "a dog")
    index.add([IndexEntry(replace(message, seq=7), "a dog")])
    assert [hit.message for hit in store.search(["puppy"]).hits] == [message]


def test_a_folder_that_cannot_be_made_is_an_error_of_the_store(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError):
        LanceDBRecallIndex(tmp_path / "file" / "index.lance", Synonyms()).make_ready()
