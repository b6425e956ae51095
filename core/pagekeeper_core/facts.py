"""Facts in time: when each line of a block held, what brought it, and what took its place.

Derived from the history of changes, never stored: a line that was replaced or removed is not lost,
it only ended. A line that came back because a change was undone is the same fact as before.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from pagekeeper_core.line_edits import LineEdit, line_edits, lines_of
from pagekeeper_core.records import MemoryChange, TargetKind
from pagekeeper_core.wording import folded

__all__ = ["Fact", "FactLog", "past_facts"]


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of a block, for as long as it stood there.

    Attributes:
        block: The block's name.
        text: The line.
        brought_by: The change that wrote it; None if it stood there before the first change.
        ended_by: The change that removed or replaced it; None while it stands.
        replaced: The line in whose place it was written; empty if it was added.
        replaced_by: The line that was written in its place; empty if there is none.
    """

    block: str
    text: str
    brought_by: MemoryChange | None = None
    ended_by: MemoryChange | None = None
    replaced: str = ""
    replaced_by: str = ""

    @property
    def valid_from(self) -> datetime | None:
        """Since when it holds, aware; None when that is not known."""
        return self.brought_by.at if self.brought_by else None

    @property
    def valid_to(self) -> datetime | None:
        """Until when it held, aware; None while it holds."""
        return self.ended_by.at if self.ended_by else None

    @property
    def was_taken_out(self) -> bool:
        """Whether the user wants it gone, not only replaced: by hand, or by undoing its change."""
        if self.ended_by is None:
            return False
        is_undone = self.brought_by is not None and (
            self.ended_by.undoes == self.brought_by.change_id
        )
        return is_undone or (self.ended_by.actor == "user" and not self.replaced_by)


class _Lines:
    """The lines of one block while its history is replayed."""

    def __init__(self, block: str) -> None:
        self._block = block
        self._standing: list[Fact] = []
        self._ended: list[Fact] = []

    def apply(self, change: MemoryChange) -> None:
        before, after = lines_of(change.before), lines_of(change.after)
        if before != [fact.text for fact in self._standing]:
            # The text that the program brings along is in no change.
            self._move([Fact(self._block, line) for line in before], change, {})
        edits = line_edits([fact.text for fact in self._standing], after)
        begun = self._begun(edits, change)
        known = {fact.text: fact for fact in self._standing} | begun
        self._move([known[line] for line in after], change, _successors(edits))

    def facts(self) -> list[Fact]:
        return [*self._ended, *self._standing]

    def _begun(self, edits: Iterable[LineEdit], change: MemoryChange) -> dict[str, Fact]:
        standing = {fact.text for fact in self._standing}
        return {
            line: self._returned(line, change)
            or Fact(self._block, line, change, replaced=_at(edit.removed, place))
            for edit in edits
            for place, line in enumerate(edit.added)
            if line not in standing
        }

    def _returned(self, line: str, change: MemoryChange) -> Fact | None:
        """The fact that an undo brings back."""
        if not change.undoes:
            return None
        for fact in reversed(self._ended):
            if fact.text == line:
                self._ended.remove(fact)
                return replace(fact, ended_by=None, replaced_by="")
        return None

    def _move(
        self, standing: list[Fact], change: MemoryChange, successors: Mapping[str, str]
    ) -> None:
        texts = {fact.text for fact in standing}
        self._ended += [
            replace(fact, ended_by=change, replaced_by=successors.get(fact.text, ""))
            for fact in self._standing
            if fact.text not in texts
        ]
        self._standing = standing


class FactLog:
    """Follows the history of changes, and knows every line that ever stood in a block."""

    def __init__(self, changes: Iterable[MemoryChange] = ()) -> None:
        self._blocks: dict[str, _Lines] = {}
        for change in changes:
            self.add(change)

    def add(self, change: MemoryChange) -> None:
        """Follow the next change; what is not about a block is passed over."""
        if change.target.kind is TargetKind.BLOCK:
            name = change.target.name
            self._blocks.setdefault(name, _Lines(name)).apply(change)

    def facts(self) -> list[Fact]:
        """Every line, block by block: those that ended first, then those that stand."""
        return [fact for lines in self._blocks.values() for fact in lines.facts()]


def past_facts(facts: Sequence[Fact]) -> list[Fact]:
    """The facts that held once and do not now, the one that ended last first."""
    now = {folded(fact.text) for fact in facts if fact.ended_by is None}
    past = {folded(f.text): f for f in facts if f.ended_by and folded(f.text) not in now}
    return sorted(past.values(), key=lambda f: f.ended_by.change_id if f.ended_by else 0)[::-1]


def _successors(edits: Iterable[LineEdit]) -> dict[str, str]:
    """By removed line: the one that stands in its place."""
    return {
        line: _at(edit.added, place) for edit in edits for place, line in enumerate(edit.removed)
    }


def _at(lines: Sequence[str], place: int) -> str:
    return lines[place] if place < len(lines) else ""
