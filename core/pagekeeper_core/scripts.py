"""Which language a text is probably in, where its script tells (Unicode Standard Annex 24)."""

import re

__all__ = ["has_letters", "language_by_script"]

_SCRIPTS = (
    ("Japanese", re.compile("[\u3040-\u30ff]")),
    ("Korean", re.compile("[\uac00-\ud7af\u1100-\u11ff]")),
    ("Chinese", re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")),
    ("Arabic", re.compile("[\u0600-\u06ff\u0750-\u077f]")),
    ("Hebrew", re.compile("[\u0590-\u05ff]")),
    ("Greek", re.compile("[\u0370-\u03ff]")),
    ("Hindi", re.compile("[\u0900-\u097f]")),
    ("Thai", re.compile("[\u0e00-\u0e7f]")),
)
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_UKRAINIAN = re.compile("[іїєґІЇЄҐ]")
_LETTER = re.compile(r"[^\W\d_]")

SHARE = 0.3
"""Share of the letters that must be of a script: a foreign name does not change the language."""


def has_letters(text: str) -> bool:
    """Whether a text is in any language at all: numbers and signs are not."""
    return bool(_LETTER.search(text))


def language_by_script(text: str) -> str:
    """The English name of the language, or "" where the script does not tell (all Latin ones)."""
    letters = _LETTER.findall(text)
    if not letters:
        return ""
    joined = "".join(letters)
    if len(_CYRILLIC.findall(joined)) >= SHARE * len(letters):
        return "Ukrainian" if _UKRAINIAN.search(joined) else "Russian"
    for language, signs in _SCRIPTS:
        if len(signs.findall(joined)) >= SHARE * len(letters):
            return language
    return ""
