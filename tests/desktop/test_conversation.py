"""Talking in the window: sending, streaming, stopping, failing, waiting."""

import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from helpers.scripted_assistant import (
    ADMIT,
    Gate,
    Reply,
    ScriptedComposition,
    message,
    steps,
)
from helpers.window_rig import OpenWindow
from pagekeeper_core.errors import ModelError, StoreError
from pagekeeper_core.events import Login, UserMessage
from pagekeeper_core.messages import FunctionCall, FunctionResult, MessageKind
from pagekeeper_core.updates import CallFinished, CallStarted, PromptProgress, ReplyDelta, Update
from pagekeeper_desktop.view_models.session_state import Phase
from pagekeeper_desktop.view_models.transcript_items import DayItem, MessageState, Sender
from pagekeeper_desktop.widgets.message_row import MessageRow


def test_a_message_is_answered(open_window: OpenWindow) -> None:
    rig = open_window().until_ready()
    rig.type_and_send("Hello")
    rig.until_idle()
    assert [(m.sender, m.text) for m in rig.messages()] == [
        (Sender.USER, "Hello"),
        (Sender.ASSISTANT, "Echo: Hello"),
    ]
    assert {m.state for m in rig.messages()} == {MessageState.DONE}
    assert rig.window.pane.composer.text == ""


def test_the_agent_hears_of_the_start_first(open_window: OpenWindow) -> None:
    rig = open_window().until_ready()
    rig.type_and_send("Hello")
    rig.until_idle()
    assert rig.agent.events == [Login(), UserMessage("Hello")]


def test_everything_slow_runs_on_the_agent_thread(open_window: OpenWindow) -> None:
    rig = open_window().until_ready()
    assert rig.composition.threads == {"agent"}


@pytest.mark.parametrize("blank", ["", "   ", "\n\n\t", "\u200b\u200e", "\u3000"])
def test_a_blank_message_is_not_sent(open_window: OpenWindow, blank: str) -> None:
    rig = open_window().until_ready()
    rig.type_and_send(blank)
    assert rig.messages() == []
    assert not rig.window.pane.composer._button.isEnabled()


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("half an emoji \ud83d here", "half an emoji \ufffd here"),
        ("a NUL \0 in it", "a NUL  in it"),
        ("שלום Bento שלום", "שלום Bento שלום"),
        ("你好，猫", "你好，猫"),
        ("👩‍👩‍👧 family", "👩‍👩‍👧 family"),
    ],
)
def test_every_script_and_broken_text_can_be_sent(
    open_window: OpenWindow, typed: str, sent: str
) -> None:
    rig = open_window().until_ready()
    rig.session.send(typed)
    rig.until_idle()
    assert rig.messages()[0].text == sent


def test_the_reply_grows_as_it_is_written(open_window: OpenWindow) -> None:
    gate = Gate()
    script = steps(ADMIT, ReplyDelta("That he "), ReplyDelta("is fine"), gate, Reply("unused", 1))
    rig = open_window(ScriptedComposition(scripts=[script])).until_ready()
    rig.type_and_send("What did the vet say?")
    rig.until(lambda: rig.replies()[-1:] == ["That he is fine"])
    assert rig.messages()[-1].state is MessageState.WRITING
    row = rig.window.pane.transcript.live_rows[-1]
    assert isinstance(row, MessageRow)
    assert row.text_view.toPlainText() == "That he is fine"
    gate.set()
    rig.until_idle()


def test_a_reply_shows_what_goes_on_before_its_first_word(open_window: OpenWindow) -> None:
    gate, later = Gate(), Gate()
    call = FunctionCall("conversation_search", {"queries": ["vet"]})
    script = steps(ADMIT, PromptProgress(512, 1800), gate, CallStarted(call), later, Reply("Fine."))
    rig = open_window(ScriptedComposition(scripts=[script])).until_ready()
    rig.type_and_send("What did the vet say?")
    rig.until(lambda: rig.messages()[-1].progress == "Reading 512 of 1,800 tokens")
    gate.set()
    rig.until(lambda: rig.messages()[-1].progress == "Searched chats: “vet” …")
    later.set()
    rig.until_idle()
    assert rig.messages()[-1].calls == ("Searched chats: “vet”",)
    assert rig.messages()[-1].progress == ""


def test_stop_ends_the_reply_at_once_and_keeps_what_was_written(open_window: OpenWindow) -> None:
    script = steps(ADMIT, Reply("word " * 1000, pieces=1000, pause=0.01))
    rig = open_window(ScriptedComposition(scripts=[script])).until_ready()
    rig.type_and_send("Tell me a story")
    rig.until(lambda: bool(rig.replies() and rig.replies()[-1]))
    QTest.mouseClick(rig.window.pane.composer._button, Qt.MouseButton.LeftButton)
    assert rig.session.state.stopping
    rig.until_idle()
    assert rig.messages()[-1].state is MessageState.STOPPED
    assert 0 < len(rig.replies()[-1]) < 5000
    assert rig.composition.recall.messages[-1].text == rig.replies()[-1]


def test_escape_stops_too_and_before_the_first_word(open_window: OpenWindow) -> None:
    rig = open_window(ScriptedComposition(scripts=[steps(ADMIT, Gate())])).until_ready()
    rig.type_and_send("Hello?")
    rig.until(lambda: rig.messages()[0].state is MessageState.DONE)
    QTest.keyClick(rig.window, Qt.Key.Key_Escape)
    rig.until_idle()
    assert rig.messages()[-1].state is MessageState.STOPPED
    rig.type_and_send("And now?")
    rig.until_idle()
    assert rig.replies()[-1] == "Echo: And now?"


def test_a_late_stop_does_not_hit_the_next_reply(open_window: OpenWindow) -> None:
    rig = open_window().until_ready()
    rig.session._worker.stop()
    rig.type_and_send("Hello")
    rig.until_idle()
    assert rig.replies() == ["Echo: Hello"]


def test_messages_written_while_it_loads_are_answered_in_order_after(
    open_window: OpenWindow,
) -> None:
    gate = Gate()
    rig = open_window(ScriptedComposition(load_gate=gate))
    rig.until_phase(Phase.LOADING)
    rig.type_and_send("one")
    rig.type_and_send("two")
    assert [m.state for m in rig.messages()] == [MessageState.WAITING] * 2
    gate.set()
    rig.until_idle()
    assert [m.text for m in rig.messages()] == ["one", "Echo: one", "two", "Echo: two"]


def test_a_waiting_message_can_be_taken_back(open_window: OpenWindow) -> None:
    gate = Gate()
    rig = open_window(ScriptedComposition(load_gate=gate))
    rig.until_phase(Phase.LOADING)
    rig.type_and_send("not this")
    rig.window.pane.composer.field.setPlainText("but this")
    row = rig.window.pane.transcript.live_rows[-1]
    assert isinstance(row, MessageRow)
    QTest.mouseClick(row._button, Qt.MouseButton.LeftButton)
    assert rig.messages() == []
    assert rig.window.pane.composer.text == "not this\n\nbut this"
    gate.set()


def test_a_failed_chain_keeps_the_message_and_offers_to_send_it_again(
    open_window: OpenWindow,
) -> None:
    failing = steps(
        ADMIT, ModelError("The model failed.", hint="Try a larger one.", retryable=True)
    )
    rig = open_window(ScriptedComposition(scripts=[failing])).until_ready()
    rig.type_and_send("Hello")
    rig.until(rig.window.pane.banner.isVisible)
    rig.until_idle()
    assert [m.text for m in rig.messages()] == ["Hello"]
    assert rig.messages()[0].state is MessageState.FAILED
    banner = rig.window.pane.banner
    assert (banner.accessibleName(), banner.accessibleDescription()) == (
        "The model failed.",
        "Try a larger one.",
    )
    QTest.mouseClick(banner._button, Qt.MouseButton.LeftButton)
    rig.until(lambda: rig.replies() == ["Echo: Hello"])
    assert banner.isHidden()


def test_a_message_that_could_not_be_stored_stays_in_the_transcript(
    open_window: OpenWindow,
) -> None:
    failing = steps(StoreError("The disk is full.", hint="Make room."))
    rig = open_window(ScriptedComposition(scripts=[failing])).until_ready()
    rig.type_and_send("Precious")
    rig.until(rig.window.pane.banner.isVisible)
    assert [m.text for m in rig.messages()] == ["Precious"]


def test_a_fault_of_the_program_is_told_calmly_and_the_agent_goes_on(
    open_window: OpenWindow, caplog: pytest.LogCaptureFixture
) -> None:
    rig = open_window(ScriptedComposition(scripts=[steps(ADMIT, ZeroDivisionError("oops"))]))
    rig.until_ready()
    rig.type_and_send("Hello")
    rig.until(rig.window.pane.banner.isVisible)
    assert "ZeroDivisionError" in caplog.text
    rig.until_idle()
    rig.type_and_send("Again")
    rig.until(lambda: rig.replies() == ["Echo: Again"])


def test_the_past_conversation_is_there_before_the_model(open_window: OpenWindow) -> None:
    gate = Gate()
    composition = ScriptedComposition(load_gate=gate)
    call = FunctionCall("conversation_search", {"queries": ["vet"]})
    for kind, text, made in (
        (MessageKind.SYSTEM, "The program was started.", None),
        (MessageKind.USER, "What did the vet say?", None),
        (MessageKind.ASSISTANT, "", call),
        (MessageKind.FUNCTION, "1 result", None),
        (MessageKind.ASSISTANT, "That he is fine.", FunctionCall("send_message", {})),
    ):
        composition.recall.append(message(kind, text, made))
    rig = open_window(composition)
    rig.until_phase(Phase.LOADING)
    assert [m.text for m in rig.messages()] == ["What did the vet say?", "That he is fine."]
    assert rig.messages()[-1].calls == ("Searched chats: “vet”",)
    assert isinstance(rig.session.transcript[0], DayItem)
    gate.set()


def test_the_activity_list_follows_the_calls(open_window: OpenWindow) -> None:
    call = FunctionCall(
        "core_memory_append", {"block": "human", "text": "Dog: Bento"}, "A fact to keep."
    )
    result = FunctionResult("Saved.", changed_memory=True)
    script = steps(ADMIT, CallStarted(call), CallFinished(call, result), Reply("Noted."))
    rig = open_window(ScriptedComposition(scripts=[script])).until_ready()
    rig.type_and_send("My dog is Bento")
    rig.until_idle()
    (row,) = rig.window.panel.activity.rows
    assert row._entry.title == "Noted: Dog: Bento"
    assert dict(row._entry.details) == {
        "Function": "core_memory_append",
        "Thought": "A fact to keep.",
        "Arguments": "block: human\ntext: Dog: Bento",
        "Result": "Saved.",
    }
    assert not row.is_unfolded
    QTest.mouseClick(row._line, Qt.MouseButton.LeftButton)
    assert row.is_unfolded


def test_speed_and_model_stand_in_the_status_line(open_window: OpenWindow) -> None:
    rig = open_window(ScriptedComposition(scripts=[steps(ADMIT, Reply("a" * 400, 10, 0.01))]))
    rig.until_ready()
    assert rig.window.status._left.text() == "Qwen2.5 Coder 1.5B · offline"
    rig.type_and_send("Hello")
    rig.until_idle()
    assert "tokens/s" in rig.window.status._left.text()


def test_idle_work_makes_way_for_a_message(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = open_window().until_ready()
    agent = rig.agent
    rig.until(lambda: agent.idle_calls > 0)
    started = threading.Event()

    def endless(cancel: threading.Event) -> Iterator[Update]:
        started.set()
        cancel.wait(30)
        yield from ()

    monkeypatch.setattr(agent, "idle", endless)
    rig.type_and_send("one")
    rig.until(started.is_set)
    rig.type_and_send("two")
    rig.until(lambda: rig.replies() == ["Echo: one", "Echo: two"])
