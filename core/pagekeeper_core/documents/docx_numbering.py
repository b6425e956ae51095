"""The numbers and marks of Word's lists, which stand in the text nowhere (ECMA-376 17.9)."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from pagekeeper_core.documents.xml_events import attribute, child, children

__all__ = ["ListMarks"]

_BULLET = "•"
_PLACEHOLDER = re.compile(r"%([1-9])")
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Level:
    """How a level of a list is numbered."""

    number_format: str
    text: str
    start: int


class ListMarks:
    """Counts the items of each list as the document is read from its beginning."""

    def __init__(self, numbering: Element | None) -> None:
        """Take the lists that the part `numbering` defines; without it nothing is marked."""
        levels = {
            attribute(element, "abstractNumId"): _levels(element)
            for element in children(numbering, "abstractNum")
        }
        self._lists = {
            attribute(element, "numId"): _value(element, "abstractNumId")
            for element in children(numbering, "num")
        }
        self._levels = levels
        self._counts: dict[str, dict[int, int]] = {}

    def next_mark(self, list_id: str, level: int) -> str:
        """The mark of the next item: "•", "3.", "2.1", "(c)"; empty where it has none."""
        abstract = self._lists.get(list_id, "")
        levels = self._levels.get(abstract, {})
        definition = levels.get(level)
        if definition is None or definition.number_format == "none":
            return ""
        if definition.number_format == "bullet":
            return _BULLET
        counts = self._counts.setdefault(abstract, {})
        counts[level] = counts.get(level, definition.start - 1) + 1
        for deeper in [each for each in counts if each > level]:
            del counts[deeper]
        return _PLACEHOLDER.sub(lambda m: _number(levels, counts, int(m[1]) - 1), definition.text)


def _levels(abstract: Element) -> dict[int, _Level]:
    return {
        int(attribute(element, "ilvl", "0")): _Level(
            _value(element, "numFmt", "decimal"),
            _value(element, "lvlText"),
            _whole_number(_value(element, "start", "1")),
        )
        for element in children(abstract, "lvl")
    }


def _number(levels: dict[int, _Level], counts: dict[int, int], level: int) -> str:
    definition = levels.get(level, _Level("decimal", "", 1))
    written = _FORMATS.get(definition.number_format, str)
    return written(counts.get(level, definition.start))


def _letter(number: int) -> str:
    """A to z, then aa to zz, as Word counts."""
    times, place = divmod(max(number, 1) - 1, 26)
    return chr(ord("a") + place) * min(times + 1, 10)


def _roman(number: int) -> str:
    if not 0 < number < 4000:
        return str(number)
    written = ""
    for value, letters in _ROMAN:
        while number >= value:
            written += letters
            number -= value
    return written


_FORMATS: dict[str, Callable[[int], str]] = {
    "lowerLetter": _letter,
    "upperLetter": lambda number: _letter(number).upper(),
    "lowerRoman": _roman,
    "upperRoman": lambda number: _roman(number).upper(),
    "decimalZero": lambda number: f"{number:02}",
}


def _value(element: Element, name: str, default: str = "") -> str:
    found = child(element, name)
    return default if found is None else attribute(found, "val", default)


def _whole_number(text: str) -> int:
    return int(text) if text.isdecimal() else 1
