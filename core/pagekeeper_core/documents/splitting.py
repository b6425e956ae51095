"""Text into passages that an embedder can read whole."""

import math
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
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

# A longer piece is cut without counting its tokens first: to count takes most of the time. Where it
# would have fitted after all, its parts are put together again.
_CHARACTERS_UNCOUNTED = 5

# Each matches what stands between two pieces and belongs to the first: blank lines; the white space
# after a sentence, or nothing after a full-width full stop; the end of a line; white space. Words
# are cut only when one is longer than a whole passage.
_PARAGRAPHS = re.compile(r"\n[^\S\n]*\n\s*")
_SENTENCES = re.compile(r"(?<=[.!?…])[\"'”’»)\]]*\s+|[。！？；…][」』”’）》]*\s*")
_LINES = re.compile(r"\n\s*")
_WORDS = re.compile(r"\s+|(?<=[，、])")

_OF_PROSE = (_SENTENCES, _LINES, _WORDS)
_OF_ROWS = (_LINES, _SENTENCES, _WORDS)

# Code between fences, as in Markdown: blank lines part it only where it does not fit.
_FENCED = re.compile(r"^(`{3,}|~{3,}).*?(?:^\1|\Z)", re.MULTILINE | re.DOTALL)

# A line of a table, of a list, of code: what stands on it belongs together.
_ROW = re.compile(r"\s*(?:[|*+•·-]\s|\d+[.)]\s)|[ \t]{2,}\S|.*(?: \| |\t|[;{}(),:|]\s*$)")

# A short line alone that is no sentence.
_HEADING = re.compile(r"\s*(?:#{1,6} [^\n]*|[^\n]{1,80}(?<![.!?…,;。！？，；]))\s*\n\s*")

# Cut before these and a character falls apart: skin tones and what joins pictures to one; marks and
# vowel signs are told by their category.
_CLINGING = re.compile(
    "[\u200c\u200d\ufe00-\ufe0f\uff9e\uff9f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
)
_MARKS = frozenset({"Mn", "Mc", "Me"})
_FLAG_LETTER = re.compile("[\U0001f1e6-\U0001f1ff]")


@dataclass(frozen=True, slots=True)
class _Unit:
    """A piece of the text that is kept in one passage: its borders and its tokens."""

    start: int
    end: int
    tokens: int


class PassageSplitter:
    """Cuts pages at paragraphs, else at rows or sentences, else at lines, else at words.

    Attributes:
        limit: Tokens of the longest passage, the tokenizer's special ones included.
    """

    def __init__(self, count: Callable[[str], int], limit: int) -> None:
        """Take the embedder's own way of counting tokens."""
        self._count = count
        self._special = count("")
        self._room = limit - self._special
        self.limit = limit

    def split(self, pages: Iterable[PageText]) -> Iterator[Passage]:
        """The passages in reading order, verbatim, each with its page or lines."""
        for page in pages:
            lines = [match.end() for match in re.finditer("\n", page.text)]
            for start, end in self._spans(page.text):
                yield Passage(page.text[start:end], _location(page, lines, start, end))

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Borders of the passages, without the white space around them."""
        for group in self._packed(text, self._paragraphs(text)):
            start, end = _stripped(text, group[0].start, group[-1].end)
            if start < end:
                yield start, end

    def _paragraphs(self, text: str) -> Iterator[_Unit]:
        """The coarsest pieces of a text that each fit into a passage."""
        code = [match.span() for match in _FENCED.finditer(text)]
        for start, end in _pieces(_PARAGRAPHS, text, 0, len(text), code):
            unit = self._whole(text, start, end)
            if unit:
                yield unit
                continue
            for part_start, part_end in _pieces(_PARAGRAPHS, text, start, end):
                borders = _OF_ROWS if _is_of_rows(text[part_start:part_end]) else _OF_PROSE
                yield from self._units(text, part_start, part_end, borders)

    def _units(
        self, text: str, start: int, end: int, borders: Sequence[re.Pattern[str]]
    ) -> Iterator[_Unit]:
        unit = self._whole(text, start, end)
        if unit:
            yield unit
        elif borders:
            for piece_start, piece_end in _pieces(borders[0], text, start, end):
                yield from self._units(text, piece_start, piece_end, borders[1:])
        else:
            middle = _character_border(text, start, end)
            yield from self._units(text, start, middle, borders)
            yield from self._units(text, middle, end, borders)

    def _whole(self, text: str, start: int, end: int) -> _Unit | None:
        """The piece as one unit; None if it does not fit a passage."""
        if end - start > self._room * _CHARACTERS_UNCOUNTED and end - start > 1:
            return None
        tokens = self._tokens(text[start:end])
        return _Unit(start, end, tokens) if tokens <= self._room or end - start == 1 else None

    def _tokens(self, piece: str) -> int:
        return max(self._count(piece) - self._special, math.ceil(len(piece) / _CHARACTERS_A_TOKEN))

    def _packed(self, text: str, units: Iterable[_Unit]) -> Iterator[list[_Unit]]:
        """Neighbouring units, as many as fit into a passage; no heading stands at its end."""
        group: list[_Unit] = []
        tokens = 0
        for unit in units:
            if group and tokens + unit.tokens > self._room:
                body, headings = self._parted(text, group, self._room - unit.tokens)
                yield body
                group = headings or self._overlap(body, self._room - unit.tokens)
                tokens = sum(part.tokens for part in group)
            group.append(unit)
            tokens += unit.tokens
        if group:
            yield group

    def _parted(self, text: str, group: list[_Unit], room: int) -> tuple[list[_Unit], list[_Unit]]:
        """A passage and the headings at its end, which go with what follows where there is room."""
        at = len(group)
        while at > 1 and _HEADING.fullmatch(text, group[at - 1].start, group[at - 1].end):
            room -= group[at - 1].tokens
            if room < 0:
                break
            at -= 1
        return group[:at], group[at:]

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


def _pieces(
    border: re.Pattern[str],
    text: str,
    start: int,
    end: int,
    undivided: Sequence[tuple[int, int]] = (),
) -> Iterator[tuple[int, int]]:
    """The pieces between borders, but for those borders that lie in what is not to be divided."""
    piece_start = start
    closed = iter([*undivided, (end, end)])
    inside = next(closed)
    for match in border.finditer(text, start, end):
        while inside[1] <= match.start() and inside[0] < end:
            inside = next(closed)
        if match.end() > piece_start and not inside[0] <= match.start() < inside[1]:
            yield piece_start, match.end()
            piece_start = match.end()
    if piece_start < end:
        yield piece_start, end


def _is_of_rows(paragraph: str) -> bool:
    """Whether its lines belong together each, more than its sentences do."""
    lines = paragraph.strip("\n").split("\n")
    return len(lines) > 1 and sum(map(bool, map(_ROW.match, lines))) * 2 >= len(lines)


def _character_border(text: str, start: int, end: int) -> int:
    """The middle, or the nearest place before it where no character is cut in two."""
    middle = (start + end) // 2
    border = middle
    while border > start and _is_inside_character(text, start, border):
        border -= 1
    return border if border > start else max(middle, start + 1)


def _is_inside_character(text: str, start: int, at: int) -> bool:
    """Whether a cut at `at` would part what is one character to a reader; one begins at `start`."""
    if _CLINGING.match(text[at]) or unicodedata.category(text[at]) in _MARKS:
        return True
    if text[at - 1] == "\u200d":
        return True
    first = at
    while first > start and _FLAG_LETTER.match(text[first - 1]):
        first -= 1
    # Two letters make a flag.
    return bool(_FLAG_LETTER.match(text[at])) and (at - first) % 2 == 1


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
