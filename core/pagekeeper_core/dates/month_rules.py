"""Rules for months, days of a month, seasons and years."""

from calendar import monthrange
from datetime import date

from pagekeeper_core.dates.reading import Reading, Words, steps_of, value_of
from pagekeeper_core.dates.spans import (
    DAY,
    Span,
    day_span,
    days_span,
    month_span,
    months_later,
    season_span,
    year_span,
)
from pagekeeper_core.dates.tokens import Unit, kinds_of

__all__ = [
    "day_and_month",
    "day_of_month",
    "month_or_day",
    "season",
    "week_of_month",
    "weekday_of_month",
    "whole_year",
]


def month_or_day(words: Words, reading: Reading) -> Span | None:
    """A month, with or without day, year, "last" or "of last year"."""
    month, day = value_of(words, "mM"), value_of(words, "noO")
    year = _year_said(words, reading)
    is_open = year is None
    if year is None:
        year = _year_of(month, day, reading)
        year += _relative_month_shift(words, month, year, reading)
    if not year:
        return None
    step = Unit.YEAR if is_open else None
    if not day:
        return month_span(year, month, step=step)
    return _day_of_year(year, month, day, reading, step)


def _day_of_year(
    year: int, month: int, day: int, reading: Reading, step: Unit | None
) -> Span | None:
    """That day; of an open 29 February the last (next) one that there is."""
    years = [year]
    if step is not None:
        years = [year + (n if reading.future else -n) for n in range(9)]
    for candidate in years:
        if 1 <= day <= monthrange(candidate, month)[1]:
            return day_span(date(candidate, month, day), step=step)
    return None


def week_of_month(words: Words, reading: Reading) -> Span | None:
    """The second week of November: its days 8 to 14."""
    week = value_of(words, "noO")
    if value_of(words, "u") != Unit.WEEK or not 1 <= week <= 4:
        return None
    month = month_or_day([word for word in words if word.kind in "mMy"], reading)
    return days_span(month.start.date() + (week - 1) * 7 * DAY, 7) if month else None


def weekday_of_month(words: Words, reading: Reading) -> Span | None:
    """The last Friday of the month, the second Monday of next month."""
    if value_of(words, "u") != Unit.MONTH:
        return None
    rest = words[1:]
    months = [steps_of(rest)] if "r" in kinds_of(rest) else ([0, 1] if reading.future else [0, -1])
    place = value_of(words[:1], "roO")
    for month in months:
        first = months_later(reading.today.replace(day=1), month)
        day = _nth_weekday(first, value_of(words, "wW"), place)
        is_wrong_side = day < reading.today if reading.future else day > reading.today
        if not (is_wrong_side and len(months) > 1):
            return day_span(day)
    return None


def _nth_weekday(first: date, weekday: int, place: int) -> date:
    """The weekday of that place in the month that begins on `first`; -1 is the last."""
    if place > 0:
        return first + ((weekday - first.weekday()) % 7 + 7 * (place - 1)) * DAY
    last = months_later(first, 1) - DAY
    return last - ((last.weekday() - weekday) % 7) * DAY


def day_and_month(words: Words, reading: Reading) -> Span | None:
    """A day and a month in figures."""
    month, day = divmod(value_of(words, "C"), 100)
    return _day_of_year(_year_of(month, day, reading), month, day, reading, Unit.YEAR)


def _year_said(words: Words, reading: Reading) -> int | None:
    if year := value_of(words, "y"):
        return year
    if "u" in kinds_of(words):
        if value_of(words, "u") != Unit.YEAR:
            return 0
        return reading.today.year + steps_of(words)
    return None


def _year_of(month: int, day: int, reading: Reading) -> int:
    """The year of the last (or next) such month or day; one that holds today counts as both."""
    today = reading.today
    there, here = (month, day or today.day), (today.month, today.day)
    if reading.future:
        return today.year + (there < here)
    return today.year - (there > here)


def _relative_month_shift(words: Words, month: int, year: int, reading: Reading) -> int:
    """Years to move by: "last March" said in March is the one before."""
    if "r" not in kinds_of(words):
        return 0
    relative = value_of(words, "r")
    if relative == 0:
        return reading.today.year - year
    holds_now = (year, month) == (reading.today.year, reading.today.month)
    if relative == -1:
        return -1 if holds_now or (year, month) > (reading.today.year, reading.today.month) else 0
    is_past = (year, month) <= (reading.today.year, reading.today.month)
    return 1 if is_past else 0


def day_of_month(words: Words, reading: Reading) -> Span | None:
    """A day such as "the 5th", of the month that was said or of the last (next) that fits."""
    day = value_of(words, "noO")
    first = reading.today.replace(day=1)
    steps = [0, 1, 2] if reading.future else [0, -1, -2]
    unit = value_of(words, "u", Unit.DAY)
    if unit not in {Unit.DAY, Unit.MONTH}:
        return None
    is_open = "r" not in kinds_of(words)
    if not is_open:
        if unit != Unit.MONTH:
            return None
        steps = [steps_of(words)]
    for step in steps:
        month = months_later(first, step)
        there = month + (day - 1) * DAY
        is_wrong_side = there < reading.today if reading.future else there > reading.today
        if there.month == month.month and not (is_open and is_wrong_side):
            return day_span(there, step=Unit.MONTH if is_open else None)
    return None


def season(words: Words, reading: Reading) -> Span | None:
    """A season, with or without a year: the last one that has begun, or the next one."""
    which = value_of(words, "sV")
    year = _year_said(words, reading)
    if year is not None:
        return season_span(year, which) if year else None
    years = range(reading.today.year - 2, reading.today.year + 3)
    spans = [season_span(year, which, step=Unit.YEAR) for year in years]
    relative = value_of(words, "r") if "r" in kinds_of(words) else None
    if relative == 0:
        return spans[2]
    if reading.future or (relative is not None and relative > 0):
        return next(span for span in spans if span.end > reading.now)
    limit = [span for span in spans if (span.end if relative else span.start) <= reading.now]
    return limit[-1]


def whole_year(words: Words, reading: Reading) -> Span:  # noqa: ARG001
    """A calendar year."""
    return year_span(value_of(words, "y"))
