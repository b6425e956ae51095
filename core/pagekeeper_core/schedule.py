"""Timed events: what is set, what is due, and when to look again (paper, section 2.3).

A due reminder is said first and noted as fired last:

    its note enters recall -> the assistant speaks -> `fired` is stored

The other order would lose a reminder when the program is killed between the two. This one leaves it
due, and recall tells the next start how far it came (see `reminder_note`): what was noted is not
noted again, and what was said is only marked as fired.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import assert_never

from pagekeeper_core.dates import Schedule, find_schedule, next_due
from pagekeeper_core.errors import FunctionError, StoreError
from pagekeeper_core.events import ReminderCancelled, ReminderSet, TimedEvent
from pagekeeper_core.prompts import moment_in_words, plain_reminder
from pagekeeper_core.protocols import Clock, ReminderStore
from pagekeeper_core.records import Reminder
from pagekeeper_core.recurrence_words import recurrence_in_words
from pagekeeper_core.updates import RemindersChanged
from pagekeeper_core.wording import folded, gist

__all__ = ["Reminders"]

log = logging.getLogger(__name__)

MOST = 100
"""Reminders at a time. A model that sets one with every step must not fill the disk."""

LONGEST_TEXT = 300
"""Characters of what a reminder is about."""

LONGEST_WAIT = 60.0
"""Seconds after which the clock is read again: it may have been set, or the laptop have slept."""

ATTEMPTS = 3
"""How often the model may fail to say a reminder before the program says it."""

PAUSE = timedelta(minutes=1)
"""Between two attempts."""

SHORTEST = timedelta(minutes=5)
"""Between two moments of a reminder that recurs: a small machine answers in half a minute."""

EXAMPLES = "'on Friday at nine', 'in ten minutes', 'tomorrow at 18:30', 'every morning'"


@dataclass(frozen=True, slots=True)
class _Attempts:
    """How often a reminder was begun and not ended, and when it may be begun again."""

    made: int
    next_at: datetime


class Reminders:
    """Sets, ends and tells the reminders. Reading is safe from any thread.

    Every refusal is a FunctionError, a sentence for the model or the person, with a hint.
    """

    def __init__(self, store: ReminderStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._attempts: dict[tuple[int, datetime], _Attempts] = {}
        self._changed = False

    def current(self) -> RemindersChanged:
        """The reminders that will fire, the next one first."""
        return RemindersChanged(tuple(self._store.active()))

    def coming(self) -> list[str]:
        """A line for each reminder that is not due yet, the next one first."""
        now = self._clock.now()
        return [self.line(reminder) for reminder in self._store.active() if reminder.due_at > now]

    def updates(self) -> Iterator[RemindersChanged]:
        """The reminders as they are now, if that has changed since it was last asked."""
        if self._changed:
            self._changed = False
            yield self.current()

    def set(
        self, text: str, when: str, *, actor: str, cause_seq: int = 0, said: str = ""
    ) -> Reminder:
        """Set a reminder.

        Args:
            text: What it is about.
            when: In words.
            actor: "assistant" or "user".
            cause_seq: The message that caused it.
            said: The person's own words, which count for more than a model's `when` that says less.

        Raises:
            FunctionError: It is empty, not understood, past, there already, or one too many.
            StoreError: It could not be written.
        """
        text = _checked_text(text)
        now = self._clock.now()
        schedule = self._understood(when, said, now)
        due_at = schedule.due_at.astimezone(UTC)
        reminder = Reminder(text, due_at, schedule.recurrence, now, actor, cause_seq)
        if due_at <= now:
            raise FunctionError(
                f"'{schedule.phrase}' is over: it was {self.in_words(reminder)}.",
                hint="Give a moment that is still to come.",
            )
        self._check_often(reminder)
        self._check_room(reminder)
        self._changed = True
        return self._store.add(reminder)

    def carry_out(self, event: ReminderSet | ReminderCancelled) -> Iterator[RemindersChanged]:
        """Set or end a reminder for the person.

        Raises:
            FunctionError: See `set`.
            StoreError: There is none of that number, or it could not be written.
        """
        match event:
            case ReminderSet(text, when):
                self.set(text, when, actor="user")
            case ReminderCancelled(reminder_id):
                self._end(reminder_id, "user")
            case _:
                assert_never(event)
        yield from self.updates()

    def cancel(self, text: str, *, actor: str) -> Reminder:
        """End the reminder that is about `text`; gives it back.

        Raises:
            FunctionError: None is, or several are.
            StoreError: It could not be written.
        """
        active = self._store.active()
        found = _about(text, active)
        if len(found) == 1:
            self._end(found[0].reminder_id, actor)
            return found[0]
        if not active:
            raise FunctionError("There are no reminders.")
        problem = "Several reminders are" if found else "No reminder is"
        listed = "; ".join(self.line(reminder) for reminder in (found or active)[:5])
        raise FunctionError(f"{problem} about '{text}': {listed}.", hint="Name one by its words.")

    def timed_event(self) -> TimedEvent | None:
        """The reminder that is due now, the one that was due first; None while none is."""
        now = self._clock.now()
        for reminder in self._read() or ():
            if self._next_at(reminder) <= now:
                return TimedEvent(reminder)
        return None

    def seconds_to_timed_event(self) -> float | None:
        """How long to wait before asking for a timed event; None while there are no reminders."""
        active = self._read()
        if active is None:
            return LONGEST_WAIT
        moments = [self._next_at(reminder) for reminder in active]
        if not moments:
            return None
        seconds = (min(moments) - self._clock.now()).total_seconds()
        return min(max(seconds, 0.0), LONGEST_WAIT)

    def begin(self, reminder: Reminder) -> bool:
        """Count an attempt to say a reminder; False when it is no longer due at that moment.

        Whatever becomes of the attempt, the next one comes after a pause.
        """
        if reminder not in self._store.active():
            return False
        made = self._attempts[_key(reminder)].made if _key(reminder) in self._attempts else 0
        self._attempts[_key(reminder)] = _Attempts(made + 1, self._clock.now() + PAUSE)
        return True

    def is_last_attempt(self, reminder: Reminder) -> bool:
        """Whether the model may not fail again."""
        attempts = self._attempts.get(_key(reminder))
        return attempts is not None and attempts.made >= ATTEMPTS

    def end(self, reminder: Reminder) -> Iterator[RemindersChanged]:
        """Note that a reminder was said. One that recurs is due again, once for all it missed.

        Raises:
            StoreError: It could not be written.
        """
        now = self._clock.now()
        self._store.fired(reminder.reminder_id, now, self._next_due(reminder, now))
        self._attempts.pop(_key(reminder), None)
        self._changed = True
        yield from self.updates()

    def in_words(self, reminder: Reminder) -> str:
        """When it comes: "Friday, 2026-12-04 at 09:00, then every day"."""
        moment = moment_in_words(self._clock.to_local(reminder.due_at))
        often = recurrence_in_words(reminder.recurrence)
        return f"{moment}, then {often}" if often else moment

    def plain(self, reminder: Reminder) -> str:
        """How the program itself says a reminder."""
        return plain_reminder(reminder.text, self._clock.to_local(reminder.due_at))

    def line(self, reminder: Reminder) -> str:
        """What it is about and when it comes."""
        return f"'{reminder.text}' ({self.in_words(reminder)})"

    def _read(self) -> list[Reminder] | None:
        """The reminders; None when they cannot be read, which must not end whoever waits."""
        try:
            return self._store.active()
        except StoreError:
            log.warning("The reminders could not be read", exc_info=True)
            return None

    def _end(self, reminder_id: int, actor: str) -> None:
        self._store.cancel(reminder_id, self._clock.now(), actor)
        self._changed = True

    def _next_at(self, reminder: Reminder) -> datetime:
        attempts = self._attempts.get(_key(reminder))
        return attempts.next_at if attempts else reminder.due_at

    def _next_due(self, reminder: Reminder, now: datetime) -> datetime | None:
        if not reminder.recurrence:
            return None
        first, after = self._clock.to_local(reminder.due_at), self._clock.to_local(now)
        following = next_due(reminder.recurrence, after, first)
        return following.astimezone(UTC) if following else None

    def _understood(self, when: str, said: str, now: datetime) -> Schedule:
        local = self._clock.to_local(now)
        given = find_schedule(when, local)
        heard = find_schedule(said, local) if said else None
        if heard is not None and (given is None or _is_better(heard, given, said)):
            return heard
        if given is None:
            raise FunctionError(
                f"When is '{when.strip()}'? That was not understood.",
                hint=f"Say it like {EXAMPLES}.",
            )
        return given

    def _check_often(self, reminder: Reminder) -> None:
        following = self._next_due(reminder, reminder.due_at)
        if following is not None and following - reminder.due_at < SHORTEST:
            minutes = SHORTEST // timedelta(minutes=1)
            raise FunctionError(
                f"A reminder comes every {minutes} minutes at most.", hint="Choose a longer time."
            )

    def _check_room(self, reminder: Reminder) -> None:
        active = self._store.active()
        for other in active:
            if self._is_same(other, reminder):
                raise FunctionError(f"That reminder is there already: {self.line(other)}.")
        if len(active) >= MOST:
            raise FunctionError(
                f"There are {MOST} reminders already.", hint="Cancel one that is not needed."
            )

    def _is_same(self, one: Reminder, other: Reminder) -> bool:
        return _says_all(one.text, other.text) and (self.in_words(one) == self.in_words(other))


def _checked_text(text: str) -> str:
    text = " ".join(text.split())
    if not text:
        raise FunctionError("The reminder says nothing.", hint="Write what it is about.")
    if len(text) > LONGEST_TEXT:
        raise FunctionError(
            f"A reminder holds at most {LONGEST_TEXT} characters.", hint="Shorten the text."
        )
    return text


def _is_better(heard: Schedule, given: Schedule, said: str) -> bool:
    """Whether the person's own words are to be trusted over what a model made of them.

    They are where the model left some out ("Friday" for "on Friday at nine"), or wrote what the
    person did not say: a translation, or a date that it reckoned.
    """
    given_words, heard_words = set(gist(given.phrase)), set(gist(heard.phrase))
    return given_words < heard_words or not given_words <= set(gist(said))


def _about(text: str, reminders: Sequence[Reminder]) -> list[Reminder]:
    """The reminders that a text names: by all of it, by a part, or by most of the words."""
    if not folded(text):
        return []
    for names in (_says_all, _says_part, _says_most):
        if found := [reminder for reminder in reminders if names(text, reminder.text)]:
            return found
    return []


def _says_all(one: str, other: str) -> bool:
    return folded(one) == folded(other)


def _says_part(one: str, other: str) -> bool:
    return folded(one) in folded(other) or folded(other) in folded(one)


def _says_most(one: str, other: str) -> bool:
    words, others = set(gist(one)), set(gist(other))
    return 2 * len(words & others) > min(len(words), len(others))


def _key(reminder: Reminder) -> tuple[int, datetime]:
    return reminder.reminder_id, reminder.due_at
