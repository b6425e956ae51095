"""What every state store does: the real one and the double."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from helpers.memory_stores import MemoryStateStore
from pagekeeper_core.protocols import StateStore
from pagekeeper_core.records import BlockEdit, QueueCheckpoint
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.duckdb_state import DuckDBStateStore

NOON = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)


@pytest.fixture(params=["memory", "duckdb"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StateStore]:
    if request.param == "memory":
        yield MemoryStateStore()
        return
    database = Database(tmp_path / "recall.duckdb")
    yield DuckDBStateStore(database)
    database.close()


def test_edits_are_numbered_and_kept(store: StateStore) -> None:
    first = store.append_block_edit(BlockEdit("human", "", "Name: Ana 😀", NOON, "assistant", 3))
    second = store.append_block_edit(BlockEdit("persona", "", "Kind.", NOON, "program"))
    third = store.append_block_edit(BlockEdit("human", "Name: Ana 😀", "", NOON, "user", 9))
    assert [first.edit_id, second.edit_id, third.edit_id] == [1, 2, 3]
    assert store.block_edits() == [first, second, third]
    assert store.block_edits("human") == [first, third]
    assert store.block_edits("nobody") == []


def test_current_blocks_are_what_the_newest_edits_left(store: StateStore) -> None:
    assert store.current_blocks() == {}
    for number in range(12):
        store.append_block_edit(BlockEdit("human", "", f"text {number}", NOON, "user"))
    store.append_block_edit(BlockEdit("persona", "", "Kind.", NOON, "program"))
    assert store.current_blocks() == {"human": "text 11", "persona": "Kind."}


def test_the_newest_checkpoint_counts(store: StateStore) -> None:
    assert store.latest_checkpoint() is None
    store.append_checkpoint(QueueCheckpoint(5, "They met.", "<human>…</human>", NOON))
    newest = QueueCheckpoint(9, "They met twice. 你好", "", NOON - timedelta(days=1))
    store.append_checkpoint(newest)
    assert store.latest_checkpoint() == newest
