"""What an edit did to the lines of a block, and the same edit taken back on what stands there now.

Blocks hold one fact a line, so lines are what is followed through time and what an undo is about.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

__all__ = ["LineEdit", "line_edits", "lines_of", "without_edits"]


@dataclass(frozen=True, slots=True)
class LineEdit:
    """One run of lines that an edit put in the place of others.

    Attributes:
        removed: The lines that stood there before; empty when lines were only added.
        added: The lines that stood there after; empty when lines were only removed.
        above: The lines that stood above them, the nearest last.
        below: The lines that stood below them, the nearest first.
    """

    removed: tuple[str, ...]
    added: tuple[str, ...]
    above: tuple[str, ...]
    below: tuple[str, ...]


def lines_of(text: str) -> list[str]:
    """The lines that say something."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def line_edits(before: Sequence[str], after: Sequence[str]) -> list[LineEdit]:
    """The runs of lines in which two texts differ, from top to bottom.

    A line that only moved is in none of them.
    """
    edits = [
        LineEdit(
            removed=tuple(before[first:last]),
            added=tuple(after[new_first:new_last]),
            above=tuple(before[:first]),
            below=tuple(before[last:]),
        )
        for first, last, new_first, new_last in _differing_runs(before, after)
    ]
    moved = {line for e in edits for line in e.removed} & {x for e in edits for x in e.added}
    return [_without_lines(edit, moved) for edit in edits] if moved else edits


def _differing_runs(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Where each run begins and ends, in the lines before and after."""
    shorter = min(len(before), len(after))
    head = 0
    while head < shorter and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < shorter - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if not old or not new:
        return [(head, head + len(old), head, head + len(new))] if old or new else []
    opcodes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [
        (a + head, b + head, c + head, d + head) for kind, a, b, c, d in opcodes if kind != "equal"
    ]


def _without_lines(edit: LineEdit, lines: set[str]) -> LineEdit:
    removed = tuple(line for line in edit.removed if line not in lines)
    added = tuple(line for line in edit.added if line not in lines)
    return replace(edit, removed=removed, added=added)


def without_edits(current: Sequence[str], edits: Sequence[LineEdit]) -> tuple[list[str], list[str]]:
    """The lines with these edits taken back, and the lines that stand in the way.

    An added line that is no longer there stands in the way: nothing can be put in its place. A
    removed line that is there again stays as it is.
    """
    lines = list(current)
    missing: list[str] = []
    for edit in edits:
        missing += [line for line in edit.added if line not in lines]
        lines = _without(lines, edit)
    return lines, missing


def _without(lines: list[str], edit: LineEdit) -> list[str]:
    places = [lines.index(line) for line in edit.added if line in lines]
    at = min(places) if places else _place(lines, edit)
    kept_above = [line for line in lines[:at] if line not in edit.added]
    kept_below = [line for line in lines[at:] if line not in edit.added]
    returning = [line for line in edit.removed if line not in (*kept_above, *kept_below)]
    return [*kept_above, *returning, *kept_below]


def _place(lines: Sequence[str], edit: LineEdit) -> int:
    """Where removed lines go back to: next to the nearest line around them that is still there."""
    for line in reversed(edit.above):
        if line in lines:
            return lines.index(line) + 1
    for line in edit.below:
        if line in lines:
            return lines.index(line)
    return len(lines)
