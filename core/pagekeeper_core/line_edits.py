"""What an edit did to the lines of a block, and the same edit taken back on what stands there now.

Blocks hold one fact a line, so lines are what is followed through time and what an undo is about.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

__all__ = ["LineEdit", "line_edits", "lines_of", "without_edits"]


@dataclass(frozen=True, slots=True)
class LineEdit:
    """One run of lines that an edit put in the place of others.

    Attributes:
        removed: The lines that stood there before; empty when lines were only added.
        added: The lines that stood there after; empty when lines were only removed.
        above: The lines above them that stayed, the nearest last.
        below: The lines below them that stayed, the nearest first.
    """

    removed: tuple[str, ...]
    added: tuple[str, ...]
    above: tuple[str, ...]
    below: tuple[str, ...]


def lines_of(text: str) -> list[str]:
    """The lines that say something."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def line_edits(before: Sequence[str], after: Sequence[str]) -> list[LineEdit]:
    """The runs of lines in which two texts differ, from top to bottom."""
    opcodes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    stayed = [n for kind, a, b, *_ in opcodes if kind == "equal" for n in range(a, b)]
    return [
        LineEdit(
            removed=tuple(before[first:last]),
            added=tuple(after[new_first:new_last]),
            above=tuple(before[n] for n in stayed if n < first),
            below=tuple(before[n] for n in stayed if n >= last),
        )
        for kind, first, last, new_first, new_last in opcodes
        if kind != "equal"
    ]


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
