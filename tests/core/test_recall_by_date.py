"""Recall by date, over the double and the real store; and the two functions that use it."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from helpers.agent_rig import AgentRig, reply, search
from helpers.fixed_clock import FixedClock
from helpers.memory_stores import MemoryRecallStore
from pagekeeper_core.dates import DateRange, find_range
from pagekeeper_core.messages import FunctionCall, FunctionResult, Message, MessageKind
from pagekeeper_core.protocols import RecallStore
from pagekeeper_core.recall_by_date import range_in_words, range_of, search_with_date
from pagekeeper_core.records import RecallFilter, RecallHit, SearchPage
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.duckdb_recall import DuckDBRecallStore
from pagekeeper_core.updates import CallFinished

NOW = datetime(2026, 11, 25, 14, 30, tzinfo=UTC)
"""A Wednesday."""

TUESDAY = datetime(2026, 11, 24, 10, 0, tzinfo=UTC)


@pytest.fixture(params=["memory", "duckdb"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RecallStore]:
    if request.param == "memory":
        yield MemoryRecallStore()
        return
    database = Database(tmp_path / "memory" / "recall.duckdb")
    yield DuckDBRecallStore(database)
    database.close()


def say(store: RecallStore, text: str, at: datetime) -> None:
    store.append(Message(MessageKind.USER, text, text, at))


def dated(store: RecallStore, question: str, *, page: int = 1, page_size: int = 5) -> list[str]:
    when = find_range(question, NOW)
    assert when is not None
    found = search_with_date(
        store, [question], when, where=RecallFilter(), page=page, page_size=page_size
    )
    return [hit.message.text for hit in found.hits]


def test_what_was_said_then_comes_first_and_the_rest_follows(store: RecallStore) -> None:
    say(store, "The vet vet vet: Felix is a fine cat.", TUESDAY - timedelta(days=30))
    say(store, "The vet has time for Felix.", TUESDAY)
    say(store, "It rains.", TUESDAY)

    assert dated(store, "What did the vet say last Tuesday?") == [
        "The vet has time for Felix.",
        "The vet vet vet: Felix is a fine cat.",
    ]


def test_a_date_alone_brings_what_was_said_then(store: RecallStore) -> None:
    say(store, "Porto is lovely.", TUESDAY - timedelta(days=3))
    say(store, "It rains.", TUESDAY)
    say(store, "It still rains.", TUESDAY + timedelta(hours=2))

    assert dated(store, "What did we talk about last Tuesday?") == ["It rains.", "It still rains."]


def test_a_date_on_which_nothing_was_said_empties_no_result(store: RecallStore) -> None:
    say(store, "The vet has time for Felix.", TUESDAY - timedelta(days=30))

    assert dated(store, "What did the vet say last Tuesday?") == ["The vet has time for Felix."]


def test_pages_hold_every_result_once(store: RecallStore) -> None:
    for n in range(7):
        say(store, f"vet then {n}", TUESDAY + timedelta(minutes=n))
        say(store, f"vet before {n}", TUESDAY - timedelta(days=40 + n))
    question = "What did the vet say last Tuesday?"

    pages = [dated(store, question, page=page, page_size=4) for page in range(1, 5)]
    everything = [text for page in pages for text in page]

    assert [len(page) for page in pages] == [4, 4, 4, 2]
    assert len(set(everything)) == 14
    assert all(text.startswith("vet then") for text in everything[:7])
    when = find_range(question, NOW)
    assert when is not None
    found = search_with_date(store, [question], when, where=RecallFilter(), page=1, page_size=4)
    assert (found.total, found.pages) == (14, 4)


@pytest.mark.thorough
def test_no_more_is_fetched_than_is_shown(
    store: RecallStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(30):
        say(store, f"vet {n}", TUESDAY + timedelta(minutes=n))
        say(store, f"vet before {n}", TUESDAY - timedelta(days=40 + n))
    fetched: list[int] = []
    find = store.search

    def search(*args: Any, **kwargs: Any) -> SearchPage[RecallHit]:
        found = find(*args, **kwargs)
        fetched.append(len(found.hits))
        return found

    monkeypatch.setattr(store, "search", search)
    dated(store, "What did the vet say last Tuesday?")
    assert max(fetched) == 5


def test_a_date_word_that_was_said_is_still_found(store: RecallStore) -> None:
    say(store, "On Tuesday I go to Porto.", TUESDAY - timedelta(days=9))

    assert dated(store, "Where do I go last Tuesday?") == ["On Tuesday I go to Porto."]


@pytest.mark.parametrize(
    ("phrase", "said"),
    [
        ("last Tuesday", "on Tuesday, 2026-11-24"),
        ("last week", "from 2026-11-16 to 2026-11-22"),
        ("yesterday evening", "on Tuesday, 2026-11-24 from 17:00 to 24:00"),
        ("last night", "on Tuesday, 2026-11-24 from 20:00 to 05:00"),
        ("before March", "before 2026-03-01"),
    ],
)
def test_a_result_says_the_range_that_was_understood(phrase: str, said: str) -> None:
    found = find_range(phrase, NOW)
    assert found is not None
    assert range_in_words(found) == said


@pytest.mark.parametrize(
    ("dates", "question", "phrase"),
    [
        ("last Tuesday", "", "last Tuesday"),
        ("2026-11-17", "What did I say last Tuesday?", "last Tuesday"),
        ("nonsense", "What did I say last Tuesday?", "last Tuesday"),
        ("in March", "What did I say last Tuesday?", "in March"),
        ("2026-11-17", "What about the dog?", "2026-11-17"),
    ],
)
def test_the_users_words_hold_where_the_model_reckons(
    dates: str, question: str, phrase: str
) -> None:
    found = range_of(dates, question, FixedClock(NOW))
    assert found is not None
    assert found.phrase == phrase


def by_date(dates: str) -> FunctionCall:
    return FunctionCall(
        "conversation_search_date", {"dates": dates}, "I look.", request_heartbeat=True
    )


def result_of(rig: AgentRig, call: FunctionCall, question: str) -> FunctionResult:
    rig.model.enqueue(call, reply())
    updates = rig.say(question)
    return next(update.result for update in updates if isinstance(update, CallFinished))


@pytest.fixture
def rig() -> AgentRig:
    rig = AgentRig(clock=FixedClock(NOW))
    for text, at in (
        ("Felix is a fine cat.", TUESDAY - timedelta(days=30)),
        ("The vet has time on Friday.", TUESDAY),
    ):
        say(rig.recall, text, at)
    rig.restart()
    return rig


def test_the_model_searches_by_a_phrase_and_sees_what_was_understood(rig: AgentRig) -> None:
    result = result_of(rig, by_date("last Tuesday"), "What did I say last Tuesday?")

    assert result.ok
    assert "Found what was said on Tuesday, 2026-11-24" in result.text
    assert "The vet has time on Friday." in result.text
    assert "Felix" not in result.text


def test_the_question_itself_is_not_found(rig: AgentRig) -> None:
    result = result_of(rig, by_date("today"), "What did I say today?")

    assert "Found nothing in what was said on Wednesday, 2026-11-25" in result.text


def test_a_phrase_that_is_not_understood_comes_back_with_examples(rig: AgentRig) -> None:
    result = result_of(rig, by_date("back then"), "What about the cat?")

    assert not result.ok
    assert "When is 'back then'?" in result.text
    assert "'last Tuesday'" in result.text


def test_a_search_by_words_prefers_the_date_in_the_question(rig: AgentRig) -> None:
    result = result_of(rig, search("Felix"), "What did I say last Tuesday about Felix?")

    assert "(first on Tuesday, 2026-11-24)" in result.text
    lines = result.text.splitlines()
    assert "The vet has time on Friday." in lines[1]
    assert "Felix is a fine cat." in lines[2]


def test_a_day_to_come_changes_no_search(rig: AgentRig) -> None:
    result = result_of(rig, search("Felix"), "Who is Felix, whom I see tomorrow?")

    assert "first" not in result.text.splitlines()[0]
    assert "Felix is a fine cat." in result.text


def test_a_range_keeps_the_persons_zone() -> None:
    clock = FixedClock(NOW, zone="Asia/Tokyo")
    found = range_of("yesterday", "", clock)

    assert isinstance(found, DateRange)
    assert found.start.isoformat() == "2026-11-24T00:00:00+09:00"
