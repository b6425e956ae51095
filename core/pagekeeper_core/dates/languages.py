"""Which languages a text may be in, and its tokens by the words of each."""

import re
import unicodedata
from collections.abc import Iterator

from pagekeeper_core.dates.lexicon import Lexicon, folded
from pagekeeper_core.dates.tokens import KINDS, Token
from pagekeeper_core.dates.words.east_asian import CHINESE, JAPANESE, KOREAN
from pagekeeper_core.dates.words.english import ENGLISH
from pagekeeper_core.dates.words.french import FRENCH
from pagekeeper_core.dates.words.germanic import DUTCH, GERMAN
from pagekeeper_core.dates.words.italian import ITALIAN
from pagekeeper_core.dates.words.portuguese import PORTUGUESE
from pagekeeper_core.dates.words.russian import RUSSIAN
from pagekeeper_core.dates.words.spanish import SPANISH

__all__ = ["LONGEST_TEXT", "readings"]

LONGEST_TEXT = 1000
"""Characters that are read: what stands later in a long text is its matter, not its date."""

_BY_SCRIPT = (
    (re.compile("[\u3040-\u30ff]"), (JAPANESE,)),
    (re.compile("[\uac00-\ud7af]"), (KOREAN,)),
    (re.compile("[\u3400-\u9fff]"), (CHINESE, JAPANESE)),
    (re.compile("[\u0400-\u04ff]"), (RUSSIAN,)),
)
_LATIN = (ENGLISH, SPANISH, FRENCH, GERMAN, PORTUGUESE, ITALIAN, DUTCH)


def readings(text: str) -> Iterator[tuple[str, list[Token]]]:
    """The text that is read, and its tokens by each language that it may be in, likeliest first."""
    read = unicodedata.normalize("NFC", text[:LONGEST_TEXT])
    sample = folded(read)
    for language in _languages(sample):
        yield read, language.tokens(sample)


def _languages(sample: str) -> Iterator[Lexicon]:
    """By script; where several share one, those of whose small words most are there."""
    for script, languages in _BY_SCRIPT:
        if script.search(sample):
            yield from sorted(languages, key=lambda language: _unknown(language, sample))
            break
    known = [language.known_words(sample) for language in _LATIN]
    likeliest = [language for language, n in zip(_LATIN, known, strict=True) if n == max(known)]
    yield from likeliest[:1] if max(known) and likeliest[0] is ENGLISH else likeliest


def _unknown(language: Lexicon, sample: str) -> int:
    """Signs that say nothing about time in this language: Han alone may be one or the other."""
    return sum(token.kind == KINDS["other"] for token in language.tokens(sample))
