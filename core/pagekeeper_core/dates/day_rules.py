"""Rules for days, weeks, months, seasons and years, one for each order of words.

A rule is a pattern of kinds (`tokens.KINDS`) and what it means. A rule that finds its words to
mean nothing ("the 31st of February") gives None, and the next one is tried.
"""

import re
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from pagekeeper_core.dates.spans import (
    DAY,
    Span,
    day_span,
    days_span,
    month_span,
    months_later,
    part_span,
    season_span,
    unit_span,
    unit_steps,
    year_span,
)
from pagekeeper_core.dates.tokens import COMING, Part, Token, Unit, kinds_of

__all__ = ["Found", "Reading", "find_span", "span_at", "span_places"]


@dataclass(frozen=True, slots=True)
class Reading:
    """How open words are read: "Friday", "in March", "3 May".

    Attributes:
        now: The person's wall clock; naive.
        future: Whether the next one is meant; else the last one.
    """

    now: datetime
    future: bool = False

    @property
    def today(self) -> date:
        """The day of `now`."""
        return self.now.date()


@dataclass(frozen=True, slots=True)
class Found:
    """A span, and which tokens say it: those from `first` to before `last`."""

    span: Span
    first: int
    last: int


Words = list[Token]
Rule = Callable[[Words, Reading], Span | None]


def _value(words: Words, kinds: str, otherwise: int = 0) -> int:
    """The value of the first word of one of these kinds."""
    return next((word.value for word in words if word.kind in kinds), otherwise)


def _relative(words: Words) -> int:
    """So many units from now: the one that comes is the next."""
    relative = _value(words, "r")
    return 1 if relative == COMING else relative


def _date(words: Words, reading: Reading) -> Span:  # noqa: ARG001
    return day_span(date.fromordinal(_value(words, "D")))


def _day(words: Words, reading: Reading) -> Span:
    return day_span(reading.today + _value(words, "d") * DAY)


def _bare_weekday(words: Words, reading: Reading) -> Span:
    ahead = (_value(words, "wW") - reading.today.weekday()) % 7
    if not reading.future:
        ahead -= 7
    return day_span(reading.today + ahead * DAY, step=Unit.WEEK)


def _relative_weekday(words: Words, reading: Reading) -> Span:
    """Last: the latest before today. This and next: of this week and the next."""
    relative, weekday = _value(words, "r"), _value(words, "wW")
    if relative in {-1, COMING}:
        future = relative == COMING
        span = _bare_weekday(words, replace(reading, future=future))
        is_today = span.start.date() == reading.today
        return day_span(span.start.date() + 7 * DAY) if is_today else replace(span, step=None)
    monday = reading.today - timedelta(days=reading.today.weekday())
    return day_span(monday + timedelta(days=7 * relative + weekday))


def _weekday_of_week(words: Words, reading: Reading) -> Span | None:
    week = _relative_unit(words, reading)
    if week is None or _value(words, "u") != Unit.WEEK:
        return None
    return day_span(week.start.date() + _value(words, "wW") * DAY)


def _weekday_weeks_away(words: Words, reading: Reading) -> Span | None:
    """Such as "Tuesday two weeks ago"."""
    if _value(words, "u") != Unit.WEEK:
        return None
    week = _units_away(words, reading)
    return day_span(week.start.date() + _value(words, "wW") * DAY) if week else None


def _relative_unit(words: Words, reading: Reading) -> Span | None:
    """Last week, this month, next year. "The last day" and "the last minute" mean nothing."""
    unit, relative = Unit(_value(words, "u")), _relative(words)
    if unit in {Unit.MINUTE, Unit.DAY, Unit.WORKDAY}:
        return None
    return unit_span(unit_steps(reading.now, unit, relative), unit)


def _weekend(words: Words, reading: Reading) -> Span | None:
    if _value(words, "u") != Unit.WEEKEND:
        return None
    span = unit_span(reading.now, Unit.WEEKEND)
    if not reading.future and span.start > reading.now:
        span = unit_span(unit_steps(reading.now, Unit.WEEK, -1), Unit.WEEKEND)
    return replace(span, step=Unit.WEEK)


def _recent_units(words: Words, reading: Reading) -> Span | None:
    """The last two weeks, the next three days: up to today, from today on."""
    unit, number = Unit(_value(words, "u")), _value(words, "n")
    steps = number * (1 if _value(words, "r") >= 1 else -1)
    if not _value(words, "r") or not 0 < number < 1000:
        return None
    there = unit_steps(reading.now, unit, steps)
    if unit in {Unit.MINUTE, Unit.HOUR}:
        return Span(min(there, reading.now), max(there, reading.now))
    first, last = sorted((there.date(), reading.today))
    return days_span(first, (last - first).days + 1)


def _units_away(words: Words, reading: Reading) -> Span | None:
    """Two weeks ago, in three months: the calendar week or month that holds the moment."""
    unit, number = Unit(_value(words, "u")), _value(words, "n", 1)
    is_past = "a" in kinds_of(words)
    if not 0 < number < 1000 or (reading.future and is_past and unit < Unit.DAY):
        return None
    try:
        there = unit_steps(reading.now, unit, -number if is_past else number)
    except (ValueError, OverflowError):
        return None
    return day_span(there.date()) if reading.future else unit_span(there, unit)


def _lately(words: Words, reading: Reading) -> Span | None:
    if reading.future:
        return None
    days = _value(words, "G")
    return days_span(reading.today - days * DAY, days)


def _month(words: Words, reading: Reading) -> Span | None:
    """A month, with or without day, year, "last" or "of last year"."""
    month, day = _value(words, "mM"), _value(words, "noO")
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
    if _is_article(words):
        return None
    return _day_of_year(year, month, day, reading, step)


def _is_article(words: Words) -> bool:
    """Whether the day is said by "an" or "une" only."""
    return any(word.kind == "n" and word.value == 1 < word.end - word.start for word in words)


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


def _day_and_month(words: Words, reading: Reading) -> Span | None:
    month, day = divmod(_value(words, "C"), 100)
    return _day_of_year(_year_of(month, day, reading), month, day, reading, Unit.YEAR)


def _year_said(words: Words, reading: Reading) -> int | None:
    if year := _value(words, "y"):
        return year
    if "u" in kinds_of(words):
        if _value(words, "u") != Unit.YEAR:
            return 0
        return reading.today.year + _relative(words)
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
    relative = _value(words, "r")
    if relative == 0:
        return reading.today.year - year
    holds_now = (year, month) == (reading.today.year, reading.today.month)
    if relative == -1:
        return -1 if holds_now or (year, month) > (reading.today.year, reading.today.month) else 0
    is_past = (year, month) <= (reading.today.year, reading.today.month)
    return 1 if is_past else 0


def _day_of_month(words: Words, reading: Reading) -> Span | None:
    """A day such as "the 5th", of the month that was said or of the last (next) that fits."""
    day = _value(words, "oO")
    first = reading.today.replace(day=1)
    steps = [0, 1, 2] if reading.future else [0, -1, -2]
    is_open = "u" not in kinds_of(words)
    if not is_open:
        if _value(words, "u") != Unit.MONTH:
            return None
        steps = [_relative(words)]
    for step in steps:
        month = months_later(first, step)
        there = month + (day - 1) * DAY
        is_wrong_side = there < reading.today if reading.future else there > reading.today
        if there.month == month.month and not (is_open and is_wrong_side):
            return day_span(there, step=Unit.MONTH if is_open else None)
    return None


def _season(words: Words, reading: Reading) -> Span | None:
    season = _value(words, "sV")
    year = _year_said(words, reading)
    if year is not None:
        return season_span(year, season) if year else None
    today, relative = reading.today, _value(words, "r")
    years = range(today.year - 2, today.year + 3)
    spans = [season_span(year, season, step=Unit.YEAR) for year in years]
    begun = [span for span in spans if span.start <= reading.now]
    coming = [span for span in spans if span.end > reading.now]
    ended = [span for span in spans if span.end <= reading.now]
    if "r" in kinds_of(words) and relative == -1:
        return ended[-1]
    if "r" in kinds_of(words) and relative == 0:
        return next(span for span in spans if span.start.year == today.year)
    if reading.future or relative >= 1:
        return coming[0]
    return begun[-1]


def _year(words: Words, reading: Reading) -> Span:  # noqa: ARG001
    return year_span(_value(words, "y"))


def _part_alone(words: Words, reading: Reading) -> Span:
    """This morning, last evening, next night."""
    return part_span(reading.today + _relative(words) * DAY, Part(_value(words, "p")))


RULES: tuple[tuple[re.Pattern[str], Rule], ...] = tuple(
    (re.compile(f"[iq@]?(?:{pattern})"), rule)
    for pattern, rule in (
        ("[wW]?q?D", _date),
        ("[q@][wW]?C|(?<=[Sfbt&-])C", _day_and_month),
        ("d", _day),
        ("r[wW]|[wW]r", _relative_weekday),
        ("[wW]qru|[wW]ru|[wW]ur|ruq?[wW]|urq?[wW]", _weekday_of_week),
        ("[wW]nu[ah]|nu[ah][wW]|[wW]anu|anu[wW]", _weekday_weeks_away),
        ("[q@][wW]|w", _bare_weekday),
        ("[wW]?q?[noO][mM]q?y?|[wW]?q?[mM][noO]y?|y[mM][no]", _month),
        ("q?[noO]?[mM]q?(ru|ur)|(ru|ur)[mM][noO]?", _month),
        ("r[mM]|[mM]r|[mM]q?y|y[mM]|[iq@][mM]|m", _month),
        ("ruo|urq?o|o[iq]?(ru|ur)|[qi@][wW]?o|[wW]o", _day_of_month),
        ("[sV]q?(ru|ur)|(ru|ur)[sV]|r[sV]|[sV]r|[sV][iq]?y|y[sV]|[iq@-][sV]|s", _season),
        ("ru|ur", _relative_unit),
        ("[iq@]u", _weekend),
        ("rnu|nru|nur", _recent_units),
        ("nu[ah]|u[ah]|[aih]nu|[aih]u", _units_away),
        ("rp|pr", _part_alone),
        ("[iq@]yu?|yu", _year),
        ("G", _lately),
    )
)

_EVERY = re.compile("e[oOn]?[^x]?(?:&[wW])*")
_PARTS = re.compile("[iq@]?p")
_PARTS_BEFORE = re.compile("p[iq@]?$")


def span_at(tokens: Words, place: int, reading: Reading, *, is_led: bool = False) -> Found | None:
    """The longest span that is said from this token on.

    Args:
        tokens: The text's.
        place: The span's first token.
        reading: How open words are read.
        is_led: Whether a word such as "since" stands before it: then "March" is the month.
    """
    kinds = kinds_of(tokens)
    if is_led or kinds[:place].endswith("E"):
        kinds = kinds[:place] + kinds[place:].replace("M", "m", 1).replace("V", "s", 1)
    best: Found | None = None
    for pattern, rule in RULES:
        match = pattern.match(kinds, place)
        if match and (best is None or match.end() > best.last):
            span = rule(tokens[place : match.end()], reading)
            best = Found(span, place, match.end()) if span else best
    return _with_part(tokens, _with_edge(tokens, best)) if best else None


def _with_edge(tokens: Words, found: Found) -> Found:
    """A third of the span: "early March", "the end of last year"."""
    before = found.first - 1
    if before < 0 or tokens[before].kind != "E":
        return found
    start, third = found.span.start, (found.span.end - found.span.start).days // 3 * DAY
    edge = tokens[before].value
    first = datetime.combine((start + edge * third).date(), start.time())
    last = found.span.end if edge == 2 else first + third
    return replace(found, span=replace(found.span, start=first, end=last), first=before)


def _with_part(tokens: Words, found: Found) -> Found:
    """The part of that one day: "yesterday evening", "上周三晚上", "le soir du 3 mai"."""
    kinds = kinds_of(tokens)
    is_one_day = found.span.end - found.span.start == DAY
    if not is_one_day:
        return found
    day, step = found.span.start.date(), found.span.step
    if match := _PARTS.match(kinds, found.last):
        part = Part(tokens[match.end() - 1].value)
        return replace(found, span=replace(part_span(day, part), step=step), last=match.end())
    if match := _PARTS_BEFORE.search(kinds[: found.first]):
        part = Part(tokens[match.start()].value)
        return replace(found, span=replace(part_span(day, part), step=step), first=match.start())
    return found


def span_places(tokens: Words) -> list[int]:
    """Where a span may begin: not behind "every", which speaks of no single one."""
    repeated = {
        place for match in _EVERY.finditer(kinds_of(tokens)) for place in range(*match.span())
    }
    return [place for place in range(len(tokens)) if place not in repeated]


def find_span(tokens: Words, reading: Reading) -> Found | None:
    """The first span that the tokens speak of."""
    for place in span_places(tokens):
        if found := span_at(tokens, place, reading):
            return found
    return None
