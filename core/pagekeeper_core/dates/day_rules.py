"""Rules for days, weekdays, weekends and lengths of time."""

from dataclasses import replace
from datetime import date, timedelta

from pagekeeper_core.dates.reading import Reading, Words, steps_of, value_of
from pagekeeper_core.dates.spans import (
    DAY,
    Span,
    day_span,
    days_span,
    part_span,
    unit_span,
    unit_steps,
)
from pagekeeper_core.dates.tokens import COMING, Part, Unit, kinds_of

__all__ = [
    "bare_weekday",
    "day_from_today",
    "lately",
    "part_alone",
    "recent_units",
    "relative_unit",
    "relative_weekday",
    "units_away",
    "weekday_of_week",
    "weekday_weeks_away",
    "weekend",
    "whole_date",
]


def whole_date(words: Words, reading: Reading) -> Span:  # noqa: ARG001
    """A date in figures."""
    return day_span(date.fromordinal(value_of(words, "D")))


def day_from_today(words: Words, reading: Reading) -> Span:
    """Yesterday, today, the day after tomorrow."""
    return day_span(reading.today + value_of(words, "d") * DAY)


def bare_weekday(words: Words, reading: Reading) -> Span:
    """A weekday: the last one before today, or the next one, which may be today."""
    ahead = (value_of(words, "wW") - reading.today.weekday()) % 7
    if not reading.future:
        ahead -= 7
    return day_span(reading.today + ahead * DAY, step=Unit.WEEK)


def relative_weekday(words: Words, reading: Reading) -> Span:
    """Last: the latest before today. This and next: of this week and the next."""
    relative, weekday = value_of(words, "r"), value_of(words, "wW")
    if relative in {-1, COMING}:
        future = relative == COMING
        span = bare_weekday(words, replace(reading, future=future))
        is_today = span.start.date() == reading.today
        return day_span(span.start.date() + 7 * DAY) if is_today else replace(span, step=None)
    monday = reading.today - timedelta(days=reading.today.weekday())
    return day_span(monday + timedelta(days=7 * relative + weekday))


def weekday_of_week(words: Words, reading: Reading) -> Span | None:
    """Tuesday last week."""
    week = relative_unit(words, reading)
    if week is None or value_of(words, "u") != Unit.WEEK:
        return None
    return day_span(week.start.date() + value_of(words, "wW") * DAY)


def weekday_weeks_away(words: Words, reading: Reading) -> Span | None:
    """Such as "Tuesday two weeks ago"."""
    if value_of(words, "u") != Unit.WEEK:
        return None
    week = units_away(words, reading)
    return day_span(week.start.date() + value_of(words, "wW") * DAY) if week else None


def relative_unit(words: Words, reading: Reading) -> Span | None:
    """Last week, this month, next year. "The last day" and "the last minute" mean nothing."""
    unit, relative = Unit(value_of(words, "u")), steps_of(words)
    if unit in {Unit.MINUTE, Unit.DAY, Unit.WORKDAY}:
        return None
    return unit_span(unit_steps(reading.now, unit, relative), unit)


def weekend(words: Words, reading: Reading) -> Span | None:
    """A weekend: the last one that has begun, or the next one that has not ended."""
    if value_of(words, "u") != Unit.WEEKEND:
        return None
    span = unit_span(reading.now, Unit.WEEKEND)
    if not reading.future and span.start > reading.now:
        span = unit_span(unit_steps(reading.now, Unit.WEEK, -1), Unit.WEEKEND)
    return replace(span, step=Unit.WEEK)


def recent_units(words: Words, reading: Reading) -> Span | None:
    """The last two weeks, the next three days: up to today, from today on."""
    unit, number = Unit(value_of(words, "u")), value_of(words, "n")
    steps = number * (1 if value_of(words, "r") >= 1 else -1)
    if not value_of(words, "r") or not 0 < number < 1000:
        return None
    there = unit_steps(reading.now, unit, steps)
    if unit in {Unit.MINUTE, Unit.HOUR}:
        return Span(min(there, reading.now), max(there, reading.now))
    first, last = sorted((there.date(), reading.today))
    return days_span(first, (last - first).days + 1)


def units_away(words: Words, reading: Reading) -> Span | None:
    """Two weeks ago, in three months: the calendar week or month that holds the moment."""
    unit, number = Unit(value_of(words, "u")), value_of(words, "n", 1)
    is_past = "a" in kinds_of(words)
    if not 0 < number < 1000 or (reading.future and is_past and unit < Unit.DAY):
        return None
    try:
        there = unit_steps(reading.now, unit, -number if is_past else number)
    except (ValueError, OverflowError):
        return None
    return day_span(there.date()) if reading.future else unit_span(there, unit)


def lately(words: Words, reading: Reading) -> Span | None:
    """Some days before today: "the other day"."""
    if reading.future:
        return None
    days = value_of(words, "G")
    return days_span(reading.today - days * DAY, days)


def part_alone(words: Words, reading: Reading) -> Span:
    """This morning, last evening, next night."""
    return part_span(reading.today + steps_of(words) * DAY, Part(value_of(words, "p")))
