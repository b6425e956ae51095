"""A due reminder: the assistant speaks first, once, however the program ends and starts."""

from itertools import islice, pairwise
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from helpers.agent_rig import AgentRig, admitted, append, replies, reply, said, search
from helpers.scripted_model import ScriptedModel
from pagekeeper_core.errors import Cancelled, ModelError, StoreError
from pagekeeper_core.events import (
    Login,
    ReminderCancelled,
    ReminderSet,
    ThreadOpened,
    TimedEvent,
)
from pagekeeper_core.messages import FunctionCall, Message, MessageKind
from pagekeeper_core.prompts import REMINDER_DUE
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.duckdb_recall import DuckDBRecallStore
from pagekeeper_core.storage.duckdb_reminders import DuckDBReminderStore
from pagekeeper_core.updates import (
    CallFinished,
    ChainCancelled,
    ChainFailed,
    ChainFinished,
    RemindersChanged,
    Update,
)


@pytest.fixture
def rig() -> AgentRig:
    return AgentRig(ScriptedModel(context_window=16_384))


def set_reminder(text: str, when: str, *, heartbeat: bool = False) -> FunctionCall:
    arguments = {"text": text, "when": when}
    return FunctionCall("set_reminder", arguments, "I set it.", request_heartbeat=heartbeat)


def cancel_reminder(text: str) -> FunctionCall:
    return FunctionCall("cancel_reminder", {"text": text}, "I end it.", request_heartbeat=False)


def due(rig: AgentRig) -> TimedEvent:
    event = rig.agent.timed_event()
    assert isinstance(event, TimedEvent)
    return event


def say_due(rig: AgentRig) -> list[Update]:
    return rig.handle(due(rig))


def notes(rig: AgentRig) -> list[Message]:
    return [m for m in rig.recall.read(1) if m.text.startswith(REMINDER_DUE)]


def listed(updates: list[Update]) -> list[list[str]]:
    return [[r.text for r in u.reminders] for u in updates if isinstance(u, RemindersChanged)]


def result(updates: list[Update]) -> str:
    (finished,) = (u for u in updates if isinstance(u, CallFinished))
    return finished.result.text


def test_the_model_sets_a_reminder_and_says_so(rig: AgentRig) -> None:
    rig.model.enqueue(set_reminder("Call Ana", "Friday"), reply("I will remind you."))
    updates = rig.say("Remind me on Friday at 17:00 to call Ana")
    assert result(updates) == (
        "Set: 'Call Ana' (Friday, 2026-12-04 at 17:00). Now answer the user with send_message. "
        'The user said: "Remind me on Friday at 17:00 to call Ana"'
    )
    assert listed(updates) == [["Call Ana"]]
    assert replies(updates) == ["I will remind you."]
    (reminder,) = rig.reminders.active()
    assert (reminder.actor, reminder.cause_seq) == ("assistant", 1)


def test_a_time_that_is_not_understood_goes_back_with_examples(rig: AgentRig) -> None:
    rig.model.enqueue(set_reminder("Call Ana", "some day"), reply("When shall I remind you?"))
    updates = rig.say("Remind me to call Ana")
    assert "When is 'some day'?" in result(updates)
    assert "'on Friday at nine'" in result(updates)
    assert "ask" in result(updates)
    assert rig.reminders.active() == []


def test_the_model_sees_what_is_due(rig: AgentRig) -> None:
    look = FunctionCall("list_reminders", {}, "I look.", request_heartbeat=True)
    rig.model.enqueue(look, reply("Nothing is due."))
    assert result(rig.say("What is due?")).startswith("No reminders are set.\nNow answer")
    rig.handle(ReminderSet("Call Ana", "tomorrow"))
    rig.handle(ReminderSet("What is due?", "at 10:30"))
    rig.clock.advance(minutes=31)
    rig.model.enqueue(look, reply("Tomorrow you call Ana."))
    assert result(say_due(rig)) == (
        "These reminders are set:\n1. 'Call Ana' (Monday, 2026-11-30 at 09:00)\n"
        'Now answer the user with send_message. The user said: "What is due?"'
    )
    for number in range(15):
        rig.handle(ReminderSet(f"Number {number}", "tomorrow"))
    rig.model.enqueue(look, reply("A lot."))
    assert "12. 'Number 10'" in (text := result(rig.say("What is due?")))
    assert "\nand 4 later ones.\n" in text


def test_the_model_ends_a_reminder(rig: AgentRig) -> None:
    rig.handle(ReminderSet("Call Ana", "tomorrow"))
    rig.model.enqueue(cancel_reminder("Call Ana"), reply("It is gone."))
    updates = rig.say("Forget about Ana")
    assert result(updates).startswith("Cancelled: 'Call Ana' (Monday, 2026-11-30 at 09:00).")
    assert listed(updates) == [[]]


def test_the_person_sets_and_ends_by_hand(rig: AgentRig) -> None:
    assert listed(rig.handle(ReminderSet("Call Ana", "tomorrow"))) == [["Call Ana"]]
    updates = rig.handle(ReminderSet("Call Ana", "whenever"))
    (failed,) = (u for u in updates if isinstance(u, ChainFailed))
    assert "That was not understood" in str(failed.error)
    assert "'on Friday at nine'" in failed.error.hint
    assert listed(rig.handle(ReminderCancelled(1))) == [[]]
    assert isinstance(rig.handle(ReminderCancelled(1))[-1], ChainFailed)


def test_a_due_reminder_lets_the_assistant_speak_first(rig: AgentRig) -> None:
    rig.say("Hello")
    rig.handle(ReminderSet("Call Ana", "at 10:30"))
    assert rig.agent.timed_event() is None
    rig.clock.advance(minutes=31)
    rig.model.enqueue(reply("It is time to call Ana."))
    updates = say_due(rig)
    assert replies(updates) == ["It is time to call Ana."]
    assert isinstance(updates[-1], ChainFinished)
    assert listed(updates) == [[]]
    (note,) = notes(rig)
    assert note.text == "Reminder, due Sunday, 2026-11-29 at 10:30: Call Ana"
    assert note.kind is MessageKind.SYSTEM
    assert rig.model.prompts[-1][-1].text == note.prompt_text
    assert "late" not in note.prompt_text
    assert rig.agent.timed_event() is None


def test_what_comes_late_says_when_it_had_been_due(rig: AgentRig) -> None:
    rig.handle(ReminderSet("What is due?", "every day at 11:00"))
    rig.clock.advance(days=3)
    rig.restart()
    rig.handle(Login())
    rig.model.enqueue(search("due"), reply("Nothing is due; you asked for this on Sunday."))
    updates = say_due(rig)
    assert replies(updates) == ["Nothing is due; you asked for this on Sunday."]
    (note,) = notes(rig)
    assert "due Sunday, 2026-11-29 at 11:00: What is due?" in note.text
    assert "It comes late, it is Wednesday, 2026-12-02 at 10:00" in note.prompt_text
    (reminder,) = rig.reminders.active()
    assert f"{reminder.due_at:%m-%d %H:%M}" == "12-02 11:00"
    assert rig.agent.timed_event() is None


def test_the_reply_is_in_the_reminders_language(rig: AgentRig) -> None:
    rig.handle(ReminderSet("给安娜打电话", "at 10:30"))
    rig.clock.advance(minutes=31)
    say_due(rig)
    assert notes(rig)[0].prompt_text.endswith("(Answer in Chinese.)")


def test_a_reminder_cannot_set_itself_again(rig: AgentRig) -> None:
    rig.handle(ReminderSet("Remind me tomorrow to call Ana", "at 10:30"))
    rig.clock.advance(minutes=31)
    say_due(rig)
    schema = cast("dict[str, Any]", rig.model.schemas[-1])
    names = {call["properties"]["function"]["const"] for call in schema["anyOf"]}
    assert {"send_message", "conversation_search", "core_memory_append"} <= names
    assert not names & {"set_reminder", "cancel_reminder", "wait_for_user"}


def test_a_reminder_is_said_in_the_conversation_that_is_open(rig: AgentRig) -> None:
    rig.say("Hello")
    rig.handle(ReminderSet("Call Ana", "at 10:30"))
    rig.handle(ThreadOpened(0))
    rig.clock.advance(minutes=31)
    say_due(rig)
    assert notes(rig)[0].thread_id == 2


def test_an_event_that_came_twice_is_answered_once(rig: AgentRig) -> None:
    rig.handle(ReminderSet("Call Ana", "at 10:30"))
    rig.clock.advance(minutes=31)
    event = due(rig)
    rig.handle(event)
    assert replies(rig.handle(event)) == []
    assert len(notes(rig)) == 1


def test_a_model_that_fails_is_asked_again_and_in_the_end_the_program_says_it(
    rig: AgentRig,
) -> None:
    rig.handle(ReminderSet("Call Ana", "at 10:30"))
    rig.clock.advance(minutes=31)
    rig.model.enqueue(*(ModelError("It broke.") for _ in range(3)))
    for _ in range(2):
        assert isinstance(say_due(rig)[-1], ChainFailed)
        assert rig.agent.timed_event() is None
        rig.clock.advance(minutes=1)
    assert replies(say_due(rig)) == ["Reminder: Call Ana (Sunday, 2026-11-29 at 10:30)"]
    assert len(notes(rig)) == 1
    assert rig.reminders.active() == []


def test_one_that_was_stopped_before_a_word_comes_again(rig: AgentRig) -> None:
    rig.handle(ReminderSet("Call Ana", "at 10:30"))
    rig.clock.advance(minutes=31)
    rig.model.enqueue(Cancelled(), reply("Call Ana!"))
    assert isinstance(say_due(rig)[-1], ChainCancelled)
    rig.clock.advance(minutes=1)
    assert replies(say_due(rig)) == ["Call Ana!"]


def test_what_was_said_in_between_gets_the_reminder_noted_anew(rig: AgentRig) -> None:
    rig.handle(ReminderSet("Call Ana", "at 10:30"))
    rig.clock.advance(minutes=31)
    rig.model.enqueue(ModelError("It broke."), reply("Hi!"), reply("Call Ana!"))
    say_due(rig)
    rig.say("Hello?")
    rig.clock.advance(minutes=1)
    assert replies(say_due(rig)) == ["Call Ana!"]
    assert len(notes(rig)) == 2
    assert rig.recall.read_last(2)[0] == notes(rig)[1]


def test_the_answer_to_one_reminder_is_not_taken_for_that_to_another(rig: AgentRig) -> None:
    rig.handle(ReminderSet("first", "at 10:30"))
    rig.handle(ReminderSet("second", "at 10:31"))
    rig.clock.advance(minutes=40)
    rig.model.enqueue(ModelError("It broke."), reply("The second!"), reply("The first!"))
    say_due(rig)
    assert replies(say_due(rig)) == ["The second!"]
    rig.clock.advance(minutes=1)
    assert replies(say_due(rig)) == ["The first!"]


def test_a_full_disk_neither_loses_nor_repeats_a_reminder(
    rig: AgentRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.handle(ReminderSet("Call Ana", "at 10:30"))
    rig.clock.advance(minutes=31)
    with monkeypatch.context() as broken:

        def fail(*arguments: object) -> None:
            raise StoreError("The disk is full.")

        broken.setattr(rig.reminders, "fired", fail)
        updates = say_due(rig)
        assert isinstance(updates[-1], ChainFailed)
        assert replies(updates) == ["Yes."]
    assert rig.agent.timed_event() is None
    rig.clock.advance(minutes=1)
    assert replies(say_due(rig)) == []
    assert rig.reminders.active() == []
    assert len(notes(rig)) == 1


@pytest.mark.parametrize("kept", range(1, 14))
def test_a_kill_at_any_moment_neither_loses_nor_repeats_a_reminder(
    rig: AgentRig, kept: int
) -> None:
    rig.handle(ReminderSet("Call Ana", "at 10:30"))
    rig.clock.advance(minutes=31)
    rig.model.enqueue(search("Ana"), reply("Call Ana!"))
    killed = rig.agent.handle(due(rig), rig.cancel)
    list(islice(killed, kept))
    del killed
    rig.model = ScriptedModel(context_window=16_384)
    rig.restart()
    while event := rig.agent.timed_event():
        rig.handle(event)
    assert len(notes(rig)) == 1
    assert len(said(rig)) == 1
    assert rig.reminders.active() == []


def test_reminders_are_said_from_real_stores_after_a_restart(tmp_path: Path) -> None:
    def opened() -> tuple[Database, AgentRig]:
        database = Database(tmp_path / "recall.duckdb")
        rig = AgentRig(recall=cast("Any", DuckDBRecallStore(database)))
        rig.reminders = cast("Any", DuckDBReminderStore(database))
        rig.restart()
        return database, rig

    database, rig = opened()
    rig.handle(ReminderSet("Call Ana", "at 10:30"))
    rig.handle(ReminderSet("Water the plants", "every day at 10:40"))
    database.close()
    database, rig = opened()
    try:
        rig.clock.advance(days=2, minutes=31)
        rig.model.enqueue(reply("Ana"), reply("Plants"))
        assert [replies(say_due(rig)), replies(say_due(rig))] == [["Ana"], ["Plants"]]
        assert rig.agent.timed_event() is None
        assert [r.text for r in rig.reminders.active()] == ["Water the plants"]
        assert len(notes(rig)) == 2
    finally:
        database.close()


def test_a_message_of_the_user_is_admitted_after_the_reminder_that_came_before(
    rig: AgentRig,
) -> None:
    rig.handle(ReminderSet("Call Ana", "at 10:30"))
    rig.clock.advance(minutes=31)
    rig.model.enqueue(reply("Call Ana!"), append("Name: Bob"), reply("Hello Bob"))
    say_due(rig)
    texts = [m.text for m in admitted(rig.say("I'm Bob")) if m.kind is MessageKind.USER]
    assert [*said(rig)] == ["Call Ana!", *texts, "Hello Bob"]


class KilledAndRestarted(RuleBasedStateMachine):
    """Reminders set, said, ended, and the program killed, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.rig = AgentRig(ScriptedModel(context_window=64_000))
        self.set = 0
        self.ended: set[str] = set()

    @rule(minutes=st.integers(5, 90), again=st.booleans())
    def remind(self, minutes: int, *, again: bool) -> None:
        self.set += 1
        when = f"every {minutes} minutes" if again else f"in {minutes} minutes"
        self.rig.handle(ReminderSet(f"Number {self.set}", when))

    @precondition(lambda self: self.rig.reminders.active())
    @rule()
    def end_the_next(self) -> None:
        reminder = self.rig.reminders.active()[0]
        self.ended.add(reminder.text)
        self.rig.handle(ReminderCancelled(reminder.reminder_id))

    @rule(minutes=st.integers(1, 120))
    def pass_time(self, minutes: int) -> None:
        self.rig.clock.advance(minutes=minutes)

    @rule()
    def say_something(self) -> None:
        self.rig.say("Hello")

    @rule(fails=st.booleans())
    def run(self, *, fails: bool) -> None:
        while event := self.rig.agent.timed_event():
            if fails:
                self.rig.model.enqueue(ModelError("It broke."))
            self.rig.handle(event)
            fails = False

    @rule(updates=st.integers(0, 12))
    def kill(self, updates: int) -> None:
        if event := self.rig.agent.timed_event():
            list(islice(self.rig.agent.handle(event, self.rig.cancel), updates))
        self.rig.restart()

    @invariant()
    def nothing_is_said_twice(self) -> None:
        messages = self.rig.recall.read(1)
        answered = [
            before.text
            for before, after in pairwise(messages)
            if before.text.startswith(REMINDER_DUE) and after.kind is MessageKind.ASSISTANT
        ]
        assert len(answered) == len(set(answered))

    def teardown(self) -> None:
        """What is due is said at last: none is lost."""
        for _ in range(3):
            self.rig.clock.advance(minutes=1)
            self.run(fails=False)
        now = self.rig.clock.now()
        assert all(reminder.due_at > now for reminder in self.rig.reminders.active())
        said_of = {m.text.rpartition(": ")[2] for m in notes(self.rig)}
        due = {r.text for r in self.rig.reminders.reminders if r.due_at <= now}
        assert due - self.ended <= said_of
        self.nothing_is_said_twice()


TestKilledAndRestarted = pytest.mark.thorough(KilledAndRestarted.TestCase)
TestKilledAndRestarted.settings = settings(
    max_examples=10, stateful_step_count=20, derandomize=True
)
