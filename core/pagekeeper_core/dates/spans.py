"""Spans of the calendar on the wall clock: naive times, weeks from Monday, northern seasons."""

import calendar
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo

from pagekeeper_core.dates.tokens import Part, Unit

__all__ = [
    "Span",
    "aware",
    "day_span",
    "days_span",
    "month_span",
    "months_later",
    "part_span",
    "season_span",
    "unit_length",
    "unit_span",
    "unit_steps",
    "year_span",
]

DAY = timedelta(days=1)

_PART_HOURS = {
    Part.MORNING: (5, 12),
    Part.NOON: (11, 14),
    Part.AFTERNOON: (12, 18),
    Part.EVENING: (17, 24),
    Part.NIGHT: (20, 29),
}
"""From which hour to which; the night ends at five the next morning."""

_MARGIN = {Unit.MINUTE: timedelta(minutes=5), Unit.HOUR: timedelta(minutes=30)}


@dataclass(frozen=True, slots=True)
class Span:
    """A span of wall-clock time.

    Attributes:
        start: Its first moment; naive.
        end: The first moment after it.
        part: The part of the day that was said, if one was.
        step: After how much time it comes again, where the words leave open which one is meant
            (a weekday, a day of the month); None where they say it.
    """

    start: datetime
    end: datetime
    part: Part | None = None
    step: Unit | None = None


def aware(wall: datetime, zone: tzinfo | None) -> datetime:
    """A wall-clock time in a zone; one that the clocks skip moves on by as much as they do."""
    at = wall.replace(tzinfo=zone)
    return datetime.fromtimestamp(at.timestamp(), zone) if 1971 <= at.year < 2999 else at


def day_span(day: date, *, step: Unit | None = None) -> Span:
    """One day."""
    return days_span(day, 1, step=step)


def days_span(first: date, days: int, *, step: Unit | None = None) -> Span:
    """Some days from `first` on."""
    start = datetime.combine(first, time.min)
    return Span(start, start + days * DAY, step=step)


def month_span(year: int, month: int, *, months: int = 1, step: Unit | None = None) -> Span:
    """A month, or several."""
    first = date(year, month, 1)
    return days_span(first, (months_later(first, months) - first).days, step=step)


def year_span(year: int) -> Span:
    """A calendar year."""
    return month_span(year, 1, months=12)


def season_span(year: int, season: int, *, step: Unit | None = None) -> Span:
    """A season, as meteorologists in the north count it; winter begins in December of `year`."""
    return month_span(year, 3 * season + 3, months=3, step=step)


def part_span(day: date, part: Part) -> Span:
    """A part of a day."""
    start = datetime.combine(day, time.min)
    first, end = _PART_HOURS[part]
    return Span(start + timedelta(hours=first), start + timedelta(hours=end), part)


def months_later(day: date, months: int) -> date:
    """The same day some months later (or earlier), the month's last one where it has no such."""
    count = 12 * day.year + day.month - 1 + months
    year, month = divmod(count, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def unit_steps(now: datetime, unit: Unit, steps: int) -> datetime:
    """The moment so many units from now, at the same time of day."""
    months = {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.YEAR: 12}.get(unit)
    if months:
        return datetime.combine(months_later(now.date(), months * steps), now.time())
    return now + steps * unit_length(unit)


def unit_length(unit: Unit) -> timedelta:
    """How long a minute, hour, day or week is; a weekend comes once a week."""
    if unit in {Unit.WEEK, Unit.WEEKEND}:
        return 7 * DAY
    return {Unit.MINUTE: timedelta(minutes=1), Unit.HOUR: timedelta(hours=1)}.get(unit, DAY)


def unit_span(around: datetime, unit: Unit) -> Span:
    """The calendar day, week, month … that holds a moment; minutes and hours have a margin."""
    day = around.date()
    if unit in _MARGIN:
        return Span(around - _MARGIN[unit], around + _MARGIN[unit])
    monday = day - timedelta(days=day.weekday())
    spans = {
        Unit.WEEK: lambda: days_span(monday, 7),
        Unit.WEEKEND: lambda: days_span(monday + 5 * DAY, 2),
        Unit.MONTH: lambda: month_span(day.year, day.month),
        Unit.QUARTER: lambda: month_span(day.year, (day.month - 1) // 3 * 3 + 1, months=3),
        Unit.YEAR: lambda: year_span(day.year),
    }
    return spans.get(unit, lambda: day_span(day))()
