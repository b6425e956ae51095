"""A message about reminders brings the moment that it names, and what is set."""

import json
from datetime import UTC, datetime

import pytest

from helpers.agent_rig import AgentRig, admitted, reply
from helpers.fixed_clock import FixedClock
from helpers.memory_stores import MemoryReminderStore
from pagekeeper_core.messages import FunctionCall, MessageKind
from pagekeeper_core.reminder_request import asks_to_set, request_note
from pagekeeper_core.schedule import Reminders

MONDAY = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
MILK = FunctionCall("set_reminder", {"text": "Buy milk", "when": "tomorrow at nine"}, "…")


def note(text: str, *, is_set: str = "") -> str:
    clock = FixedClock(MONDAY)
    reminders = Reminders(MemoryReminderStore(), clock)
    if is_set:
        reminders.set(is_set, "on Friday at nine", actor="user")
    return request_note(text, reminders, clock)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("Remind me on Friday at nine to call Ana.", "Friday, 2026-12-04 at 09:00"),
        ("Every morning at 8, tell me what is due.", "every day, first Tuesday, 2026-12-01"),
        ("明天早上八点提醒我给妈妈打电话。", "Tuesday, 2026-12-01 at 08:00"),
        ("每周一早上九点提醒我倒垃圾。", "every Monday, first Monday, 2026-12-07 at 09:00"),
        ("Wake me tomorrow at six in the morning, please", "Tuesday, 2026-12-01 at 06:00"),
    ],
)
def test_the_moment_is_reckoned_for_the_model(text: str, moment: str) -> None:
    assert f"names a time: {moment}" in note(text)


def test_what_is_set_is_listed_when_it_is_asked_for() -> None:
    assert "Call Ana" in note("Which reminders do I have?", is_set="Call Ana")
    assert "Call Ana" in note("You need not remind me of Ana any more", is_set="Call Ana")
    assert note("Which reminders do I have?") == "No reminders are set."


@pytest.mark.parametrize(
    "text",
    [
        "I have a dentist appointment on 14 May at nine.",
        "Tell me a joke.",
        "Tell me what happened yesterday.",
        "We meet tomorrow.",
        "告诉我一个故事",
    ],
)
def test_other_messages_bring_nothing(text: str) -> None:
    assert note(text) == ""


def test_the_note_stands_behind_the_message() -> None:
    rig = AgentRig()
    rig.model.enqueue(MILK)
    messages = admitted(rig.say("Remind me tomorrow at nine to buy milk"))
    asked = next(i for i, m in enumerate(messages) if m.kind is MessageKind.USER)
    notes = [m.text for m in messages[asked + 1 :] if m.kind is MessageKind.SYSTEM]
    assert any("call set_reminder first" in text for text in notes)


def test_an_order_with_a_moment_sets_a_reminder_before_anything_is_said() -> None:
    rig = AgentRig()
    rig.model.enqueue(MILK, reply("I shall."))
    rig.say("Remind me tomorrow at nine to buy milk")
    first, second = (json.dumps(schema) for schema in rig.model.schemas[:2])
    assert "set_reminder" in first
    assert "send_message" not in first
    assert "send_message" in second


@pytest.mark.parametrize(
    ("text", "is_order"),
    [
        ("Please remind me on Friday at nine to call the dentist.", True),
        ("Erinnere mich morgen um acht an die Blumen.", True),
        ("Rappelle-moi demain à neuf heures d'appeler Ana.", True),
        ("明天早上八点提醒我给妈妈打电话。", True),
        ("Which reminders do I have for Friday?", False),
        ("Cancel the reminder of Friday at nine.", False),
        ("Remind me what my sister does.", False),
        ("What did you remind me of yesterday?", False),
        ("Tell me about the meeting on Friday.", False),
    ],
)
def test_what_an_order_is(text: str, *, is_order: bool) -> None:
    assert asks_to_set(text, FixedClock(MONDAY)) is is_order


def test_nothing_is_offered_to_be_corrected_or_cancelled_while_there_is_nothing() -> None:
    rig = AgentRig()
    rig.say("Hello")
    names = str(rig.model.schemas[-1])
    assert "core_memory_append" in names
    assert "core_memory_replace" not in names
    assert "cancel_reminder" not in names
