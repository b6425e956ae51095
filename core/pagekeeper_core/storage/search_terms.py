"""Text into search terms: the same rules for what is stored and for what is asked.

Case, accents and width do not matter. English words are stemmed. Scripts that are written without
spaces are cut into single characters and overlapping pairs, as Lucene's CJK analyser does. Code
and compounds ("foo_bar()", "C++", "10:42") are kept as typed beside their parts.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

import snowballstemmer

__all__ = ["fingerprint", "fold", "index_terms", "query_terms", "term_number"]

_LONGEST_TERM = 64
_LONGEST_STEMMED_WORD = 40

# Hebrew points, Arabic vowel marks and the Latin, Greek and Cyrillic accents. Not the marks of
# Indic scripts and kana, which tell one letter from another.
_ACCENTS = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u0640]"
)

# Han, kana, Hangul; Thai, Lao, Myanmar, Khmer.
_UNSPACED = (
    "\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\U00020000-\U0003ffff"
)
# Vowel signs of the Indic scripts are not in \w, though they stand inside words.
_WORD = rf"(?:(?![{_UNSPACED}])[\w\u0900-\u0963\u0966-\u0dff])+"

_WORDS = re.compile(_WORD)
_UNSPACED_RUNS = re.compile(rf"[{_UNSPACED}]+")
# Both match from every word's first character, so that a long run costs linear time.
_COMPOUNDS = re.compile(rf"{_WORD}(?:[^\w\s]{{1,3}}{_WORD})*")
_CODE = re.compile(rf"{_WORD}(?:\+\+|#|\(\))?")
_PUNCTUATION_ALONE = re.compile(r"(?<!\S)[!-/:-@\[-`{-~]{2,16}(?!\S)")
_SENTENCE_MARKS = re.compile(r"[.,;:!?\u3002\uff0c\u3001]+(?=\s|$)")
# Hebrew and Arabic write "in", "and", "the" and the like as part of the word: it is found without
# them too, as long as three letters are left.
_BEGINNINGS = (
    re.compile("[והבכלמש](?=[א-ת]{3})"),
    re.compile("[וש][הבכלמ](?=[א-ת]{3})"),
    re.compile("[وفبكل](?=[ء-ي]{3})"),
    re.compile("(?:[وفبك]?ال|و?لل)(?=[ء-ي]{3})"),
)
_APOSTROPHES = frozenset("'\u2019")
_SYMBOL_CATEGORIES = frozenset({"So", "Sm", "Sc"})

_STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        a about after all also am an and any are as at be because been before being but by can
        could d did do does doing don for from had has have having he her hers him his how i if in
        into is it its just ll m may me might mine more most must my no nor not of off on once
        only or other our ours out over own re s same shall she should so some such t than that
        the their theirs them then there these they this those through to too until up us ve very
        was we were what when where which while who whom why will with would you your yours
        """,
    )
)

_stemmer = snowballstemmer.stemmer("english")


def fold(text: str) -> str:
    """The text without differences of case, accent and width."""
    decomposed = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFC", _ACCENTS.sub("", decomposed))


def fingerprint(text: str) -> str:
    """Equal for texts that differ in case, accents, spaces and sentence marks only; hexadecimal."""
    bare = _SENTENCE_MARKS.sub("", " ".join(fold(text).split()))
    return hashlib.sha256(bare.encode()).hexdigest()


def term_number(term: str) -> int:
    """A number of 64 bits that stands for a term: what DuckDB calls `md5_number_lower`."""
    digest = hashlib.md5(term.encode(), usedforsecurity=False).digest()
    return int.from_bytes(digest[8:], "little")


def index_terms(text: str) -> list[str]:
    """Every term of a stored text, as often as it occurs."""
    folded = fold(text)
    return [term[:_LONGEST_TERM] for term in (*_plain_terms(folded), *_terms_as_typed(folded))]


def query_terms(query: str) -> list[str]:
    """The terms to look for, each once.

    Common English words are left out, and so are the fragments that a longer term holds already,
    unless nothing else is left.
    """
    folded = fold(query)
    as_typed = list(_terms_as_typed(folded))
    words = list(_plain_terms(folded, for_query=True))
    telling = [word for word in words if word not in _STOP_WORDS]
    if as_typed:
        telling = [word for word in telling if len(word) > 1 or not word.isascii()]
    terms = [*telling, *as_typed] or words
    return list(dict.fromkeys(term[:_LONGEST_TERM] for term in terms))


def _plain_terms(folded: str, *, for_query: bool = False) -> Iterator[str]:
    for match in _WORDS.finditer(folded):
        yield from _word_terms(match.group())
    for match in _UNSPACED_RUNS.finditer(folded):
        yield from _run_terms(match.group(), for_query=for_query)
    for character in folded:
        if not character.isascii() and unicodedata.category(character) in _SYMBOL_CATEGORIES:
            yield character


def _word_terms(word: str) -> Iterator[str]:
    yield _stem(word) if word.isascii() and word.isalpha() else word
    if not word.isascii():
        for beginning in _BEGINNINGS:
            if match := beginning.match(word):
                yield word[match.end() :]
    if "_" in word.strip("_"):
        for part in filter(None, word.split("_")):
            yield _stem(part)


def _run_terms(run: str, *, for_query: bool) -> Iterator[str]:
    if not for_query or len(run) == 1:
        yield from run
    for pair in pairwise(run):
        yield "".join(pair)


def _terms_as_typed(folded: str) -> Iterator[str]:
    for match in _COMPOUNDS.finditer(folded):
        if not set(_WORDS.sub("", match.group())) <= _APOSTROPHES:
            yield match.group()
    for match in _CODE.finditer(folded):
        if not _WORDS.fullmatch(match.group()):
            yield match.group()
    for match in _PUNCTUATION_ALONE.finditer(folded):
        yield match.group()


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    if word in _STOP_WORDS or len(word) > _LONGEST_STEMMED_WORD:
        return word
    return str(_stemmer.stemWord(word))
