"""Which languages a text may be in, and its tokens by the words of each."""

from collections.abc import Iterator

from pagekeeper_core.dates.lexicon import Lexicon, folded
from pagekeeper_core.dates.tokens import Token
from pagekeeper_core.dates.words.english import ENGLISH

__all__ = ["LONGEST_TEXT", "readings"]

LONGEST_TEXT = 1000
"""Characters that are read: what stands later in a long text is its matter, not its date."""

_LATIN = (ENGLISH,)


def readings(text: str) -> Iterator[list[Token]]:
    """The text's tokens by each language that it may be in, the likeliest first."""
    sample = folded(text[:LONGEST_TEXT])
    for language in _languages(sample):
        yield language.tokens(sample)


def _languages(sample: str) -> list[Lexicon]:
    known = [language.known_words(sample) for language in _LATIN]
    return [language for language, words in zip(_LATIN, known, strict=True) if words == max(known)]
