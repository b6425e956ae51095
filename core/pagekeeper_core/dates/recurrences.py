"""What is to happen again and again: words into an RRULE (RFC 5545), and its next moment."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from pagekeeper_core.dates.spans import aware
from pagekeeper_core.dates.tokens import Part, Token, Unit

__all__ = ["Recurrence", "find_recurrence", "next_due", "next_wall"]

_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_FREQUENCIES = {
    Unit.MINUTE: ("MINUTELY", 1),
    Unit.HOUR: ("HOURLY", 1),
    Unit.DAY: ("DAILY", 1),
    Unit.WEEK: ("WEEKLY", 1),
    Unit.MONTH: ("MONTHLY", 1),
    Unit.QUARTER: ("MONTHLY", 3),
    Unit.YEAR: ("YEARLY", 1),
}
_UNIT_DAYS = {Unit.WORKDAY: "MO,TU,WE,TH,FR", Unit.WEEKEND: "SA"}
_ELAPSED = {"MINUTELY": timedelta(minutes=1), "HOURLY": timedelta(hours=1)}
"""These go by elapsed time, all others by the wall clock."""


@dataclass(frozen=True, slots=True)
class Recurrence:
    """A recurrence without its time of day, and which tokens say it.

    Attributes:
        rule: The RRULE without BYHOUR and BYMINUTE.
        step: For "every two hours", the time between; None where the wall clock decides.
        part: The part of the day that was said.
        first: Its first token.
        last: The token after its last one.
    """

    rule: str
    step: timedelta | None
    part: Part | None
    first: int
    last: int


Words = list[Token]
Rule = Callable[[Words, datetime], str | None]


def _value(words: Words, kinds: str, otherwise: int = 0) -> int:
    return next((word.value for word in words if word.kind in kinds), otherwise)


def _rule(frequency: str, interval: int = 1, **parts: object) -> str:
    named = {"FREQ": frequency, **({"INTERVAL": interval} if interval > 1 else {}), **parts}
    return ";".join(f"{name}={value}" for name, value in named.items())


def _by_weekday(words: Words, now: datetime) -> str:  # noqa: ARG001
    days = [_DAYS[word.value] for word in words if word.kind in "wW"]
    return _rule("WEEKLY", max(_value(words, "oOn", 1), 1), BYDAY=",".join(days))


def _by_unit(words: Words, now: datetime) -> str | None:
    unit, times = Unit(_value(words, "u")), _value(words, "noO", 1)
    if not 0 < times < 1000:
        return None
    if unit in _UNIT_DAYS:
        return _rule("WEEKLY", times, BYDAY=_UNIT_DAYS[unit])
    frequency, length = _FREQUENCIES[unit]
    if frequency == "MONTHLY":
        return _monthly(now.day, times * length)
    when: dict[str, dict[str, object]] = {
        "WEEKLY": {"BYDAY": _DAYS[now.weekday()]},
        "YEARLY": {"BYMONTH": now.month, "BYMONTHDAY": now.day},
    }
    return _rule(frequency, times * length, **when.get(frequency, {}))


def _monthly(day: int, interval: int = 1) -> str:
    """A day of each month; the last one of a month that is too short."""
    if day <= 28:
        return _rule("MONTHLY", interval, BYMONTHDAY=day)
    days = ",".join(map(str, range(28, day + 1)))
    return _rule("MONTHLY", interval, BYMONTHDAY=days, BYSETPOS=-1)


def _by_day_of_month(words: Words, now: datetime) -> str | None:  # noqa: ARG001
    day = _value(words, "oOn")
    is_of_month = _value(words, "u", Unit.MONTH) == Unit.MONTH
    return _monthly(day) if 1 <= day <= 31 and is_of_month else None


def _last_day_of_month(words: Words, now: datetime) -> str | None:  # noqa: ARG001
    units = [word.value for word in words if word.kind == "u"]
    is_last = any(word.value in {-1, 2} for word in words if word.kind in "rE")
    is_days = Unit.DAY in units or len(units) == 1
    return _rule("MONTHLY", BYMONTHDAY=-1) if is_last and is_days and Unit.MONTH in units else None


def _nth_weekday_of_month(words: Words, now: datetime) -> str | None:  # noqa: ARG001
    if _value(words, "u") != Unit.MONTH:
        return None
    place = _value(words, "oOr", 1)
    return _rule("MONTHLY", BYDAY=f"{place}{_DAYS[_value(words, 'wW')]}")


def _by_day_of_year(words: Words, now: datetime) -> str | None:  # noqa: ARG001
    month, day = _value(words, "mM"), _value(words, "noO", 1)
    if _value(words, "u", Unit.YEAR) != Unit.YEAR or not 1 <= day <= 31:
        return None
    return _rule("YEARLY", BYMONTH=month, BYMONTHDAY=day)


def _daily(words: Words, now: datetime) -> str:  # noqa: ARG001
    return _rule("DAILY")


_RULES: tuple[tuple[re.Pattern[str], Rule], ...] = tuple(
    (re.compile(pattern), rule)
    for pattern, rule in (
        ("e[oOn]?[wW](?:&?e?[wW])*|eu[wW](?:&?[wW])*|[wW]eu", _by_weekday),
        ("e[oOn]?u", _by_unit),
        ("e[oO]qu|[iq@]?[oO](?:eu|ue)|euq?[noO]|[iq@]?noOeu|eo", _by_day_of_month),
        ("[iq]?ru[iq]?eu|eu[iq]?ru|[iq@]?Eq?eu|eu[iq@]?E", _last_day_of_month),
        ("[iq@]?[oOr][wW][iq]?eu|eu[oOr][wW]|e[oOr][wW]qu", _nth_weekday_of_month),
        (
            "e[noO][mM]|e[mM][noO]?|[iq@]?[noO][mM]eu|[iq@]?[mM][noO]eu|euq?[mM][noO]|euq?[noO][mM]",
            _by_day_of_year,
        ),
        ("ep", _daily),
    )
)
_PART_AFTER = re.compile("[iq@]?p")


def find_recurrence(tokens: Words, kinds: str, now: datetime) -> Recurrence | None:
    """The first recurrence that the tokens speak of, by the longest rule that fits there.

    Args:
        tokens: The text's.
        kinds: Theirs, as a string.
        now: The person's wall clock.
    """
    for place in range(len(tokens)):
        best: tuple[int, str] | None = None
        for pattern, rule in _RULES:
            match = pattern.match(kinds, place)
            if match and (best is None or match.end() > best[0]):
                said = rule(tokens[place : match.end()], now)
                best = (match.end(), said) if said else best
        if best is not None:
            return _recurrence(tokens, kinds, place, *best)
    return None


def _recurrence(tokens: Words, kinds: str, first: int, last: int, rule: str) -> Recurrence:
    if part_said := _PART_AFTER.match(kinds, last):
        last = part_said.end()
    parts = [Part(word.value) for word in tokens[first:last] if word.kind == "p"]
    unit = _ELAPSED.get(_field(rule, "FREQ"))
    step = unit * int(_field(rule, "INTERVAL") or 1) if unit else None
    return Recurrence(rule, step, parts[0] if parts else None, first, last)


def _field(rule: str, name: str) -> str:
    fields = dict(part.partition("=")[::2] for part in rule.split(";"))
    return fields.get(name, "")


def next_wall(rule: str, after: datetime, first: datetime) -> datetime | None:
    """The first wall-clock time of the rule behind `after`, counted from `first`; all naive."""
    from dateutil.rrule import rrulestr  # noqa: PLC0415 - 60 ms that a start need not wait for

    found = rrulestr(rule, dtstart=first.replace(second=0, microsecond=0)).after(after)
    return found if isinstance(found, datetime) else None


def next_due(recurrence: str, after: datetime, first: datetime) -> datetime | None:
    """The next moment of a recurrence, on the wall clock of the zone of `after`.

    "Every morning at nine" stays at nine when the clocks change, and where the person travels.

    Args:
        recurrence: An RRULE as `find_schedule` makes it; "" has no next moment.
        after: Aware, in the person's time zone; the moment found lies behind it.
        first: A moment of the recurrence, from which every second week is counted; aware.

    Raises:
        ValueError: `recurrence` is no RRULE.
    """
    if not recurrence:
        return None
    unit = _ELAPSED.get(_field(recurrence, "FREQ"))
    if unit:
        step = unit * int(_field(recurrence, "INTERVAL") or 1)
        elapsed = after.astimezone(UTC) - first.astimezone(UTC)
        due = first.astimezone(UTC) + max(elapsed // step + 1, 0) * step
        return due.astimezone(after.tzinfo)
    wall = first.astimezone(after.tzinfo).replace(tzinfo=None)
    found = next_wall(recurrence, after.replace(tzinfo=None), wall)
    while found is not None and aware(found, after.tzinfo) <= after:
        found = next_wall(recurrence, found, wall)
    return aware(found, after.tzinfo) if found else None
