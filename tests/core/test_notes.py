"""Notes to self over real stores: each fact once, the newest value first, whatever is killed."""

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from helpers.fixed_clock import FixedClock
from helpers.memory_stores import HashEmbedder, MemoryArchivalStore, MemoryStateStore
from pagekeeper_core.errors import FunctionError, StoreError
from pagekeeper_core.memory_history import MemoryHistory
from pagekeeper_core.notes import KeptNote, NoteOutcome, Notes
from pagekeeper_core.records import ChangeAction, InsertedNote, Target, TargetKind
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.duckdb_state import DuckDBStateStore
from pagekeeper_core.storage.lancedb_archival import LanceDBArchivalStore


class Shelf:
    """Notes over a real history and archive; `restart` is a new process over the same files."""

    def __init__(self, folder: Path) -> None:
        self.database = Database(folder / "recall.duckdb")
        self.state = DuckDBStateStore(self.database)
        self.archival = LanceDBArchivalStore(folder / "archive", HashEmbedder(512))
        self.restart()

    def restart(self) -> None:
        self.history = MemoryHistory(self.state, FixedClock())
        self.notes = Notes(self.archival, self.history)

    def keep(self, text: str, said: str = "") -> KeptNote:
        return self.notes.insert(text, said=said, actor="assistant", cause_seq=7)

    def forget(self, note: KeptNote) -> None:
        self.history.record(
            Target(TargetKind.PASSAGE, note.passage_id),
            ChangeAction.FORGET,
            before=note.text,
            after="",
            actor="user",
        )

    def found(self, *queries: str, page_size: int = 9) -> list[str]:
        page = self.notes.search(queries, page=1, page_size=page_size)
        return [hit.passage.text for hit in page.hits]


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    made = Shelf(tmp_path)
    yield made
    made.archival.close()
    made.database.close()


def test_a_note_is_a_row_with_its_cause(shelf: Shelf) -> None:
    note = shelf.keep("  Ana likes ginger ")
    assert (note.text, note.outcome) == ("Ana likes ginger", NoteOutcome.NEW)
    (row,) = shelf.state.changes()
    assert row.target == Target(TargetKind.PASSAGE, note.passage_id)
    assert (row.action, row.after, row.cause_seq) == (ChangeAction.INSERT, "Ana likes ginger", 7)
    assert shelf.found("ginger") == ["Ana likes ginger"]


def test_the_same_fact_reworded_668_times_is_kept_once() -> None:
    state, archival = MemoryStateStore(), MemoryArchivalStore(HashEmbedder(512))
    notes = Notes(archival, MemoryHistory(state, FixedClock()))
    openings = ("Ana has a dog called {}", "Ana's dog is {}", "Ana owns the dog {}", "Ana: dog {}")
    endings = ("", ".", "!", " (really)", " too", "…")
    wordings = [o.format(f"Bento{e}") for o, e in itertools.product(openings, endings)]
    for text in itertools.islice(itertools.cycle(wordings), 668):
        notes.insert(text, said="", actor="assistant")
    assert archival.count() == 1
    assert len(state.changes()) == 1


def test_notes_with_one_vector_are_two_facts() -> None:
    class BlindEmbedder(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            return super().embed(["[UNK]" for _ in texts])

    notes = Notes(
        MemoryArchivalStore(BlindEmbedder()), MemoryHistory(MemoryStateStore(), FixedClock())
    )
    for text in ("我对猫过敏", "我对虾过敏", "Él canta", "C++"):
        assert notes.insert(text, said="", actor="assistant").outcome is NoteOutcome.NEW
    for text in ("我对猫过敏。", "el canta!", "c++"):
        assert notes.insert(text, said="", actor="assistant").outcome is NoteOutcome.KNOWN


def test_another_value_of_a_fact_is_another_note(shelf: Shelf) -> None:
    shelf.keep("Ana's dog is Bento")
    assert shelf.keep("Ana's dog is Luna").beside == "Ana's dog is Bento"
    assert shelf.archival.count() == 2


def test_what_no_longer_holds_ranks_behind(shelf: Shelf) -> None:
    old = shelf.keep("Bento is 3 years old")
    new = shelf.keep("Bento is 4 years old")
    assert new.superseded == old.text
    assert shelf.found("Bento is 3 years old") == [new.text, old.text]
    assert shelf.history.superseded()[old.passage_id].successor == new.passage_id


def test_what_held_once_may_hold_again(shelf: Shelf) -> None:
    lyon = shelf.keep("Ana lives in Lyon")
    shelf.keep("Ana lives in Porto")
    again = shelf.keep("Ana lives in Lyon.")
    assert (again.passage_id, again.outcome) == (lyon.passage_id, NoteOutcome.RETURNED)
    assert again.superseded == "Ana lives in Porto"
    assert shelf.found("where Ana lives")[0] == "Ana lives in Lyon"


def test_what_the_user_had_forgotten_comes_back_by_the_users_word_only(shelf: Shelf) -> None:
    note = shelf.keep("The alarm code is 4711")
    shelf.forget(note)
    assert shelf.found("alarm code") == []
    with pytest.raises(FunctionError, match="had that forgotten"):
        shelf.keep("The alarm code is 4711", said="Tell me a joke")
    assert shelf.keep("alarm code: 4711", said="My alarm code is 4711").outcome == "returned"
    assert shelf.found("alarm code") == [note.text]


def test_a_kill_between_row_and_archive_loses_nothing(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def kill(*_: object, **__: object) -> InsertedNote:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(shelf.archival, "insert_note", kill)
        with pytest.raises(Killed):
            shelf.keep("Ana likes ginger")
    shelf.restart()
    assert shelf.found("ginger") == ["Ana likes ginger"]
    (row,) = shelf.state.changes()
    assert shelf.archival.passage(row.target.name) is not None
    assert row.cause_seq == 7


def test_a_note_that_could_not_be_archived_does_not_come_back(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> InsertedNote:
        raise StoreError("The disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr(shelf.archival, "insert_note", full)
        with pytest.raises(StoreError):
            shelf.keep("Ana likes ginger")
    shelf.restart()
    assert shelf.found("ginger") == []
    assert shelf.keep("Ana likes ginger").outcome is NoteOutcome.NEW


@pytest.mark.parametrize("blank", ["", " \n", "\0"])
def test_a_blank_note_is_refused(shelf: Shelf, blank: str) -> None:
    with pytest.raises(FunctionError, match="empty"):
        shelf.keep(blank)
    assert shelf.state.changes() == []
