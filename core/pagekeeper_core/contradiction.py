"""Does a new fact say something else about the same thing as an older one?

Where code can be certain (a person has one home, one name, one age, one birthday), the new fact
takes the place of the old. Elsewhere both may hold, and the old one is only pointed at: "Dog: Luna"
beside "Dog: Bento", a second daughter of another age, "Moved to Linux" beside "Lives in Porto".
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from pagekeeper_core.sameness import roots
from pagekeeper_core.statements import KIN
from pagekeeper_core.wording import folded

__all__ = ["Claim", "Contradiction", "claim_in", "contradiction"]

_SINGLE_VALUED = {
    attribute: re.compile(pattern, re.IGNORECASE)
    for attribute, pattern in {
        "home": r"\b(?:lives?|living|resides?|residing|based) (?:with (?:\w+ ){1,2})?in "
        r"|\b(?:has |have )?(?:moved|relocated) (?:from .+? )?(?:in|to) "
        r"|\b(?:home|home town|city|lives) ?[:：] ?|家住|住在|搬到|搬去",
        "name": r"\bname(?: is |'s | ?[:：] ?)|(?:名字|姓名)(?:是|叫|[:：])",
        "age": r"\bage(?: is | ?[:：] ?)|\b(?:is|am|turned|turns) (?=\d+(?: years old)?\W*$)",
        "birthday": r"\bbirthday(?: is)?(?: on)? ?[:：]? ?|生日(?:是|在|[:：])",
    }.items()
}
_MOVED = re.compile(r"\bmoved\b", re.IGNORECASE)
_OF_A_PLACE = re.compile(r"\bfrom\b|, *[^\W\d_]", re.IGNORECASE)
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


@dataclass(frozen=True, slots=True)
class Claim:
    """What a fact is about, and what it says of that.

    Attributes:
        about: The attribute ("home", "name", "age", "birthday"), and whose it is; nobody's is the
            user's.
        value: Its value.
        is_named: Whether the value is a name or a number: "Lives in Porto", not "in a small flat",
            which may hold beside it.
        is_only: Whether there is one of it: the user's name, but not "Daughter's name"; a home, but
            not what the user has "moved to", which need not be a place.
    """

    about: tuple[str, ...]
    value: tuple[str, ...]
    is_named: bool = False
    is_only: bool = False


def contradiction(fact: str, others: Iterable[str]) -> Contradiction | None:
    """The one of these facts that says something else about the same thing, if there is one."""
    unsure = None
    for other in others:
        new, old = claim_in(fact), claim_in(other)
        if new and old and _has_other_value(new, old):
            if all(claim.is_named and claim.is_only for claim in (new, old)):
                return Contradiction(other, certain=True)
            unsure = unsure or Contradiction(other, certain=False)
        elif _has_other_value(_loose_claim(fact), _loose_claim(other)):
            unsure = unsure or Contradiction(other, certain=False)
    return unsure


def claim_in(fact: str) -> Claim | None:
    """What a fact says of a thing that has one value at a time; None if it is about no such."""
    for attribute, pattern in _SINGLE_VALUED.items():
        found = pattern.search(fact)
        value = fact[found.end() :] if found else ""
        if found and roots(value):
            owner = fact[: found.start()]
            return Claim(
                (attribute, *roots(owner)),
                tuple(roots(value)),
                is_named=not value[0].islower(),
                is_only=_is_only(attribute, owner) and _is_sure(found.group(), value),
            )
    return None


def _is_only(attribute: str, owner: str) -> bool:
    """Whether the owner has one of it, and is one: "my daughter" may be another than before."""
    if attribute == "name":
        return not roots(owner)
    return not roots(owner) or bool(roots(KIN.sub("", owner)))


def _is_sure(said: str, value: str) -> bool:
    """Whether "moved to" is about a place: it says from where too, or in which country."""
    return not _MOVED.search(said) or bool(_OF_A_PLACE.search(said) or _OF_A_PLACE.search(value))


def _has_other_value(new: Claim | None, old: Claim | None) -> bool:
    if new is None or old is None:
        return False
    return new.about == old.about and new.value != old.value


def _loose_claim(fact: str) -> Claim | None:
    """What stands before the colon or the verb, and after it: "Dog: Bento", "The rent is 900"."""
    text = folded(fact)
    found = _OF_A_THING.search(text)
    if found is None:
        return None
    about, value = roots(text[: found.start()]), roots(text[found.end() :])
    return Claim(tuple(about), tuple(value)) if about and value else None
