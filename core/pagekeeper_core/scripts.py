"""Which language a text is probably in, where its script tells (Unicode Standard Annex 24)."""

import re

__all__ = ["OTHER_LETTERS", "has_letters", "language_by_script", "names_language"]

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

OTHER_LETTERS = (
    "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u1100-\u11ff"
    "\u0600-\u06ff\u0750-\u077f\u0590-\u05ff\u0e00-\u0e7f\u0900-\u097f\u0400-\u04ff"
)
"""Letters of the scripts above, for a set of a regular expression; Greek ones stand in formulas."""

_LANGUAGE_NAMES = re.compile(
    r"\b(chin|cine|mandarin|cant|japan|japon|giappon|jap[oó]n|kore|corea|cor[ée]e|coréen|arab|hebr|"
    r"ebra|griech|greek|grego|grec|hindi|thai|tailand|russ|rus[oa]|ukrain|ucrain|"
    r"transl|übersetz|tradu|vertaal|vertal)",
    re.IGNORECASE,
)
"""Beginnings of the words for these languages and for translating, in languages of Latin script."""

SHARE = 0.3
"""Share of the letters that must be of a script: a foreign name does not change the language."""


def has_letters(text: str) -> bool:
    """Whether a text is in any language at all: numbers and signs are not."""
    return bool(_LETTER.search(text))


def names_language(text: str) -> bool:
    """Whether a text in Latin script may ask for another one."""
    return bool(_LANGUAGE_NAMES.search(text))


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
