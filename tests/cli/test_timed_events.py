"""Reminders in the terminal: above the prompt while it waits, and before a piped message."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from helpers.agent_rig import AgentRig, reply
from helpers.keyboard import CTRL_C, CTRL_D, ENTER, Keyboard
from helpers.scripted_model import ScriptedModel
from helpers.terminal import Screen, Streams, roomy_rig, said, scripted_session
from pagekeeper_core.errors import ModelError
from pagekeeper_core.events import ReminderSet
from pagekeeper_core.messages import MessageKind
from pagekeeper_desktop.cli import idle_time
from pagekeeper_desktop.cli.chat import answer_lines


def remind(rig: AgentRig, *texts: str) -> None:
    """Set reminders that are due now."""
    for text in texts:
        rig.handle(ReminderSet(text, "in ten minutes"))
    rig.clock.advance(minutes=11)


def spoken(rig: AgentRig) -> list[str]:
    """What the person and the assistant said."""
    kinds = {MessageKind.USER, MessageKind.ASSISTANT}
    return [m.text for m in rig.recall.messages if m.kind in kinds]


@pytest.fixture
def person() -> Iterator[Keyboard]:
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        yield Keyboard(keys)


class Watched(Screen):
    """A terminal on which the person sees a text and types, once."""

    def __init__(self, person: Keyboard, awaited: str, typed: str) -> None:
        super().__init__()
        self._person = person
        self._awaited = awaited
        self._typed = typed

    def write(self, text: str) -> int:
        written = super().write(text)
        if self._typed and self._awaited in self.getvalue():
            typed, self._typed = self._typed, ""
            self._person.keys.send_text(typed)
        return written


def test_a_reminder_appears_while_the_prompt_waits(person: Keyboard) -> None:
    remind(person.rig, "Call Ana")
    person.rig.model.enqueue(reply("It is time to call Ana."), reply("Well done."))
    person.streams = Streams(Watched(person, "call Ana.", "did it" + ENTER + CTRL_D), Screen())
    assert person.run("") == 0
    assert person.streams.result == "It is time to call Ana.\n\nWell done.\n\n"
    assert spoken(person.rig) == ["It is time to call Ana.", "did it", "Well done."]
    assert person.rig.reminders.active() == []


def test_what_the_person_has_begun_to_type_is_kept(person: Keyboard) -> None:
    remind(person.rig, "Call Ana")
    person.rig.model.enqueue(reply("Call Ana!"), reply("Good."))
    person.streams = Streams(Watched(person, "Call Ana!", "lo" + ENTER + CTRL_D), Screen())
    assert person.run("Hel") == 0
    assert said(person.rig) == ["Hello"]


def test_a_message_that_is_sent_meanwhile_waits_for_the_reminder_to_be_said(
    person: Keyboard,
) -> None:
    remind(person.rig, "Call Ana")
    person.rig.model.enqueue(reply("Call Ana!"), reply("Hello."))
    generate, writing = person.rig.model.generate, threading.Event()

    def type_meanwhile(*arguments: Any, **named: Any) -> Any:
        if not writing.is_set():
            writing.set()
            person.keys.send_text("hi" + ENTER + CTRL_D)
        return (yield from generate(*arguments, **named))

    person.rig.model.generate = type_meanwhile  # type: ignore[method-assign]
    assert person.run("") == 0
    assert spoken(person.rig) == ["Call Ana!", "hi", "Hello."]
    assert person.streams.result == "Call Ana!\n\nHello.\n\n"


def test_leaving_stops_what_is_being_said_and_it_comes_again(person: Keyboard) -> None:
    remind(person.rig, "Call Ana")
    person.rig.model.enqueue(reply("A long reminder. " * 50))
    generate = person.rig.model.generate

    def leave_meanwhile(*arguments: Any, **named: Any) -> Any:
        person.keys.send_text(CTRL_D)
        named["cancel"].wait(20)
        return (yield from generate(*arguments, **named))

    person.rig.model.generate = leave_meanwhile  # type: ignore[method-assign]
    assert person.run("") == 0
    assert [r.text for r in person.rig.reminders.active()] == ["Call Ana"]


def test_a_quick_typist_is_not_kept_from_leaving_by_what_is_due(
    person: Keyboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However slow the machine is, this person is quicker.
    monkeypatch.setattr(idle_time, "_PAUSE_SECONDS", 60)
    remind(person.rig, "Call Ana")
    assert person.run(CTRL_C + CTRL_D) == 0
    assert [r.text for r in person.rig.reminders.active()] == ["Call Ana"]


def test_what_is_due_is_said_beside_the_replies_of_piped_messages() -> None:
    rig, streams = roomy_rig(), Streams()
    remind(rig, "first", "second")
    rig.model.enqueue(reply("The first!"), reply("The second!"), reply("Hello."))
    with scripted_session(rig) as session:
        assert answer_lines(session, ["hi"], streams.console, as_json=False) == 0
    assert streams.result == "Hello.\n"
    assert streams.remarks == "The first!\nThe second!\n"


def test_what_is_due_stands_in_the_answer_for_a_program() -> None:
    rig, streams = roomy_rig(), Streams()
    remind(rig, "Call Ana")
    rig.model.enqueue(reply("Call Ana!"), reply("Hello."), reply("Yes."))
    with scripted_session(rig) as session:
        assert answer_lines(session, ["hi", "again"], streams.console, as_json=True) == 0
    first, second = streams.objects()
    assert (first["reminders"], first["reply"]) == (["Call Ana!"], "Hello.")
    assert (second["reminders"], second["reply"]) == ([], "Yes.")


def test_a_reminder_that_fails_does_not_keep_the_message_from_its_answer() -> None:
    rig, streams = AgentRig(ScriptedModel(context_window=32_768)), Streams()
    remind(rig, "Call Ana")
    rig.model.enqueue(ModelError("It broke."), reply("Hello."))
    with scripted_session(rig) as session:
        assert answer_lines(session, ["hi"], streams.console, as_json=False) == 0
    assert streams.result == "Hello.\n"
    assert [r.text for r in rig.reminders.active()] == ["Call Ana"]
