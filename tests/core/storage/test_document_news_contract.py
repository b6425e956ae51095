"""Which documents are still to be spoken of: the same for the double and for DuckDB."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from helpers.memory_stores import MemoryDocumentNews
from pagekeeper_core.protocols import DocumentNewsStore
from pagekeeper_core.records import DocumentInfo, DocumentRecord
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.duckdb_document_news import DuckDBDocumentNews

NOW = datetime.now(UTC)


def document(name: str, *, hours: float) -> DocumentInfo:
    return DocumentInfo(name, DocumentRecord(name, "text", name), 1, NOW + timedelta(hours=hours))


@pytest.fixture(params=["double", "real"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[DocumentNewsStore]:
    if request.param == "double":
        yield MemoryDocumentNews(since=NOW)
        return
    database = Database(tmp_path / "recall.duckdb")
    yield DuckDBDocumentNews(database)
    database.close()


def test_each_is_pending_until_it_was_spoken_of(store: DocumentNewsStore) -> None:
    for number, name in enumerate(("c", "a", "b")):
        store.add(name, NOW + timedelta(minutes=number), pending=True)
    store.add("quiet", NOW, pending=False)
    store.add("quiet", NOW, pending=True)
    assert store.pending() == ["c", "a", "b"]
    store.told(["a", "unknown"], NOW)
    store.add("a", NOW, pending=True)
    assert store.pending() == ["c", "b"]


def test_what_was_there_before_is_no_news_and_what_a_kill_kept_back_is(
    store: DocumentNewsStore,
) -> None:
    store.add("known", NOW, pending=True)
    documents = [
        document("newest", hours=3),
        document("known", hours=2),
        document("newer", hours=1),
        document("old", hours=-24),
    ]
    assert [info.document_id for info in store.missed(documents)] == ["newer", "newest"]
