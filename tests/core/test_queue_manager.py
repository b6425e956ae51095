"""Warning, flush and summary, and that a restart rebuilds what was there."""

import json
from itertools import count, pairwise
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.agent_rig import AgentRig, append, replies, reply, search
from helpers.scripted_model import ScriptedModel
from pagekeeper_core import prompts
from pagekeeper_core.config import Eviction, MemoryPolicy
from pagekeeper_core.errors import Cancelled, ModelError, StoreError
from pagekeeper_core.events import MessageMarked, ThreadOpened, UserMessage
from pagekeeper_core.message_queue import MessageQueue
from pagekeeper_core.messages import MessageKind, PromptMessage
from pagekeeper_core.records import QueueCheckpoint
from pagekeeper_core.updates import (
    CallStarted,
    ChainFailed,
    ChainFinished,
    MemoryPressure,
    PromptProgress,
    QueueFlushed,
    ReplyFinished,
    Update,
)

WINDOW = 2400


def small_rig() -> AgentRig:
    return AgentRig(model=ScriptedModel(WINDOW))


def talk_until(rig: AgentRig, kind: type, *, limit: int = 80) -> list[Update]:
    """Talk until an update of that kind is seen; gives the updates of the turn that had it."""
    for n in range(limit):
        updates = rig.say(f"This is message number {n}, about nothing much at all, as people talk.")
        if any(isinstance(u, kind) for u in updates):
            return updates
    raise AssertionError(f"no {kind.__name__} in {limit} messages")


def prompt_of(rig: AgentRig) -> list[PromptMessage]:
    return rig.agent._context.prompt()


def queue_of(rig: AgentRig) -> MessageQueue:
    return rig.agent._context.queue


@pytest.mark.thorough
def test_the_warning_comes_once_between_two_flushes() -> None:
    rig = small_rig()
    seen: list[type] = []
    while seen.count(QueueFlushed) < 4:
        updates = rig.say("Some words about nothing much at all, as people talk every day.")
        seen += [type(u) for u in updates if isinstance(u, MemoryPressure | QueueFlushed)]
    assert seen[: seen.index(QueueFlushed)] == [MemoryPressure]
    assert all(a is not b for a, b in pairwise(seen))


def test_the_warning_comes_after_the_answer_so_that_nobody_waits_for_it() -> None:
    rig = small_rig()
    kinds = [type(u) for u in talk_until(rig, MemoryPressure)]
    assert kinds.index(MemoryPressure) > kinds.index(ReplyFinished)


def test_idle_time_after_a_warning_gives_steps_to_save() -> None:
    rig = small_rig()
    warned = False
    while not warned:
        updates = rig.say("I like tea and I have a dog, as I tell you every day of the week.")
        warned = any(isinstance(u, MemoryPressure) for u in updates)
    rig.cancel.set()
    rig.idle()
    rig.cancel.clear()
    rig.model.enqueue(append("Likes tea"), append("Has a dog", heartbeat=False))
    rig.idle()
    assert rig.agent.working_context.block("human").text == "Likes tea\nHas a dog"
    steps = len(rig.model.prompts)
    rig.idle()
    assert len(rig.model.prompts) == steps


def test_steps_to_save_that_are_owed_are_given_after_a_restart() -> None:
    rig = small_rig()
    talk_until(rig, MemoryPressure)
    rig.restart()
    rig.model.enqueue(append("Message number 0", heartbeat=False))
    rig.idle()
    assert rig.agent.working_context.block("human").text == "Message number 0"
    steps = len(rig.model.prompts)
    rig.restart()
    rig.idle()
    assert len(rig.model.prompts) == steps


def test_a_flush_ends_the_steps_to_save() -> None:
    rig = small_rig()
    talk_until(rig, MemoryPressure)
    list(rig.agent._queue_manager.flush(rig.cancel))
    steps = len(rig.model.prompts)
    rig.idle()
    assert len(rig.model.prompts) == steps


def test_steps_to_save_that_give_no_call_are_not_taken_again_and_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rig = small_rig()
    talk_until(rig, MemoryPressure)
    monkeypatch.setattr(rig.model, "_next", lambda schema: '{"inner_thoughts": "I')
    rig.idle()
    steps = len(rig.model.prompts)
    rig.idle()
    assert len(rig.model.prompts) == steps


def test_the_steps_to_save_are_taken_in_the_conversation_that_was_warned() -> None:
    rig = small_rig()
    talk_until(rig, MemoryPressure)
    rig.handle(ThreadOpened(0))
    rig.idle()
    assert queue_of(rig).entries == []
    rig.handle(ThreadOpened(1))
    rig.model.enqueue(append("Message number 0", heartbeat=False))
    rig.idle()
    assert rig.agent.working_context.block("human").text == "Message number 0"


def test_a_flush_puts_a_summary_in_place_and_everything_is_in_recall() -> None:
    rig = small_rig()
    flushed = [u for u in talk_until(rig, QueueFlushed) if isinstance(u, QueueFlushed)]
    assert flushed[0].evicted > 0
    text = "\n".join(m.text for m in prompt_of(rig))
    assert "Summary 1 of what was said before." in text
    assert "message number 0," not in text
    assert rig.recall.read(1)[0].text.startswith("This is message number 0,")
    assert [m.seq for m in rig.recall.read(1)] == list(range(1, rig.recall.count() + 1))


def test_a_working_context_edit_reaches_the_top_of_the_prompt_at_the_flush() -> None:
    rig = small_rig()
    rig.model.enqueue(append("Name: Ana"), reply())
    rig.say("I'm Ana")
    head = len(rig.agent._context.instructions)
    assert "Name: Ana" not in prompt_of(rig)[head].text
    talk_until(rig, QueueFlushed)
    assert "Name: Ana" in prompt_of(rig)[head].text


def test_the_prompt_only_grows_between_flushes() -> None:
    rig = small_rig()
    rig.model.enqueue(append("Name: Ana"), reply(), search("tea"), reply())
    rig.say("I'm Ana")
    rig.say("What did I say of tea?")
    rig.say("Never mind")
    for before, after in zip(rig.model.prompts, rig.model.prompts[1:], strict=False):
        assert after[: len(before)] == before


def test_the_summary_request_is_put_behind_a_prefix_of_the_prompt() -> None:
    rig = small_rig()
    talk_until(rig, QueueFlushed)
    requests = [prompt[-1].text == prompts.SUMMARY_REQUEST for prompt in rig.model.prompts]
    at = requests.index(True)
    request, before = rig.model.prompts[at], rig.model.prompts[at - 1]
    assert before[: len(request) - 1] == request[:-1]


def test_a_flush_frees_space_even_when_the_model_writes_no_summary() -> None:
    rig = small_rig()

    say = rig.model._next

    def fail(schema: Any) -> str:
        if "summary" in schema.get("properties", {}):
            raise ModelError("no")
        return say(schema)

    rig.model._next = fail  # type: ignore[method-assign]
    talk_until(rig, QueueFlushed)
    text = "\n".join(m.text for m in prompt_of(rig))
    assert "user: This is message number" in text
    usage = rig.agent.usage()
    assert usage.total <= usage.usable


def test_a_summary_that_goes_round_in_circles_is_cut_short() -> None:
    rig = small_rig()
    say = rig.model._next
    looping = json.dumps({"summary": ["The user is Ana.", "She likes tea.", "She likes tea.", "x"]})
    rig.model._next = lambda schema: (  # type: ignore[method-assign]
        looping
        if "summary" in cast("dict[str, Any]", schema).get("properties", {})
        else say(schema)
    )
    flushed = [u for u in talk_until(rig, QueueFlushed) if isinstance(u, QueueFlushed)]
    assert flushed[0].summary == "The user is Ana.\nShe likes tea."


def test_a_flush_that_is_stopped_changes_nothing() -> None:
    rig = small_rig()
    for _ in range(3):
        rig.say("A few words.")
    before = prompt_of(rig)
    rig.cancel.set()
    with pytest.raises(Cancelled):
        list(rig.agent._queue_manager.flush(rig.cancel))
    assert prompt_of(rig) == before
    rig.cancel.clear()
    rig.restart()
    assert prompt_of(rig) == before


def test_a_call_that_a_crash_interrupted_gets_a_result() -> None:
    rig = small_rig()
    rig.say("Hello")
    call = append("Name: Ana")
    rig.recall.append(rig.agent._steps.call_message(call))
    rig.restart()
    newest = rig.recall.read_last(1)[0]
    assert newest.kind is MessageKind.FUNCTION
    assert newest.text == prompts.interrupted_call()
    assert replies(rig.say("Again")) == ["Yes."]


def test_a_call_that_a_crash_interrupted_gets_a_result_also_behind_a_later_note() -> None:
    rig = small_rig()
    rig.say("Hello")
    call = rig.recall.append(rig.agent._steps.call_message(append("Name: Ana")))
    note = rig.recall.append(rig.agent._queue_manager.system_message("A document was imported."))
    rig.restart()
    newest = rig.recall.read_last(1)[0]
    assert newest.text == prompts.interrupted_call()
    (group,) = [g for g in queue_of(rig).groups() if g[0].message == call]
    assert [e.message for e in group] == [call, note, newest]
    rig.restart()
    assert rig.recall.read_last(1)[0] == newest


def test_a_call_whose_chain_was_broken_off_gets_its_result_before_anything_else() -> None:
    rig = small_rig()
    rig.model.enqueue(append("Name: Ana"))
    chain = rig.agent.handle(UserMessage("I'm Ana"), rig.cancel)
    while not isinstance(next(chain), CallStarted):
        pass
    chain.close()  # type: ignore[attr-defined]
    rig.say("Are you there?")
    kinds = [m.kind for m in rig.recall.read(1)]
    at = kinds.index(MessageKind.ASSISTANT)
    assert kinds[at + 1 : at + 3] == [MessageKind.FUNCTION, MessageKind.USER]


def test_a_flush_ends_the_warning_also_after_a_restart() -> None:
    rig = AgentRig(model=ScriptedModel(WINDOW), policy=MemoryPolicy(evicted_share=0.1))
    talk_until(rig, MemoryPressure)
    list(rig.agent._queue_manager.flush(rig.cancel))
    assert any(e.message.text == prompts.MEMORY_PRESSURE for e in queue_of(rig).entries)
    for _ in range(2):
        assert not rig.agent._queue_manager._is_warned()
        rig.restart()


def test_a_user_who_types_the_warning_is_no_warning() -> None:
    rig = small_rig()
    rig.say(prompts.MEMORY_PRESSURE)
    assert not rig.agent._queue_manager._is_warned()


def test_a_flush_that_fails_between_summary_and_checkpoint_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rig = small_rig()
    for _ in range(3):
        rig.say("A few words.")
    before, usage = prompt_of(rig), rig.agent.usage()

    def full(checkpoint: QueueCheckpoint) -> None:
        raise StoreError("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(rig.state, "append_checkpoint", full)
        with pytest.raises(StoreError):
            list(rig.agent._queue_manager.flush(rig.cancel))
    assert rig.model.summaries == 1
    assert (prompt_of(rig), rig.agent.usage()) == (before, usage)
    rig.restart()
    assert prompt_of(rig) == before
    assert any(isinstance(u, QueueFlushed) for u in rig.agent._queue_manager.flush(rig.cancel))


def test_a_flush_whose_reader_goes_away_changes_nothing() -> None:
    rig = small_rig()
    for _ in range(3):
        rig.say("A few words.")
    before = prompt_of(rig)
    flush = rig.agent._queue_manager.flush(rig.cancel)
    assert isinstance(next(flush), PromptProgress)
    flush.close()  # type: ignore[attr-defined]
    assert prompt_of(rig) == before


@pytest.mark.thorough
@pytest.mark.parametrize("level", [0.5, 0.8])
def test_a_lower_flush_level_flushes_earlier_and_never_stalls(level: float) -> None:
    policy = MemoryPolicy(warning_level=0.4, flush_level=level)
    rig = AgentRig(model=ScriptedModel(2048), policy=policy)
    for n in range(30):
        assert replies(rig.say(f"Message {n} " + "of some length " * n)) == ["Yes."]
        queue = queue_of(rig)
        assert queue.entries[0].message.kind is not MessageKind.FUNCTION
        usage = rig.agent.usage()
        alone = not queue.evictable(within_last_exchange=False)
        assert usage.total <= usage.flush_level + 100 or alone  # the answer, the warning
    assert rig.model.summaries > 3


def test_a_chain_that_passes_a_lower_flush_level_keeps_its_question() -> None:
    rig = AgentRig(model=ScriptedModel(2048), policy=MemoryPolicy(flush_level=0.75))
    rig.say("My sister lives in Faro. " * 8)
    rig.model.enqueue(search("sister"), search("Faro"), search("lives"), reply("In Faro."))
    updates = rig.say("Where does my sister live? " * 6)
    assert replies(updates) == ["In Faro."]
    assert queue_of(rig).entries[0].message.kind is MessageKind.USER
    assert rig.agent.usage().total <= rig.agent.usage().usable


@pytest.mark.thorough
def test_a_window_made_smaller_is_summarised_in_parts_that_fit() -> None:
    rig = AgentRig(model=ScriptedModel(8192))
    for n in range(6):
        rig.say(f"Message {n}: " + "many words of a long message " * 160)
    before = rig.recall.count()
    rig.model = ScriptedModel(2400)
    rig.restart()
    assert rig.agent.usage().total > rig.agent.usage().usable
    updates = rig.say("Hello again")
    assert replies(updates) == ["Yes."]
    assert [m.seq for m in rig.recall.read(1)] == list(range(1, rig.recall.count() + 1))
    assert rig.recall.read(1, before)[0].text.startswith("Message 0")
    flushed = [u for u in updates if isinstance(u, QueueFlushed)]
    assert rig.model.summaries > len(flushed)
    assert all(rig.model.count_prompt(p) <= 2400 for p in rig.model.prompts)


def second_chance_rig() -> AgentRig:
    policy = MemoryPolicy(eviction=Eviction.SECOND_CHANCE, read_ahead=False)
    return AgentRig(model=ScriptedModel(WINDOW), policy=policy)


VET = "Bento has to see the vet because of his left ear."


def chatter(rig: AgentRig, kind: type) -> None:
    """Different words every time, until an update of that kind is seen."""
    for n in count():
        said = " ".join(f"w{n}x{k}" for k in range(12))
        if any(isinstance(u, kind) for u in rig.say(said)):
            return


@pytest.mark.thorough
def test_with_second_chance_what_was_searched_for_stays_for_one_round() -> None:
    rig = second_chance_rig()
    rig.say(VET)
    for n in range(6):
        rig.say(" ".join(f"early{n}x{k}" for k in range(12)))
    rig.model.enqueue(search("vet"), reply("His left ear."))
    rig.say("What was that?")
    chatter(rig, QueueFlushed)
    shown = [m.text for m in prompt_of(rig)]
    assert VET in shown
    assert not any("early0x0" in text for text in shown)
    assert queue_of(rig).spared >= 1
    chatter(rig, QueueFlushed)
    assert VET not in [m.text for m in prompt_of(rig)]


def test_with_second_chance_what_the_person_marked_stays() -> None:
    rig = second_chance_rig()
    rig.say("An unimportant matter of no weight")
    rig.say(VET)
    marked = next(m for m in rig.recall.read(1) if m.text == VET)
    rig.handle(MessageMarked(marked.seq))
    rig.say("Thanks.")
    list(rig.agent._queue_manager.flush(rig.cancel))
    shown = [m.text for m in prompt_of(rig)]
    assert VET in shown
    assert "An unimportant matter of no weight" not in shown
    assert isinstance(rig.handle(MessageMarked(999))[-1], ChainFailed)


def test_with_second_chance_the_summary_is_of_what_leaves() -> None:
    rig = second_chance_rig()
    rig.say(VET)
    rig.say("Some other words altogether about seeds")
    rig.say("Which of the ears is the vet to look at, with Bento?")
    rig.say("Thanks.")
    list(rig.agent._queue_manager.flush(rig.cancel))
    request = [m.text for m in rig.model.prompts[-1]]
    assert request[-1] == prompts.SUMMARY_REQUEST
    assert VET not in request
    assert "Some other words altogether about seeds" in request


def test_with_second_chance_a_restart_and_a_switch_find_the_same_queue() -> None:
    rig = second_chance_rig()
    rig.say(VET)
    rig.say("Which of the ears is the vet to look at, with Bento?")
    chatter(rig, QueueFlushed)
    before = prompt_of(rig)
    assert VET in [m.text for m in before]
    rig.restart()
    assert prompt_of(rig) == before
    rig.handle(ThreadOpened(0))
    rig.say("Another matter")
    rig.handle(ThreadOpened(1))
    assert prompt_of(rig) == before
    rig.restart()
    rig.handle(ThreadOpened(1))
    assert prompt_of(rig) == before
    assert queue_of(rig).spared >= 1


def test_what_left_between_spared_messages_can_be_brought_to_mind() -> None:
    rig = second_chance_rig()
    rig.say(VET)
    rig.say("The lighthouse keeper had seven goats")
    rig.say("Which of the ears is the vet to look at, with Bento?")
    rig.say("Thanks.")
    list(rig.agent._queue_manager.flush(rig.cancel))
    assert VET in [m.text for m in prompt_of(rig)]
    lines = rig.agent._intake._read_ahead.reminder("lighthouse goats vet")
    assert "seven goats" in lines
    assert VET not in lines


def test_idle_work__leaves_no_word_in_the_queue() -> None:
    rig = small_rig()
    usage = rig.agent.usage()
    while usage.total <= usage.warning_level:
        rig.say("Some words about nothing much at all, as people talk every day.")
        usage = rig.agent.usage()
    list(rig.agent._queue_manager.warn())
    before = prompt_of(rig)
    rig.cancel.set()
    rig.idle()
    assert prompt_of(rig) == before


def test_what_was_stored_before_the_first_start_stands_in_the_queue() -> None:
    rig = small_rig()
    note = rig.agent._queue_manager.system_message("A document was imported.")
    fresh = AgentRig(model=ScriptedModel(WINDOW))
    fresh.state.checkpoints.clear()
    fresh.recall.append(note)
    fresh.restart()
    assert prompt_of(fresh)[-1].text == note.text


def test_early_flush_happens_while_nobody_waits() -> None:
    rig = small_rig()
    usage = rig.agent.usage()
    while usage.total <= usage.usable * rig.policy.early_flush_level:
        updates = rig.say("Some words about nothing much at all, as people talk every day.")
        assert not any(isinstance(u, QueueFlushed) for u in updates)
        usage = rig.agent.usage()
    assert any(isinstance(u, QueueFlushed) for u in rig.idle())


def test_idle_time_goes_on_when_the_last_exchange_alone_fills_the_window() -> None:
    rig = small_rig()
    rig.say("One long message " * 90)
    usage = rig.agent.usage()
    policy = MemoryPolicy(warning_level=0.4, flush_level=usage.total / usage.usable)
    rig.agent._context.policy = policy
    assert usage.total > usage.usable * policy.early_flush_level
    assert not queue_of(rig).evictable(within_last_exchange=False)
    assert any(isinstance(u, PromptProgress) for u in rig.idle())


steps = st.one_of(
    st.builds(lambda n: ("say", "word " * n), st.integers(1, 900)),
    st.builds(lambda n: ("append", f"Fact {n}"), st.integers(1, 40)),
    st.builds(lambda n: ("search", f"word {n}"), st.integers(1, 40)),
    st.just(("idle", "")),
    st.just(("restart", "")),
)


def perform(rig: AgentRig, step: tuple[str, str]) -> None:
    match step:
        case ("say", text):
            updates = rig.say(text)
            assert isinstance(updates[-1], ChainFinished), updates[-1]
            assert replies(updates)
        case ("append", fact):
            rig.model.enqueue(append(fact), reply())
            assert isinstance(rig.say("Remember this, please")[-1], ChainFinished)
        case ("search", query):
            rig.model.enqueue(search(query), reply())
            assert isinstance(rig.say("Do you remember this?")[-1], ChainFinished)
        case ("idle", _):
            rig.idle()
        case _:
            before = prompt_of(rig)
            rig.restart()
            assert prompt_of(rig) == before


def check_invariants(rig: AgentRig) -> None:
    usage = rig.agent.usage()
    entries = rig.agent._context.queue.entries
    stored = {m.seq: m for m in rig.recall.read(1)}
    assert sorted(stored) == list(range(1, len(stored) + 1))
    assert [stored[e.message.seq] for e in entries] == [e.message for e in entries]
    assert usage.total <= usage.usable + rig.agent._context.budget.message
    assert not entries or entries[0].message.kind is not MessageKind.FUNCTION
    for prompt in rig.model.prompts[-3:]:
        assert rig.model.count_prompt(prompt) <= rig.model.context_window


@pytest.mark.thorough
@settings(max_examples=25)
@given(st.lists(steps, min_size=5, max_size=40))
def test_never_over_budget_never_parted_nothing_lost(script: list[tuple[str, str]]) -> None:
    rig = small_rig()
    for step in script:
        perform(rig, step)
        check_invariants(rig)
