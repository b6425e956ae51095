"""The date or span of time that a text speaks of."""

import re
from dataclasses import replace
from datetime import datetime, timedelta

from pagekeeper_core.dates.beside import named_span
from pagekeeper_core.dates.languages import readings
from pagekeeper_core.dates.reading import Reading
from pagekeeper_core.dates.span_search import Found, span_at, span_places
from pagekeeper_core.dates.spans import DAY, Span, aware
from pagekeeper_core.dates.tokens import Token, as_lengths, kinds_of, phrase_of
from pagekeeper_core.dates.values import DateRange

__all__ = ["find_range"]

EARLIEST = datetime(1971, 1, 1)
"""Where "before March" begins: earlier than anything that was ever said to this program."""

_DAYS_OF_A_MONTH = re.compile(
    "[bfS]?[hiq@]{0,2}[no][-&tS]?q?[no][mM]y?|[bfS]?[mM][no][-&tS]q?[no]y?"
)


_OPENINGS = frozenset("SBAbft")
_JOINTS = frozenset("-t@S")


def find_range(text: str, now: datetime) -> DateRange | None:
    """The date or span that is meant by a phrase in the text; None if there is none.

    Open words mean the past: "on Friday" the last one, "in March" the last one that has begun.
    "Two weeks ago" is the calendar week of that day. Weeks begin on Monday, seasons are the
    northern ones. 5/3/2026 is read month first in English, day first elsewhere.

    Args:
        text: In any supported language; its first 1,000 characters are read.
        now: Aware, in the person's time zone, in which the answer is too.
    """
    reading = Reading(now.replace(tzinfo=None))
    for text_read, words in readings(text):
        tokens = as_lengths(words)
        found = _find(tokens, reading)
        if found is not None:
            start, end = aware(found.span.start, now.tzinfo), aware(found.span.end, now.tzinfo)
            return DateRange(start, end, phrase_of(text_read, tokens[found.first : found.last]))
    return None


def _find(tokens: list[Token], reading: Reading) -> Found | None:
    for place in span_places(tokens):
        found = (
            _days_of_month(tokens, place, reading)
            or _bounded(tokens, place, reading)
            or named_span(tokens, place, reading)
        )
        if found is not None:
            return found
    return None


def _days_of_month(tokens: list[Token], place: int, reading: Reading) -> Found | None:
    """Days of one month: "between 3 and 9 May", "May 3-9"."""
    match = _DAYS_OF_A_MONTH.match(kinds_of(tokens), place)
    if not match:
        return None
    words = tokens[place : match.end()]
    days = [word.value for word in words if word.kind in "no"]
    rest = [word for word in words if word.kind in "mMy"]
    last_day = next(word for word in reversed(words) if word.kind in "no")
    last = span_at([last_day, *rest], 0, reading)
    if last is None or not 1 <= days[0] < days[1]:
        return None
    start = last.span.start - (days[1] - days[0]) * DAY
    return Found(replace(last.span, start=start), place, match.end())


def _bounded(tokens: list[Token], place: int, reading: Reading) -> Found | None:
    """Since, before, after, between … and …, from … to …, and X to Y alone."""
    opening = tokens[place].kind if tokens[place].kind in _OPENINGS else ""
    first = span_at(tokens, place + bool(opening), reading, is_led=bool(opening))
    if first is None or first.first > place + bool(opening):
        return None
    second = _second(tokens, first, opening, reading)
    if second is not None:
        return second
    behind = tokens[first.last].kind if first.last < len(tokens) else ""
    is_behind = not opening and behind == "S"
    one_sided = _one_sided(behind if is_behind else opening, first.span, reading)
    return Found(one_sided, place, first.last + is_behind) if one_sided else None


def _second(tokens: list[Token], first: Found, opening: str, reading: Reading) -> Found | None:
    joint = tokens[first.last].kind if first.last < len(tokens) else ""
    if joint not in _JOINTS and not (joint == "&" and opening == "b"):
        return None
    last = span_at(tokens, first.last + 1, reading, is_led=True)
    if last is None or last.first != first.last + 1:
        return None
    start = first.span.start
    if start >= last.span.start:
        earlier = span_at(tokens, first.first, Reading(last.span.start), is_led=True)
        start = earlier.span.start if earlier else start
    if start >= last.span.end:
        span = Span(last.span.start, first.span.end)
        is_fixed = first.span.step is None and last.span.step is None
        return Found(span, first.first - bool(opening), last.last) if is_fixed else None
    return Found(Span(start, last.span.end), first.first - bool(opening), last.last)


def _one_sided(opening: str, span: Span, reading: Reading) -> Span | None:
    tomorrow = datetime.combine(reading.today + timedelta(days=1), datetime.min.time())
    if opening == "S" and span.start < tomorrow:
        return Span(span.start, tomorrow)
    if opening == "A" and span.end < tomorrow:
        return Span(span.end, tomorrow)
    if opening in {"B", "t"}:
        return Span(EARLIEST, span.start if opening == "B" else span.end)
    return None
