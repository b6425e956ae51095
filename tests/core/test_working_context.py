"""Blocks: appended to, corrected, bounded, with their history."""

import pytest

from helpers.agent_rig import AgentRig
from helpers.fixed_clock import FixedClock
from helpers.memory_stores import MemoryStateStore
from helpers.scripted_model import ScriptedModel
from pagekeeper_core.errors import FunctionError
from pagekeeper_core.events import BlockMade
from pagekeeper_core.memory_history import MemoryHistory
from pagekeeper_core.records import Target, TargetKind
from pagekeeper_core.updates import ChainFailed, ChainFinished
from pagekeeper_core.working_context import Block, WorkingContext

HUMAN = Target(TargetKind.BLOCK, "human")


@pytest.fixture
def store() -> MemoryStateStore:
    return MemoryStateStore()


def build(store: MemoryStateStore, *, limit: int = 40) -> WorkingContext:
    blocks = [
        Block("persona", "who you are", 20, "I am Keeper."),
        Block("human", "the user", limit),
    ]
    history = MemoryHistory(store, FixedClock())
    return WorkingContext(blocks, history=history, counter=ScriptedModel())


def filled(store: MemoryStateStore, text: str) -> WorkingContext:
    context = build(store)
    context.rewrite("human", text, actor="user")
    return context


def test_facts_are_lines_and_survive_a_restart(store: MemoryStateStore) -> None:
    context = build(store)
    context.append("human", "Name: Ana", actor="assistant", cause_seq=3)
    context.append("human", "Dog:\n Bento", actor="assistant", cause_seq=5)
    assert build(store).block("human").text == "Name: Ana\nDog: Bento"
    edit = store.changes(HUMAN)[-1]
    assert (edit.before, edit.after, edit.cause_seq) == (
        "Name: Ana",
        "Name: Ana\nDog: Bento",
        5,
    )


def test_what_stands_there_already_is_not_added_again(store: MemoryStateStore) -> None:
    context = filled(store, "Name: Ana")
    assert context.append("human", "name:  ANA.", actor="assistant").known == "Name: Ana"
    assert len(store.changes()) == 1


def test_a_sign_makes_another_fact(store: MemoryStateStore) -> None:
    context = filled(store, "Writes in C++")
    context.append("human", "Writes in C", actor="assistant")
    assert context.block("human").text == "Writes in C++\nWrites in C"


@pytest.mark.parametrize("fact", ["I am allergic to nuts", "The user is allergic to nuts."])
def test_the_same_fact_in_other_words_is_not_added_again(
    store: MemoryStateStore, fact: str
) -> None:
    context = filled(store, "Allergic to nuts")
    assert context.append("human", fact, actor="assistant").known == "Allergic to nuts"
    added = context.append("human", "Rita is allergic to nuts", actor="assistant")
    assert "Rita" in added.block.text


@pytest.mark.parametrize("old", ["Lives in Lisbon", "lives in  LISBON.", "Lisbon"])
def test_text_is_found_exactly_then_by_white_space_and_case(
    store: MemoryStateStore, old: str
) -> None:
    context = filled(store, "Name: Ana\nLives in Lisbon")
    assert "Porto" in context.replace_text("human", old, "Lives in Porto", actor="assistant").text
    assert "Lisbon" not in context.block("human").text


def test_a_text_that_is_not_there_names_the_nearest_line(store: MemoryStateStore) -> None:
    context = filled(store, "Name: Ana\nLives in Lisbon")
    with pytest.raises(FunctionError, match="nearest line is 'Lives in Lisbon'"):
        context.replace_text("human", "Lives in old Lisbon", "x", actor="assistant")


def test_a_line_that_is_not_alike_is_not_offered_to_be_overwritten(store: MemoryStateStore) -> None:
    context = filled(store, "Name: Ana\nHas a dog called Bento")
    with pytest.raises(FunctionError, match="core_memory_append") as error:
        context.replace_text("human", "Lives in Lisbon", "Lives in Porto", actor="assistant")
    assert "Bento" not in str(error.value)


def test_an_ambiguous_text_shows_the_candidates(store: MemoryStateStore) -> None:
    context = filled(store, "Cat: Felix\nDog: Felix")
    with pytest.raises(FunctionError, match="Cat: Felix / Dog: Felix"):
        context.replace_text("human", "Felix", "Bento", actor="assistant")


def test_an_empty_replacement_takes_the_line_out(store: MemoryStateStore) -> None:
    context = filled(store, "Name: Ana\nLikes tea\nDog: Bento")
    context.replace_text("human", "Likes tea", "", actor="assistant")
    assert context.block("human").text == "Name: Ana\nDog: Bento"


def test_a_block_cannot_outgrow_its_limit_and_says_what_could_go(store: MemoryStateStore) -> None:
    context = filled(store, "old\na very long line about one thing and another\nshort")
    with pytest.raises(FunctionError, match="a very long line about one thing") as error:
        context.append("human", "word " * 40, actor="assistant")
    assert "its oldest: 'old'" in str(error.value)
    assert context.block("human").text.endswith("short")


def test_all_blocks_together_stay_within_their_room(store: MemoryStateStore) -> None:
    context = filled(store, "one two three")
    context.room = 8 + context.frame_tokens()
    with pytest.raises(FunctionError):
        context.append("human", "four five six seven eight", actor="assistant")
    assert context.fits("human", "one two")


def test_a_block_over_its_limit_can_still_be_shortened(store: MemoryStateStore) -> None:
    filled(store, "word " * 30)
    smaller = build(store, limit=10)
    assert smaller.rewrite("human", "word " * 20, actor="user").text


@pytest.mark.parametrize(("old", "new"), [("", "x"), ("  ", "x")])
def test_an_empty_old_text_is_refused(store: MemoryStateStore, old: str, new: str) -> None:
    with pytest.raises(FunctionError):
        filled(store, "Name: Ana").replace_text("human", old, new, actor="assistant")


def test_an_unknown_block_names_those_that_exist(store: MemoryStateStore) -> None:
    with pytest.raises(FunctionError, match="persona, human"):
        build(store).append("friends", "x", actor="assistant")


def test_as_many_blocks_as_may_be_made_leave_room_for_the_next_start() -> None:
    rig = AgentRig()
    about = "what the user says of one more of the many things that are on the user's mind"
    for n in range(99):
        if isinstance(rig.handle(BlockMade(f"block_{n}", about, 20))[-1], ChainFailed):
            break
        rig.agent.working_context.rewrite(f"block_{n}", "word " * 20, actor="user")
    else:
        pytest.fail("every block was accepted")
    for block in rig.agent.working_context.blocks:
        room = "word " * block.limit
        rig.agent.working_context.rewrite(block.name, room, actor="user")
    rig.restart()
    assert isinstance(rig.say("Hello")[-1], ChainFinished)
