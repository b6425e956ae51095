"""`chat` at a terminal: typing, pasting, streaming, Ctrl+C and the ways to leave."""

from collections.abc import Iterator

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from helpers.agent_rig import append, reply
from helpers.keyboard import ALT_ENTER, CTRL_C, CTRL_D, ENTER, PASTE, Keyboard
from helpers.terminal import interrupt_while_writing
from pagekeeper_core.errors import ModelError


@pytest.fixture
def person() -> Iterator[Keyboard]:
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        yield Keyboard(keys)


def test_a_reply_appears_and_ctrl_d_leaves(person: Keyboard) -> None:
    person.rig.model.enqueue(append("Name: Ana."), reply("Hello Ana, nice to meet you!"))
    assert person.run("I'm Ana" + ENTER + CTRL_D) == 0
    assert person.streams.result == "Hello Ana, nice to meet you!\n\n"
    assert "Scripted · offline" in person.streams.remarks
    assert "Noted: Name: Ana" in person.streams.remarks


@pytest.mark.parametrize("word", ["/quit", " /exit "])
def test_a_word_leaves(person: Keyboard, word: str) -> None:
    assert person.run(word + ENTER + "never read" + ENTER) == 0
    assert person.said == []


def test_blank_messages_are_not_sent(person: Keyboard) -> None:
    assert person.run(ENTER + "   " + ENTER + "hi" + ENTER + CTRL_D) == 0
    assert person.said == ["hi"]


def test_a_pasted_text_is_one_message_with_its_lines(person: Keyboard) -> None:
    text = "Dear Ana,\n\nתודה 你好 😀\r\nBento"
    assert person.run(PASTE.format(text) + ENTER + CTRL_D) == 0
    assert person.said == ["Dear Ana,\n\nתודה 你好 😀\nBento"]


@pytest.mark.thorough
def test_alt_enter_begins_a_new_line(person: Keyboard) -> None:
    assert person.run("one" + ALT_ENTER + "two" + ENTER + CTRL_D) == 0
    assert person.said == ["one\ntwo"]


def test_ctrl_c_stops_the_reply_and_the_conversation_goes_on(person: Keyboard) -> None:
    person.rig.model.enqueue(reply("A very long reply. " * 50), reply("Still here."))
    interrupt_while_writing(person.rig)
    assert person.run("a story" + ENTER + "again" + ENTER + CTRL_D) == 0
    assert person.said == ["a story", "again"]
    assert "Stopped." in person.streams.remarks
    assert person.streams.result.endswith("Still here.\n\n")


@pytest.mark.parametrize(
    "typed",
    [CTRL_C + CTRL_C, "hi" + ENTER + CTRL_C + "half a mess" + CTRL_C],
    ids=["at once", "after a message"],
)
def test_ctrl_c_twice_leaves(person: Keyboard, typed: str) -> None:
    with pytest.raises(KeyboardInterrupt):
        person.run(typed)
    assert "Ctrl+C once more" in person.streams.remarks


def test_ctrl_c_once_does_not_leave(person: Keyboard) -> None:
    assert person.run(CTRL_C + "hi" + ENTER + CTRL_C + CTRL_D) == 0
    assert person.said == ["hi"]


def test_ctrl_c_after_a_stopped_reply_leaves(person: Keyboard) -> None:
    person.rig.model.enqueue(reply("A very long reply. " * 50))
    interrupt_while_writing(person.rig)
    with pytest.raises(KeyboardInterrupt):
        person.run("a story" + ENTER + CTRL_C)


def test_ctrl_c_twice_during_a_reply_leaves(person: Keyboard) -> None:
    person.rig.model.enqueue(reply("A very long reply. " * 50))
    interrupt_while_writing(person.rig, times=2)
    with pytest.raises(KeyboardInterrupt):
        person.run("a story" + ENTER)


def test_a_failure_is_told_and_the_conversation_goes_on(person: Keyboard) -> None:
    person.rig.model.enqueue(ModelError("It broke.", hint="Try again."), reply("Here."))
    assert person.run("one" + ENTER + "two" + ENTER + CTRL_D) == 0
    assert "It broke.\nTry again." in person.streams.remarks
    assert person.streams.result == "Here.\n\n"


def test_what_the_model_writes_cannot_command_the_terminal(person: Keyboard) -> None:
    person.rig.model.enqueue(reply("\x1b[2J\x1b]0;owned\x07done"))
    assert person.run("hi" + ENTER + CTRL_D) == 0
    assert "\x1b" not in person.streams.result
    assert "done" in person.streams.result
