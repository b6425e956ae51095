"""A store goes by words, by meaning, or by both, as it is told."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from helpers.memory_stores import HashEmbedder
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.records import DocumentRecord, IndexEntry, Passage, Retrieval
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.duckdb_recall import DuckDBRecallStore
from pagekeeper_core.storage.lancedb_archival import LanceDBArchivalStore
from pagekeeper_core.storage.lancedb_recall_index import LanceDBRecallIndex

pytestmark = pytest.mark.thorough

FOUND = {
    Retrieval.WORDS: {"A cat sleeps."},
    Retrieval.VECTORS: {"A dog barks."},
    Retrieval.HYBRID: {"A cat sleeps.", "A dog barks."},
}
"""For "cat", which the embedder below takes for a dog."""


class DogEmbedder(HashEmbedder):
    """Takes every cat for a dog."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return super().embed([_as_dog(text) for text in texts])


def _as_dog(text: str) -> str:
    if text == "cat":
        return "dog"
    return text


@pytest.mark.parametrize("retrieval", list(Retrieval))
def test_the_archive_goes_by_what_it_is_told(retrieval: Retrieval, tmp_path: Path) -> None:
    store = LanceDBArchivalStore(tmp_path / "archive", DogEmbedder(), retrieval=retrieval)
    passages = [Passage("A cat sleeps."), Passage("A dog barks.")]
    store.add_document(DocumentRecord("animals", "text", "sum"), passages)
    found = {hit.passage.text for hit in store.search(["cat"]).hits}
    store.close()
    assert found == FOUND[retrieval]


@pytest.mark.parametrize("retrieval", list(Retrieval))
def test_recall_goes_by_what_it_is_told(retrieval: Retrieval, tmp_path: Path) -> None:
    database, index = Database(tmp_path / "db"), LanceDBRecallIndex(tmp_path / "i", DogEmbedder())
    index.make_ready()
    store = DuckDBRecallStore(database, index, retrieval=retrieval)
    for text in ("A cat sleeps.", "A dog barks."):
        said = store.append(Message(MessageKind.USER, text, text, datetime(2026, 5, 3, tzinfo=UTC)))
        index.add([IndexEntry(said, text)])
    # The messages beside one that has the words are found by them too.
    first = store.search(["cat"], page_size=1).hits[0].message.text
    found = {hit.message.text for hit in store.search(["cat"]).hits}
    index.close()
    database.close()
    assert found <= FOUND[Retrieval.HYBRID]
    assert first == ("A dog barks." if retrieval is Retrieval.VECTORS else "A cat sleeps.")
    if retrieval is Retrieval.VECTORS:
        assert found == FOUND[retrieval]
