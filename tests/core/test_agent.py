"""The loop: heartbeats, failures, repeats, stops, and that nobody is left waiting."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeVar, cast

import pytest

from helpers.agent_rig import AgentRig, admitted, append, replies, reply, said, search
from helpers.scripted_model import ScriptedModel
from pagekeeper_core.errors import Cancelled, ContextWindowError, ModelError, StoreError
from pagekeeper_core.events import DocumentImported, Login, MemoryEdited, UserMessage
from pagekeeper_core.messages import FunctionCall, MessageKind
from pagekeeper_core.records import ChangeAction, Target, TargetKind
from pagekeeper_core.updates import (
    CallFinished,
    CallStarted,
    ChainCancelled,
    ChainFailed,
    ChainFinished,
    MemoryChanged,
    ReplyDelta,
    Update,
    WorkingContextChanged,
)

HUMAN = Target(TargetKind.BLOCK, "human")


@pytest.fixture
def rig() -> AgentRig:
    return AgentRig()


def offered(rig: AgentRig, step: int) -> set[str]:
    schema = cast("dict[str, Any]", rig.model.schemas[step])
    calls = schema.get("anyOf", [schema])
    return {call["properties"]["function"]["const"] for call in calls}


Kind = TypeVar("Kind")


def of(updates: list[Update], kind: type[Kind]) -> list[Kind]:
    return [u for u in updates if isinstance(u, kind)]


def test_a_reply_is_streamed_then_stored(rig: AgentRig) -> None:
    rig.model.enqueue(reply("Hello, Ana!"))
    updates = rig.say("Hi, I'm Ana")
    assert "".join(u.text for u in updates if isinstance(u, ReplyDelta)) == "Hello, Ana!"
    assert replies(updates) == ["Hello, Ana!"]
    assert isinstance(updates[-1], ChainFinished)
    assert said(rig) == ["Hi, I'm Ana", "Hello, Ana!"]


@pytest.mark.thorough
def test_a_heartbeat_gives_another_step_with_the_result_before_the_model(rig: AgentRig) -> None:
    rig.model.enqueue(append("Name: Ana"), reply("Nice to meet you."))
    updates = rig.say("I'm Ana")
    assert of(updates, WorkingContextChanged) == [WorkingContextChanged("human", "Name: Ana")]
    assert "Name: Ana" in rig.model.prompts[-1][-1].text
    assert replies(updates) == ["Nice to meet you."]


def test_a_forgotten_heartbeat_does_not_leave_the_user_waiting(rig: AgentRig) -> None:
    rig.model.enqueue(append("Name: Ana", heartbeat=False), reply())
    assert replies(rig.say("I'm Ana")) == ["Fine."]
    assert offered(rig, 1) == {"send_message"}


def test_an_endless_chain_is_led_to_a_reply(rig: AgentRig) -> None:
    rig.model.enqueue(*(append(f"Fact {n}") for n in range(rig.policy.max_steps)), reply())
    assert replies(rig.say("These are the facts: 0 1 2 3 4 5 6 7 8 9")) == ["Fine."]
    assert offered(rig, -1) == {"send_message"}


def test_failures_are_bounded(rig: AgentRig) -> None:
    rig.agent.working_context.append("human", "Name: Ana", actor="user")
    wrong = [
        FunctionCall("core_memory_replace", {"block": "human", "old": old, "new": "x"}, "t")
        for old in ("a", "b", "c", "d", "e")
    ]
    rig.model.enqueue(*wrong[: rig.policy.max_failures], reply())
    assert replies(rig.say("go")) == ["Fine."]
    assert offered(rig, -1) == {"send_message"}


def test_a_failed_call_goes_back_to_the_model_and_the_chain_goes_on(rig: AgentRig) -> None:
    rig.agent.working_context.append("human", "Name: Ana", actor="user")
    wrong = FunctionCall(
        "core_memory_replace", {"block": "human", "old": "Lisbon", "new": "Porto"}, "I correct it."
    )
    rig.model.enqueue(wrong, append("Lives in Porto"), reply())
    updates = rig.say("I moved to Porto")
    finished = of(updates, CallFinished)
    assert not finished[0].result.ok
    assert "core_memory_append" in rig.model.prompts[1][-1].text
    assert "core_memory_append" in offered(rig, 1)
    assert replies(updates) == ["Fine."]


def test_what_the_user_did_not_say_is_not_saved(rig: AgentRig) -> None:
    rig.model.enqueue(append("The capital of Iceland is Reykjavík, with its Blue Lagoon"), reply())
    updates = rig.say("What is the capital of Iceland?")
    assert not of(updates, CallFinished)[0].result.ok
    assert rig.agent.working_context.block("human").text == ""


def test_what_the_user_only_asked_for_is_not_saved(rig: AgentRig) -> None:
    rig.model.enqueue(append("I suggest a quick dinner for two."), reply())
    updates = rig.say("Can you suggest a quick dinner for two?")
    assert not of(updates, CallFinished)[0].result.ok
    assert rig.agent.working_context.block("human").text == ""


def test_what_the_user_said_is_heard_behind_an_import(rig: AgentRig) -> None:
    rig.model.enqueue(reply("A fine city."), append("Lives in Porto"), reply("Saved."))
    rig.say("I live in Porto.")
    for message in rig.recall.read(1, 1) * 500:
        rig.recall.append(replace(message, thread_id=2, text="Imported.", prompt_text="Imported."))
    rig.say("Remember where I live, please.")
    assert rig.agent.working_context.block("human").text == "Lives in Porto"


def test_a_repeated_call_is_neither_run_nor_shown(rig: AgentRig) -> None:
    rig.say("My dog is called Bento")
    rig.model.enqueue(search("dog"), search("dog"), reply("Bento."))
    updates = rig.say("What is my dog called?")
    assert len(of(updates, CallStarted)) == 1
    assert "conversation_search" in offered(rig, -2)
    assert "conversation_search" not in offered(rig, -1)
    assert rig.model.prompts[-1] == rig.model.prompts[-2]


def test_a_call_may_be_repeated_after_memory_changed(rig: AgentRig) -> None:
    rig.model.enqueue(search("dog"), append("Dog: Bento"), search("dog"), reply())
    assert len(of(rig.say("My dog is Bento."), CallStarted)) == 3


def test_a_text_that_was_cut_off_is_kept_as_far_as_it_goes(rig: AgentRig) -> None:
    rig.model._next = lambda schema: (  # type: ignore[method-assign]
        '{"inner_thoughts": "a", "function": "send_message", "params": {"message": "Once upon'
    )
    assert replies(rig.say("Tell me a story")) == ["Once upon…"]


def test_a_model_that_never_answers_is_an_error_not_a_loop(rig: AgentRig) -> None:
    rig.model._next = lambda schema: '{"inner_thoughts": "hm'  # type: ignore[method-assign]
    updates = rig.say("Hello?")
    assert isinstance(updates[-1], ChainFailed)
    assert updates[-1].error.hint
    assert said(rig) == ["Hello?"]


def test_an_error_of_the_model_reaches_the_person_and_the_message_is_kept(rig: AgentRig) -> None:
    rig.model.enqueue(ModelError("llama.cpp failed", hint="Start again."))
    updates = rig.say("Hello")
    assert isinstance(updates[-1], ChainFailed)
    assert said(rig) == ["Hello"]
    assert replies(rig.say("Again")) == ["Yes."]


def test_an_error_of_the_environment_inside_a_function_reaches_the_person(
    rig: AgentRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise StoreError("The disk is full.", hint="Free some space.")

    monkeypatch.setattr(rig.archival, "insert_note", full)
    rig.model.enqueue(FunctionCall("archival_memory_insert", {"text": "a"}, "I keep it."))
    updates = rig.say("Keep this")
    assert isinstance(updates[-1], ChainFailed)
    assert updates[-1].error.hint == "Free some space."
    told = [u.change.action for u in updates if isinstance(u, MemoryChanged)]
    assert told == [ChangeAction.INSERT, ChangeAction.FORGET]


def test_a_bug_inside_a_function_is_logged_and_the_chain_goes_on(
    rig: AgentRig, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(rig.archival, "insert_note", lambda text, **_: 1 / 0)
    rig.model.enqueue(FunctionCall("archival_memory_insert", {"text": "a"}, "t"), reply())
    assert replies(rig.say("Keep this")) == ["Fine."]
    assert "ZeroDivisionError" in caplog.text


def stop_after(updates: Iterator[Update], kind: type, cancel: threading.Event) -> list[Update]:
    seen = []
    for update in updates:
        seen.append(update)
        if isinstance(update, kind):
            cancel.set()
    return seen


def test_stop_keeps_what_was_written(rig: AgentRig) -> None:
    rig.model.enqueue(reply("A long story that nobody wants to hear to its end."))
    updates = stop_after(rig.agent.handle(UserMessage("Tell"), rig.cancel), ReplyDelta, rig.cancel)
    assert isinstance(updates[-1], ChainCancelled)
    assert rig.recall.read_last(1)[0].kind is MessageKind.SYSTEM
    kept = said(rig)[1]
    assert kept
    assert "A long story that nobody wants to hear to its end.".startswith(kept)
    rig.cancel.clear()
    assert replies(rig.say("Go on")) == ["Yes."]


def test_stop_before_anything_was_written(rig: AgentRig) -> None:
    rig.cancel.set()
    assert isinstance(rig.say("Tell")[-1], ChainCancelled)
    assert said(rig) == ["Tell"]


@pytest.mark.parametrize("text", ["", " ", "\n\t ", "\0", "　"])
def test_blank_messages_are_not_messages(rig: AgentRig, text: str) -> None:
    rig.say(text)
    assert rig.recall.count() == 0
    assert rig.model.prompts == []


@pytest.mark.parametrize(
    "text",
    ["half \ud83d emoji", "nul \0 byte", "שלום, what is up?", "你好,世界", "👩‍👩‍👧", "a\u202eb"],
)
def test_odd_text_is_stored_and_answered(rig: AgentRig, text: str) -> None:
    assert replies(rig.say(text)) == ["Yes."]
    stored = said(rig)[0]
    stored.encode()
    assert "\0" not in stored


def test_a_message_larger_than_the_window_is_cut_for_the_model_and_archived_whole(
    rig: AgentRig,
) -> None:
    text = "word " * 20_000
    assert replies(rig.say(text)) == ["Yes."]
    assert said(rig)[0] == text
    assert rig.archived == [text]
    usage = rig.agent.usage()
    assert usage.total <= usage.usable


def test_a_search_does_not_find_the_question_itself(rig: AgentRig) -> None:
    rig.model.enqueue(search("Bento"), reply())
    updates = rig.say("When was Bento at the vet?")
    assert "Found nothing" in of(updates, CallFinished)[0].result.text
    assert rig.recall.read(1)[0].text == "When was Bento at the vet?"


def test_a_change_names_the_message_that_caused_it(rig: AgentRig) -> None:
    rig.model.enqueue(append("Name: Ana"), reply())
    rig.say("I'm Ana")
    cause = rig.state.changes(HUMAN)[0].cause_seq
    assert rig.recall.read(cause, cause)[0].text == "I'm Ana"


def test_a_long_message_whose_archiving_was_stopped_is_not_promised(rig: AgentRig) -> None:
    def stop(*_: object) -> None:
        raise Cancelled

    rig.agent._intake._archive_text = stop
    assert isinstance(rig.say("word " * 20_000)[-1], ChainCancelled)
    assert "could not be put into the archive" in rig.recall.read_last(1)[0].text


def test_a_message_that_cannot_be_archived_is_answered_all_the_same(rig: AgentRig) -> None:
    def fail(*_: object) -> None:
        raise ModelError("The embedder is missing.")

    rig.agent._intake._archive_text = fail
    assert replies(rig.say("word " * 20_000)) == ["Yes."]
    assert any("The embedder is missing." in m.text for m in rig.model.prompts[-1])


def test_what_the_user_said_is_stored_before_anything_else_can_fail(
    rig: AgentRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise StoreError("The disk is full.")

    monkeypatch.setattr(rig.recall, "search", fail)
    assert isinstance(rig.say("My mother's name is Eva")[-1], ChainFailed)
    assert said(rig) == ["My mother's name is Eva"]


def test_a_call_that_the_environment_failed_has_a_result_in_the_queue(
    rig: AgentRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise StoreError("The disk is full.")

    monkeypatch.setattr(rig.archival, "insert_note", full)
    rig.model.enqueue(FunctionCall("archival_memory_insert", {"text": "a"}, "I keep it."))
    rig.say("Keep this")
    assert rig.recall.read_last(1)[0].kind is MessageKind.FUNCTION


def test_a_full_block_still_shows_the_new_line_and_the_next_step(rig: AgentRig) -> None:
    lines = "\n".join(f"Line {n} about a thing" for n in range(60))
    rig.handle(MemoryEdited("human", lines))
    rig.model.enqueue(append("Likes tea"), reply())
    rig.say("I like tea")
    result = rig.model.prompts[-1][-1].text
    assert "Likes tea" in result
    assert "Now answer the user with send_message" in result


def test_a_window_too_small_for_the_instructions_is_refused_with_a_size_that_works() -> None:
    with pytest.raises(ContextWindowError) as refused:
        AgentRig(model=ScriptedModel(512))
    needed = int("".join(c for c in refused.value.hint if c.isdigit()))
    AgentRig(model=ScriptedModel(needed))


def test_a_login_after_a_while_is_noted_with_the_time_of_the_last_message(rig: AgentRig) -> None:
    rig.handle(Login())
    rig.say("Hello")
    assert admitted(rig.handle(Login())) == []
    rig.clock.advance(days=7)
    noted = admitted(rig.handle(Login()))
    assert "Sunday, 2026-11-29" in noted[0].text
    assert "2026-12-06" in noted[0].text


def test_an_imported_document_is_noted(rig: AgentRig) -> None:
    assert "lease.pdf" in admitted(rig.handle(DocumentImported("lease.pdf", 12, 3)))[0].text
    assert rig.model.prompts == []


def test_an_edit_by_hand_reaches_block_queue_and_history(rig: AgentRig) -> None:
    updates = rig.handle(MemoryEdited("human", "Name: Ana"))
    assert WorkingContextChanged("human", "Name: Ana") in updates
    assert "Name: Ana" in admitted(updates)[0].text
    assert rig.state.changes(HUMAN)[-1].actor == "user"


def test_an_edit_by_hand_that_does_not_fit_changes_nothing(rig: AgentRig) -> None:
    updates = rig.handle(MemoryEdited("human", "word " * 5000))
    assert isinstance(updates[-1], ChainFailed)
    assert "core_memory" not in str(updates[-1].error)
    assert rig.state.changes(HUMAN) == []
