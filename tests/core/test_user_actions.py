"""What the person changes by hand, through the agent: carried out, told to the model, shown."""

import pytest

from helpers.agent_rig import AgentRig, append, reply
from pagekeeper_core.events import ChangeUndone, Forgotten, MemoryEdited
from pagekeeper_core.messages import FunctionCall
from pagekeeper_core.records import ChangeAction, Target, TargetKind
from pagekeeper_core.updates import (
    CallFinished,
    ChainFailed,
    MemoryChanged,
    Update,
    WorkingContextChanged,
)


@pytest.fixture
def rig() -> AgentRig:
    return AgentRig()


def changed(updates: list[Update]) -> list[ChangeAction]:
    return [u.change.action for u in updates if isinstance(u, MemoryChanged)]


def failure(updates: list[Update]) -> str:
    return next(str(u.error) for u in updates if isinstance(u, ChainFailed))


def newest_note(rig: AgentRig) -> str:
    return rig.recall.messages[-1].prompt_text


def human(rig: AgentRig) -> str:
    return rig.agent.working_context.block("human").text


def search(query: str) -> FunctionCall:
    arguments = {"queries": [query]}
    return FunctionCall("archival_memory_search", arguments, "I look.", request_heartbeat=True)


def results(updates: list[Update]) -> str:
    return "\n".join(u.result.text for u in updates if isinstance(u, CallFinished))


def test_a_block_edited_by_hand_is_changed_noted_and_shown(rig: AgentRig) -> None:
    updates = rig.handle(MemoryEdited("human", "Name: Ana"))
    assert changed(updates) == [ChangeAction.EDIT]
    assert WorkingContextChanged("human", "Name: Ana") in updates
    assert "rewrote your block 'human'" in newest_note(rig)


def test_a_call_of_the_model_shows_the_change_and_its_cause(rig: AgentRig) -> None:
    rig.model.enqueue(append("Name: Ana"), reply())
    (change,) = [u.change for u in rig.say("I am Ana") if isinstance(u, MemoryChanged)]
    assert (change.after, change.actor) == ("Name: Ana", "assistant")
    assert rig.recall.messages[change.cause_seq - 1].text == "I am Ana"


def test_an_undo_mends_the_block_and_tells_the_model(rig: AgentRig) -> None:
    rig.handle(MemoryEdited("human", "Name: Ana"))
    rig.handle(MemoryEdited("human", "Name: Ana\nDog: Bento"))
    updates = rig.handle(ChangeUndone(2))
    assert WorkingContextChanged("human", "Name: Ana") in updates
    assert human(rig) == "Name: Ana"
    assert "took back" in newest_note(rig)
    rig.restart()
    assert human(rig) == "Name: Ana"
    rig.handle(ChangeUndone(3))
    assert human(rig) == "Name: Ana\nDog: Bento"


def test_an_undo_that_cannot_be_done_is_told_and_leaves_no_note(rig: AgentRig) -> None:
    rig.handle(MemoryEdited("human", "Name: Ana"))
    before = rig.recall.count()
    assert "no change 9" in failure(rig.handle(ChangeUndone(9)))
    assert rig.recall.count() == before


def test_a_forgotten_passage_is_out_of_the_models_sight(rig: AgentRig) -> None:
    secret = rig.archival.insert_note("The alarm code is 4711")
    target = Target(TargetKind.PASSAGE, secret.passage_id)
    updates = rig.handle(Forgotten(target))
    assert changed(updates) == [ChangeAction.FORGET]
    assert "4711" not in newest_note(rig)
    rig.model.enqueue(search("alarm code"), reply())
    assert "4711" not in results(rig.say("What is the alarm code?"))
    rig.handle(ChangeUndone(1))
    assert "4711" in newest_note(rig)
    rig.model.enqueue(search("alarm code"), reply())
    assert "4711" in results(rig.say("And what is the alarm code now?"))


def test_a_forgotten_message_is_out_of_the_models_sight(rig: AgentRig) -> None:
    rig.say("The alarm code is 4711")
    rig.handle(Forgotten(Target(TargetKind.MESSAGE, "1")))
    find = FunctionCall(
        "conversation_search", {"queries": ["alarm code"]}, "I look.", request_heartbeat=True
    )
    rig.model.enqueue(find, reply())
    assert "4711" not in results(rig.say("What is the alarm code?"))


def test_a_forgotten_message_is_not_read_ahead(rig: AgentRig) -> None:
    rig.say("The alarm code is 4711")
    rig.agent._context.queue.entries.clear()
    assert "4711" in rig.agent._intake._read_ahead.reminder("alarm code")
    rig.handle(Forgotten(Target(TargetKind.MESSAGE, "1")))
    assert "4711" not in rig.agent._intake._read_ahead.reminder("alarm code")
