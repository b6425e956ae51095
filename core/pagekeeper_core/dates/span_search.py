"""Which words speak of a span of time: the rules in the order of their words.

A rule is a pattern of kinds (`tokens.KINDS`) and what it means. A rule that finds its words to
mean nothing ("the 31st of February") gives None, and the others are tried.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from pagekeeper_core.dates.day_rules import (
    bare_weekday,
    day_from_today,
    lately,
    part_alone,
    recent_units,
    relative_unit,
    relative_weekday,
    units_away,
    weekday_of_week,
    weekday_weeks_away,
    weekend,
    whole_date,
)
from pagekeeper_core.dates.month_rules import (
    day_and_month,
    day_of_month,
    month_or_day,
    season,
    week_of_month,
    weekday_of_month,
    whole_year,
)
from pagekeeper_core.dates.reading import Reading, Words
from pagekeeper_core.dates.spans import DAY, Span, part_span
from pagekeeper_core.dates.tokens import Part, kinds_of

__all__ = ["Found", "span_at", "span_places"]

Rule = Callable[[Words, Reading], Span | None]


@dataclass(frozen=True, slots=True)
class Found:
    """A span, and which tokens say it: those from `first` to before `last`."""

    span: Span
    first: int
    last: int


RULES: tuple[tuple[re.Pattern[str], Rule], ...] = tuple(
    (re.compile(f"[iq@]{{0,2}}(?:{pattern})"), rule)
    for pattern, rule in (
        ("[wW]?q?D", whole_date),
        ("[noO]u[mM]y?", week_of_month),
        ("[roO][wW](?:qu|ru|ur)", weekday_of_month),
        ("[q@][wW]?C|(?<=[Sfbt&-])C", day_and_month),
        ("d", day_from_today),
        ("r[wW]|[wW]r", relative_weekday),
        ("[wW]qru|[wW]ru|[wW]ur|ruq?[wW]|urq?[wW]", weekday_of_week),
        ("[wW][nN]u[ah]|[nN]u[ah][wW]|[wW]a[nN]u|a[nN]u[wW]", weekday_weeks_away),
        ("[q@][wW]|w", bare_weekday),
        ("[wW]?q?[noO][mM]q?y?|[wW]?q?[mM][noO]y?|y[mM][no]", month_or_day),
        ("q?[noO]?[mM]q?(ru|ur)|(ru|ur)[iq@]?[mM][noO]?|r[oO]m", month_or_day),
        ("r[mM]|[mM]r|[mM]q?y|y[mM]|[iq@][mM]|m", month_or_day),
        ("qun|[oO]qu|ruo|urq?o|o[iq]?(ru|ur)|[qi@][wW]?o|[wW]o", day_of_month),
        ("[sV]q?(ru|ur)|(ru|ur)[iq@]?[sV]|r[sV]|[sV]r|[sV][iq]?y|y[sV]|[iq@-][sV]|s", season),
        ("ru|ur", relative_unit),
        ("[iq@]u", weekend),
        ("rnu|nru|nur", recent_units),
        ("[nN]u[ah]|[aih][nN]u", units_away),
        ("rp|pr", part_alone),
        ("[iq@]yu?|yu|(?<=E)y", whole_year),
        ("G", lately),
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
    """A third of the span: "early March", "the end of last year", "上个月底"."""
    before, behind = found.first - 1, found.last
    if before >= 0 and tokens[before].kind == "E":
        return replace(found, span=_third(found.span, tokens[before].value), first=before)
    is_glued = behind < len(tokens) and tokens[behind].start == tokens[behind - 1].end
    if is_glued and tokens[behind].kind == "E":
        return replace(found, span=_third(found.span, tokens[behind].value), last=behind + 1)
    return found


def _third(span: Span, edge: int) -> Span:
    third = (span.end - span.start).days // 3 * DAY
    first = span.start + edge * third
    return replace(span, start=first, end=span.end if edge == 2 else first + third)


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
    """Where a span may begin: at a word of time, not at one behind "every"."""
    repeated = {
        place for match in _EVERY.finditer(kinds_of(tokens)) for place in range(*match.span())
    }
    return [
        place for place, token in enumerate(tokens) if token.kind != "x" and place not in repeated
    ]
