"""Comparing texts by the words that carry them: is a fact new, and did the user say it?"""

import re
from collections.abc import Iterable

from pagekeeper_core.scripts import language_by_script

__all__ = [
    "QUOTE",
    "SHORTEST_QUOTE",
    "echoes",
    "folded",
    "gist",
    "is_said_in",
    "only_repeats",
    "quotes",
    "share_of",
    "shared_gist",
    "told_in",
    "words_of",
]

_FILLERS = frozenset(
    "a an the i m am is s are was has have my her his their user she he they".split()  # noqa: SIM905
)
"""Words that a model puts around the same fact one time and leaves out the next."""

_SMALL_WORDS = frozenset(
    "in on at to of for from with by as and or but not it that this i'm s m".split()  # noqa: SIM905
)
"""Words that are no evidence that a fact was stated."""

# A Han or kana sign is a word of its own here; other scripts put spaces between their words.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")

# Tried only where a sentence begins: a long text without a mark would take the square of its time.
_QUESTION = re.compile(r"(?:\A|(?<=[.!?。！？؟\n]))[^.!?。！？؟\n]*[?？؟]+")

STEM = 4
"""Letters by which two forms of a word are taken for the same: like, likes."""

SAID_SHARE = 0.5
"""Share of a fact's words that the user must have used; the rest may be the model's wording."""

QUOTE = 60
"""Characters of a text's beginning that make a quotation of it."""

SHORTEST_QUOTE = 12
"""Characters; shorter texts, such as "Yes, please", occur by chance."""


LONGEST_TOLD = 400
"""Characters; of a longer message a part may well be the answer."""

SHORTEST_ECHO = 3
"""Words: "Good night" is an answer to "Good night"."""


def folded(text: str) -> str:
    """The text without regard to case, white space and a full stop at its end."""
    return " ".join(text.split()).casefold().rstrip(".")


def quotes(quoted: str, text: str) -> bool:
    """Whether `text` repeats the beginning of `quoted`, if that is long enough to tell."""
    quote = folded(quoted)[:QUOTE]
    return len(quote) >= SHORTEST_QUOTE and quote in folded(text)


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text, folded; a Han or kana sign is a word of its own."""
    return tuple(_WORD.findall(folded(text)))


def echoes(text: str, other: str) -> bool:
    """Whether a text of some words only repeats another."""
    return folded(text) == folded(other) and len(words_of(text)) >= SHORTEST_ECHO


def only_repeats(text: str, said: str, *, unfinished: bool = False) -> bool:
    """Whether every word of a text of some words stands in what was said; questions are answered.

    With `unfinished` the text is a beginning, whose last word may be cut off.
    """
    if len(said) > LONGEST_TOLD or told_in(said) != said.strip():
        return False
    words, known = words_of(text), set(words_of(said))
    if not unfinished:
        return len(words) >= SHORTEST_ECHO and known.issuperset(words)
    *whole, last = words or ("",)
    return known.issuperset(whole) and any(word.startswith(last) for word in known)


def gist(text: str) -> tuple[str, ...]:
    """The words that carry a fact: "I am allergic to nuts" says what "Allergic to nuts." says."""
    words = words_of(text)
    return tuple(word for word in words if word not in _FILLERS) or words


def share_of(wanted: set[str], known: set[str]) -> float:
    """Share of the words of the first that are in the second; 0 where there are none."""
    return len(wanted & known) / len(wanted) if wanted else 0.0


def shared_gist(text: str, other: str) -> int:
    """How many words that say something two texts have in common."""
    first, second = (
        {word[:STEM] for word in gist(part) if word not in _SMALL_WORDS} for part in (text, other)
    )
    return len(first & second)


def told_in(text: str) -> str:
    """The text without its questions: what is only asked for is no fact."""
    return _QUESTION.sub(" ", text).strip()


def is_said_in(fact: str, texts: Iterable[str]) -> bool:
    """Whether a fact is made of the words of these texts.

    A fact in another script than every text cannot be compared, and passes.
    """
    said = " ".join(texts)
    if not said.strip():
        return False
    if language_by_script(fact) != language_by_script(said):
        return True
    known = {word[:STEM] for word in gist(said)}
    words = {word[:STEM] for word in gist(fact) if word not in _SMALL_WORDS}
    return len(words & known) >= SAID_SHARE * len(words)
