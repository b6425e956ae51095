"""Reminders: listed, set in plain words, ended, and said so that nobody misses them."""

import time
from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from helpers.scripted_assistant import Gate, Reply, ScriptedComposition, message, steps
from helpers.window_rig import OpenWindow, WindowRig
from pagekeeper_core.errors import StoreError
from pagekeeper_core.events import (
    Event,
    Login,
    ReminderCancelled,
    ReminderSet,
    TimedEvent,
    UserMessage,
)
from pagekeeper_core.messages import MessageKind
from pagekeeper_core.records import Reminder
from pagekeeper_core.updates import ChainFinished, ReplyDelta, ReplyFinished
from pagekeeper_desktop.model_choice import MissingModel
from pagekeeper_desktop.view_models.reminder_list import due_words
from pagekeeper_desktop.view_models.session_state import Action, Phase
from pagekeeper_desktop.view_models.transcript_items import (
    MessageItem,
    MessageState,
    ReminderItem,
)
from pagekeeper_desktop.widgets.notice_rows import ReminderRow

NOW = datetime.now(UTC)


def reminder(text: str = "Call the vet", days: float = 1, **fields: object) -> Reminder:
    made: dict[str, object] = {"recurrence": "", "created_at": NOW, "actor": "user"} | fields
    return Reminder(text, NOW + timedelta(days=days), **made)  # type: ignore[arg-type]


def with_reminders(*reminders: Reminder, **fields: object) -> ScriptedComposition:
    composition = ScriptedComposition(**fields)  # type: ignore[arg-type]
    for each in reminders:
        composition.reminders.add(each)
    return composition


def open_page(rig: WindowRig) -> None:
    rig.until(rig.window.isActiveWindow)
    QTest.keyClick(rig.window, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    assert rig.window.reminders.isVisible()


def fill(rig: WindowRig, text: str, when: str) -> None:
    rig.window.reminders.text.setText(text)
    rig.window.reminders.when.setText(when)
    QTest.keyClick(rig.window.reminders.when, Qt.Key.Key_Return)


def make_due(rig: WindowRig, text: str = "Call the vet") -> None:
    rig.agent.due.append((time.monotonic(), TimedEvent(reminder(text, days=0, reminder_id=1))))
    rig.session.post(Login())


def test_what_is_due_when(open_window: OpenWindow) -> None:
    composition = with_reminders(
        reminder("Water the plants", days=3, recurrence="FREQ=DAILY", actor="assistant"),
        reminder("Call the vet"),
    )
    rig = open_window(composition).until_ready()
    open_page(rig)
    rig.until(lambda: len(rig.window.reminders.cards) == 2)
    names = [card.accessibleName() for card in rig.window.reminders.cards.values()]
    assert names[0].startswith("Tomorrow, ")
    assert names[0].endswith(": Call the vet")
    assert names[1].endswith(" · every day: Water the plants")
    QTest.keyClick(rig.window, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    assert rig.window.pane.isVisible()


@pytest.mark.parametrize(
    ("due", "words"),
    [
        (datetime(2026, 5, 20, 18), "Today, 18:00"),
        (datetime(2026, 5, 19, 18), "Overdue, 18:00"),
        (datetime(2026, 5, 21, 9), "Tomorrow, 09:00"),
        (datetime(2026, 5, 29, 9), "Friday, 29 May, 09:00"),
        (datetime(2027, 1, 1, 9), "Friday, 1 January 2027, 09:00"),
    ],
)
def test_moments_in_words(due: datetime, words: str) -> None:
    now = datetime(2026, 5, 20, 10).astimezone()
    assert due_words(Reminder("x", due.astimezone(), "", NOW, "user"), now) == words


def test_one_is_set_in_plain_words(open_window: OpenWindow) -> None:
    rig = open_window().until_ready()
    open_page(rig)
    page = rig.window.reminders
    assert page.text.hasFocus()
    assert not page.add.isEnabled()
    fill(rig, "Call the vet", "tomorrow at nine")
    assert page.note.text() == "Setting it …"
    rig.until(lambda: len(page.cards) == 1)
    rig.until(lambda: page.note.text() == "It is set.")
    assert ReminderSet("Call the vet", "tomorrow at nine") in rig.agent.events
    assert page.text.text() == page.when.text() == ""
    (card,) = page.cards.values()
    assert card.due.text() == "Tomorrow, 09:00"


def test_what_is_not_understood_is_said_and_kept(open_window: OpenWindow) -> None:
    rig = open_window().until_ready()
    open_page(rig)
    fill(rig, "Call the vet", "when pigs fly")
    page = rig.window.reminders
    rig.until(lambda: "was not understood" in page.note.text())
    assert "on Friday at nine" in page.note.text()
    assert (page.text.text(), page.when.text()) == ("Call the vet", "when pigs fly")
    assert page.when.hasFocus()
    assert page.add.isEnabled()
    assert rig.window.pane.banner.isHidden()


def test_one_is_cancelled(open_window: OpenWindow) -> None:
    rig = open_window(with_reminders(reminder())).until_ready()
    open_page(rig)
    page = rig.window.reminders
    rig.until(lambda: len(page.cards) == 1)
    QTest.mouseClick(page.cards[1].cancel, Qt.MouseButton.LeftButton)
    rig.until(lambda: page.cards == {})
    assert ReminderCancelled(1) in rig.agent.events
    assert page._empty.isVisible()


def test_the_message_that_caused_one_is_shown(open_window: OpenWindow) -> None:
    composition = with_reminders(reminder(cause_seq=1))
    composition.recall.append(message(MessageKind.USER, "Remind me of the vet"))
    rig = open_window(composition).until_ready()
    open_page(rig)
    rig.until(lambda: len(rig.window.reminders.cards) == 1)
    show = rig.window.reminders.cards[1].findChildren(QPushButton)[-1]
    QTest.mouseClick(show, Qt.MouseButton.LeftButton)
    rig.until(rig.window.pane.isVisible)


def test_the_assistant_speaks_first_and_it_is_marked(open_window: OpenWindow) -> None:
    rig = open_window(ScriptedComposition(scripts=[steps(Reply("It is time to call."))]))
    rig.until_ready()
    make_due(rig)
    rig.until(lambda: rig.replies() == ["It is time to call."])
    rig.until_idle()
    kinds = [type(item) for item in rig.session.transcript.items()]
    assert kinds[-2:] == [ReminderItem, MessageItem]
    rows = rig.window.pane.transcript.live_rows
    (row,) = [row for row in rows if isinstance(row, ReminderRow)]
    assert row.accessibleName().startswith("Reminder, due ")
    assert row.accessibleName().endswith(": Call the vet")
    rig.close()
    again = open_window(ScriptedComposition(rig.composition.recall)).until_ready()
    kinds = [type(item) for item in again.session.transcript.items()]
    assert kinds[-2:] == [ReminderItem, MessageItem]


def test_a_message_written_while_a_reminder_is_said_comes_after_it(
    open_window: OpenWindow,
) -> None:
    gate = Gate()
    rig = open_window(ScriptedComposition(scripts=[steps(gate, Reply("Call the vet now."))]))
    rig.until_ready()
    make_due(rig)
    rig.until(lambda: rig.session.state.busy)
    rig.type_and_send("Hello")
    gate.set()
    rig.until(lambda: rig.replies() == ["Call the vet now.", "Echo: Hello"])
    assert [m.text for m in rig.messages()] == ["Call the vet now.", "Hello", "Echo: Hello"]


def test_a_reminder_that_comes_just_before_a_message(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = open_window().until_ready()
    worker = rig.session._worker
    held: list[Event] = []
    monkeypatch.setattr(worker, "post", held.append)
    rig.type_and_send("Hello")
    rig.type_and_send("Again")
    due = TimedEvent(reminder(days=0, reminder_id=1))
    worker.event_started.emit(due)
    said = message(MessageKind.ASSISTANT, "Call the vet")
    for update in (ReplyDelta("Call "), ReplyFinished(said), ChainFinished(1)):
        worker.update.emit(update)
    worker.event_done.emit(due)
    assert rig.session.state.busy
    assert held == [UserMessage("Hello")]
    monkeypatch.undo()
    worker.post(held[0])
    rig.until(lambda: rig.replies() == ["Echo: Hello", "Echo: Again", "Call the vet"])
    assert {item.state for item in rig.messages()} == {MessageState.DONE}


def test_a_reminder_of_another_conversation_is_not_written_into_this_one(
    open_window: OpenWindow,
) -> None:
    composition = ScriptedComposition(load_gate=(gate := Gate()))
    composition.store.create(datetime.now(UTC), "Other")
    composition.recall.append(message(MessageKind.USER, "In the first one"))
    rig = open_window(composition)
    rig.until(lambda: len(rig.messages()) == 1)
    gate.set()
    rig.until_ready()
    rig.session.conversations.shown = 2
    make_due(rig)
    rig.until(lambda: any(isinstance(event, TimedEvent) for event in rig.agent.events))
    rig.until_idle()
    assert rig.replies() == []


def test_a_window_in_the_background_calls_for_attention(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    alerted: list[QWidget] = []
    monkeypatch.setattr(QApplication, "alert", lambda widget, *_: alerted.append(widget))
    rig = open_window().until_ready()
    rig.until(rig.window.isActiveWindow)
    make_due(rig)
    rig.until(lambda: rig.replies() == ["Call the vet"])
    assert alerted == []
    other = QWidget()
    other.show()
    other.activateWindow()
    rig.until(lambda: not rig.window.isActiveWindow())
    make_due(rig, "Water the plants")
    rig.until(lambda: alerted == [rig.window])
    assert rig.window.windowTitle() == "Reminder: Water the plants"
    rig.window.activateWindow()
    rig.until(lambda: rig.window.windowTitle() == "Pagekeeper")
    other.deleteLater()


def test_what_is_due_is_seen_from_the_page_of_reminders(open_window: OpenWindow) -> None:
    rig = open_window().until_ready()
    open_page(rig)
    make_due(rig)
    rig.until(lambda: rig.replies() == ["Call the vet"])
    assert rig.window.pane.isVisible()
    open_page(rig)
    rig.window.reminders.text.setText("Water the pl")
    make_due(rig, "Feed the cat")
    rig.until(lambda: rig.replies() == ["Call the vet", "Feed the cat"])
    assert rig.window.reminders.text.hasFocus()
    assert rig.window.reminders.note.text() == (
        "Due now: “Feed the cat”. The assistant speaks of it in the conversation."
    )


def test_one_that_cannot_be_stored_is_refused_and_kept(open_window: OpenWindow) -> None:
    busy = StoreError("Another Pagekeeper uses this folder.")
    rig = open_window(ScriptedComposition(open_errors=[busy]))
    rig.until_phase(Phase.FAILED)
    open_page(rig)
    fill(rig, "Call the vet", "tomorrow at nine")
    page = rig.window.reminders
    rig.until(lambda: page.note.text().startswith("Your memory is not open"))
    assert (page.text.text(), page.when.text()) == ("Call the vet", "tomorrow at nine")
    assert page.add.isEnabled()
    assert rig.window.pane.banner.accessibleName() == "Another Pagekeeper uses this folder."
    rig.session.act(Action.LOAD_AGAIN)
    rig.until_ready()
    assert rig.composition.reminders.active() == []


def test_one_is_set_without_a_model(
    open_window: OpenWindow, caplog: pytest.LogCaptureFixture
) -> None:
    missing = [MissingModel("Qwen2.5 Coder 1.5B", 1_117_320_768)]
    rig = open_window(ScriptedComposition(missing=missing))
    rig.until_phase(Phase.MODEL_MISSING)
    open_page(rig)
    fill(rig, "Call the vet", "tomorrow at nine")
    rig.until(lambda: len(rig.window.reminders.cards) == 1)
    fill(rig, "Call the vet", "when pigs fly")
    rig.until(lambda: "was not understood" in rig.window.reminders.note.text())
    assert len(rig.composition.reminders.active()) == 1
    assert "pigs" not in caplog.text
