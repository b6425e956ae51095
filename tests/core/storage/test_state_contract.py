"""What every state store does: the real one and the double."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from helpers.memory_stores import MemoryStateStore
from pagekeeper_core.protocols import StateStore
from pagekeeper_core.records import (
    BlockDefinition,
    ChangeAction,
    MemoryChange,
    QueueCheckpoint,
    Target,
    TargetKind,
)
from pagekeeper_core.storage import duckdb_opening, migrations
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


def edit(block: str, before: str, after: str, actor: str, cause_seq: int = 0) -> MemoryChange:
    target = Target(TargetKind.BLOCK, block)
    return MemoryChange(target, ChangeAction.EDIT, before, after, NOON, actor, cause_seq)


def test_changes_are_numbered_and_kept(store: StateStore) -> None:
    first = store.append_change(edit("human", "", "Name: Ana 😀", "assistant", 3))
    second = store.append_change(edit("persona", "", "Kind.", "program"))
    third = store.append_change(edit("human", "Name: Ana 😀", "", "user", 9))
    assert [first.change_id, second.change_id, third.change_id] == [1, 2, 3]
    assert store.changes() == [first, second, third]
    assert store.changes(Target(TargetKind.BLOCK, "human")) == [first, third]
    assert store.changes(Target(TargetKind.PASSAGE, "human")) == []


def test_a_change_of_a_passage_comes_back_whole(store: StateStore) -> None:
    passage = Target(TargetKind.PASSAGE, "a1")
    change = MemoryChange(
        passage, ChangeAction.SUPERSEDE, "old", "new", NOON, "program", 4, 1, "b2"
    )
    stored = store.append_change(change)
    assert store.changes(passage) == [stored]
    assert (stored.undoes, stored.successor, stored.action) == (1, "b2", ChangeAction.SUPERSEDE)


def test_the_newest_change_of_every_target(store: StateStore) -> None:
    passage = Target(TargetKind.PASSAGE, "a1")
    store.append_change(edit("human", "", "Name: Ana", "user"))
    store.append_change(MemoryChange(passage, ChangeAction.INSERT, "", "x", NOON, "user"))
    store.append_change(MemoryChange(passage, ChangeAction.FORGET, "x", "", NOON, "user"))
    newest = store.newest_changes(TargetKind.PASSAGE)
    assert {name: change.action for name, change in newest.items()} == {"a1": ChangeAction.FORGET}
    assert store.newest_changes(TargetKind.MESSAGE) == {}


def test_current_blocks_are_what_the_newest_edits_left(store: StateStore) -> None:
    assert store.current_blocks() == {}
    for number in range(12):
        store.append_change(edit("human", "", f"text {number}", "user"))
    store.append_change(edit("persona", "", "Kind.", "program"))
    assert store.current_blocks() == {"human": "text 11", "persona": "Kind."}


def test_blocks_of_the_person_are_kept(store: StateStore) -> None:
    store.append_block(BlockDefinition("work", "the user's projects", 200, NOON))
    later = BlockDefinition("work", "the user's job", 300, NOON + timedelta(days=1))
    store.append_block(later)
    assert store.made_blocks() == [later]


def test_every_conversation_has_its_own_checkpoints(store: StateStore) -> None:
    store.append_checkpoint(QueueCheckpoint(5, "First.", "", NOON))
    second = QueueCheckpoint(7, "Second.", "", NOON, thread_id=2)
    store.append_checkpoint(second)
    first = store.latest_checkpoint()
    assert first is not None
    assert first.summary == "First."
    assert store.latest_checkpoint(2) == second
    assert store.latest_checkpoint(3) is None


def test_the_newest_checkpoint_counts(store: StateStore) -> None:
    assert store.latest_checkpoint() is None
    store.append_checkpoint(QueueCheckpoint(5, "They met.", "<human>…</human>", NOON))
    newest = QueueCheckpoint(9, "They met twice. 你好", "", NOON - timedelta(days=1))
    store.append_checkpoint(newest)
    assert store.latest_checkpoint() == newest


def test_a_checkpoint_says_which_older_messages_stay(store: StateStore) -> None:
    checkpoint = QueueCheckpoint(9, "They met.", "", NOON, kept=(2, 3, 7), flushed_after=14)
    store.append_checkpoint(checkpoint)
    assert store.latest_checkpoint() == checkpoint


def test_a_checkpoint_of_an_older_version_knows_after_which_message_it_was_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "recall.duckdb"
    released = migrations.MIGRATIONS
    for module in (migrations, duckdb_opening):
        monkeypatch.setattr(module, "MIGRATIONS", released[:2])
    with closing(Database(path)) as old, old.transaction() as connection:
        for seq in (1, 2, 3):
            connection.execute(
                "INSERT INTO messages VALUES (?, 'user', 'Hello', 'Hello', ?, NULL, 1, 1)",
                [seq, NOON + timedelta(minutes=seq)],
            )
        connection.execute(
            "INSERT INTO checkpoints VALUES (1, 2, 'They met.', '', ?, 1)",
            [NOON + timedelta(minutes=2)],
        )
    for module in (migrations, duckdb_opening):
        monkeypatch.setattr(module, "MIGRATIONS", released)
    with closing(Database(path)) as database:
        checkpoint = DuckDBStateStore(database).latest_checkpoint()
    assert checkpoint is not None
    assert (checkpoint.kept, checkpoint.flushed_after) == ((), 2)
