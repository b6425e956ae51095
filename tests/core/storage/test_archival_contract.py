"""What every archival store does: the real one and the double."""

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.memory_stores import HashEmbedder, MemoryArchivalStore
from pagekeeper_core.protocols import ArchivalStore
from pagekeeper_core.records import DocumentRecord, Passage
from pagekeeper_core.storage.lancedb_archival import LanceDBArchivalStore


@pytest.fixture(params=["memory", "lancedb"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ArchivalStore]:
    if request.param == "memory":
        yield MemoryArchivalStore()
        return
    lancedb = LanceDBArchivalStore(tmp_path / "memory" / "archive.lance", HashEmbedder())
    yield lancedb
    lancedb.close()


def record(title: str = "notes.txt", sha256: str = "a1") -> DocumentRecord:
    return DocumentRecord(title, "text", sha256, f"/home/ana/{title}", 2)


def texts(store: ArchivalStore, *queries: str, page_size: int = 50) -> list[str]:
    return [hit.passage.text for hit in store.search(queries, page_size=page_size).hits]


def test_a_note_is_found_at_once(store: ArchivalStore) -> None:
    assert store.insert_note("Bento's vet is Dr. Costa").is_new
    (hit,) = store.search(["who is the vet"]).hits
    assert hit.passage == Passage("Bento's vet is Dr. Costa")
    assert hit.source == "note"
    assert hit.score > 0
    assert store.count() == 1


def test_a_hit_says_how_near_it_is_to_the_nearest_query(store: ArchivalStore) -> None:
    store.insert_note("Ana likes ginger tea")
    store.insert_note("Ana sold the old car")
    tea, car = store.search(["ana likes ginger tea", "who likes tea"]).hits
    assert tea.similarity == pytest.approx(1.0, abs=0.01)
    assert 0 < car.similarity < 0.9
    assert car.similarity == pytest.approx(
        max(store.search([query]).hits[1].similarity for query in ("Ana likes ginger tea",)),
        abs=0.01,
    )
    (looked_up,) = [store.passage(tea.passage_id)]
    assert looked_up is not None
    assert looked_up.similarity == 1.0


def test_a_passage_is_found_by_its_identifier(store: ArchivalStore) -> None:
    note = store.insert_note("Bento's vet is Dr. Costa")
    hit = store.passage(note.passage_id)
    assert hit is not None
    assert (hit.passage.text, hit.source) == ("Bento's vet is Dr. Costa", "note")
    assert hit.passage_id == note.passage_id
    assert store.passage("x' OR 'a' = 'a") is None


def test_a_note_may_bring_its_identifier(store: ArchivalStore) -> None:
    assert store.insert_note("Bento's vet is Dr. Costa", passage_id="n1").passage_id == "n1"
    assert not store.insert_note("bento's vet is Dr. Costa.", passage_id="n2").is_new
    assert store.passage("n1") is not None
    assert store.passage("n2") is None


def test_the_notes_nearest_to_a_text(store: ArchivalStore) -> None:
    assert store.notes_like("Ana") == []
    store.add_document(record(), [Passage("Ana likes ginger tea")])
    for text in ("Bento sees Dr. Costa", "Ana likes ginger", "Ana likes black tea"):
        store.insert_note(text)
    near = store.notes_like("ana likes  GINGER.", count=2)
    assert [hit.passage.text for hit in near] == ["Ana likes ginger", "Ana likes black tea"]
    assert near[0].score == pytest.approx(1.0)
    assert 0 < near[1].score < 1
    assert store.notes_like(" ") == []


def test_the_passages_of_a_document(store: ArchivalStore) -> None:
    store.insert_note("Ana owns two pens")
    info = store.add_document(record(), [Passage("Ana likes tea"), Passage("Bento sleeps")])
    texts = [store.passage(name) for name in store.passages_of(info.document_id)]
    assert {hit.passage.text for hit in texts if hit} == {"Ana likes tea", "Bento sleeps"}
    assert store.passages_of("x' OR 'a' = 'a") == []


def test_what_is_hidden_or_put_behind(store: ArchivalStore) -> None:
    ids = [store.insert_note(f"Ana owns {n} pens").passage_id for n in ("two", "five", "nine")]
    first = store.search(["Ana pens"]).hits[0].passage_id
    found = [hit.passage_id for hit in store.search(["Ana pens"], behind={first}).hits]
    assert (found[-1], set(found)) == (first, set(ids))
    assert (
        store.search(["Ana pens"], behind={first}, page=3, page_size=1).hits[0].passage_id == first
    )
    assert first not in [h.passage_id for h in store.search(["pens"], hidden={first}).hits]


def test_an_identifier_is_completed_from_its_beginning(store: ArchivalStore) -> None:
    ids = [store.insert_note(f"Ana owns {n} pens").passage_id for n in ("two", "five", "nine")]
    for passage_id in ids:
        assert store.identifiers(passage_id) == [passage_id]
    assert len(store.identifiers("")) == 2
    assert store.identifiers("x' OR 'a' = 'a") == []
    assert store.identifiers("%") == []


@pytest.mark.parametrize("again", ["Ana likes tea.", " ana  likes TEA ", "Ana likes tea!"])
def test_the_same_note_is_kept_once(store: ArchivalStore, again: str) -> None:
    assert store.insert_note("Ana likes tea.").is_new
    assert not store.insert_note(again).is_new
    assert store.count() == 1


@pytest.mark.parametrize(
    "other", ["Ana liked tea.", "Ana likes tea, not coffee.", "Ana likes C++.", "Ana likes tea 😀"]
)
def test_a_note_that_says_something_else_is_kept_too(store: ArchivalStore, other: str) -> None:
    assert store.insert_note("Ana likes tea.").is_new
    assert store.insert_note(other).is_new
    assert store.count() == 2


@pytest.mark.parametrize("blank", ["", "  \n", "\0"])
def test_a_blank_note_is_not_kept(store: ArchivalStore, blank: str) -> None:
    assert not store.insert_note(blank).is_new
    assert store.count() == 0


def test_a_document_keeps_its_passages_and_where_they_stand(store: ArchivalStore) -> None:
    passages = [Passage("The rent is 700 euros.", "page 1"), Passage("Keys: two.", "page 2")]
    info = store.add_document(record(), passages)
    assert info.passages == 2
    assert store.documents() == [info]
    assert store.find_document("a1") == info
    assert store.find_document("b2") is None
    hit = store.search(["how much is the rent"]).hits[0]
    assert hit.passage == passages[0]
    assert hit.source == "notes.txt"
    assert hit.created_at.utcoffset() is not None


def test_the_same_content_is_archived_once(store: ArchivalStore) -> None:
    first = store.add_document(record(), [Passage("one")])
    assert store.add_document(record("copy.txt"), [Passage("one")]) == first
    assert store.count() == 1
    assert [info.record.title for info in store.documents()] == ["notes.txt"]


def test_documents_are_listed_newest_first(store: ArchivalStore) -> None:
    for number in range(3):
        store.add_document(record(f"{number}.txt", f"sha{number}"), [Passage(f"text {number}")])
    assert [info.record.title for info in store.documents()] == ["2.txt", "1.txt", "0.txt"]


def test_vectors_made_by_the_caller_are_taken(store: ArchivalStore) -> None:
    vectors = HashEmbedder().embed(["harbour"])
    store.add_document(record(), [Passage("the old port")], vectors=vectors)
    assert texts(store, "harbour") == ["the old port"]


def test_a_document_is_deleted_with_its_passages(store: ArchivalStore) -> None:
    store.insert_note("Ana owns two pens")
    kept = store.add_document(record("other.txt", "b2"), [Passage("the rent is due")])
    gone = store.add_document(record(), [Passage("the rent was paid"), Passage("keys")])
    store.delete_document(gone.document_id)
    assert store.document(gone.document_id) is None
    assert store.find_document("a1") is None
    assert store.documents() == [kept]
    assert store.passages_of(gone.document_id) == []
    assert texts(store, "rent", "keys", "pens") == ["the rent is due", "Ana owns two pens"]
    for unknown in (gone.document_id, "", "x' OR 'a' = 'a"):
        store.delete_document(unknown)
    assert store.count() == 2
    assert store.add_document(record(), [Passage("keys")]).document_id != gone.document_id


def test_a_document_takes_the_place_of_another(store: ArchivalStore) -> None:
    old = store.add_document(record(), [Passage("the rent is 700")])
    new = store.add_document(
        record(sha256="a2"), [Passage("the rent is 800")], replaces=old.document_id
    )
    assert store.documents() == [new]
    assert store.document(new.document_id) == new
    assert texts(store, "rent") == ["the rent is 800"]
    again = store.add_document(
        record(sha256="a2"), [Passage("the rent, again")], replaces=new.document_id
    )
    assert store.documents() == [again]
    assert texts(store, "rent") == ["the rent, again"]


def test_what_a_record_says_comes_back(store: ArchivalStore) -> None:
    changed = datetime(2026, 5, 3, 12, 30, tzinfo=timezone(timedelta(hours=2)))
    wanted = DocumentRecord("a.txt", "text", "a1", "/a.txt", 0, 6_000_000_000, changed)
    info = store.add_document(wanted, [Passage("one")])
    assert info.record == wanted
    assert store.documents()[0].record == wanted


def test_passages_know_their_document_and_are_read_in_order(store: ArchivalStore) -> None:
    store.add_document(record("other.txt", "b2"), [Passage(f"apple {n}") for n in range(4)])
    info = store.add_document(record(), [Passage(f"clause {n}") for n in range(7)])
    hit = store.search(["clause 3"]).hits[0]
    assert (hit.document_id, hit.position) == (info.document_id, 3)
    near = store.passages_around(hit.passage_id, 1, 2)
    assert [h.passage.text for h in near] == ["clause 2", "clause 3", "clause 4", "clause 5"]
    whole = store.passages_around(hit.passage_id, 99, 99)
    assert [h.position for h in whole] == list(range(7))
    first, last = (store.document_passages(info.document_id, page, 4) for page in (1, 2))
    assert [h.passage.text for h in first.hits] == [f"clause {n}" for n in range(4)]
    assert [h.passage.text for h in last.hits] == ["clause 4", "clause 5", "clause 6"]
    assert (first.page, first.pages, first.total) == (1, 2, 7)
    assert store.document_passages("x' OR 'a' = 'a").total == 0


def test_a_note_stands_alone(store: ArchivalStore) -> None:
    note = store.insert_note("Ana owns two pens")
    store.insert_note("Ana owns a cat")
    (alone,) = store.passages_around(note.passage_id, 3, 3)
    assert (alone.passage.text, alone.document_id) == ("Ana owns two pens", "")
    assert store.passages_around("no such passage", 1, 1) == []


def test_a_draft_is_found_only_when_it_is_finished(store: ArchivalStore) -> None:
    draft = store.draft(record())
    draft.add([Passage("clause one", "page 1")])
    draft.add([])
    draft.add([Passage("clause two", "page 9")], HashEmbedder().embed(["harbour"]))
    assert (store.count(), store.documents(), store.search(["clause"]).total) == (0, [], 0)
    info = draft.finish(pages=9)
    assert (info.record.pages, info.passages) == (9, 2)
    assert store.documents() == [info]
    assert texts(store, "harbour") == ["clause two"]
    assert [h.position for h in store.document_passages(info.document_id).hits] == [0, 1]
    draft.discard()
    assert store.count() == 2


def test_a_draft_may_be_thrown_away_or_come_too_late(store: ArchivalStore) -> None:
    draft = store.draft(record())
    draft.add([Passage("clause one")])
    draft.discard()
    assert store.count() == 0
    late = store.draft(record())
    late.add([Passage("clause one")])
    there = store.add_document(record(), [Passage("clause two")])
    assert late.finish() == there
    assert store.count() == 1


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("你好，我有一只猫", "猫"),
        ("東京タワーに行った", "タワー"),
        ("שָׁלוֹם לכולם", "שלום"),
        ("مَرْحَبًا بك", "مرحبا"),
        ("Such fun 🎉", "🎉"),
        ("It is written in C++20", "C++"),
        ("call foo_bar() twice", "foo_bar()"),
        ("We painted the fence", "paintings"),
        ("to be or not to be", "to be"),
        ('it\'s "quoted" (and) [bracketed]', '"quoted" AND (and)'),
    ],
)
def test_every_script_is_found(store: ArchivalStore, text: str, query: str) -> None:
    store.insert_note("Nothing else matters here")
    store.insert_note(text)
    assert texts(store, query)[0] == text


def test_queries_are_fused(store: ArchivalStore) -> None:
    for note in ("the cat sleeps", "the dog barks", "the dog chased a cat", "a bird sings"):
        store.insert_note(note)
    assert texts(store, "cat", "dog")[0] == "the dog chased a cat"


def test_pages_count_from_one(store: ArchivalStore) -> None:
    for n in range(7):
        store.insert_note(f"apple number {n}")
    first, second, beyond = (store.search(["apple"], page=n, page_size=5) for n in (1, 2, 3))
    assert (len(first.hits), first.page, first.pages, first.total) == (5, 1, 2, 7)
    assert (len(second.hits), second.page, second.pages, second.total) == (2, 2, 2, 7)
    assert (beyond.hits, beyond.page, beyond.pages, beyond.total) == ((), 3, 2, 7)
    assert len({hit.passage.text for hit in (*first.hits, *second.hits)}) == 7


@pytest.mark.parametrize("queries", [[], [""], ["  "], ["zebra"], ["' OR 1=1 --"]])
def test_nothing_found_is_an_empty_page(store: ArchivalStore, queries: list[str]) -> None:
    assert store.search(queries).total == 0
    store.insert_note("hello")
    found = store.search(queries)
    assert (found.hits, found.page, found.pages, found.total) == ((), 1, 1, 0)


def test_titles_with_quotes_and_half_an_emoji(store: ArchivalStore) -> None:
    odd = DocumentRecord("Ana's \ud83d.txt", "text", "it's", "/x\0y")
    info = store.add_document(odd, [Passage("odd\ud83d\0 text", "line '1'")])
    assert store.find_document("it's") == info
    assert texts(store, "odd text") == ["odd\ufffd text"]


@pytest.mark.thorough
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.text(
        min_size=1, alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0")
    )
)
def test_any_text_comes_back(store: ArchivalStore, text: str) -> None:
    sha256 = text.encode().hex()
    store.add_document(record(sha256=sha256), [Passage(f"{text} marker{sha256[:40]}")])
    assert f"{text} marker{sha256[:40]}" in texts(store, f"marker{sha256[:40]}")
