"""Why the assistant knows something, and how that is taken back or hidden.

Works on the stores alone, so it needs no model. Nothing is destroyed: to undo and to forget are
changes of their own, and can be undone like any other.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.facts import Fact, FactLog
from pagekeeper_core.inverse_changes import inverse_of
from pagekeeper_core.memory_history import MemoryHistory, superseded_among
from pagekeeper_core.messages import Message
from pagekeeper_core.protocols import ArchivalStore, RecallStore, StateStore
from pagekeeper_core.records import ArchivalHit, ChangeAction, MemoryChange, Target, TargetKind
from pagekeeper_core.wording import folded

__all__ = ["Explanation", "Provenance", "Standing"]


class Standing(StrEnum):
    """Whether something that memory holds is true now, and whether the model sees it."""

    HOLDS = "holds"
    ENDED = "ended"
    """Another line or passage took its place, or it was removed."""
    FORGOTTEN = "forgotten"
    """Hidden from the model."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why memory holds a line of a block, a passage or a message.

    Attributes:
        target: Where it stands.
        text: The line, or the whole passage or message.
        standing: Whether it holds now.
        change: What brought it; None where it was there before the first change (the persona that
            the program brings along), and for documents and messages.
        cause: The message that caused `change`, if one did.
        source: Where a passage is from: "lease.pdf, page 3"; "note"; empty for the others.
        replaced: The line or passage in whose place it was written; empty if in none.
        ended_by: What ended it, hid it or put another in its place; None while it holds.
        replaced_by: What holds instead; empty if nothing does.
    """

    target: Target
    text: str
    standing: Standing
    change: MemoryChange | None = None
    cause: Message | None = None
    source: str = ""
    replaced: str = ""
    ended_by: MemoryChange | None = None
    replaced_by: str = ""

    @property
    def until(self) -> datetime | None:
        """Until when it held, aware, UTC; None while it holds."""
        return self.ended_by.at if self.ended_by else None


class Provenance:
    """Explains what memory holds, takes changes back and hides.

    Reading is safe from any thread. Writing belongs to the thread that owns the agent, or to a
    program without one.
    """

    def __init__(
        self,
        *,
        state: StateStore,
        recall: RecallStore,
        archival: ArchivalStore,
        history: MemoryHistory,
        fits: Callable[[str, str], bool] = lambda block, text: True,  # noqa: ARG005
    ) -> None:
        """Work on these stores.

        Args:
            state: The history.
            recall: The messages that caused changes.
            archival: The passages; opened only when one is asked for.
            history: Takes the changes: the agent's own, where there is one.
            fits: Whether a block may have a text; without a model its tokens cannot be counted.
        """
        self._state = state
        self._recall = recall
        self._archival = archival
        self._history = history
        self._fits = fits

    def why(self, what: Target | str) -> tuple[Explanation, ...]:
        """Everything that is known about why memory holds this, what holds now first.

        Args:
            what: A block (each of its lines is explained), a passage, a message; or text: a line
                of a block, whole or in part, as it stands or once stood there.

        Raises:
            PagekeeperError: There is no such block, passage or message.
        """
        if isinstance(what, str):
            wanted = folded(what)
            lines = [fact for fact in self._facts() if wanted and wanted in folded(fact.text)]
            exact = [fact for fact in lines if folded(fact.text) == wanted]
            return tuple(self._explain_line(fact) for fact in _standing_first(exact or lines))
        match what.kind:
            case TargetKind.BLOCK:
                lines = [fact for fact in self._facts() if fact.block == what.name]
                return tuple(self._explain_line(fact) for fact in _standing_first(lines))
            case TargetKind.PASSAGE:
                return (self._explain_passage(self._passage(what.name)),)
            case TargetKind.MESSAGE:
                return (self._explain_message(self._message(what.name)),)

    def history(self, target: Target | None = None) -> list[MemoryChange]:
        """All changes (of one target), oldest first."""
        return self._state.changes(target)

    def change(self, change_id: int) -> MemoryChange:
        """The change of that number.

        Raises:
            PagekeeperError: There is none.
        """
        return _change(self._state.changes(), change_id)

    def undo(self, change_id: int, *, actor: str = "user", cause_seq: int = 0) -> MemoryChange:
        """Take a change back by a further one; taking that back brings it again.

        A block that has changed since is mended line by line.

        Raises:
            PagekeeperError: There is no such change, or it was taken back already, or something
                that came after it stands in the way: the message names it.
            StoreError: It could not be written; nothing has changed.
        """
        changes = self._state.changes()
        change = _change(changes, change_id)
        inverse = inverse_of(change, changes, self._fits)
        return self._history.record(
            change.target,
            inverse.action,
            before=inverse.before,
            after=inverse.after,
            actor=actor,
            cause_seq=cause_seq,
            undoes=change_id,
            successor=inverse.successor,
        )

    def forget(self, target: Target, *, actor: str = "user", cause_seq: int = 0) -> MemoryChange:
        """Hide a passage or a message from the model. The person still finds it, marked.

        Raises:
            PagekeeperError: There is no such thing, it is forgotten already, or it is a block.
            StoreError: It could not be written; nothing has changed.
        """
        text = self._text_of(target)
        if self._history.is_hidden(target):
            raise PagekeeperError(f"This {target.kind} is forgotten already.")
        return self._history.record(
            target, ChangeAction.FORGET, before=text, after="", actor=actor, cause_seq=cause_seq
        )

    def _facts(self) -> list[Fact]:
        return FactLog(self._state.changes()).facts()

    def _explain_line(self, fact: Fact) -> Explanation:
        return Explanation(
            target=Target(TargetKind.BLOCK, fact.block),
            text=fact.text,
            standing=Standing.ENDED if fact.ended_by else Standing.HOLDS,
            change=fact.brought_by,
            cause=self._cause(fact.brought_by),
            replaced=fact.replaced,
            ended_by=fact.ended_by,
            replaced_by=fact.replaced_by,
        )

    def _explain_passage(self, hit: ArchivalHit) -> Explanation:
        target = Target(TargetKind.PASSAGE, hit.passage_id)
        own = self._state.changes(target)
        inserted = next((c for c in own if c.action is ChangeAction.INSERT), None)
        standing, ended_by = self._standing(target, own)
        return Explanation(
            target=target,
            text=hit.passage.text,
            standing=standing,
            change=inserted,
            cause=self._cause(inserted),
            source=", ".join(filter(None, (hit.source, hit.passage.location))),
            replaced=self._replaced_by(hit.passage_id),
            ended_by=ended_by,
            replaced_by=self._successor_text(ended_by),
        )

    def _explain_message(self, message: Message) -> Explanation:
        target = Target(TargetKind.MESSAGE, str(message.seq))
        standing, ended_by = self._standing(target, self._state.changes(target))
        return Explanation(target, message.text, standing, cause=message, ended_by=ended_by)

    def _standing(
        self, target: Target, own: list[MemoryChange]
    ) -> tuple[Standing, MemoryChange | None]:
        newest = own[-1] if own else None
        if newest is not None and newest.action is ChangeAction.FORGET:
            return Standing.FORGOTTEN, newest
        if newest is not None and target.name in self._superseded():
            return Standing.ENDED, newest
        return Standing.HOLDS, None

    def _replaced_by(self, successor: str) -> str:
        """The text of the passage that this one superseded."""
        for change in self._superseded().values():
            if change.successor == successor:
                return change.before
        return ""

    def _superseded(self) -> dict[str, MemoryChange]:
        return superseded_among(self._state.newest_changes(TargetKind.PASSAGE).values())

    def _successor_text(self, change: MemoryChange | None) -> str:
        if change is None or not change.successor:
            return ""
        hit = self._archival.passage(change.successor)
        return hit.passage.text if hit else ""

    def _cause(self, change: MemoryChange | None) -> Message | None:
        seq = change.cause_seq if change else 0
        found = self._recall.read(seq, seq) if seq else []
        return found[0] if found else None

    def _text_of(self, target: Target) -> str:
        match target.kind:
            case TargetKind.PASSAGE:
                return self._passage(target.name).passage.text
            case TargetKind.MESSAGE:
                return self._message(target.name).text
            case TargetKind.BLOCK:
                raise PagekeeperError(
                    "A block cannot be forgotten.",
                    hint="Take its line out of the block, or undo the change that wrote it.",
                )

    def _passage(self, name: str) -> ArchivalHit:
        hit = self._archival.passage(name)
        if hit is None:
            raise PagekeeperError(f"There is no passage '{name}' in the archive.")
        return hit

    def _message(self, name: str) -> Message:
        seq = int(name) if name.isascii() and name.isdigit() else 0
        found = self._recall.read(seq, seq) if 0 < seq <= self._recall.count() else []
        if not found:
            raise PagekeeperError(f"There is no message {name}.")
        return found[0]


def _change(changes: Sequence[MemoryChange], change_id: int) -> MemoryChange:
    for change in changes:
        if change.change_id == change_id:
            return change
    raise PagekeeperError(
        f"There is no change {change_id}.",
        hint=f"The changes are numbered from 1 to {len(changes)}." if changes else "",
    )


def _standing_first(facts: Iterable[Fact]) -> list[Fact]:
    """What stands now, then what ended, the newest end first."""
    return sorted(facts, key=lambda fact: -fact.ended_by.change_id if fact.ended_by else -math.inf)
