"""What every thread store does: the real one and the double."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from helpers.memory_stores import MemoryRecallStore, MemoryThreadStore
from pagekeeper_core.errors import StoreError
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.protocols import RecallStore, ThreadStore
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.duckdb_recall import DuckDBRecallStore
from pagekeeper_core.storage.duckdb_threads import DuckDBThreadStore

LATER = datetime(2099, 5, 3, 12, 0, tzinfo=UTC)


@pytest.fixture(params=["memory", "duckdb"])
def stores(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[tuple[ThreadStore, RecallStore]]:
    if request.param == "memory":
        recall = MemoryRecallStore()
        yield MemoryThreadStore(recall), recall
        return
    database = Database(tmp_path / "recall.duckdb")
    yield DuckDBThreadStore(database), DuckDBRecallStore(database)
    database.close()


def test_the_first_conversation_is_always_there(
    stores: tuple[ThreadStore, RecallStore],
) -> None:
    threads, _ = stores
    (first,) = threads.threads()
    assert (first.thread_id, first.title, first.archived) == (1, "", False)


def test_the_conversation_with_the_newest_message_comes_first(
    stores: tuple[ThreadStore, RecallStore],
) -> None:
    threads, recall = stores
    second = threads.create(LATER, "  Trip to\nPorto ")
    assert (second.thread_id, second.title, second.last_at) == (2, "Trip to Porto", LATER)
    assert [t.thread_id for t in threads.threads()] == [2, 1]
    recall.append(Message(MessageKind.USER, "hi", "hi", LATER + timedelta(hours=1)))
    assert [t.thread_id for t in threads.threads()] == [1, 2]
    assert threads.get(1).last_at == LATER + timedelta(hours=1)


def test_a_conversation_can_be_renamed_and_put_away(
    stores: tuple[ThreadStore, RecallStore],
) -> None:
    threads, _ = stores
    assert threads.rename(1, "Bento's vet \ud800").title == "Bento's vet \ufffd"
    assert threads.archive(1).archived
    assert threads.threads() == []
    assert [t.thread_id for t in threads.threads(archived=True)] == [1]
    assert not threads.archive(1, archived=False).archived


def test_an_unknown_conversation_is_said_to_be_unknown(
    stores: tuple[ThreadStore, RecallStore],
) -> None:
    threads, _ = stores
    with pytest.raises(StoreError, match="no conversation 7"):
        threads.get(7)
