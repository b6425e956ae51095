"""The words of recall storage: packing them changes no result, at whatever moment it happens."""

import random
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pagekeeper_core.errors import Cancelled
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.records import RecallFilter
from pagekeeper_core.storage import recall_postings
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.duckdb_recall import DuckDBRecallStore
from pagekeeper_core.storage.migrations import MIGRATIONS
from pagekeeper_core.storage.search_terms import index_terms, term_number

NOON = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)
SAID = 60
WORDS = [f"word{n}" for n in range(40)]
FILTERS: list[dict[str, Any]] = [
    {},
    {"speaker": MessageKind.USER},
    {"thread_id": 2},
    {"before_seq": 31},
    {"seen": (1, 20)},
    {"hidden": frozenset({3, 4, 50})},
    {"start": NOON + timedelta(minutes=20)},
    {"end": NOON + timedelta(minutes=20)},
    {"outside": (NOON + timedelta(minutes=10), NOON + timedelta(minutes=30))},
]


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    monkeypatch.setattr(recall_postings, "PACKED_AT_ONCE", 16)
    database = Database(tmp_path / "recall.duckdb")
    yield database
    database.close()


@pytest.fixture
def store(database: Database) -> DuckDBRecallStore:
    store = DuckDBRecallStore(database)
    chance = random.Random(3)
    for number in range(SAID):
        text = " ".join(chance.choices(WORDS, weights=range(1, 41), k=8))
        kind = (MessageKind.USER, MessageKind.ASSISTANT, MessageKind.FUNCTION)[number % 3]
        at = NOON + timedelta(minutes=number)
        store.append(Message(kind, text, text, at, thread_id=1 + number % 5 // 4))
    return store


def pack(store: DuckDBRecallStore) -> None:
    store.tidy(threading.Event())


def count(database: Database, table: str) -> int:
    return int(database.rows(f"SELECT count(*) FROM {table}")[0][0])


def results(store: DuckDBRecallStore, **where: Any) -> list[Any]:
    queries = (["word39"], ["word3 word38 word20"], ["word1", "word37 word30"], ["nothing"])
    return [store.search(query, where=RecallFilter(**where), page_size=50) for query in queries]


@pytest.mark.thorough
@pytest.mark.parametrize("where", FILTERS, ids=[", ".join(where) for where in FILTERS])
def test_packing_changes_no_result(store: DuckDBRecallStore, where: dict[str, Any]) -> None:
    before = results(store, **where)
    assert before[0].total > 0
    pack(store)
    assert results(store, **where) == before


@pytest.mark.thorough
def test_the_oldest_are_packed_and_the_newest_stay_as_they_are(
    store: DuckDBRecallStore, database: Database
) -> None:
    pack(store)
    assert database.rows("SELECT min(seq) FROM new_postings") == [(50,)]
    assert count(database, "packed_postings") <= 3 * len(WORDS)


@pytest.mark.thorough
def test_a_message_is_found_at_once_and_after_each_packing(
    store: DuckDBRecallStore, database: Database
) -> None:
    for number in range(40):
        said = store.append(Message(MessageKind.USER, f"zebra{number} zebra", "", NOON))
        assert store.search([f"zebra{number}"]).hits[0].message == said
        pack(store)
        assert store.search([f"zebra{number}"]).hits[0].message == said
        assert store.search(["zebra"]).total == number + 1
    assert count(database, "packed_postings") > 40


@pytest.mark.thorough
def test_packing_between_the_two_reads_of_a_search_shows_nothing_twice(
    store: DuckDBRecallStore, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = store.search(["word39 word38"], page_size=50)
    read = database.rows

    def pack_first(query: str, *arguments: Any) -> list[Any]:
        if query.startswith("SELECT term, packed"):
            recall_postings.pack_postings(database)
        return read(query, *arguments)

    monkeypatch.setattr(database, "rows", pack_first)
    assert store.search(["word39 word38"], page_size=50) == expected
    assert count(database, "packed_postings") > 0


@pytest.mark.thorough
def test_the_user_interrupts_packing(store: DuckDBRecallStore, database: Database) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        store.tidy(cancel)
    assert database.rows("SELECT min(seq) FROM new_postings") == [(17,)]
    pack(store)
    assert database.rows("SELECT min(seq) FROM new_postings") == [(50,)]


def test_a_term_of_thousands_of_rows_is_read_by_the_index(database: Database) -> None:
    with database.transaction() as connection:
        connection.execute("INSERT INTO packed_postings SELECT range % 2, 'x' FROM range(9000)")
    ran = database.rows("EXPLAIN ANALYZE SELECT packed FROM packed_postings WHERE term IN (0, 7)")
    assert "Index Scan" in ran[0][1]


@pytest.mark.parametrize("term", ["word", "naïve", "你好", "foo_bar()", "🎉", ""])
def test_the_number_of_a_term_is_duckdbs_own(term: str) -> None:
    (row,) = duckdb.connect().execute("SELECT md5_number_lower(?)", [term]).fetchall()
    assert row == (term_number(term),)


@pytest.mark.thorough
def test_an_older_database_is_searched_as_before(
    tmp_path: Path, store: DuckDBRecallStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = results(store)
    path = tmp_path / "older.duckdb"
    with monkeypatch.context() as patch:
        patch.setattr("pagekeeper_core.storage.migrations.MIGRATIONS", MIGRATIONS[:3])
        patch.setattr("pagekeeper_core.storage.duckdb_opening.MIGRATIONS", MIGRATIONS[:3])
        older = Database(path)
    with older.transaction() as connection:
        for message in store.read(1):
            is_said = message.kind is not MessageKind.FUNCTION
            terms = index_terms(message.text) if is_said else []
            connection.execute(
                "INSERT INTO messages VALUES (?, ?, ?, ?, ?, NULL, ?, ?)",
                [message.seq, message.kind.value, message.text, message.prompt_text,
                 message.created_at, len(terms), message.thread_id],
            )  # fmt: skip
            for term in set(terms):
                connection.execute(
                    "INSERT INTO terms VALUES (?, ?, ?)", [term, message.seq, terms.count(term)]
                )
    older.close()
    migrated = Database(path)
    assert results(DuckDBRecallStore(migrated)) == expected
    migrated.close()
