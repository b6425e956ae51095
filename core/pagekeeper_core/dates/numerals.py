"""What digits in a text say: days, years, clock times, plain numbers, or nothing about time."""

import re
from collections.abc import Callable
from datetime import date

from pagekeeper_core.dates.tokens import KINDS, Token

__all__ = ["BLOB", "HAN_NUMBER", "blob_tokens", "han_number"]

# A run that holds a digit, with all that is glued to it: what is not one of the forms below
# (versions, prices, telephone numbers, addresses) says nothing about time.
BLOB = re.compile(
    r"(?<![a-z0-9_])[$€£¥#+v(]*\d(?:[a-z0-9_%°€£$ºª]|[.,:/+\-–](?=\d))*"
    r"(?: ?[ap]\.?m\b\.?|(?<!\d\d\d)\.(?= |$))?"
)
HAN_NUMBER = re.compile("[〇零一二两兩三四五六七八九十廿]+")

_DIGITS = {sign: number for number, sign in enumerate("〇一二三四五六七八九")} | {
    "零": 0,
    "两": 2,
    "兩": 2,
}

Reader = Callable[[re.Match[str], bool], list[tuple[str, int, bool]]]


def _date(year: int, month: int, day: int) -> list[tuple[str, int, bool]]:
    try:
        return [("date", date(year, month, day).toordinal(), True)]
    except ValueError:
        return [("other", 0, True)]


def _year_first(match: re.Match[str], month_first: bool) -> list[tuple[str, int, bool]]:  # noqa: ARG001, FBT001
    return _date(*map(int, match.groups()))


def _year_month(match: re.Match[str], month_first: bool) -> list[tuple[str, int, bool]]:  # noqa: ARG001, FBT001
    year, month = map(int, match.groups())
    return [("month", month, True), ("year", year, True)] if 1 <= month <= 12 else []


def _year_last(match: re.Match[str], month_first: bool) -> list[tuple[str, int, bool]]:  # noqa: FBT001
    first, sign, second, year = match.groups()
    day, month = int(first), int(second)
    if sign == "/" and (month_first or month > 12) and day <= 12:
        day, month = month, day
    return _date(int(year), month, day)


def _day_month(match: re.Match[str], month_first: bool) -> list[tuple[str, int, bool]]:  # noqa: FBT001
    day, month = map(int, match.groups())
    if month_first and match[0][-1] == ".":
        return []
    if (month_first or month > 12) and day <= 12:
        day, month = month, day
    fits = 1 <= day <= 31 and 1 <= month <= 12
    return [("day_and_month", 100 * month + day, True)] if fits else []


def _clock(match: re.Match[str], month_first: bool) -> list[tuple[str, int, bool]]:  # noqa: ARG001, FBT001
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    half = (match.groupdict().get("half") or "")[:1]
    if hour > 24 or minute > 59 or (half and not 1 <= hour <= 12):
        return []
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    is_sure = bool(half) or hour > 12 or match["hour"].startswith("0")
    return [("clock", 60 * hour + minute, is_sure)]


def _span(match: re.Match[str], month_first: bool) -> list[tuple[str, int, bool]]:  # noqa: ARG001, FBT001
    first, second = match.groups()
    kind = "year" if len(first) == 4 else "number"
    return [(kind, int(first), True), ("to", 0, True), (kind, int(second), True)]


def _day_year(match: re.Match[str], month_first: bool) -> list[tuple[str, int, bool]]:  # noqa: ARG001, FBT001
    day, year = map(int, match.groups())
    return [("ordinal", day, True), ("year", year, True)]


def _ordinal(match: re.Match[str], month_first: bool) -> list[tuple[str, int, bool]]:  # noqa: ARG001, FBT001
    return [("ordinal", int(match[1]), True)]


def _number(match: re.Match[str], month_first: bool) -> list[tuple[str, int, bool]]:  # noqa: ARG001, FBT001
    value = int(match[0])
    is_year = len(match[0]) == 4 and 1900 <= value <= 2100
    return [("year" if is_year else "number", value, True)] if value < 10_000 else []


_FORMS: tuple[tuple[re.Pattern[str], Reader], ...] = tuple(
    (re.compile(pattern), reader)
    for pattern, reader in (
        (r"(\d{4})-(\d{1,2})-(\d{1,2})", _year_first),
        (r"(\d{4})/(\d{1,2})/(\d{1,2})", _year_first),
        (r"(\d{4})\.(\d{1,2})\.(\d{1,2})", _year_first),
        (r"([12]\d{3})-(\d{2})", _year_month),
        (r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})\.?", _year_last),
        (r"(\d{1,2})\.(\d{1,2})\.", _day_month),
        (r"(\d{1,2})/(\d{1,2})", _day_month),
        (r"(?P<hour>\d{1,2}):(?P<minute>\d{2})", _clock),
        (r"(?P<hour>\d{1,2})h(?P<minute>\d{2})?", _clock),
        (r"(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))? ?(?P<half>[ap])\.?m\.?", _clock),
        (r"(\d{1,2})[-–](\d{1,2})", _span),
        (r"((?:19|20)\d\d)[-–]((?:19|20)\d\d)", _span),
        (r"(\d{1,2})(?:st|nd|rd|th|er|re|de|[eºª.])", _ordinal),
        (r"(\d{1,2}),([12]\d{3})", _day_year),
        (r"\d+", _number),
    )
)


def blob_tokens(blob: re.Match[str], month_first: bool) -> list[Token]:  # noqa: FBT001
    """The tokens of a run of digits and what is glued to it."""
    for form, reader in _FORMS:
        if match := form.fullmatch(blob.group()):
            found = reader(match, month_first)
            if found:
                return [Token(KINDS[k], value, *blob.span(), sure) for k, value, sure in found]
    return [Token(KINDS["other"], 0, *blob.span())]


def han_number(signs: str) -> int:
    """A number below a hundred in Han signs, or a year said digit by digit."""
    if "十" not in signs and "廿" not in signs:
        return int("".join(str(_DIGITS[sign]) for sign in signs)[:4])
    tens, _, ones = signs.replace("廿", "二十").rpartition("十")
    return 10 * (_DIGITS.get(tens[-1:], 1)) + _DIGITS.get(ones[:1], 0)
