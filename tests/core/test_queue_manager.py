"""Warning, flush and summary, and that a restart rebuilds what was there."""

import json
from itertools import pairwise
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.agent_rig import AgentRig, append, replies, reply, search
from helpers.scripted_model import ScriptedModel
from pagekeeper_core import prompts
from pagekeeper_core.errors import Cancelled, ModelError
from pagekeeper_core.messages import MessageKind, PromptMessage
from pagekeeper_core.updates import (
    ChainFinished,
    MemoryPressure,
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
    rig.recall.append(rig.agent._call_message(call))
    rig.restart()
    newest = rig.recall.read_last(1)[0]
    assert newest.kind is MessageKind.FUNCTION
    assert newest.text == prompts.interrupted_call()
    assert replies(rig.say("Again")) == ["Yes."]


def test_idle_work_that_is_interrupted_leaves_no_word_in_the_queue() -> None:
    rig = small_rig()
    usage = rig.agent.usage()
    while usage.total <= usage.warning_level:
        rig.say("Some words about nothing much at all, as people talk every day.")
        usage = rig.agent.usage()
    list(rig.agent._raise_warning())
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


@settings(max_examples=25, deadline=None)
@given(st.lists(steps, min_size=5, max_size=40))
def test_never_over_budget_never_parted_nothing_lost(script: list[tuple[str, str]]) -> None:
    rig = small_rig()
    for step in script:
        perform(rig, step)
        check_invariants(rig)
