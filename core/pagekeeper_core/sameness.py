"""Do two sentences state the same fact in other words?

Judged by words alone, and on the safe side: where one number, name, tense or negation differs, two
facts are two. Measured on fifty pairs (tests/evals/near_duplicates.py): no two facts are taken
for one, and 19 of 21 rewordings are recognised. The cosine of their vectors alone is no guide: it
is .94 for "Bento is 3" and "Bento is 4".
"""

import re
from collections.abc import Iterable

from pagekeeper_core.wording import words_of

__all__ = ["denies", "is_about", "names_in", "roots", "says_nothing_new"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WORDING = _words(
    "be been being am are is was were do does did has have had having own owns owned keep keeps "
    "call called name named names go goes known as there this that these those its also too very "
    "really just now still already user users i me my mine you your yours we our he him his she "
    "her hers they them their theirs it a an the s m and of in on at to for from with by who which "
    "用 户 的 叫 我 他 她 是 了"
)
"""Words that one wording of a fact has and another leaves out."""

_HAVING = _words("有 养 一 只 条 匹")
"""Words of "has a" that one fact begins with and another, of the same thing, does not."""

_NEGATIONS = _words(
    "not no never none without nor n t neither cannot dont 不 没 無 无 非 别 لا не нет"
)
"""Words that turn a fact into its opposite."""

_NAME = re.compile(r"\b[A-Z\u00c0-\u00de\u0391-\u03a9\u0410-\u042f]\w*")
_SIGNS = re.compile(r"[^\w\s.,;:!?'\u2019\"\u201c\u201d()\-\u2026\u3002\uff0c\u3001\uff01\uff1f]+")
_ENDINGS = ("ing", "es", "s", "e")
_SHORTEST_ROOT = 3
_SHORTEST_NAME = 3


def says_nothing_new(text: str, known: str) -> bool:
    """Whether `known` states already what `text` states.

    It may state more, if it begins alike ("Likes tea" in "Likes tea with milk", but "Lives in
    Porto" not in "Rita lives in Porto"). Names and numbers must come in the same order: "Ana's boss
    is Rita" is not "Rita's boss is Ana".
    """
    new, old = roots(text), roots(known)
    if not new or not set(new) <= set(old) or not (set(new) == set(old) or _begin_alike(new, old)):
        return False
    if denies(text) != denies(known) or _signs(text) != _signs(known):
        return False
    fixed = {_root(name.casefold()) for name in _NAME.findall(text)}
    fixed |= {word for word in new if word.isdigit()}
    return _in_order(new, fixed) == _in_order(old, fixed)


def _begin_alike(new: Iterable[str], old: Iterable[str]) -> bool:
    first, known = ([w for w in words if w not in _HAVING][:1] for words in (new, old))
    return bool(first) and first == known


def is_about(text: str, query: str) -> bool:
    """Whether a fact may be what a query asks for: half of it is named, or all of the query."""
    wanted, stated = set(roots(query)) - _ASKING, set(roots(text))
    if not wanted or not stated:
        return False
    return wanted <= stated or len(wanted & stated) * 2 >= len(stated)


def roots(text: str) -> list[str]:
    """The words that carry a fact, without their endings and without negations."""
    return [_root(w) for w in words_of(text) if w not in _WORDING and w not in _NEGATIONS]


def names_in(text: str) -> frozenset[str]:
    """Words that begin with a capital: names, and what stands at the beginning of a sentence."""
    return frozenset(name for name in _NAME.findall(text) if len(name) >= _SHORTEST_NAME)


def _root(word: str) -> str:
    """A word without its English ending, but not without its tense: lives and living are one."""
    if not word.isascii() or not word.isalpha():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_ROOT:
            return word.removesuffix(ending)
    return word


def denies(text: str) -> bool:
    """Whether a text denies something."""
    return any(word in _NEGATIONS for word in words_of(text))


def _signs(text: str) -> set[str]:
    return set(_SIGNS.findall(text))


def _in_order(words: Iterable[str], fixed: set[str]) -> list[str]:
    return list(dict.fromkeys(word for word in words if word in fixed))


_ASKING = frozenset(
    _root(word)
    for word in _words(
        "what where when who whom whos whose why how which before earlier formerly ago previously "
        "then until once past old us about tell remember said say did first last ever still"
    )
)
"""Words of a question that are no part of the fact asked for."""
