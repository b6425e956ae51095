"""The words of one language, and how a text becomes tokens by them."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache

from pagekeeper_core.dates.joining import joined
from pagekeeper_core.dates.numerals import BLOB, HAN_NUMBER, blob_tokens, han_number
from pagekeeper_core.dates.tokens import KINDS, NAMES, UNSURE, Token

__all__ = ["Lexicon", "folded"]

Meaning = tuple[tuple[str, int], ...]
"""Kinds and values of the tokens that a phrase stands for."""

_WORD = re.compile(r"[^\W_]+")
_GLUED = re.compile(r"[\w.,:/+\-#@$€£¥%°]*")
_GREEK = "\u0370"
_HAN_WEEKDAYS = frozenset("一二三四五六")
_MEASURES = frozenset("个個名位次件条條本只")
"""Words for counted things: 上周三个人 are three people of last week, not of last Wednesday."""

_MAKES_NO_DAY = frozenset("mMuUxrnNT&")
"""Kinds behind "le 15" that make it no day of this month."""

_DASHES = frozenset("-–—~〜～")
_SKIPPED = re.compile(r"[ ,、，]+|\. ?(?=[a-z0-9])")


class Lexicon:
    """The words of time of one language; its table is read when it is first needed.

    Attributes:
        name: The language, in English.
        is_spaced: Whether spaces part its words.
        month_first: Whether 5/3/2026 is the third of May.
    """

    def __init__(
        self, name: str, table: str, *, is_spaced: bool = True, month_first: bool = False
    ) -> None:
        """Take a table: on each line a meaning, a colon, and the phrases that have it.

        A meaning is one or more kinds (`KINDS`) with their values; a question mark behind one says
        that the word is often another. Phrases are parted by commas, and also known without their
        accents, except those with an exclamation mark.
        """
        self.name = name
        self.is_spaced = is_spaced
        self.month_first = month_first
        self._table = table

    @cached_property
    def phrases(self) -> Mapping[str, Meaning]:
        """What each phrase means, in folded form."""
        phrases: dict[str, Meaning] = {}
        for line in filter(None, map(str.strip, self._table.splitlines())):
            meaning, _, words = line.partition(": ")
            value = tuple(_meaning(meaning.split()))
            for word in map(folded, map(str.strip, words.split(","))):
                phrases[word.rstrip("!")] = value
                if not word.endswith("!"):
                    phrases.setdefault(_bare(word), value)
        return phrases

    @cached_property
    def _lengths(self) -> dict[str, list[int]]:
        """The lengths of the phrases, longest first, by their first word."""
        lengths: dict[str, set[int]] = {}
        for phrase in self.phrases:
            lengths.setdefault(self._first_word(phrase, 0), set()).add(len(phrase))
        return {first: sorted(found, reverse=True) for first, found in lengths.items()}

    def _first_word(self, text: str, start: int) -> str:
        word = _WORD.match(text, start) if self.is_spaced else None
        return word.group() if word else text[start]

    def known_words(self, text: str) -> int:
        """How many words of a folded text are of this language's words of time or its small ones.

        What tells the languages of one script apart.
        """
        known = 0
        position = 0
        while position < len(text):
            length = self._phrase_length(text, position)
            known += text.count(" ", position, position + length) + 1 if length else 0
            word = _WORD.match(text, position)
            position += length or (len(word.group()) if word else 1)
        return known

    def tokens(self, text: str) -> list[Token]:
        """The words of time in a folded text, all else as tokens of kind "x"."""
        found = [token for token in self._scanned(text) if token.kind != KINDS["the"]]
        return _with_days(found) if self.is_spaced else joined(text, found)

    def _scanned(self, text: str) -> Iterator[Token]:
        position = 0
        while position < len(text):
            found, end = self._tokens_at(text, position)
            yield from found
            position = max(end, position + 1)

    def _tokens_at(self, text: str, start: int) -> tuple[list[Token], int]:
        """The tokens that begin at `start`, and where they end."""
        if blob := BLOB.match(text, start):
            return blob_tokens(blob, self.month_first), blob.end()
        if length := self._phrase_length(text, start):
            return self._phrase_tokens(text, start, length), start + length
        if not self.is_spaced and (number := HAN_NUMBER.match(text, start)):
            value = han_number(number.group())
            return [Token(KINDS["number"], value, *number.span())], number.end()
        if skipped := _SKIPPED.match(text, start):
            return [], skipped.end()
        is_dash = text[start] in _DASHES
        end = self._word_end(text, start)
        return [Token(KINDS["to" if is_dash else "other"], 0, start, end)], end

    def _word_end(self, text: str, start: int) -> int:
        word = _WORD.match(text, start)
        if not word or (not self.is_spaced and not word.group().isascii()):
            return start + 1
        has_digit = any(sign.isdigit() for sign in word.group())
        if not has_digit:
            return word.end() if word.group().isascii() or self.is_spaced else start + 1
        glued = _GLUED.match(text, start)
        return glued.end() if glued else word.end()

    def _phrase_length(self, text: str, start: int) -> int:
        """Length of the longest phrase of this language at this place; 0 if none begins here."""
        before = text[start - 1 : start]
        if self.is_spaced and (before.isalnum() or before == "_"):
            return 0
        for length in self._lengths.get(self._first_word(text, start), ()):
            end = start + length
            said = text[start:end]
            if len(said) == length and said in self.phrases and self._ends_word(text, end):
                return length
        return 0

    def _ends_word(self, text: str, end: int) -> bool:
        following = text[end : end + 1]
        if text[end - 1] in _HAN_WEEKDAYS and following in _MEASURES:
            return False
        return not (
            self.is_spaced and text[end - 1].isalnum() and (following.isalnum() or following == "_")
        )

    def _phrase_tokens(self, text: str, start: int, length: int) -> list[Token]:
        meaning = self.phrases[text[start : start + length]]
        return [Token(kind, value, start, start + length) for kind, value in meaning]


def _with_days(tokens: list[Token]) -> list[Token]:
    """Articles as prepositions; a number alone behind one is a day: "le 15 à 10h"."""
    made: list[Token] = []
    for place, token in enumerate(tokens):
        follows_article = place > 0 and tokens[place - 1].kind == KINDS["day_article"]
        following = tokens[place + 1].kind if place + 1 < len(tokens) else ""
        is_figure = token.kind == "n" and token.end - token.start == len(str(token.value))
        is_day = follows_article and is_figure and following not in _MAKES_NO_DAY
        if token.kind == KINDS["day_article"]:
            made.append(replace(token, kind=KINDS["on"]))
        else:
            made.append(replace(token, kind=KINDS["ordinal"]) if is_day else token)
    return made


def _meaning(words: list[str]) -> Iterator[tuple[str, int]]:
    while words:
        kind = KINDS[words.pop(0)]
        has_value = words and (kind == KINDS["unit"] or words[0] not in KINDS)
        value = words.pop(0) if has_value else "0"
        name = value.rstrip("?")
        number = NAMES[name] if name in NAMES else int(name)
        yield (UNSURE[kind] if value.endswith("?") else kind), number


def folded(text: str) -> str:
    """The text in small letters and plain signs, sign for sign: no place is moved."""
    return "".join(map(_folded_sign, text))


@lru_cache(maxsize=4096)
def _folded_sign(sign: str) -> str:
    if sign.isspace():
        return " "
    plain = unicodedata.normalize("NFKC", sign).lower()
    plain = "'" if plain in {"’", "‘"} else plain
    return plain if len(plain) == 1 else sign


def _bare(word: str) -> str:
    """A word without its accents; kana and Hangul keep their marks, which tell letters apart."""
    signs = (unicodedata.normalize("NFD", sign)[0] for sign in word)
    return "".join(b if b < _GREEK else sign for b, sign in zip(signs, word, strict=True))
