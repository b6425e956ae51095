"""What every recall store does: the real one and the double."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.memory_stores import MemoryRecallStore
from pagekeeper_core.messages import Citation, FunctionCall, Message, MessageKind
from pagekeeper_core.protocols import RecallStore
from pagekeeper_core.records import RecallFilter
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.duckdb_recall import DuckDBRecallStore

NOON = datetime(2026, 5, 3, 12, 0, 0, 123456, tzinfo=UTC)

Say = Callable[..., Message]


@pytest.fixture(params=["memory", "duckdb"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RecallStore]:
    if request.param == "memory":
        yield MemoryRecallStore()
        return
    database = Database(tmp_path / "memory" / "recall.duckdb")
    yield DuckDBRecallStore(database)
    database.close()


@pytest.fixture
def say(store: RecallStore) -> Say:
    def append(text: str, kind: MessageKind = MessageKind.USER, at: datetime = NOON) -> Message:
        return store.append(Message(kind, text, f"[{kind}] {text}", at))

    return append


def texts(store: RecallStore, *queries: str, page: int = 1, page_size: int = 50) -> list[str]:
    found = store.search(queries, page=page, page_size=page_size)
    return [hit.message.text for hit in found.hits]


def test_numbers_have_no_gaps(store: RecallStore, say: Say) -> None:
    assert store.count() == 0
    assert [say(f"m{n}").seq for n in range(1, 6)] == [1, 2, 3, 4, 5]
    assert store.count() == 5


def test_a_message_comes_back_as_it_went_in(store: RecallStore) -> None:
    call = FunctionCall("archival_memory_insert", {"text": "é \0\"'", "n": [1, None]}, "hm", True)
    message = Message(MessageKind.ASSISTANT, "", "{…}", NOON, call)
    stored = store.append(message)
    assert store.read(1) == [stored]
    assert stored == Message(MessageKind.ASSISTANT, "", "{…}", NOON, call, 1)


def test_what_a_reply_cites_is_kept_with_it(store: RecallStore) -> None:
    cited = (
        Citation(1, "p1", "d1", "report.pdf", "page 3"),
        Citation(2, "p2", "", "note", ""),
    )
    store.append(Message(MessageKind.ASSISTANT, "In May [1] [2].", "", NOON, citations=cited))
    (read,) = store.read(1)
    assert [c.passage_id for c in read.citations] == ["p1", "p2"]
    assert [c.source for c in read.citations] == ["report.pdf, page 3", "note"]
    (hit,) = store.search(["May"]).hits
    assert hit.message.citations == read.citations


def test_times_are_kept_in_utc(store: RecallStore) -> None:
    shanghai = timezone(timedelta(hours=8))
    stored = store.append(Message(MessageKind.USER, "x", "x", NOON.astimezone(shanghai)))
    (read,) = store.read(1)
    assert read.created_at == NOON
    assert read.created_at.utcoffset() == stored.created_at.utcoffset() == timedelta(0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "a\r\n\tb",
        "😀👨‍👩‍👧🇵🇹",
        "שלום world مرحبا",
        "你好，猫",
        "x" * 100_000,
        "字" * 100_000,
        "%_'\"; --",
    ],
    ids=["empty", "blank", "lines", "emoji", "rtl", "cjk", "long", "long-cjk", "sql"],
)
def test_every_text_round_trips(store: RecallStore, say: Say, text: str) -> None:
    say(text)
    (message,) = store.read(1)
    assert message.text == text
    assert message.prompt_text == f"[user] {text}"


@pytest.mark.thorough
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_any_text_round_trips(store: RecallStore, text: str) -> None:
    stored = store.append(Message(MessageKind.USER, text, text, NOON))
    assert store.read(stored.seq) == [stored]
    assert stored.text == text


def test_half_an_emoji_and_nul_are_replaced(store: RecallStore, say: Say) -> None:
    assert say("a\ud83d\0b").text == "a\ufffdb"
    assert store.read(1)[0].text == "a\ufffdb"


def test_reading_ranges(store: RecallStore, say: Say) -> None:
    for n in range(1, 8):
        say(f"m{n}")
    assert [m.seq for m in store.read(3, 5)] == [3, 4, 5]
    assert [m.seq for m in store.read(6)] == [6, 7]
    assert store.read(8) == []
    assert [m.seq for m in store.read_last(3)] == [5, 6, 7]
    assert [m.seq for m in store.read_last(2, before_seq=4)] == [2, 3]
    assert [m.seq for m in store.read_last(99)] == list(range(1, 8))
    assert store.read_last(0) == []


def test_only_what_was_said_is_found(store: RecallStore, say: Say) -> None:
    say("the vet called")
    say("the vet says hello", MessageKind.ASSISTANT)
    say("vet alert", MessageKind.SYSTEM)
    say("vet result", MessageKind.FUNCTION)
    assert sorted(texts(store, "vet")) == ["the vet called", "the vet says hello"]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("We painted the fence", "paintings"),
        ("My DOG is called Bento", "dog bento"),
        ("Crème brûlée at Zoë's", "creme brulee zoe"),
        ("你好，我有一只猫", "你好"),
        ("你好，我有一只猫", "猫"),
        ("東京タワーに行った", "タワー"),
        ("서울에서 만나요", "서울"),
        ("שָׁלוֹם לכולם", "שלום"),
        ("مَرْحَبًا بك", "مرحبا"),
        ("Such fun 🎉🎉", "🎉"),
        ("call foo_bar() twice", "foo_bar()"),
        ("I write C++20 at work", "C++"),
        ("to be or not to be", "to be"),
        ("what is it", "what is it"),
        ("ｆｕｌｌ width", "full"),
        ("हिन्दी में लिखो", "हिन्दी"),
        ("we met at 10:42", "10:42"),
        ("a smile :-) for you", ":-)"),
    ],
)
def test_every_script_is_found_at_once(store: RecallStore, say: Say, text: str, query: str) -> None:
    say("nothing to see here, keep walking along")
    say(text)
    assert texts(store, query)[0] == text


def test_what_was_typed_ranks_before_its_parts(store: RecallStore, say: Say) -> None:
    say("vitamin C is good, bar none")
    say("foo_bar() is written in C++")
    assert texts(store, "C++")[0] == "foo_bar() is written in C++"
    assert texts(store, "foo_bar()")[0] == "foo_bar() is written in C++"


def test_common_words_do_not_find_everything(store: RecallStore, say: Say) -> None:
    say("what is the weather")
    say("Bento is a dog")
    assert texts(store, "what is the name of the dog") == ["Bento is a dog"]


def test_equal_matches_come_newest_first(store: RecallStore, say: Say) -> None:
    def once_more() -> Message:
        said = say("the red car")
        for word in ("nothing", "else", "here"):
            say(word)
        return said

    first, second, third = once_more(), once_more(), once_more()
    found = store.search(["car"])
    assert [hit.message.seq for hit in found.hits] == [third.seq, second.seq, first.seq]
    assert len({hit.score for hit in found.hits}) == 1


def test_the_question_says_what_an_answer_is_about(store: RecallStore, say: Say) -> None:
    for number in range(3):
        say(f"the colour of the sky, part {number}")
    for word in ("nothing", "else", "here"):
        say(word)
    say("Which colour did you take for the kitchen?", MessageKind.ASSISTANT)
    say("Oh, a quiet colour, green")
    found = texts(store, "kitchen colour")
    assert found[:2] == [
        "Which colour did you take for the kitchen?",
        "Oh, a quiet colour, green",
    ]


def test_a_message_beside_counts_in_its_own_conversation_only(store: RecallStore, say: Say) -> None:
    say("the kitchen colour")
    other = Message(MessageKind.USER, "a colour", "", NOON, thread_id=2)
    near = store.append(other)
    for word in ("nothing", "else", "here"):
        say(word)
    far = store.append(other)
    hits = {hit.message.seq: hit.score for hit in store.search(["kitchen colour"]).hits}
    assert hits[near.seq] == hits[far.seq]


def test_queries_are_fused(store: RecallStore, say: Say) -> None:
    say("the cat sleeps")
    say("the dog barks")
    say("the dog chased a cat")
    say("a bird sings")
    found = store.search(["cat", "dog", ""])
    assert found.hits[0].message.text == "the dog chased a cat"
    assert found.total == 3
    assert found.hits[0].score > found.hits[1].score


def test_pages_count_from_one(store: RecallStore, say: Say) -> None:
    for n in range(7):
        say(f"apple number {n}")
    first, second, beyond = (store.search(["apple"], page=n, page_size=5) for n in (1, 2, 3))
    assert (len(first.hits), first.page, first.pages, first.total) == (5, 1, 2, 7)
    assert (len(second.hits), second.page, second.pages, second.total) == (2, 2, 2, 7)
    assert (beyond.hits, beyond.page, beyond.pages, beyond.total) == ((), 3, 2, 7)
    assert {h.message.seq for h in first.hits} | {h.message.seq for h in second.hits} == set(
        range(1, 8)
    )


def test_a_search_may_stop_before_a_message(store: RecallStore, say: Say) -> None:
    for n in range(6):
        say(f"apple number {n}")
    found = store.search(["apple"], where=RecallFilter(before_seq=4), page_size=2)
    assert [hit.message.seq for hit in found.hits] == [2, 3]
    assert (found.total, found.pages) == (3, 2)
    beyond = store.search(["apple"], where=RecallFilter(before_seq=4), page=9, page_size=2)
    assert (beyond.hits, beyond.total) == ((), 3)
    assert store.search(["apple"], where=RecallFilter(before_seq=1)).total == 0


@pytest.mark.parametrize("queries", [[""], ["   "], ["zebra"], ["'; DROP TABLE messages"]])
def test_nothing_found_is_an_empty_page(store: RecallStore, say: Say, queries: list[str]) -> None:
    say("hello")
    found = store.search(queries)
    assert (found.hits, found.page, found.pages, found.total) == ((), 1, 1, 0)


def test_an_empty_store_finds_nothing(store: RecallStore) -> None:
    assert store.search(["anything"]).total == 0
    assert store.search([]).total == 0
    assert store.read(1) == store.read_last(5) == []


def test_dates_are_found_oldest_first(store: RecallStore, say: Say) -> None:
    for day in range(6):
        say(f"day {day}", at=NOON + timedelta(days=day))
    say("alert", MessageKind.SYSTEM, NOON + timedelta(days=2))
    then = RecallFilter(start=NOON + timedelta(days=1), end=NOON + timedelta(days=4))
    found = store.search([], where=then, page_size=2)
    assert [hit.message.text for hit in found.hits] == ["day 1", "day 2"]
    assert (found.pages, found.total) == (2, 3)
    local = (NOON + timedelta(days=5)).astimezone(timezone(timedelta(hours=-7)))
    then = RecallFilter(start=local, end=local + timedelta(seconds=1))
    assert store.search([], where=then).total == 1


def test_a_filter_admits_speaker_thread_and_date(store: RecallStore, say: Say) -> None:
    say("apple one")
    say("apple two", MessageKind.ASSISTANT, NOON + timedelta(days=2))
    third = store.append(Message(MessageKind.USER, "apple three", "", NOON, thread_id=2))
    assert third.thread_id == 2

    def found(**where: Any) -> list[int]:
        hits = store.search(["apple"], where=RecallFilter(**where)).hits
        return sorted(hit.message.seq for hit in hits)

    assert found() == [1, 2, 3]
    assert found(speaker=MessageKind.ASSISTANT) == [2]
    assert found(thread_id=2) == [3]
    assert found(start=NOON + timedelta(days=1)) == [2]
    assert found(end=NOON + timedelta(days=1)) == [1, 3]
    assert found(seen=(1, 2)) == [1, 3]
    assert found(hidden=frozenset({1, 2})) == [3]
    assert [m.seq for m in store.read(1, thread_id=2)] == [3]
    assert [m.seq for m in store.read_last(5, thread_id=1)] == [1, 2]
