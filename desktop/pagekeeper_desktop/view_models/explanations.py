"""Why memory holds what it holds: asked of the stores, away from the agent thread."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.events import ChangeUndone, Event, Forgotten
from pagekeeper_core.provenance import Explanation, Provenance, Standing
from pagekeeper_core.records import MemoryChange, Target, TargetKind
from pagekeeper_desktop.memory_reader import MemoryReader

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
        unclear (LineAsked, str): Why the line cannot be explained or taken back.
    """

    explained = Signal(object, object)
    told = Signal(object)
    unclear = Signal(object, str)

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
        """Take back the change that brought a line."""
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
                lambda: provenance().history(target), lambda changes: self._tell(block, changes)
            )

    def changed(self, change: MemoryChange) -> None:
        """Memory has changed."""
        if self._followed and change.target.name == self._followed:
            self.follow(self._followed)

    def _ask(self, asked: LineAsked, answer: Callable[[Explanation | None], None]) -> None:
        provenance = self._provenance
        if provenance is None:
            return
        target = Target(TargetKind.BLOCK, asked.block)
        self._reader.ask(
            lambda: _of_line(provenance().why(target), asked.line),
            answer,
            lambda error: self._failed(asked, error),
        )

    def _undo_found(self, asked: LineAsked, why: Explanation | None) -> None:
        if why is None or why.change is None:
            self.unclear.emit(
                asked, "This line was there from the beginning. Edit the block to change it."
            )
        else:
            self.undo(why.change.change_id)

    def _failed(self, asked: LineAsked, error: PagekeeperError) -> None:
        self.unclear.emit(asked, error.with_hint)

    def _tell(self, block: str, changes: list[MemoryChange]) -> None:
        undone = frozenset(change.undoes for change in changes if change.undoes)
        self.told.emit(BlockHistory(block, tuple(reversed(changes)), undone))


def _of_line(explanations: tuple[Explanation, ...], line: str) -> Explanation | None:
    """The one about this line as it stands now."""
    standing = (why for why in explanations if why.standing is Standing.HOLDS)
    return next((why for why in standing if why.text.strip() == line.strip()), None)
