"""Clock times in words: "at nine", "half past eight", "9 Uhr 30", "早上八点", "18h30"."""

import re
from dataclasses import dataclass

from pagekeeper_core.dates.tokens import Part, Token, kinds_of

__all__ = ["HALF_DAY", "PART_MINUTES", "ClockTime", "find_clock", "in_part"]

PART_MINUTES = {
    Part.MORNING: 9 * 60,
    Part.NOON: 12 * 60,
    Part.AFTERNOON: 15 * 60,
    Part.EVENING: 19 * 60,
    Part.NIGHT: 21 * 60,
}
"""When a part of the day is meant by itself, in minutes since midnight."""

HALF_DAY = 12 * 60
"""In minutes."""

_CLOCK = re.compile(
    "@?(?P<before>Z)(?P<hour>[nNoO])[HU]?"
    "|(?:[@-](?=.U)|@?(?=.H)|(?=.U[@qi]?p))(?P<said>[nNk])[HU](?![ah])"
    "(?:(?P<minutes>n(?![HU]))u?)?(?P<after>z)?"
    "|@(?P<told>[no])(?![mMuUDnyT]|-[nok])(?P<late>z)?"
    "|[@-]?(?P<exact>k)"
)
_PART_BEFORE = re.compile("p[@q]?$")
_PART_AFTER = re.compile("[@qi]?p")


@dataclass(frozen=True, slots=True)
class ClockTime:
    """A time of day in a text, and which tokens say it: those from `first` to before `last`.

    Attributes:
        minutes: Since midnight; 1440 is the end of the day.
        is_sure: False where "nine" may be nine in the morning or in the evening.
        part: The part of the day that was said beside it.
    """

    minutes: int
    is_sure: bool
    part: Part | None
    first: int
    last: int


def find_clock(tokens: list[Token]) -> ClockTime | None:
    """The first time of day that the tokens name."""
    kinds = kinds_of(tokens)
    for match in _CLOCK.finditer(kinds):
        said = _minutes(tokens, match)
        if said is not None:
            return _with_part(tokens, kinds, match, *said)
    return None


def _minutes(tokens: list[Token], match: re.Match[str]) -> tuple[int, bool] | None:
    """Minutes since midnight, and whether the half of the day is said."""
    words = {name: tokens[match.start(name)] for name, found in match.groupdict().items() if found}
    if "exact" in words:
        return words["exact"].value, words["exact"].is_sure or words["exact"].value >= HALF_DAY
    hour = next(words[name].value for name in ("hour", "said", "told") if name in words)
    is_clock = "said" in words and words["said"].kind == "k"
    minutes = (hour if is_clock else 60 * hour) + sum(
        words[name].value for name in ("before", "minutes", "after", "late") if name in words
    )
    return (minutes, minutes >= 13 * 60) if 0 <= minutes <= 24 * 60 else None


def _with_part(
    tokens: list[Token],
    kinds: str,
    match: re.Match[str],
    minutes: int,
    is_sure: bool,  # noqa: FBT001
) -> ClockTime:
    first, last, part = match.start(), match.end(), None
    if before := _PART_BEFORE.search(kinds[:first]):
        part = Part(tokens[before.start()].value)
        # "Every morning at eight": the morning belongs to "every" as well.
        first = first if kinds[: before.start()].endswith("e") else before.start()
    elif after := _PART_AFTER.match(kinds, last):
        last, part = after.end(), Part(tokens[after.end() - 1].value)
    if part is not None:
        minutes, is_sure = in_part(minutes, part), True
    return ClockTime(minutes, is_sure, part, first, last)


def in_part(minutes: int, part: Part) -> int:
    """Nine in the evening is 21:00; three at night stays 3:00, eleven at night is 23:00."""
    is_small = minutes < HALF_DAY
    if part in {Part.AFTERNOON, Part.EVENING} and is_small:
        return minutes + HALF_DAY
    if part is Part.NIGHT and 6 * 60 <= minutes < HALF_DAY:
        return minutes + HALF_DAY
    if part is Part.NOON and minutes < 6 * 60:
        return minutes + HALF_DAY
    if part is Part.NIGHT and HALF_DAY <= minutes < HALF_DAY + 60:
        return minutes + HALF_DAY
    return minutes
