"""Words of time as tokens: the same few kinds in every language.

A rule reads the kinds of neighbouring tokens as a string of letters, such as "rw" for "last
Tuesday", so that one rule serves every language that says it in that order.
"""

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final

__all__ = [
    "COMING",
    "KINDS",
    "NAMES",
    "UNSURE",
    "Part",
    "Token",
    "Unit",
    "as_lengths",
    "kinds_of",
    "phrase_of",
]


class Unit(IntEnum):
    """Lengths of time that have a name."""

    MINUTE = 0
    HOUR = 1
    DAY = 2
    WEEK = 3
    MONTH = 4
    QUARTER = 5
    YEAR = 6
    WEEKEND = 7
    WORKDAY = 8


class Part(IntEnum):
    """Parts of a day."""

    MORNING = 0
    NOON = 1
    AFTERNOON = 2
    EVENING = 3
    NIGHT = 4


COMING: Final = 9
"""Value of a relative word that means the next one to come, be it in this week or the next."""

KINDS: Final = {
    "day": "d",  # days from today
    "part": "p",
    "weekday": "w",  # from 0, Monday
    "month": "m",  # from 1
    "season": "s",  # from 0, spring
    "unit": "u",
    "number": "n",
    "article": "N",  # one, but no hour and no day: "a week", "an August day"
    "ordinal": "o",
    "year": "y",
    "date": "D",  # ordinal of a proleptic Gregorian date
    "hours": "U",  # a word that is both the unit and what stands behind a clock's hour
    "day_and_month": "C",  # 3.5. or 5/3: 100 times the month, and the day
    "relative": "r",  # -1 last, 0 this, 1 next, COMING
    "clock": "k",  # minutes since midnight
    "ago": "a",
    "ahead": "h",  # in (three days); also behind them
    "in": "i",  # a preposition that is both
    "on": "q",  # any other preposition before a date
    "at": "@",
    "from": "f",
    "since": "S",
    "before": "B",
    "after": "A",
    "until": "t",
    "between": "b",
    "to": "-",
    "and": "&",
    "every": "e",
    "oclock": "H",
    "later": "z",  # minutes past (or before) the hour, said behind it
    "earlier": "Z",  # the same, said in front
    "year_sign": "Y",  # 年 and its like, behind a number: see `joining`
    "month_sign": "j",
    "day_sign": "g",
    "day_article": "l",  # before a number alone it makes a day: "le 15", "el 15"
    "edge": "E",  # 0 the beginning, 1 the middle, 2 the end
    "lately": "G",  # so many days before today
    "the": ",",  # articles, "of": skipped
    "thing": "T",  # what is counted: "at 20 percent" is no time
    "other": "x",
}

UNSURE: Final = {"w": "W", "m": "M", "s": "V", "o": "O"}
"""Kinds of words that are often other ones (May, sat, spring, second)."""

NAMES: Final = {
    **{unit.name.lower(): int(unit) for unit in Unit},
    **{part.name.lower(): int(part) for part in Part},
    "last": -1,
    "this": 0,
    "next": 1,
    "coming": COMING,
}


@dataclass(frozen=True, slots=True)
class Token:
    """A word of time in a text.

    Attributes:
        kind: One letter; see `KINDS`.
        value: What it stands for.
        start: Where it begins in the text, in characters.
        end: Where it ends.
        is_sure: Whether a clock time says which half of the day it means.
    """

    kind: str
    value: int
    start: int
    end: int
    is_sure: bool = True


def kinds_of(tokens: list[Token]) -> str:
    """The kinds as a string, for rules to match."""
    return "".join(token.kind for token in tokens)


def as_lengths(tokens: list[Token]) -> list[Token]:
    """The tokens with words such as "heures" taken for the unit, not for the clock."""
    unit, hour = KINDS["unit"], int(Unit.HOUR)
    return [replace(t, kind=unit, value=hour) if t.kind == "U" else t for t in tokens]


def phrase_of(text: str, tokens: list[Token]) -> str:
    """The words from the first of these tokens to the last."""
    if not tokens:
        return ""
    return text[min(t.start for t in tokens) : max(t.end for t in tokens)]
