"""Why memory holds a thing, taking changes back, hiding and showing again: over real stores."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.fixed_clock import FixedClock
from helpers.memory_stores import HashEmbedder
from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.memory_history import MemoryHistory
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.provenance import Provenance, Standing
from pagekeeper_core.records import (
    ChangeAction,
    DocumentRecord,
    MemoryChange,
    Passage,
    Target,
    TargetKind,
)
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.duckdb_recall import DuckDBRecallStore
from pagekeeper_core.storage.duckdb_state import DuckDBStateStore
from pagekeeper_core.storage.lancedb_archival import LanceDBArchivalStore

HUMAN = Target(TargetKind.BLOCK, "human")


class Desk:
    """Real stores and what works on them, as the command line has them: without a model."""

    def __init__(self, folder: Path) -> None:
        self.database = Database(folder / "recall.duckdb")
        self.recall = DuckDBRecallStore(self.database)
        self.state = DuckDBStateStore(self.database)
        self.archival = LanceDBArchivalStore(folder / "archive", HashEmbedder())
        self.clock = FixedClock()
        self.start()

    def start(self) -> None:
        self.history = MemoryHistory(self.state, self.clock)
        self.provenance = Provenance(
            state=self.state, recall=self.recall, archival=self.archival, history=self.history
        )

    def edit(self, *texts: str, cause_seq: int = 0) -> list[int]:
        """Edit the block to each of these texts; the numbers of the changes."""
        return [self._edit(text.replace(" / ", "\n"), cause_seq) for text in texts]

    def _edit(self, text: str, cause_seq: int) -> int:
        change = self.history.record(
            HUMAN,
            ChangeAction.EDIT,
            before=self.history.block_text("human"),
            after=text,
            actor="assistant",
            cause_seq=cause_seq,
        )
        return change.change_id

    def note(self, text: str, cause_seq: int = 0) -> tuple[Target, MemoryChange]:
        target = Target(TargetKind.PASSAGE, self.archival.insert_note(text).passage_id)
        inserted = self.history.record(
            target,
            ChangeAction.INSERT,
            before="",
            after=text,
            actor="assistant",
            cause_seq=cause_seq,
        )
        return target, inserted

    def failed_note(self, target: Target, text: str) -> tuple[MemoryChange, MemoryChange]:
        """As `Notes` leaves it when the archive cannot be written."""
        row = self.history.record(
            target, ChangeAction.INSERT, before="", after=text, actor="assistant"
        )
        taken_back = self.history.record(
            target,
            ChangeAction.FORGET,
            before=text,
            after="",
            actor="program",
            undoes=row.change_id,
        )
        return row, taken_back

    def say(self, text: str) -> int:
        return self.recall.append(Message(MessageKind.USER, text, text, self.clock.now())).seq

    @property
    def lines(self) -> str:
        return " / ".join(self.history.block_text("human").splitlines())


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.archival.close()
    made.database.close()


def test_why_names_the_change_and_the_message_that_brought_a_line(desk: Desk) -> None:
    seq = desk.say("My dog is called Bento.")
    desk.edit("Name: Ana")
    (brought,) = desk.edit("Name: Ana / Dog: Bento", cause_seq=seq)
    desk.edit("Name: Ana / Dog: Bento / Likes tea")
    (why,) = desk.provenance.why("dog:  bento")
    assert why.change is not None
    assert (why.change.change_id, why.standing) == (brought, Standing.HOLDS)
    assert why.cause is not None
    assert why.cause.text == "My dog is called Bento."


def test_why_tells_of_a_line_that_was_replaced(desk: Desk) -> None:
    desk.edit("Lives in Lyon", "Lives in Porto")
    lyon, porto = desk.provenance.why("Lives in Lyon")[0], desk.provenance.why("Lives in Porto")[0]
    assert (lyon.standing, lyon.replaced_by) == (Standing.ENDED, "Lives in Porto")
    assert porto.change is not None
    assert lyon.until == porto.change.at
    assert (porto.standing, porto.replaced) == (Standing.HOLDS, "Lives in Lyon")
    assert [why.text for why in desk.provenance.why(HUMAN)] == ["Lives in Porto", "Lives in Lyon"]


def test_why_of_what_nobody_knows_is_empty(desk: Desk) -> None:
    desk.edit("Name: Ana")
    assert desk.provenance.why("Lives on the moon") == ()
    assert desk.provenance.why("  ") == ()


def test_the_newest_change_is_undone_to_the_letter(desk: Desk) -> None:
    desk.edit("Name: Ana\n\nLikes  tea", "Name: Ana")
    undo = desk.provenance.undo(2)
    assert undo.after == "Name: Ana\n\nLikes  tea"
    assert (undo.undoes, undo.actor, undo.before) == (2, "user", "Name: Ana")


@pytest.mark.parametrize(
    ("texts", "number", "left"),
    [
        (["A", "A / B", "A / B / C"], 2, "A / C"),
        (["A / B", "A / X", "A / X / C"], 2, "A / B / C"),
        (["A / B / C", "A / C", "A / C / D"], 2, "A / B / C / D"),
        (["A / B", "B", "B / C"], 2, "A / B / C"),
        (["A / B", "A", "A / B / C"], 1, "C"),
        (["A / B", "X / Y", "N / X / Y"], 2, "N / A / B"),
        (["A / B / C", "A / C", "C"], 2, "B / C"),
    ],
)
def test_an_older_change_is_undone_by_lines(
    desk: Desk, texts: list[str], number: int, left: str
) -> None:
    desk.edit(*texts)
    desk.provenance.undo(number)
    assert desk.lines == left


def test_undoing_an_undo_brings_the_change_again(desk: Desk) -> None:
    desk.edit("A", "A / B", "A / B / C")
    first = desk.provenance.undo(2)
    second = desk.provenance.undo(first.change_id)
    assert sorted(desk.lines.split(" / ")) == ["A", "B", "C"]
    third = desk.provenance.undo(2)
    assert desk.lines == "A / C"
    assert [c.undoes for c in desk.state.changes()][3:] == [2, first.change_id, 2]
    assert second.change_id < third.change_id


def test_a_line_that_came_back_keeps_its_origin(desk: Desk) -> None:
    seq = desk.say("I live in Lyon")
    desk.edit("Lives in Lyon", cause_seq=seq)
    desk.edit("Lives in Porto")
    desk.provenance.undo(2)
    (why,) = desk.provenance.why("Lives in Lyon")
    assert why.change is not None
    assert (why.change.change_id, why.standing) == (1, Standing.HOLDS)
    assert why.cause is not None


def test_what_stands_in_the_way_of_an_undo_is_named(desk: Desk) -> None:
    desk.edit("Lives in Lyon", "Lives in Porto", "Lives in Faro")
    with pytest.raises(PagekeeperError, match=r"'Lives in Porto' .* change 3.*'Lives in Faro'"):
        desk.provenance.undo(2)
    assert len(desk.state.changes()) == 3


def test_a_change_is_not_undone_twice(desk: Desk) -> None:
    desk.edit("A", "A / B")
    desk.provenance.undo(2)
    with pytest.raises(PagekeeperError, match="already, by change 3") as error:
        desk.provenance.undo(2)
    assert "change 3" in error.value.hint


def test_an_undo_without_effect_says_so(desk: Desk) -> None:
    desk.edit("A / B", "A", "A / B")
    with pytest.raises(PagekeeperError, match="nothing to take back"):
        desk.provenance.undo(2)


@pytest.mark.parametrize("number", [0, 7, -1])
def test_there_is_no_such_change(desk: Desk, number: int) -> None:
    desk.edit("A")
    with pytest.raises(PagekeeperError, match="no change") as error:
        desk.provenance.undo(number)
    assert "1 to 1" in error.value.hint


def test_an_undo_that_does_not_fit_is_refused(desk: Desk) -> None:
    desk.edit("A long line", "A")
    desk.provenance = Provenance(
        state=desk.state,
        recall=desk.recall,
        archival=desk.archival,
        history=desk.history,
        fits=lambda block, text: len(text) < 5,
    )
    with pytest.raises(PagekeeperError, match="over its limit"):
        desk.provenance.undo(2)


def test_a_forgotten_note_is_hidden_and_comes_back(desk: Desk) -> None:
    target, _ = desk.note("Ana likes ginger")
    forgotten = desk.provenance.forget(target)
    assert desk.history.hidden_passages() == {target.name}
    desk.start()
    assert desk.history.hidden_passages() == {target.name}
    assert desk.provenance.why(target)[0].standing is Standing.FORGOTTEN
    with pytest.raises(PagekeeperError, match="already"):
        desk.provenance.forget(target)
    desk.provenance.undo(forgotten.change_id)
    assert desk.history.hidden_passages() == frozenset()
    desk.provenance.undo(desk.state.changes()[-1].change_id)
    assert desk.history.hidden_passages() == {target.name}
    desk.provenance.undo(desk.state.changes()[-1].change_id)
    assert desk.provenance.why(target)[0].standing is Standing.HOLDS


def test_undoing_the_insertion_of_a_note_hides_it(desk: Desk) -> None:
    target, inserted = desk.note("Ana likes ginger", desk.say("I like ginger"))
    (why,) = desk.provenance.why(target)
    assert (why.source, why.change) == ("note", inserted)
    assert why.cause is not None
    desk.provenance.undo(inserted.change_id)
    assert desk.history.hidden_passages() == {target.name}
    desk.provenance.undo(2)
    assert desk.history.hidden_passages() == frozenset()
    assert desk.archival.count() == 1


def test_what_came_later_and_stands_is_in_the_way(desk: Desk) -> None:
    target, inserted = desk.note("Ana likes ginger")
    first = desk.provenance.forget(target)
    desk.history.record(
        target, ChangeAction.RESTORE, before="", after="Ana likes ginger", actor="assistant"
    )
    second = desk.provenance.forget(target)
    with pytest.raises(PagekeeperError, match=f"change {second.change_id}"):
        desk.provenance.undo(first.change_id)
    desk.provenance.undo(second.change_id)
    assert desk.history.hidden_passages() == frozenset()
    desk.provenance.undo(inserted.change_id)
    assert desk.history.hidden_passages() == {target.name}


def test_a_note_that_could_not_be_stored_is_not_brought_back(desk: Desk) -> None:
    target = Target(TargetKind.PASSAGE, "never-stored")
    inserted, taken_back = desk.failed_note(target, "Ana likes ginger")
    for change in (inserted, taken_back):
        with pytest.raises(PagekeeperError, match="could not be stored"):
            desk.provenance.undo(change.change_id)
    assert len(desk.state.changes()) == 2


def test_a_superseded_note_says_until_when_and_what_holds(desk: Desk) -> None:
    old, _ = desk.note("Bento is 3")
    new, inserted = desk.note("Bento is 4")
    change = desk.history.record(
        old,
        ChangeAction.SUPERSEDE,
        before="Bento is 3",
        after="Bento is 3",
        actor="assistant",
        successor=new.name,
    )
    (why,) = desk.provenance.why(old)
    assert (why.standing, why.until, why.replaced_by) == (Standing.ENDED, change.at, "Bento is 4")
    assert desk.provenance.why(new)[0].replaced == "Bento is 3"
    desk.provenance.undo(inserted.change_id)
    assert desk.provenance.why(old)[0].standing is Standing.HOLDS
    desk.provenance.undo(desk.state.changes()[-1].change_id)
    forgotten = desk.provenance.forget(old)
    with pytest.raises(PagekeeperError, match=f"change {forgotten.change_id}"):
        desk.provenance.undo(change.change_id)
    desk.provenance.undo(forgotten.change_id)
    assert desk.history.superseded()[old.name].successor == new.name
    desk.provenance.undo(change.change_id)
    assert desk.history.superseded() == {}


def test_a_passage_of_a_document_has_its_source(desk: Desk) -> None:
    record = DocumentRecord("lease.pdf", "pdf", "a1", "/home/ana/lease.pdf", 3)
    desk.archival.add_document(record, [Passage("Rent is 900 euros", "page 2")])
    (hit,) = desk.archival.search(["rent"]).hits
    (why,) = desk.provenance.why(Target(TargetKind.PASSAGE, hit.passage_id))
    assert (why.source, why.change, why.standing) == ("lease.pdf, page 2", None, Standing.HOLDS)


def test_a_message_is_forgotten_and_restored(desk: Desk) -> None:
    target = Target(TargetKind.MESSAGE, str(desk.say("My PIN is 1234")))
    desk.provenance.forget(target)
    assert desk.history.hidden_messages() == {1}
    (why,) = desk.provenance.why(target)
    assert (why.text, why.standing) == ("My PIN is 1234", Standing.FORGOTTEN)
    desk.provenance.undo(desk.state.changes()[-1].change_id)
    assert desk.history.hidden_messages() == frozenset()


@pytest.mark.parametrize(
    ("target", "says"),
    [
        (Target(TargetKind.PASSAGE, "nope"), "no passage"),
        (Target(TargetKind.MESSAGE, "99"), "no message"),
        (Target(TargetKind.MESSAGE, "x"), "no message"),
        (HUMAN, "cannot be forgotten"),
    ],
)
def test_what_is_not_there_cannot_be_forgotten(desk: Desk, target: Target, says: str) -> None:
    with pytest.raises(PagekeeperError, match=says):
        desk.provenance.forget(target)
    assert desk.state.changes() == []
