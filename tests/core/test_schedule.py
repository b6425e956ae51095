"""Reminders: set in words, due by the clock, said once."""

from datetime import UTC, datetime

import pytest

from helpers.fixed_clock import FixedClock
from helpers.memory_stores import MemoryReminderStore
from pagekeeper_core.errors import FunctionError, StoreError
from pagekeeper_core.events import ReminderCancelled, ReminderSet
from pagekeeper_core.records import Reminder
from pagekeeper_core.schedule import MOST, Reminders

SUNDAY = datetime(2026, 11, 29, 10, 0, tzinfo=UTC)


class Rig:
    """Reminders over the double, and a clock that the test moves."""

    def __init__(self, start: datetime = SUNDAY, zone: str = "Europe/Lisbon") -> None:
        self.clock = FixedClock(start, zone)
        self.store = MemoryReminderStore()
        self.reminders = Reminders(self.store, self.clock)

    def set(self, text: str, when: str, said: str = "") -> Reminder:
        return self.reminders.set(text, when, actor="assistant", said=said)

    def due_local(self, reminder: Reminder) -> str:
        return f"{self.clock.to_local(reminder.due_at):%a %Y-%m-%d %H:%M}"

    def due_text(self) -> str | None:
        event = self.reminders.timed_event()
        return event.reminder.text if event else None

    def say(self) -> str:
        """Have what is due said."""
        event = self.reminders.timed_event()
        assert event is not None
        assert self.reminders.begin(event.reminder)
        list(self.reminders.end(event.reminder))
        return event.reminder.text


@pytest.fixture
def rig() -> Rig:
    return Rig()


def test_a_moment_in_words_is_stored_in_utc(rig: Rig) -> None:
    reminder = rig.set("  Call\nAna ", "on Friday at 9:00")
    assert (reminder.text, reminder.recurrence, reminder.actor) == ("Call Ana", "", "assistant")
    assert reminder.due_at == datetime(2026, 12, 4, 9, 0, tzinfo=UTC)
    assert rig.reminders.line(reminder) == "'Call Ana' (Friday, 2026-12-04 at 09:00)"


def test_what_recurs_says_how_often(rig: Rig) -> None:
    reminder = rig.set("What is due?", "every morning")
    assert rig.reminders.in_words(reminder) == "Monday, 2026-11-30 at 09:00, then every day"


@pytest.mark.parametrize(
    ("when", "said", "due"),
    [
        ("Friday", "Remind me on Friday at 17:00 to call Ana", "Fri 2026-12-04 17:00"),
        ("2026-12-11 at 08:00", "Remind me on Friday at 17:00 to call", "Fri 2026-12-04 17:00"),
        ("soonish", "Remind me tomorrow at 17:00", "Mon 2026-11-30 17:00"),
        ("tomorrow at 08:00", "Yes, please do.", "Mon 2026-11-30 08:00"),
        ("at 18:00", "Remind me at 17:00 of Ana and at 18:00 of Bob", "Sun 2026-11-29 18:00"),
    ],
)
def test_the_persons_words_count_for_more_than_a_model_that_says_less(
    rig: Rig, when: str, said: str, due: str
) -> None:
    assert rig.due_local(rig.set("Call", when, said)) == due


@pytest.mark.parametrize(
    ("text", "when", "sentence"),
    [
        ("Call Ana", "when it suits", "When is 'when it suits'? That was not understood."),
        ("Call Ana", "yesterday at 9:00", "is over: it was Saturday, 2026-11-28 at 09:00."),
        ("  \n ", "tomorrow", "The reminder says nothing."),
        ("x" * 301, "tomorrow", "A reminder holds at most 300 characters."),
    ],
)
def test_what_cannot_be_set_is_said_with_what_to_do(
    rig: Rig, text: str, when: str, sentence: str
) -> None:
    with pytest.raises(FunctionError) as refusal:
        rig.set(text, when)
    assert sentence in str(refusal.value)
    assert refusal.value.hint
    assert rig.store.active() == []


def test_a_reminder_that_is_there_already_is_not_set_again(rig: Rig) -> None:
    rig.set("Call Ana", "tomorrow at 9:00")
    with pytest.raises(FunctionError, match="there already: 'Call Ana'"):
        rig.set("call  ana.", "on Monday at 9:00")
    assert rig.set("Call Ana", "tomorrow at 10:00").reminder_id == 2


def test_there_is_an_end_to_how_many_can_be_set(rig: Rig) -> None:
    for number in range(MOST):
        rig.set(f"Number {number}", "tomorrow")
    with pytest.raises(FunctionError, match=f"There are {MOST} reminders already"):
        rig.set("One more", "tomorrow")


def test_nothing_comes_every_minute(rig: Rig) -> None:
    with pytest.raises(FunctionError, match="every 5 minutes at most"):
        rig.set("Breathe", "every minute")
    assert rig.set("Stand up", "every hour").recurrence


@pytest.mark.parametrize("text", ["call ana", "Ana", "the call with Ana please", "Call Ana."])
def test_a_reminder_is_ended_by_its_words(rig: Rig, text: str) -> None:
    rig.set("Call Ana", "tomorrow")
    rig.set("Water the plants", "every morning")
    assert rig.reminders.cancel(text, actor="assistant").text == "Call Ana"
    assert [reminder.text for reminder in rig.store.active()] == ["Water the plants"]


def test_what_is_not_there_or_not_clear_is_not_ended(rig: Rig) -> None:
    with pytest.raises(FunctionError, match=r"There are no reminders\."):
        rig.reminders.cancel("Ana", actor="assistant")
    rig.set("Call Ana", "tomorrow")
    rig.set("Call Bob", "tomorrow")
    with pytest.raises(FunctionError, match="No reminder is about 'Eva': 'Call Ana'"):
        rig.reminders.cancel("Eva", actor="assistant")
    with pytest.raises(FunctionError, match="Several reminders are about 'call': 'Call Ana'"):
        rig.reminders.cancel("call", actor="assistant")
    assert len(rig.store.active()) == 2


def test_the_person_sets_and_ends_by_hand(rig: Rig) -> None:
    (update,) = rig.reminders.carry_out(ReminderSet("Call Ana", "tomorrow at 9:00"))
    assert [(r.text, r.actor) for r in update.reminders] == [("Call Ana", "user")]
    (update,) = rig.reminders.carry_out(ReminderCancelled(1))
    assert update.reminders == ()
    with pytest.raises(StoreError, match="no reminder 1"):
        list(rig.reminders.carry_out(ReminderCancelled(1)))


def test_changes_are_told_once(rig: Rig) -> None:
    assert list(rig.reminders.updates()) == []
    rig.set("Call Ana", "tomorrow")
    assert len(list(rig.reminders.updates())) == 1
    assert list(rig.reminders.updates()) == []


def test_nothing_is_waited_for_without_a_reminder(rig: Rig) -> None:
    assert rig.reminders.seconds_to_timed_event() is None
    assert rig.reminders.timed_event() is None


def test_the_clock_is_read_again_every_minute_until_a_reminder_is_due(rig: Rig) -> None:
    rig.set("Call Ana", "at 11:00")
    assert rig.reminders.seconds_to_timed_event() == 60
    rig.clock.advance(minutes=59, seconds=30)
    seconds = rig.reminders.seconds_to_timed_event()
    assert seconds is not None
    assert 0 < seconds < 30
    assert rig.due_text() is None
    rig.clock.advance(seconds=30)
    assert rig.reminders.seconds_to_timed_event() == 0
    assert rig.due_text() == "Call Ana"


def test_a_clock_that_jumps_is_followed(rig: Rig) -> None:
    rig.set("Call Ana", "at 11:00")
    rig.clock.advance(days=2)  # the laptop slept
    assert rig.due_text() == "Call Ana"
    rig.clock.advance(days=-2)  # the clock was set back
    assert rig.due_text() is None


def test_what_was_due_first_is_said_first(rig: Rig) -> None:
    rig.set("second", "at 12:00")
    rig.set("first", "at 11:00")
    rig.clock.advance(hours=3)
    assert [rig.say(), rig.say(), rig.due_text()] == ["first", "second", None]


def test_one_that_recurs_catches_up_once(rig: Rig) -> None:
    rig.set("What is due?", "every morning")
    rig.clock.advance(days=5)
    assert [rig.say(), rig.due_text()] == ["What is due?", None]
    (reminder,) = rig.store.active()
    assert rig.due_local(reminder) == "Sat 2026-12-05 09:00"


def test_every_second_week_stays_every_second_week(rig: Rig) -> None:
    first = rig.set("Bins", "every second Monday at 18:30")
    rig.clock.advance(days=9 + 7)  # the second moment was missed, too
    rig.say()
    (reminder,) = rig.store.active()
    assert (reminder.due_at - first.due_at).days % 14 == 0
    assert reminder.due_at > rig.clock.now()


def test_nine_stays_nine_when_the_clocks_change() -> None:
    rig = Rig(datetime(2027, 3, 26, 12, 0, tzinfo=UTC), "Europe/Lisbon")
    rig.set("Tablets", "every day at 9:00")
    days = []
    for _ in range(4):
        rig.clock.advance(hours=24)
        rig.say()
        days.append(rig.due_local(rig.store.active()[0]))
    assert days == [
        "Sun 2027-03-28 09:00",
        "Mon 2027-03-29 09:00",
        "Tue 2027-03-30 09:00",
        "Wed 2027-03-31 09:00",
    ]


def test_an_hour_that_does_not_exist_moves_one_day_only() -> None:
    rig = Rig(datetime(2027, 3, 27, 12, 0, tzinfo=UTC), "Europe/Lisbon")
    rig.set("Night watch", "every day at 01:30")
    assert rig.store.active()[0].due_at == datetime(2027, 3, 28, 1, 30, tzinfo=UTC)
    rig.clock.advance(hours=24)
    rig.say()
    assert rig.due_local(rig.store.active()[0]) == "Mon 2027-03-29 01:30"


def test_a_reminder_that_was_not_said_waits_a_minute_and_is_given_up_in_the_end(rig: Rig) -> None:
    rig.set("Call Ana", "at 11:00")
    rig.clock.advance(hours=1)
    for attempt in (1, 2, 3):
        event = rig.reminders.timed_event()
        assert event is not None
        assert rig.reminders.begin(event.reminder)
        assert rig.reminders.is_last_attempt(event.reminder) == (attempt == 3)
        assert rig.reminders.timed_event() is None
        rig.clock.advance(minutes=1)


def test_one_that_waits_to_be_said_again_does_not_hold_up_another(rig: Rig) -> None:
    rig.set("fails", "at 11:00")
    rig.set("other", "at 11:30")
    rig.clock.advance(hours=2)
    event = rig.reminders.timed_event()
    assert event is not None
    rig.reminders.begin(event.reminder)
    assert rig.say() == "other"
    rig.clock.advance(minutes=1)
    assert rig.say() == "fails"


def test_one_that_was_ended_meanwhile_is_not_said(rig: Rig) -> None:
    rig.set("Call Ana", "at 11:00")
    rig.clock.advance(hours=2)
    event = rig.reminders.timed_event()
    assert event is not None
    rig.reminders.cancel("Ana", actor="user")
    assert not rig.reminders.begin(event.reminder)


def test_reminders_that_cannot_be_read_hold_nothing_up(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> list[Reminder]:
        raise StoreError("The disk is gone.")

    monkeypatch.setattr(rig.store, "active", fail)
    assert rig.reminders.timed_event() is None
    assert rig.reminders.seconds_to_timed_event() == 60
