"""Why memory holds what it holds: asked of the stores, away from the agent thread."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.events import ChangeUndone, Event, Forgotten
from pagekeeper_core.provenance import Explanation, Provenance, Standing
from pagekeeper_core.records import MemoryChange, Target, TargetKind
from pagekeeper_desktop.memory_reader import MemoryReader
from pagekeeper_desktop.view_models.memory_words import removed_and_added

__all__ = ["BlockHistory", "Explanations", "LineAsked"]


@dataclass(frozen=True, slots=True)
class LineAsked:
    """A line of a block that the person asks about."""

    block: str
    line: str


@dataclass(frozen=True, slots=True)
class BlockHistory:
    """All changes of a block.

    Attributes:
        block: Its name.
        changes: Newest first.
        undone: Numbers of those that a later one took back.
    """

    block: str
    changes: tuple[MemoryChange, ...]
    undone: frozenset[int]


class Explanations(QObject):
    """Answers ⓘ, carries out ↩, hides messages, and gives the history of a block.

    Signals:
        explained (LineAsked, Explanation): Why the line stands there; None: nobody knows.
        told (BlockHistory): The history of a block that was asked for, or has changed.
        untold (str, str): Why the history of this block cannot be told.
        unclear (LineAsked, str): Why the line cannot be explained or taken back.
        entangled (LineAsked, MemoryChange): What brought the line did more: is all of that to be
            taken back?
    """

    explained = Signal(object, object)
    told = Signal(object)
    untold = Signal(str, str)
    unclear = Signal(object, str)
    entangled = Signal(object, object)

    def __init__(
        self,
        post: Callable[[Event], None],
        reader: MemoryReader,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._post = post
        self._reader = reader
        self._provenance: Callable[[], Provenance] | None = None
        self._followed = ""

    def use(self, provenance: Callable[[], Provenance]) -> None:
        """Ask these stores; `provenance` is made anew for each question."""
        self._provenance = provenance

    def explain(self, asked: LineAsked) -> None:
        """Say why a line stands in its block."""
        self._ask(asked, lambda why: self.explained.emit(asked, why))

    def undo_line(self, asked: LineAsked) -> None:
        """Take back the change that brought a line, if it brought nothing else."""
        self._ask(asked, lambda why: self._undo_found(asked, why))

    def undo(self, change_id: int) -> None:
        """Take a change back."""
        self._post(ChangeUndone(change_id))

    def forget_message(self, seq: int) -> None:
        """Hide a message from the assistant; the activity offers to take that back."""
        self._post(Forgotten(Target(TargetKind.MESSAGE, str(seq))))

    def follow(self, block: str) -> None:
        """Tell the history of a block, now and after every change; empty: no longer."""
        self._followed = block
        provenance = self._provenance
        if block and provenance is not None:
            target = Target(TargetKind.BLOCK, block)
            self._reader.ask(
                lambda: provenance().history(target),
                lambda changes: self._tell(block, changes),
                lambda error: self.untold.emit(block, error.with_hint),
            )

    def changed(self, change: MemoryChange) -> None:
        """Memory has changed."""
        if self._followed and change.target.name == self._followed:
            self.follow(self._followed)

    def _ask(self, asked: LineAsked, answer: Callable[[Explanation | None], None]) -> None:
        provenance = self._provenance
        if provenance is None:
            return
        self._reader.ask(
            lambda: _standing(provenance().why(asked.line), asked),
            answer,
            lambda error: self._failed(asked, error),
        )

    def _undo_found(self, asked: LineAsked, why: Explanation | None) -> None:
        if why is None or why.change is None:
            self.unclear.emit(
                asked, "This line was there from the beginning. Edit the block to change it."
            )
        elif _brought_only(asked.line, why.change):
            self.undo(why.change.change_id)
        else:
            self.entangled.emit(asked, why.change)

    def _failed(self, asked: LineAsked, error: PagekeeperError) -> None:
        self.unclear.emit(asked, error.with_hint)

    def _tell(self, block: str, changes: list[MemoryChange]) -> None:
        newest_first = tuple(reversed(changes))
        self.told.emit(BlockHistory(block, newest_first, _undone(newest_first)))


def _undone(newest_first: tuple[MemoryChange, ...]) -> frozenset[int]:
    """The changes that are taken back now: an undo that was itself undone takes nothing back."""
    undone: set[int] = set()
    for change in newest_first:
        if change.undoes and change.change_id not in undone:
            undone.add(change.undoes)
    return frozenset(undone)


def _standing(explanations: tuple[Explanation, ...], asked: LineAsked) -> Explanation | None:
    """The one about this line as it stands in its block now."""
    for why in explanations:
        holds = why.standing is Standing.HOLDS and why.target.name == asked.block
        if holds and why.text.strip() == asked.line.strip():
            return why
    return None


def _brought_only(line: str, change: MemoryChange) -> bool:
    """Whether a change wrote this line, in place of one other at most, and did nothing else."""
    removed, added = removed_and_added(change)
    return len(removed) <= 1 and tuple(text.strip() for text in added) == (line.strip(),)
