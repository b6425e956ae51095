"""What a reply cites: the numbers that the model wrote, and what it plainly takes from a passage.

Small models rarely cite. So where a sentence of the reply is made of what a retrieved passage says,
and the question does not, the program cites that passage. Measured in `tests/evals/citing.py`.
"""

import re
from collections.abc import Iterable

from pagekeeper_core.messages import Citation
from pagekeeper_core.records import ArchivalHit
from pagekeeper_core.sources import Sources
from pagekeeper_core.storage.search_terms import index_terms, query_terms
from pagekeeper_core.wording import share_of

__all__ = ["ReplyText", "cited", "without_unknown"]

TAKEN_SHARE = 0.6
"""Share of a sentence's words, without the question's, that stand in a passage it is taken from."""

ASKED_SHARE = 0.2
"""Share of the question's words that stand in that passage where the sentence is a word or two."""

ENOUGH_WORDS = 4
"""Words taken from a passage that need no word of the question beside them."""

_TALK = frozenset(
    query_terms(
        "answer answers question document documents file page passage passages text note source "
        "says say mention mentioned according information find found look know think tell help "
        "sorry yes please thank thanks welcome good user "
        "答案 文件 文档 根据 里面 中说 用户 抱歉 知道"
    )
)
"""Words with which one speaks of an answer; they take nothing from a passage."""

_OPEN, _CLOSE = "[\\[［【]", "[\\]］】]"
_NUMBERS = r"\d{1,3}(?:\s{0,2}[,，、;–-]\s{0,2}\d{1,3}){0,5}"
# Inline code ends with its line, so that what is shown of a text does not depend on its rest.
_PARTS = re.compile(
    r"(?P<code>```.*?(?:```|\Z)|`[^`\n]*(?:`|(?=\n)|\Z))"
    rf"|(?P<before>[=+]?[ \t]*){_OPEN}\^?\s{{0,2}}(?P<numbers>{_NUMBERS})\s{{0,2}}{_CLOSE}"
    r"(?:\([^()\s]{0,200}\))?",
    re.DOTALL,
)
_UNFINISHED = re.compile(
    rf"[=+]?[ \t]*(?:{_OPEN}[\^\d\s,，、;–-]{{0,50}}(?:{_CLOSE}(?:\([^()\s]{{0,200}})?)?)?\Z"
)
_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?](?=\S)[^.!?。！？\n]*)*")


def without_unknown(text: str, sources: Sources) -> str:
    """The text without citations of what was not retrieved; the others as "[1] [2]".

    What stands in code, or looks like code while nothing was retrieved, is no citation.
    """
    return _PARTS.sub(lambda part: _mended(part, sources), text)


class ReplyText:
    """A reply that grows: gives what of it can be shown, unknown citations taken out."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._shown = ""

    def grown(self, reply: str) -> str:
        """More of what is shown, now that the reply goes so far; a marker is held till it ends."""
        whole = _UNFINISHED.sub("", reply)
        return self._more(without_unknown(whole, self._sources))

    def rest(self, reply: str) -> str:
        """What is left to show of the whole reply."""
        return self._more(without_unknown(reply, self._sources))

    def _more(self, text: str) -> str:
        if not text.startswith(self._shown):
            return ""
        more, self._shown = text[len(self._shown) :], text
        return more


def cited(reply: str, question: str, sources: Sources) -> tuple[Citation, ...]:
    """The passages that a reply rests on: those that it names, or else those it takes from."""
    numbers = _named(reply) or _taken_from(reply, question, sources)
    found = (sources.citation(number) for number in sorted(numbers))
    return tuple(citation for citation in found if citation is not None)


def _mended(part: re.Match[str], sources: Sources) -> str:
    if part["code"] is not None:
        return part[0]
    glued = part.start() > 0 and _is_code_before(part.string[part.start() - 1], part["before"])
    if part["before"].strip() or (glued and not sources.passages):
        return part[0]
    known = [number for number in _numbers(part["numbers"]) if sources.citation(number)]
    if not known and "," in part["numbers"] and not sources.passages:
        return part[0]
    return part["before"] * bool(known) + " ".join(f"[{number}]" for number in known)


def _is_code_before(character: str, space: str) -> bool:
    is_name = character.isascii() and (character.isalnum() or character in "_)]")
    return not space and is_name


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


def _named(reply: str) -> set[int]:
    return {
        number
        for part in _PARTS.finditer(reply)
        if part["code"] is None
        for number in _numbers(part["numbers"])
    }


def _taken_from(reply: str, question: str, sources: Sources) -> set[int]:
    """Numbers of the passages, for each sentence the one of which it has most."""
    asked = set(query_terms(question))
    passages = [(number, _terms(hit)) for number, hit in sources.numbered()]
    return {
        number
        for sentence in _SENTENCE.findall(reply)
        for number in _taken_sentence(set(query_terms(sentence)) - asked - _TALK, asked, passages)
    }


def _taken_sentence(
    words: set[str], asked: set[str], passages: Iterable[tuple[int, set[str]]]
) -> list[int]:
    found = []
    for number, terms in passages:
        taken, about = len(words & terms), share_of(asked, terms)
        is_about = about >= ASKED_SHARE or taken >= ENOUGH_WORDS
        if taken and is_about and share_of(words, terms) >= TAKEN_SHARE:
            found.append((taken, about, -number))
    return [-max(found)[2]] if found else []


def _terms(hit: ArchivalHit) -> set[str]:
    return set(index_terms(hit.passage.text))
