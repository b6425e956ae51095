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
    attribute: re.compile(pattern, re.IGNORECASE)
    for attribute, pattern in {
        "home": r"\b(?:lives?|living|resides?|residing|(?:has |have )?moved|relocated|based) "
        r"(?:in|to) |\b(?:home|home town|city|lives) ?[:：] ?|住在|搬到|搬去",
        "name": r"\bname(?: is |'s | ?[:：] ?)|(?:名字|姓名)(?:是|叫|[:：])",
        "age": r"\bage(?: is | ?[:：] ?)|\b(?:is|am|turned|turns) (?=\d+(?: years old)?\W*$)",
        "birthday": r"\bbirthday(?: is)?(?: on)? ?[:：]? ?|生日(?:是|在|[:：])",
    }.items()
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
        new, old = _claim(fact), _claim(other)
        if new and old and _has_other_value(new, old):
            if new.is_named and old.is_named:
                return Contradiction(other, certain=True)
            unsure = unsure or Contradiction(other, certain=False)
        elif _has_other_value(_loose_claim(fact), _loose_claim(other)):
            unsure = unsure or Contradiction(other, certain=False)
    return unsure


@dataclass(frozen=True, slots=True)
class _Claim:
    """What a fact is about, and what it says of that.

    Attributes:
        about: The attribute, and whose it is.
        value: Its value.
        is_named: Whether the value is a name or a number: "Lives in Porto", not "in a small flat",
            which may hold beside it.
    """

    about: tuple[str, ...]
    value: tuple[str, ...]
    is_named: bool = False


def _has_other_value(new: _Claim | None, old: _Claim | None) -> bool:
    if new is None or old is None:
        return False
    return new.about == old.about and new.value != old.value


def _claim(fact: str) -> _Claim | None:
    """A fact about something that has one value at a time: whose, what, which value."""
    for attribute, pattern in _SINGLE_VALUED.items():
        found = pattern.search(fact)
        value = fact[found.end() :] if found else ""
        if found and roots(value):
            about = (attribute, *roots(fact[: found.start()]))
            return _Claim(about, tuple(roots(value)), not value[0].islower())
    return None


def _loose_claim(fact: str) -> _Claim | None:
    """What stands before the colon or the verb, and after it: "Dog: Bento", "The rent is 900"."""
    text = folded(fact)
    found = _OF_A_THING.search(text)
    if found is None:
        return None
    about, value = roots(text[: found.start()]), roots(text[found.end() :])
    return _Claim(tuple(about), tuple(value)) if about and value else None
