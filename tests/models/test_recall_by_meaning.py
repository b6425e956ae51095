"""Recall storage with the real embedder: what was said in other words is found."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pagekeeper_core.index_upkeep import IndexUpkeep
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.duckdb_recall import DuckDBRecallStore
from pagekeeper_core.storage.lancedb_recall_index import LanceDBRecallIndex
from pagekeeper_desktop.model_choice import embedder_folder
from pagekeeper_models.sentence_embedder import SentenceEmbedder

pytestmark = pytest.mark.model

NOON = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)
SAID = (
    ("Our puppy was limping, so we went to the vet", "He will be fine in a week."),
    ("I finally paid the landlord", "Good to hear."),
    ("My daughter plays the violin in an orchestra", "How long has she played?"),
    ("We are flying to Lisbon on Friday", "Have a nice trip."),
    ("The boss offered me a promotion", "Congratulations!"),
    ("I burned the rice again", "It happens to everyone."),
    ("Remind me to water the tomatoes", "I will."),
    ("My grandfather fought in the war", "What did he tell you about it?"),
)
ASKED = (
    ("Is my dog hurt?", 1),
    ("Which instrument does my kid play?", 5),
    ("travel plans to Portugal", 7),
    ("career news at work", 9),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[DuckDBRecallStore]:
    embedder = SentenceEmbedder(embedder_folder())
    database = Database(tmp_path / "recall.duckdb")
    index = LanceDBRecallIndex(tmp_path / "index.lance", embedder)
    recall = DuckDBRecallStore(database, index)
    kinds = (MessageKind.USER, MessageKind.ASSISTANT)
    for number, text in enumerate(text for pair in SAID for text in pair):
        at = NOON + timedelta(minutes=number)
        recall.append(Message(kinds[number % 2], text, text, at))
    assert recall.search(["travel plans to Portugal"]).total == 0
    assert not embedder.is_loaded
    list(IndexUpkeep(recall, index, embedder).work(threading.Event()))
    yield recall
    database.close()


def test_what_was_said_in_other_words_is_found(store: DuckDBRecallStore) -> None:
    for query, seq in ASKED:
        found = [hit.message.seq for hit in store.search([query], page_size=5).hits]
        assert seq in found, query
