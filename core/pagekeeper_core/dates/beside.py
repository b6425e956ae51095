"""Spans that are told by another: "two weeks before 11 August", "the Sunday after it"."""

import re
from datetime import datetime

from pagekeeper_core.dates.reading import Reading, Words, value_of
from pagekeeper_core.dates.span_search import Found, span_at, span_places
from pagekeeper_core.dates.spans import DAY, Span, day_span, unit_span, unit_steps
from pagekeeper_core.dates.tokens import Unit, kinds_of

__all__ = ["find_span", "named_span"]

_BESIDE = re.compile("[iq@]?(?:[nN]?u|[wW])[BA]|[iq@]?[nN]uf")


def find_span(tokens: Words, reading: Reading) -> Found | None:
    """The first span that the tokens speak of."""
    for place in span_places(tokens):
        if found := named_span(tokens, place, reading):
            return found
    return None


def named_span(tokens: Words, place: int, reading: Reading) -> Found | None:
    """The span that is said from this token on, by itself or by another one."""
    return _beside(tokens, place, reading) or span_at(tokens, place, reading)


def _beside(tokens: Words, place: int, reading: Reading) -> Found | None:
    """Two weeks before 11 August, the week after it, the Sunday before it."""
    match = _BESIDE.match(kinds_of(tokens), place)
    anchor = span_at(tokens, match.end(), reading, is_led=True) if match else None
    if match is None or anchor is None or anchor.first != match.end():
        return None
    words = tokens[place : match.end()]
    is_before = words[-1].kind == "B"
    is_counted_from = is_before or (reading.future and "u" in kinds_of(words))
    edge = anchor.span.start if is_counted_from else anchor.span.end
    if words[0].kind in "wW" or words[-2].kind in "wW":
        span = _weekday_beside(value_of(words, "wW"), edge, is_before=is_before)
    else:
        span = _units_beside(words, edge, reading, is_before=is_before)
    return Found(span, place, anchor.last)


def _weekday_beside(weekday: int, edge: datetime, *, is_before: bool) -> Span:
    ahead = (weekday - edge.weekday()) % 7
    return day_span(edge.date() + (ahead - 7 if is_before else ahead) * DAY)


def _units_beside(words: Words, edge: datetime, reading: Reading, *, is_before: bool) -> Span:
    """The week that holds the day two weeks before; "the week before" is the seven days until."""
    unit, number = Unit(value_of(words, "u")), value_of(words, "nN")
    there = unit_steps(edge, unit, -(number or 1) if is_before else (number or 1))
    if reading.future:
        return day_span(there.date())
    if number:
        return unit_span(there, unit)
    return Span(min(there, edge), max(there, edge))
