"""The agent thread and the clock: what falls due comes in its turn, and idle work gives way."""

import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from helpers.fixed_clock import FixedClock
from helpers.memory_stores import MemoryReminderStore
from helpers.scripted_assistant import ADMIT, Gate, Reply, ScriptedAgent, ScriptedComposition, steps
from pagekeeper_core.events import Event, TimedEvent, UserMessage
from pagekeeper_core.records import Reminder
from pagekeeper_core.schedule import Reminders
from pagekeeper_core.updates import Update
from pagekeeper_desktop.agent_worker import AgentWorker
from pagekeeper_desktop.due_alarm import ring_when_due
from pagekeeper_desktop.options import Options

PATIENCE = 20_000
"""Milliseconds for what takes some of them: a machine may be busy."""

NOW = datetime(2026, 11, 29, 10, 0, tzinfo=UTC)


def timed_event(text: str = "Call Ana") -> TimedEvent:
    return TimedEvent(Reminder(text, NOW, "", NOW, "user", reminder_id=1))


class Rig:
    """A worker over the scripted parts, and the events that it has answered."""

    def __init__(self, qtbot: QtBot, folder: Path, *scripts: list[object]) -> None:
        self.qtbot = qtbot
        self.composition = ScriptedComposition(scripts=[list(script) for script in scripts])  # type: ignore[arg-type]
        self.worker = AgentWorker(self.composition, Options(folder))
        self.answered: list[Event] = []
        self.worker.event_done.connect(self.answered.append)
        with qtbot.waitSignal(self.worker.ready, timeout=PATIENCE):
            self.worker.start()
        self.wait(lambda: self.agent.idle_calls == 1)

    @property
    def agent(self) -> ScriptedAgent:
        assert self.composition.assistant is not None
        return self.composition.assistant.agent

    @property
    def texts(self) -> list[str]:
        """What was answered, without the login."""
        return [
            event.text if isinstance(event, UserMessage) else event.reminder.text
            for event in self.answered
            if isinstance(event, UserMessage | TimedEvent)
        ]

    def due_in(self, seconds: float, text: str = "Call Ana") -> None:
        self.agent.due.append((time.monotonic() + seconds, timed_event(text)))

    def wait(self, condition: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(condition, timeout=PATIENCE)

    def close(self) -> None:
        self.worker.end()
        assert self.worker.join(10)


@pytest.fixture
def open_rig(qtbot: QtBot, tmp_path: Path) -> Iterator[Callable[..., Rig]]:
    rigs: list[Rig] = []

    def opened(*scripts: list[object]) -> Rig:
        rigs.append(Rig(qtbot, tmp_path, *scripts))
        return rigs[-1]

    yield opened
    for rig in rigs:
        rig.close()


def test_the_thread_wakes_when_a_reminder_falls_due(open_rig: Callable[..., Rig]) -> None:
    rig = open_rig()
    rig.due_in(0.1)
    rig.worker.post(UserMessage("Hello"))  # a reminder is set by an event, too
    rig.wait(lambda: rig.texts == ["Hello", "Call Ana"])


def test_what_was_due_before_the_start_is_said_after_the_login(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    init = ScriptedAgent.__init__

    def made(agent: ScriptedAgent, *arguments: Any, **named: Any) -> None:
        init(agent, *arguments, **named)
        agent.due.append((0.0, timed_event("missed")))

    monkeypatch.setattr(ScriptedAgent, "__init__", made)
    rig = Rig(qtbot, tmp_path)
    try:
        rig.wait(lambda: len(rig.answered) == 2)
        assert rig.texts == ["missed"]
    finally:
        rig.close()


def test_a_message_goes_before_what_falls_due_while_a_reply_is_written(
    open_rig: Callable[..., Rig],
) -> None:
    gate = Gate()
    rig = open_rig(steps(ADMIT, gate, Reply("One")))
    rig.worker.post(UserMessage("one"))
    rig.wait(lambda: UserMessage("one") in rig.agent.events)
    rig.due_in(0.0)
    rig.worker.post(UserMessage("two"))
    gate.set()
    rig.wait(lambda: rig.texts == ["one", "two", "Call Ana"])


def test_reminders_that_are_due_together_are_said_one_after_the_other(
    open_rig: Callable[..., Rig],
) -> None:
    rig = open_rig()
    rig.due_in(0.0, "first")
    rig.due_in(0.0, "second")
    rig.worker.post(UserMessage("Hello"))
    rig.wait(lambda: rig.texts == ["Hello", "first", "second"])


def test_idle_work_gives_way_to_what_falls_due(
    open_rig: Callable[..., Rig], monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = open_rig()
    interrupted: list[bool] = []

    def idle(agent: ScriptedAgent, cancel: threading.Event) -> Iterator[Update]:
        agent.idle_calls += 1
        if len(agent.events) == 2:  # login and message: long work, broken off by the reminder
            interrupted.append(cancel.wait(60))
        yield from ()

    monkeypatch.setattr(ScriptedAgent, "idle", idle)
    rig.due_in(0.3)
    rig.worker.post(UserMessage("Hello"))
    rig.wait(lambda: rig.texts == ["Hello", "Call Ana"])
    assert interrupted == [True]


def test_the_thread_ends_at_once_while_it_waits_for_a_reminder(
    open_rig: Callable[..., Rig],
) -> None:
    rig = open_rig()
    rig.due_in(50)
    rig.worker.post(UserMessage("Hello"))
    rig.wait(lambda: rig.agent.idle_calls == 2 and rig.texts == ["Hello"])
    rig.worker.end()
    assert rig.worker.join(10)


def test_the_alarm_reads_the_clock_again_and_rings_once() -> None:
    clock = FixedClock(NOW)
    reminders = Reminders(MemoryReminderStore(), clock)
    reminders.set("Call Ana", "at 11:00", actor="user")
    asked: list[float | None] = []
    rung = threading.Event()

    def seconds() -> float | None:
        """The clock jumps while the alarm waits, as it does when a laptop has slept."""
        left = reminders.seconds_to_timed_event()
        asked.append(left)
        clock.advance(minutes=20)
        return min(left, 0.01) if left else left

    with ring_when_due(seconds, rung.set):
        assert rung.wait(10)
    assert asked[:3] == [60.0, 60.0, 60.0]
    assert asked[-1] == 0
    assert len(asked) == 4


def test_the_alarm_needs_no_thread_without_reminders() -> None:
    before = threading.active_count()
    with ring_when_due(lambda: None, lambda: None):
        assert threading.active_count() == before


def test_the_alarm_is_silent_after_its_block() -> None:
    rung = threading.Event()
    with ring_when_due(lambda: 60.0, rung.set):
        pass
    assert not rung.is_set()
    assert not any(thread.name == "timed-events" for thread in threading.enumerate())
