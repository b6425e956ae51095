"""Does a new fact say something else about the same thing as an older one?

Where code can be certain (a person has one home, one name, one age, one birthday), the new fact
takes the place of the old. Elsewhere ("Dog: Luna" beside "Dog: Bento") both may hold: the old one
is only pointed at.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from pagekeeper_core.sameness import roots
from pagekeeper_core.wording import folded

__all__ = ["Contradiction", "contradiction"]

_SINGLE_VALUED = {
    "home": re.compile(
        r"\b(?:lives?|living|resides?|residing|(?:has |have )?moved|relocated|based) (?:in|to|at) "
        r"|\b(?:home|home town|address|city|lives) ?[:：] ?|住在|搬到|搬去"
    ),
    "name": re.compile(r"\bname(?: is |'s | ?[:：] ?)|(?:名字|姓名)(?:是|叫|[:：])"),
    "age": re.compile(r"\bage(?: is | ?[:：] ?)|\b(?:is|am|turned|turns) (?=\d+(?: years old)?$)"),
    "birthday": re.compile(r"\b(?:birthday|born)(?: is)?(?: on)? ?[:：]? ?|生日(?:是|在|[:：])"),
}
_OF_A_THING = re.compile(r" (?:is|are) | ?[:：] ?|是")


@dataclass(frozen=True, slots=True)
class Contradiction:
    """An older fact that a new one contradicts.

    Attributes:
        text: The older fact.
        certain: Whether both cannot hold at one time; if not, both may.
    """

    text: str
    certain: bool


def contradiction(fact: str, others: Iterable[str]) -> Contradiction | None:
    """The one of these facts that says something else about the same thing, if there is one."""
    unsure = None
    for other in others:
        if _has_other_value(_claim(fact), _claim(other)):
            return Contradiction(other, certain=True)
        if unsure is None and _has_other_value(_loose_claim(fact), _loose_claim(other)):
            unsure = Contradiction(other, certain=False)
    return unsure


@dataclass(frozen=True, slots=True)
class _Claim:
    """What a fact is about, and what it says of that."""

    about: tuple[str, ...]
    value: tuple[str, ...]


def _has_other_value(new: _Claim | None, old: _Claim | None) -> bool:
    return bool(new and old and new.about == old.about and new.value != old.value)


def _claim(fact: str) -> _Claim | None:
    """A fact about something that has one value at a time: whose, what, which value."""
    text = folded(fact)
    for attribute, pattern in _SINGLE_VALUED.items():
        found = pattern.search(text)
        if found and roots(text[found.end() :]):
            whose = roots(text[: found.start()])
            return _Claim((attribute, *whose), tuple(roots(text[found.end() :])))
    return None


def _loose_claim(fact: str) -> _Claim | None:
    """What stands before the colon or the verb, and after it: "Dog: Bento", "The rent is 900"."""
    text = folded(fact)
    found = _OF_A_THING.search(text)
    if found is None:
        return None
    about, value = roots(text[: found.start()]), roots(text[found.end() :])
    return _Claim(tuple(about), tuple(value)) if about and value else None
