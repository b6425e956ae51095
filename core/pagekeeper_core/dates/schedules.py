"""The moment that a text asks for: "on Friday at nine", "every morning", "in ten minutes"."""

import re
from datetime import UTC, datetime, time, timedelta

from pagekeeper_core.dates.beside import find_span
from pagekeeper_core.dates.clock_times import HALF_DAY, PART_MINUTES, ClockTime, find_clock, in_part
from pagekeeper_core.dates.languages import readings
from pagekeeper_core.dates.reading import Reading
from pagekeeper_core.dates.recurrences import Recurrence, find_recurrence, next_due, next_wall
from pagekeeper_core.dates.spans import DAY, Span, aware, unit_length, unit_steps
from pagekeeper_core.dates.tokens import Part, Token, Unit, as_lengths, kinds_of, phrase_of
from pagekeeper_core.dates.values import Schedule

__all__ = ["find_schedule", "next_due"]

MORNING = 9 * 60
"""When a day is meant without a time, in minutes since midnight."""

SMALL_HOURS = 7 * 60
"""Before this, "at three" is three in the afternoon, unless the text says otherwise."""

_ELAPSED = re.compile("[ih][nN]u|[nN]uh")
_INTERVAL = re.compile(";INTERVAL=[0-9]+")


def find_schedule(text: str, now: datetime) -> Schedule | None:
    """The next moment that the text names; None if it names none.

    Open words mean the future: "on Friday" the next one, "at nine" the next time that a clock
    shows it. A day without a time means nine in the morning, "tomorrow evening" 19:00. A moment in
    the past comes back only where the words say so ("yesterday").

    Args:
        text: In any supported language; its first 1,000 characters are read.
        now: Aware, in the person's time zone, in which the answer is too.
    """
    for text_read, tokens in readings(text):
        found = _elapsed(text_read, tokens, now) or _scheduled(text_read, tokens, now)
        if found is not None:
            return found
    return None


def _elapsed(text: str, tokens: list[Token], now: datetime) -> Schedule | None:
    """A moment such as "in ten minutes": by elapsed time, not by the wall clock."""
    lengths = as_lengths(tokens)
    for match in _ELAPSED.finditer(kinds_of(lengths)):
        words = lengths[match.start() : match.end()]
        unit = Unit(next(word.value for word in words if word.kind == "u"))
        number = next((word.value for word in words if word.kind == "n"), 1)
        if unit in {Unit.MINUTE, Unit.HOUR}:
            due = now.astimezone(UTC) + number * unit_length(unit)
            return Schedule(due.astimezone(now.tzinfo), "", phrase_of(text, words))
    return None


def _scheduled(text: str, tokens: list[Token], now: datetime) -> Schedule | None:
    wall = now.replace(tzinfo=None)
    clock = find_clock(tokens)
    said = tokens[clock.first : clock.last] if clock else []
    rest = as_lengths([token for token in tokens if token not in said])
    said = as_lengths(said)
    again = find_recurrence(rest, kinds_of(rest), wall)
    if again is not None:
        phrase = _phrase(text, as_lengths(tokens), [*said, *rest[again.first : again.last]])
        return _recurring(again, clock, now, phrase)
    found = find_span(rest, Reading(wall, future=True))
    said += rest[found.first : found.last] if found else []
    if found is not None:
        due = _due(found.span, clock, wall)
    elif clock is not None:
        due = _next_time(clock, wall)
    else:
        return None
    return Schedule(aware(due, now.tzinfo), "", _phrase(text, as_lengths(tokens), said))


def _recurring(
    again: Recurrence, clock: ClockTime | None, now: datetime, phrase: str
) -> Schedule | None:
    if again.step is not None:
        due = (now.astimezone(UTC) + again.step).astimezone(now.tzinfo)
        return Schedule(due, again.rule, phrase)
    hour, minute = divmod(_minutes(clock, again.part) % (24 * 60), 60)
    rule = f"{again.rule};BYHOUR={hour};BYMINUTE={minute}"
    wall = now.replace(tzinfo=None)
    today = datetime.combine(wall.date(), time(hour, minute))
    first = next_wall(_INTERVAL.sub("", rule), wall, today)
    return Schedule(aware(first, now.tzinfo), rule, phrase) if first else None


def _minutes(clock: ClockTime | None, part: Part | None) -> int:
    """The time of day of a day that was named, in minutes since midnight."""
    if clock is None:
        return MORNING if part is None else PART_MINUTES[part]
    if clock.is_sure:
        return clock.minutes
    if part is not None:
        return in_part(clock.minutes, part)
    return clock.minutes + (HALF_DAY if clock.minutes < SMALL_HOURS else 0)


def _next_time(clock: ClockTime, wall: datetime) -> datetime:
    """When a clock next shows this time, in either half of the day if it is not said which."""
    midnight = datetime.combine(wall.date(), time.min)
    halves = [_minutes(clock, None)]
    if not clock.is_sure and clock.minutes >= SMALL_HOURS:
        halves.append(clock.minutes + HALF_DAY)
    times = [midnight + timedelta(minutes=minutes) for minutes in halves]
    return next((at for at in times if at > wall), times[0] + DAY)


def _due(span: Span, clock: ClockTime | None, wall: datetime) -> datetime:
    day = span.start.date()
    if clock is not None and day == wall.date() and not span.part and not span.step:
        today = _next_time(clock, wall)
        if today.date() == day:
            return today
    midnight = datetime.combine(day, time.min)
    due = midnight + timedelta(minutes=_minutes(clock, span.part))
    if due > wall:
        return due
    if span.step is not None:
        return unit_steps(due, span.step, 1)
    soon = wall.replace(minute=0, second=0, microsecond=0) + timedelta(hours=2)
    return soon if clock is None and soon < span.end else due


def _phrase(text: str, tokens: list[Token], said: list[Token]) -> str:
    """The words of a date and of a time, joined where others stand between them."""
    pieces: list[list[Token]] = [[]]
    for token in tokens:
        if token in said:
            pieces[-1].append(token)
        elif pieces[-1]:
            pieces.append([])
    return " ".join(phrase_of(text, piece) for piece in pieces if piece)
