"""The one way in which memory changes: each change is appended to the history, and holds from then.

Blocks, notes and what is forgotten are all read back from it, so there is nothing else to keep in
step. Nothing is taken out of it: what is undone is undone by a further row.
"""

from collections.abc import Iterable, Iterator

from pagekeeper_core.facts import Fact, FactLog
from pagekeeper_core.protocols import Clock, StateStore
from pagekeeper_core.records import BlockDefinition, ChangeAction, MemoryChange, Target, TargetKind
from pagekeeper_core.updates import MemoryChanged, Update, WorkingContextChanged

__all__ = ["MemoryHistory", "superseded_among"]


class MemoryHistory:
    """Appends changes, and knows what they have left: block texts, what is hidden or superseded.

    It reads the store once and follows its own writes after that, so while it is in use all changes
    of this data must go through it.
    """

    def __init__(self, store: StateStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._block_texts = store.current_blocks()
        self._newest = {
            **_by_target(store.newest_changes(TargetKind.PASSAGE)),
            **_by_target(store.newest_changes(TargetKind.MESSAGE)),
        }
        self._facts: FactLog | None = None
        self._inserted: dict[int, MemoryChange] | None = None
        self._untold: list[MemoryChange] = []

    def record(
        self,
        target: Target,
        action: ChangeAction,
        *,
        before: str,
        after: str,
        actor: str,
        cause_seq: int = 0,
        undoes: int = 0,
        successor: str = "",
    ) -> MemoryChange:
        """Append a change; it holds when this returns.

        Raises:
            StoreError: It could not be written; nothing has changed.
        """
        now = self._clock.now()
        change = MemoryChange(
            target, action, before, after, now, actor, cause_seq, undoes, successor
        )
        stored = self._store.append_change(change)
        if target.kind is TargetKind.BLOCK:
            self._block_texts[target.name] = stored.after
            if self._facts is not None:
                self._facts.add(stored)
        else:
            self._newest[target] = stored
            if self._inserted is not None:
                _follow_insert(self._inserted, stored)
        self._untold.append(stored)
        return stored

    def take_updates(self) -> Iterator[Update]:
        """What was recorded since the last call, for whoever shows it."""
        untold, self._untold = self._untold, []
        for change in untold:
            yield MemoryChanged(change)
            if change.target.kind is TargetKind.BLOCK:
                yield WorkingContextChanged(change.target.name, change.after)

    def make_block(self, definition: BlockDefinition) -> None:
        """Store a block that the person made.

        Raises:
            StoreError: It could not be written; nothing has changed.
        """
        self._store.append_block(definition)

    def made_blocks(self) -> list[BlockDefinition]:
        """The blocks that the person made, oldest first."""
        return self._store.made_blocks()

    def block_text(self, name: str, default: str = "") -> str:
        """A block's text as its newest edit left it; `default` before the first."""
        return self._block_texts.get(name, default)

    def is_hidden(self, target: Target) -> bool:
        """Whether a passage or a message is forgotten: never shown to the model."""
        newest = self._newest.get(target)
        return newest is not None and newest.action is ChangeAction.FORGET

    def hidden_passages(self) -> frozenset[str]:
        """Identifiers of the passages that are forgotten."""
        return frozenset(self._forgotten(TargetKind.PASSAGE))

    def hidden_messages(self) -> frozenset[int]:
        """Numbers of the messages that are forgotten."""
        return frozenset(int(name) for name in self._forgotten(TargetKind.MESSAGE))

    def forgotten(self) -> list[MemoryChange]:
        """The changes by which something is hidden now."""
        return [c for c in self._newest.values() if c.action is ChangeAction.FORGET]

    def superseded(self) -> dict[str, MemoryChange]:
        """The passages in whose place another one holds, by identifier, with the change.

        Where the other one is forgotten, the older one holds again.
        """
        return superseded_among(self._newest.values())

    def inserted_notes(self) -> list[MemoryChange]:
        """The rows that archived a note, oldest first, but those that the program took back.

        Raises:
            StoreError: The history could not be read.
        """
        if self._inserted is None:
            self._inserted = {}
            for change in self._store.changes():
                _follow_insert(self._inserted, change)
        return list(self._inserted.values())

    def facts(self) -> list[Fact]:
        """Every line that ever stood in a block, with when it held.

        Raises:
            StoreError: The history could not be read.
        """
        if self._facts is None:
            self._facts = FactLog(self._store.changes())
        return self._facts.facts()

    def _forgotten(self, kind: TargetKind) -> Iterator[str]:
        for target, change in self._newest.items():
            if target.kind is kind and change.action is ChangeAction.FORGET:
                yield target.name


def superseded_among(newest: Iterable[MemoryChange]) -> dict[str, MemoryChange]:
    """The passages in whose place another holds, of the newest changes of all passages."""
    newest = list(newest)
    hidden = {c.target.name for c in newest if c.action is ChangeAction.FORGET}
    return {
        change.target.name: change
        for change in newest
        if change.action is ChangeAction.SUPERSEDE and change.successor not in hidden
    }


def _follow_insert(inserted: dict[int, MemoryChange], change: MemoryChange) -> None:
    """Add the row of a new note, and take out one whose archiving failed; by number."""
    if change.action is ChangeAction.INSERT:
        inserted[change.change_id] = change
    elif change.actor == "program":
        inserted.pop(change.undoes, None)


def _by_target(changes: dict[str, MemoryChange]) -> dict[Target, MemoryChange]:
    return {change.target: change for change in changes.values()}
