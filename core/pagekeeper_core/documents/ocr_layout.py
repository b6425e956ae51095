"""Recognised lines in reading order: columns one after the other, what stands in a row together."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median

__all__ = ["Line", "in_reading_order"]

_COLUMN_GAP = 0.8
"""White space between columns, in heights of a line."""

_FILLED = 0.6
"""Lines of running text fill so much of their column; the cells of a table do not."""

_LEAST_LINES = 3
_NARROWEST = 6
"""Heights of a line: what is narrower are the numbers of a list."""

_MOST_SPANNING = 0.4
"""Headings and figures over all columns: so much of the lines at most."""

_CELL_GAP = 2
_PARAGRAPH_GAP = 0.9
_HYPHENATED = re.compile(r"(?<=[a-z]{2})-\n(?=[a-z])")
_OVERLAP = 0.5


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text where it stands on the picture, in pixels from the upper left corner."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    confidence: float = 1.0

    @property
    def width(self) -> float:
        """In pixels."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """In pixels."""
        return self.bottom - self.top


def in_reading_order(lines: Sequence[Line]) -> str:
    """The lines as a person would read them; a word parted at the end of a line is joined."""
    if not lines:
        return ""
    blocks = _blocks(lines, median(line.height for line in lines))
    return _HYPHENATED.sub("", "\n\n".join(_text(block) for block in blocks))


def _blocks(lines: Sequence[Line], height: float) -> Iterator[Sequence[Line]]:
    """Columns from left to right, and what spans them where it stands."""
    cut = _column_cut(lines, height)
    if cut is None:
        yield lines
        return
    in_order = sorted(lines, key=lambda line: line.top)
    for spanning, group in groupby(in_order, lambda line: line.left < cut < line.right):
        band = tuple(group)
        if spanning:
            yield band
            continue
        for side in ([x for x in band if x.right <= cut], [x for x in band if x.left >= cut]):
            if side:
                yield from _blocks(side, height)


def _column_cut(lines: Sequence[Line], height: float) -> float | None:
    """Where the gap between two columns of running text lies; None if there are no columns."""
    gap = _COLUMN_GAP * height
    best, fewest = None, _MOST_SPANNING * len(lines) + 1
    for edge in {line.right for line in lines}:
        left = [line for line in lines if line.right <= edge]
        right = [line for line in lines if line.left >= edge + gap]
        spanning = len(lines) - len(left) - len(right)
        if spanning < fewest and _is_column(left, height) and _is_column(right, height):
            cut = (edge + min(line.left for line in right)) / 2
            if not any(_stands_in(line, edge, cut) for line in lines):
                best, fewest = cut, spanning
    return best


def _is_column(lines: Sequence[Line], height: float) -> bool:
    if len(lines) < _LEAST_LINES:
        return False
    width = max(line.right for line in lines) - min(line.left for line in lines)
    typical = median(line.width for line in lines)
    return width >= _NARROWEST * height and typical >= _FILLED * width


def _stands_in(line: Line, edge: float, cut: float) -> bool:
    """Whether a line that belongs to no side does not reach over the cut either."""
    return line.right > edge and line.left < cut and not line.left < cut < line.right


def _text(lines: Sequence[Line]) -> str:
    """One block, row by row; more white space than a line is high parts paragraphs."""
    rows = _rows(lines)
    height = median(line.height for line in lines)
    text = _row_text(rows[0])
    for upper, lower in pairwise(rows):
        space = min(line.top for line in lower) - max(line.bottom for line in upper)
        text += "\n\n" if space > _PARAGRAPH_GAP * height else "\n"
        text += _row_text(lower)
    return text


def _rows(lines: Sequence[Line]) -> list[list[Line]]:
    """Lines that stand side by side, from the left."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.top + line.bottom):
        if rows and _side_by_side(rows[-1][-1], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.left) for row in rows]


def _side_by_side(one: Line, other: Line) -> bool:
    shared = min(one.bottom, other.bottom) - max(one.top, other.top)
    apart = one.right <= other.left or other.right <= one.left
    return apart and shared > _OVERLAP * min(one.height, other.height)


def _row_text(row: Sequence[Line]) -> str:
    text = row[0].text
    for one, other in pairwise(row):
        wide = other.left - one.right > _CELL_GAP * one.height
        text += ("   " if wide else " ") + other.text
    return text
