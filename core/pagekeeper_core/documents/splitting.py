"""Text into passages that an embedder can read whole."""

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from pagekeeper_core.documents.reading import PageText
from pagekeeper_core.records import Passage

__all__ = ["PassageSplitter"]

# A passage begins with the end of the one before it, where that ends in short sentences: this part
# of the limit at most. A sentence at the border is so found with what follows it.
_OVERLAP = 1 / 8

# Many characters can be few tokens: a tokenizer takes a word that it does not know for one. No
# passage is longer than this many characters a token, so that the language model can read it too.
_CHARACTERS_A_TOKEN = 8

# From the coarsest to the finest. Each matches what stands between two pieces and belongs to the
# first: blank lines; the white space after a sentence, or nothing after a full-width full stop; the
# end of a line; white space. Words are cut only when one is longer than a whole passage.
_BORDERS = (
    re.compile(r"\n[^\S\n]*\n\s*"),
    re.compile(r"(?<=[.!?…])[\"'”’»)\]]*\s+|[。！？；…][」』”’）》]*\s*"),
    re.compile(r"\n\s*"),
    re.compile(r"\s+|(?<=[，、])"),
)

# Cut after these and a character falls apart: joiners, marks, variation and skin tone signs.
_CLINGING = re.compile("[\u0300-\u036f\u200d\ufe00-\ufe0f\u3099\u309a\U0001f3fb-\U0001f3ff]")


@dataclass(frozen=True, slots=True)
class _Unit:
    """A piece of the text that is kept in one passage: its borders and its tokens."""

    start: int
    end: int
    tokens: int


class PassageSplitter:
    """Cuts pages at paragraphs, else sentences, else lines, else words.

    Attributes:
        limit: Tokens of the longest passage, the tokenizer's special ones included.
    """

    def __init__(self, count: Callable[[str], int], limit: int) -> None:
        """Take the embedder's own way of counting tokens."""
        self._count = count
        self._special = count("")
        self.limit = limit

    def split(self, pages: Iterable[PageText]) -> Iterator[Passage]:
        """The passages in reading order, verbatim, each with its page or lines."""
        for page in pages:
            lines = [match.end() for match in re.finditer("\n", page.text)]
            for start, end in self._spans(page.text):
                yield Passage(page.text[start:end], _location(page, lines, start, end))

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Borders of the passages, without the white space around them."""
        for group in self._packed(list(self._units(text, 0, len(text), 0))):
            start, end = _stripped(text, group[0].start, group[-1].end)
            if start < end:
                yield start, end

    def _units(self, text: str, start: int, end: int, level: int) -> Iterator[_Unit]:
        """The coarsest pieces between `start` and `end` that each fit into a passage."""
        tokens = self._tokens(text[start:end])
        if tokens <= self.limit - self._special:
            yield _Unit(start, end, tokens)
        elif level == len(_BORDERS):
            middle = _character_border(text, start, end)
            yield from self._units(text, start, middle, level)
            yield from self._units(text, middle, end, level)
        else:
            for piece_start, piece_end in _pieces(_BORDERS[level], text, start, end):
                yield from self._units(text, piece_start, piece_end, level + 1)

    def _tokens(self, piece: str) -> int:
        return max(self._count(piece) - self._special, math.ceil(len(piece) / _CHARACTERS_A_TOKEN))

    def _packed(self, units: list[_Unit]) -> Iterator[list[_Unit]]:
        """Neighbouring units, as many as fit into a passage."""
        room = self.limit - self._special
        group: list[_Unit] = []
        for unit in units:
            if group and sum(part.tokens for part in group) + unit.tokens > room:
                yield group
                group = self._overlap(group, room - unit.tokens)
            group.append(unit)
        if group:
            yield group

    def _overlap(self, group: list[_Unit], room: int) -> list[_Unit]:
        """The last units of a passage that the next one repeats."""
        left = min(int(self.limit * _OVERLAP), room)
        repeated: list[_Unit] = []
        for unit in reversed(group[1:]):
            left -= unit.tokens
            if left < 0:
                break
            repeated.insert(0, unit)
        return repeated


def _pieces(border: re.Pattern[str], text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece_start = start
    for match in border.finditer(text, start, end):
        if match.end() > piece_start:
            yield piece_start, match.end()
            piece_start = match.end()
    if piece_start < end:
        yield piece_start, end


def _character_border(text: str, start: int, end: int) -> int:
    """The middle, or the nearest place before it where no character is cut in two."""
    middle = (start + end) // 2
    border = middle
    while border > start and (_CLINGING.match(text[border]) or text[border - 1] == "\u200d"):
        border -= 1
    return border if border > start else max(middle, start + 1)


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


def _location(page: PageText, lines: list[int], start: int, end: int) -> str:
    if page.place:
        return page.place
    if page.page:
        return f"page {page.page}"
    if not page.first_line:
        return ""
    first = page.first_line + bisect_right(lines, start)
    last = page.first_line + bisect_right(lines, end - 1)
    return f"line {first}" if first == last else f"lines {first} to {last}"
