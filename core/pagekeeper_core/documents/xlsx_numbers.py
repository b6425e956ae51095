"""Numbers of spreadsheets as people see them: dates, times, percentages (ECMA-376 18.8.30)."""

import math
import re
from datetime import datetime, timedelta
from xml.etree.ElementTree import Element

from pagekeeper_core.documents.xml_events import attribute, child, children

__all__ = ["NumberFormats"]

# The numbered formats; those from 27 on are dates in Chinese, Japanese, Korean and Thai programs.
_DATES = frozenset({14, 15, 16, 17, *range(27, 32), 36, *range(50, 59)})
_TIMES = frozenset({18, 19, 20, 21, 32, 33, 34, 35, 45, 47})
_DATES_WITH_TIME = frozenset({22})
_SPANS = frozenset({46})
_PERCENTAGES = frozenset({9, 10})

# In a format: what is written as it stands, colours and conditions.
_WRITTEN = re.compile(r'"[^"]*"|\\.|_.|\*.')
_CONDITION = re.compile(r"\[(?!h+\]|m+\]|s+\])[^\]]*\]", re.IGNORECASE)
_SPAN = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)

_FIRST_DAY = datetime(1899, 12, 30)  # without a time zone, as in all spreadsheets
_DAYS_TO_1904 = 1462
_FALSE_LEAP_DAY = 60


class NumberFormats:
    """What each style makes of a number."""

    def __init__(self, styles: Element | None, *, from_1904: bool = False) -> None:
        """Take the styles of a workbook, and whether its days count from 1904."""
        self._from_1904 = from_1904
        codes = {
            int(attribute(element, "numFmtId")): attribute(element, "formatCode")
            for element in children(child(styles, "numFmts"), "numFmt")
            if attribute(element, "numFmtId").isdecimal()
        }
        self._kinds = [
            _kind(attribute(element, "numFmtId"), codes)
            for element in children(child(styles, "cellXfs"), "xf")
        ]

    def written(self, number: str, style: str) -> str:
        """The number as text: a date as 2026-05-03, a share as 12%."""
        place = int(style) if style.isdecimal() else -1
        kind = self._kinds[place] if 0 <= place < len(self._kinds) else ""
        try:
            value = float(number)
        except ValueError:
            return number
        if not math.isfinite(value):
            return number
        if kind == "percentage":
            return f"{value * 100:.10g}%"
        moment = _moment(value, kind, from_1904=self._from_1904) if kind else ""
        return moment or f"{value:.15g}"


def _moment(value: float, kind: str, *, from_1904: bool) -> str:
    """A day, a time of day, both or a span; empty if no calendar has it."""
    if kind == "span":
        seconds = round(value * 86400)
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    days = value + _DAYS_TO_1904 if from_1904 else value
    if not from_1904 and 1 <= days < _FALSE_LEAP_DAY:
        days += 1  # Excel believes that there was a 29 February 1900.
    try:
        moment = _FIRST_DAY + timedelta(seconds=round(days * 86400))
    except OverflowError:
        return ""
    if kind == "time":
        return f"{moment:%H:%M:%S}" if moment.second else f"{moment:%H:%M}"
    day = moment.date().isoformat()
    return day if kind == "date" else f"{day} {moment:%H:%M}"


def _kind(number: str, codes: dict[int, str]) -> str:
    place = int(number) if number.isdecimal() else 0
    if place in codes:
        return _kind_of_code(codes[place])
    for kind, places in _NUMBERED.items():
        if place in places:
            return kind
    return ""


_NUMBERED = {
    "date": _DATES,
    "time": _TIMES,
    "moment": _DATES_WITH_TIME,
    "span": _SPANS,
    "percentage": _PERCENTAGES,
}


def _kind_of_code(code: str) -> str:
    plain = _CONDITION.sub("", _WRITTEN.sub("", code.partition(";")[0])).casefold()
    if _SPAN.search(plain):
        return "span"
    if "%" in plain:
        return "percentage"
    if "general" in plain or "0" in plain.partition(".")[0] or "#" in plain:
        return ""
    has_day = "y" in plain or "d" in plain or ("m" in plain and not {"h", "s"} & set(plain))
    has_time = "h" in plain or "s" in plain
    if has_day:
        return "moment" if has_time else "date"
    return "time" if has_time else ""
