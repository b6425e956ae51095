"""Facts in time: what held when, what took its place, what came back."""

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from pagekeeper_core.facts import Fact, FactLog, past_facts
from pagekeeper_core.line_edits import line_edits, lines_of, without_edits
from pagekeeper_core.records import ChangeAction, MemoryChange, Target, TargetKind

START = datetime(2026, 3, 1, tzinfo=UTC)
HUMAN = Target(TargetKind.BLOCK, "human")

TEXTS = st.lists(st.sampled_from("ABCDEFG"), unique=True, max_size=6)


def history(*texts: str, undoes: dict[int, int] | None = None) -> list[MemoryChange]:
    """Edits from text to text, a day apart; " / " parts the lines."""
    whole = [text.replace(" / ", "\n") for text in ("", *texts)]
    return [
        MemoryChange(
            HUMAN,
            ChangeAction.EDIT,
            whole[n],
            whole[n + 1],
            START + timedelta(days=n),
            "assistant",
            undoes=(undoes or {}).get(n + 1, 0),
            change_id=n + 1,
        )
        for n in range(len(texts))
    ]


def spans(facts: list[Fact]) -> dict[str, tuple[int, int]]:
    """By line: the changes that brought and ended it."""
    return {
        f.text: (
            f.brought_by.change_id if f.brought_by else 0,
            f.ended_by.change_id if f.ended_by else 0,
        )
        for f in facts
    }


def test_a_fact_holds_from_its_change_to_the_one_that_ended_it() -> None:
    facts = FactLog(history("Name: Ana", "Name: Ana / Lives in Lyon", "Name: Ana / Lives in Porto"))
    assert spans(facts.facts()) == {
        "Name: Ana": (1, 0),
        "Lives in Lyon": (2, 3),
        "Lives in Porto": (3, 0),
    }
    lyon = next(fact for fact in facts.facts() if fact.text == "Lives in Lyon")
    assert (lyon.valid_from, lyon.valid_to) == (START + timedelta(1), START + timedelta(2))
    assert lyon.replaced_by == "Lives in Porto"


def test_a_line_that_moved_is_the_same_fact() -> None:
    assert spans(FactLog(history("A / B / C", "C / A / B")).facts()) == {
        "A": (1, 0),
        "B": (1, 0),
        "C": (1, 0),
    }


def test_what_stood_there_before_the_first_change_has_no_beginning() -> None:
    (change,) = history("I am Keeper. / Likes tea")
    brought_along = MemoryChange(HUMAN, ChangeAction.EDIT, "I am Keeper.", *_rest(change))
    assert spans(FactLog([brought_along]).facts()) == {"I am Keeper.": (0, 0), "Likes tea": (1, 0)}


def _rest(change: MemoryChange) -> tuple[str, datetime, str, int, int, str, int]:
    return (change.after, change.at, change.actor, 0, 0, "", change.change_id)


def test_what_an_undo_brings_back_never_ended() -> None:
    facts = FactLog(history("A", "B", "A", undoes={3: 2})).facts()
    assert spans(facts) == {"A": (1, 0), "B": (2, 3)}


def test_what_was_written_again_by_hand_begins_anew() -> None:
    facts = FactLog(history("A", "", "A")).facts()
    assert [(f.text, f.ended_by is None) for f in facts] == [("A", False), ("A", True)]
    assert past_facts(facts) == []


def test_past_facts_come_newest_end_first_and_once() -> None:
    facts = FactLog(history("A / B", "B", "A / B", "B", "C")).facts()
    assert [fact.text for fact in past_facts(facts)] == ["B", "A"]


@settings(max_examples=200)
@given(st.lists(TEXTS, min_size=1, max_size=6))
def test_the_facts_that_stand_are_the_lines_of_the_block(texts: list[list[str]]) -> None:
    facts = FactLog(history(*(" / ".join(lines) for lines in texts))).facts()
    assert sorted(f.text for f in facts if f.ended_by is None) == sorted(texts[-1])
    assert {f.text for f in facts} == {line for lines in texts for line in lines}


@settings(max_examples=300)
@given(TEXTS, TEXTS)
def test_an_edit_taken_back_at_once_leaves_what_stood_before(
    before: list[str], after: list[str]
) -> None:
    lines, missing = without_edits(after, line_edits(before, after))
    assert missing == []
    assert sorted(lines) == sorted(before)


@settings(max_examples=300)
@given(TEXTS, TEXTS, TEXTS)
def test_taking_an_edit_back_spares_what_came_after(
    before: list[str], after: list[str], now: list[str]
) -> None:
    lines, _ = without_edits(now, line_edits(before, after))
    later = set(now) - set(after)
    assert later <= set(lines)
    assert len(lines) == len(set(lines))


def test_lines_are_what_says_something() -> None:
    assert lines_of(" A \n\n  \nB") == ["A", "B"]
