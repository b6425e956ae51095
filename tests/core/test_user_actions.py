"""What the person changes by hand, through the agent: carried out, told to the model, shown."""

import pytest

from helpers.agent_rig import AgentRig, append, reply
from pagekeeper_core.events import (
    BlockMade,
    ChangeUndone,
    Forgotten,
    MemoryEdited,
    ProposalDecided,
)
from pagekeeper_core.messages import FunctionCall
from pagekeeper_core.records import ChangeAction, Proposal, ProposalState, Target, TargetKind
from pagekeeper_core.updates import (
    CallFinished,
    ChainFailed,
    MemoryChanged,
    ProposalsChanged,
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


def make(
    rig: AgentRig, name: str = "work", about: str = "projects", limit: int = 60
) -> list[Update]:
    return rig.handle(BlockMade(name, about, limit))


def into(block: str, text: str) -> FunctionCall:
    return FunctionCall("core_memory_append", {"block": block, "text": text}, "I save it.")


def test_a_block_of_the_person_is_offered_to_the_model_at_once(rig: AgentRig) -> None:
    updates = make(rig)
    assert WorkingContextChanged("work", "") in updates
    assert "'work'" in newest_note(rig)
    rig.model.enqueue(into("work", "Builds a greenhouse"), reply())
    rig.say("I am building a greenhouse")
    assert rig.agent.working_context.block("work").text == "Builds a greenhouse"
    rig.restart()
    assert rig.agent.working_context.block("work").limit == 60
    assert 'about="projects"' in rig.agent.working_context.render()


def test_a_made_block_may_be_changed_and_keeps_its_text(rig: AgentRig) -> None:
    make(rig)
    rig.handle(MemoryEdited("work", "Builds a greenhouse"))
    make(rig, about="what is being built", limit=80)
    block = rig.agent.working_context.block("work")
    assert (block.limit, block.description) == (80, "what is being built")
    assert block.text == "Builds a greenhouse"


@pytest.mark.parametrize(
    ("name", "about", "limit", "says"),
    [
        ("human", "x", 60, "comes with the program"),
        ("2nd", "x", 60, "cannot be the name"),
        ("", "x", 60, "cannot be the name"),
        ("a b", "x", 60, "cannot be the name"),
        ("<b>", "x", 60, "cannot be the name"),
        ("work", " ", 60, "needs a description"),
        ("work", "x" * 121, 60, "needs a description"),
        ("work", "x", 0, "holds nothing"),
        ("work", "x", 100_000, "does not fit the context window"),
    ],
)
def test_a_block_that_will_not_do_is_refused(
    rig: AgentRig, name: str, about: str, limit: int, says: str
) -> None:
    assert says in failure(make(rig, name, about, limit))
    assert [b.name for b in rig.agent.working_context.blocks] == ["persona", "human"]
    assert rig.state.made_blocks() == []


def propose(rig: AgentRig, before: str, after: str) -> int:
    now = rig.clock.now()
    target = Target(TargetKind.BLOCK, "human")
    return rig.proposals.add(Proposal(target, before, after, "why", (1,), now)).proposal_id


@pytest.mark.parametrize(
    ("before", "after", "left"),
    [
        ("", "Dog: Bento", "Name: Ana\nLives in Lyon\nDog: Bento"),
        ("Lives in Lyon", "Lives in Porto", "Name: Ana\nLives in Porto"),
        ("Lives in Lyon", "", "Name: Ana"),
        ("Lives in Lyon", "Name: Ana", "Name: Ana"),
    ],
)
def test_an_accepted_proposal_is_a_change_like_any_other(
    rig: AgentRig, before: str, after: str, left: str
) -> None:
    rig.say("hello")
    rig.handle(MemoryEdited("human", "Name: Ana\nLives in Lyon"))
    number = propose(rig, before, after)
    updates = rig.handle(ProposalDecided(number, accepted=True))
    (change,) = [u.change for u in updates if isinstance(u, MemoryChanged)]
    assert (human(rig), change.cause_seq) == (left, 1)
    assert ProposalsChanged(()) in updates
    rig.handle(ChangeUndone(change.change_id))
    assert human(rig) == "Name: Ana\nLives in Lyon"


def test_a_dismissed_proposal_changes_nothing(rig: AgentRig) -> None:
    number = propose(rig, "", "Dog: Bento")
    before = rig.recall.count()
    assert ProposalsChanged(()) in rig.handle(ProposalDecided(number, accepted=False))
    assert (human(rig), rig.recall.count()) == ("", before)
    assert "no open proposal" in failure(rig.handle(ProposalDecided(number, accepted=True)))


def test_a_proposal_that_memory_has_overtaken_stays_open(rig: AgentRig) -> None:
    number = propose(rig, "Lives in Lyon", "Lives in Porto")
    assert "no longer in the block" in failure(rig.handle(ProposalDecided(number, accepted=True)))
    assert len(rig.proposals.proposals()) == 1


def test_an_accepted_merge_of_notes_supersedes_one(rig: AgentRig) -> None:
    old, new = (rig.archival.insert_note(text) for text in ("Ana likes tea", "Ana likes black tea"))
    target = Target(TargetKind.PASSAGE, old.passage_id)
    merge = Proposal(target, old.text, "", "why", (), rig.clock.now(), successor=new.passage_id)
    number = rig.proposals.add(merge).proposal_id
    assert changed(rig.handle(ProposalDecided(number, accepted=True))) == [ChangeAction.SUPERSEDE]
    rig.model.enqueue(search("Ana tea"), reply())
    assert "until 2026-11-29: Ana likes tea" in results(rig.say("What tea does Ana like?"))


def merge_of_notes(rig: AgentRig) -> tuple[int, Target, Target]:
    old, new = (rig.archival.insert_note(text) for text in ("Ana likes tea", "Ana likes black tea"))
    gone, kept = (Target(TargetKind.PASSAGE, note.passage_id) for note in (old, new))
    merge = Proposal(gone, old.text, "", "why", (), rig.clock.now(), successor=kept.name)
    return rig.proposals.add(merge).proposal_id, gone, kept


@pytest.mark.parametrize("place", [0, 1])
def test_forgetting_a_note_takes_back_what_was_proposed_about_it(rig: AgentRig, place: int) -> None:
    notes = merge_of_notes(rig)[1:]
    assert ProposalsChanged(()) in rig.handle(Forgotten(notes[place]))
    assert [p.state for p in rig.proposals.all] == [ProposalState.WITHDRAWN]


def test_accepting_a_proposal_does_not_bring_a_forgotten_note_back(rig: AgentRig) -> None:
    number, gone, _ = merge_of_notes(rig)
    rig.agent._steps._history.record(
        gone, ChangeAction.FORGET, before="Ana likes tea", after="", actor="user"
    )
    assert "forgotten" in failure(rig.handle(ProposalDecided(number, accepted=True)))
    assert rig.agent._steps._history.is_hidden(gone)


def test_a_proposal_whose_line_the_person_rewrote_is_taken_back(rig: AgentRig) -> None:
    rig.handle(MemoryEdited("human", "Lives in Lyon\nLikes tea"))
    propose(rig, "Lives in Lyon", "Lives in Porto")
    propose(rig, "Likes tea", "")
    rig.handle(MemoryEdited("human", "Lives in Faro\nLikes tea"))
    assert [p.before for p in rig.proposals.proposals()] == ["Likes tea"]


def test_what_held_once_is_found_with_its_dates(rig: AgentRig) -> None:
    rig.handle(MemoryEdited("human", "Lives in Lyon"))
    rig.model.enqueue(append("Lives in Porto"), reply())
    saved = results(rig.say("I live in Porto now"))
    assert "took the place of 'Lives in Lyon'" in saved
    assert human(rig) == "Lives in Porto"
    rig.model.enqueue(search("live"), reply())
    found = results(rig.say("Where did I live before?"))
    assert "(from 2026-11-29 until 2026-11-29) Lives in Lyon (now: Lives in Porto)" in found


def test_a_line_that_may_contradict_is_pointed_at(rig: AgentRig) -> None:
    rig.handle(MemoryEdited("human", "Dog: Bento"))
    rig.model.enqueue(append("Dog: Luna"), reply())
    assert "'Dog: Bento' may say otherwise" in results(rig.say("My dog is Luna"))
    assert human(rig) == "Dog: Bento\nDog: Luna"


def test_what_the_user_took_out_comes_back_by_the_users_word_only(rig: AgentRig) -> None:
    rig.say("I like tea")
    rig.handle(MemoryEdited("human", "Likes tea"))
    rig.handle(MemoryEdited("human", ""))
    rig.model.enqueue(append("Likes tea"), reply())
    assert "took that out" in results(rig.say("Tell me a joke"))
    assert human(rig) == ""
    rig.model.enqueue(append("Likes tea"), reply())
    rig.say("I like tea again")
    assert human(rig) == "Likes tea"


def put(new: str, old: str) -> FunctionCall:
    arguments = {"block": "human", "old": old, "new": new}
    return FunctionCall("core_memory_replace", arguments, "I mend it.")


def test_what_the_user_took_out_is_not_put_in_anothers_place(rig: AgentRig) -> None:
    rig.say("I like tea")
    rig.handle(MemoryEdited("human", "Likes tea\nName: Ana"))
    rig.handle(MemoryEdited("human", "Name: Ana"))
    rig.model.enqueue(put("Likes tea", "Name: Ana"), reply())
    assert "took that out" in results(rig.say("Tell me a joke"))
    assert human(rig) == "Name: Ana"


def test_a_line_in_its_own_place_is_no_edit(rig: AgentRig) -> None:
    rig.handle(MemoryEdited("human", "Name: Ana"))
    rig.model.enqueue(put("Name: Ana", "Name: Ana"), reply())
    updates = rig.say("I am Ana")
    assert "says that already" in results(updates)
    assert (changed(updates), len(rig.state.changes())) == ([], 1)


@pytest.mark.thorough
@pytest.mark.parametrize("is_undone", [True, False])
def test_what_the_user_took_out_is_not_shown_as_what_held_once(
    rig: AgentRig, *, is_undone: bool
) -> None:
    rig.handle(MemoryEdited("human", "Name: Ana"))
    rig.model.enqueue(append("Takes pills for her heart"), reply())
    rig.say("I take pills for my heart")
    if is_undone:
        rig.handle(ChangeUndone(2))
    else:
        rig.handle(MemoryEdited("human", "Name: Ana"))
    rig.model.enqueue(search("pills heart"), reply())
    updates = rig.say("Which pills for my heart?")
    assert "Takes pills" not in results(updates)


def test_the_model_takes_a_line_out_and_it_stays_in_the_history(rig: AgentRig) -> None:
    rig.handle(MemoryEdited("human", "Name: Ana\nLikes tea"))
    rig.model.enqueue(put("", "Likes tea"), reply())
    rig.say("I no longer like tea")
    assert human(rig) == "Name: Ana"
    assert rig.state.changes()[-1].before == "Name: Ana\nLikes tea"
