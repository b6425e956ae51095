"""What every reminder store does: the real one and the double."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from helpers.memory_stores import MemoryReminderStore
from pagekeeper_core.errors import StoreError
from pagekeeper_core.protocols import ReminderStore
from pagekeeper_core.records import Reminder
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.duckdb_reminders import DuckDBReminderStore

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
DUE = datetime(2026, 12, 4, 9, 0, tzinfo=UTC)
CALL_ANA = Reminder("Call Ana", DUE, "", NOW, "assistant", cause_seq=3)
MORNING = Reminder("What is due?", DUE - timedelta(days=3), "FREQ=DAILY", NOW, "user")


@pytest.fixture(params=["memory", "duckdb"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ReminderStore]:
    if request.param == "memory":
        yield MemoryReminderStore()
        return
    database = Database(tmp_path / "recall.duckdb")
    yield DuckDBReminderStore(database)
    database.close()


def test_what_was_added_is_given_back_with_its_number(store: ReminderStore) -> None:
    assert store.active() == []
    assert store.add(CALL_ANA) == replace(CALL_ANA, reminder_id=1)
    assert store.add(MORNING).reminder_id == 2
    assert store.active() == [replace(MORNING, reminder_id=2), replace(CALL_ANA, reminder_id=1)]


def test_times_are_kept_in_utc_and_texts_storable(store: ReminderStore) -> None:
    tokyo = timezone(timedelta(hours=9))
    added = store.add(replace(CALL_ANA, text="Call\0 \ud800Ana", due_at=DUE.astimezone(tokyo)))
    assert added.text == "Call \ufffdAna"
    assert store.active() == [added]
    assert (store.active()[0].due_at, store.active()[0].due_at.tzinfo) == (DUE, UTC)


def test_one_that_fired_for_good_is_gone(store: ReminderStore) -> None:
    store.add(CALL_ANA)
    store.fired(1, DUE, None)
    assert store.active() == []
    assert store.add(CALL_ANA).reminder_id == 2


def test_one_that_recurs_is_due_again(store: ReminderStore) -> None:
    store.add(MORNING)
    store.fired(1, DUE, DUE + timedelta(days=1))
    store.fired(1, DUE + timedelta(days=1), DUE + timedelta(days=2))
    assert store.active() == [replace(MORNING, reminder_id=1, due_at=DUE + timedelta(days=2))]


def test_a_cancelled_one_is_gone(store: ReminderStore) -> None:
    store.add(MORNING)
    store.add(CALL_ANA)
    store.cancel(1, NOW, "user")
    assert [reminder.reminder_id for reminder in store.active()] == [2]


def test_one_that_is_not_there_is_said_not_to_be(store: ReminderStore) -> None:
    store.add(CALL_ANA)
    store.cancel(1, NOW, "user")
    for reminder_id in (1, 7):
        with pytest.raises(StoreError, match=f"no reminder {reminder_id}"):
            store.cancel(reminder_id, NOW, "user")
        with pytest.raises(StoreError, match=f"no reminder {reminder_id}"):
            store.fired(reminder_id, NOW, None)


def test_those_due_at_the_same_time_come_in_the_order_they_were_set(store: ReminderStore) -> None:
    texts = ["b", "a", "c"]
    for text in texts:
        store.add(replace(CALL_ANA, text=text))
    assert [reminder.text for reminder in store.active()] == texts


def test_reminders_outlive_the_program(tmp_path: Path) -> None:
    path = tmp_path / "recall.duckdb"
    database = Database(path)
    store = DuckDBReminderStore(database)
    store.add(MORNING)
    store.add(CALL_ANA)
    store.fired(1, DUE, DUE + timedelta(days=1))
    database.close()
    database = Database(path)
    try:
        again = DuckDBReminderStore(database).active()
        assert [(r.text, r.due_at) for r in again] == [
            ("Call Ana", DUE),
            ("What is due?", DUE + timedelta(days=1)),
        ]
        assert again[1].recurrence == "FREQ=DAILY"
    finally:
        database.close()
