"""What a person changes by hand: through the loaded agent, or on the stores alone.

Without an agent the stores are changed at once, and word of it is left for the next start.
"""

from typing import Protocol

from pagekeeper_core import prompts
from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.events import ChangeUndone, Event, Forgotten, ProposalDecided
from pagekeeper_core.records import MemoryChange, Target, TargetKind
from pagekeeper_core.updates import MemoryChanged
from pagekeeper_desktop.cli.session import Session
from pagekeeper_desktop.composition import Memory

__all__ = ["ByAgent", "ByHand", "WithoutAgent"]

_WORD = 1200
"""Characters of a block that are repeated to the assistant: its newest lines."""


class ByHand(Protocol):
    """Changes of memory by the person's hand; each is stored when the method returns."""

    @property
    def memory(self) -> Memory:
        """The open stores, to read from."""
        ...

    def undo(self, change_id: int) -> MemoryChange:
        """Take a change back.

        Raises:
            PagekeeperError: It cannot be; the message says what stands in the way.
        """
        ...

    def forget(self, target: Target) -> MemoryChange:
        """Hide a passage or a message from the model.

        Raises:
            PagekeeperError: There is none, or it is hidden already.
        """
        ...

    def restore(self, target: Target) -> MemoryChange:
        """Let what was forgotten or superseded hold again.

        Raises:
            PagekeeperError: There is none, or it holds.
        """
        ...

    def decide(self, proposal_id: int, *, accepted: bool) -> list[MemoryChange]:
        """Accept what was proposed, or dismiss it; gives the changes that this made.

        Raises:
            PagekeeperError: There is no such proposal, or it cannot be carried out any more.
        """
        ...


class WithoutAgent:
    """Works on the stores; nothing else may have them open."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    def undo(self, change_id: int) -> MemoryChange:
        """See `ByHand`."""
        return self._told(self.memory.provenance().undo(change_id))

    def forget(self, target: Target) -> MemoryChange:
        """See `ByHand`."""
        return self._told(self.memory.provenance().forget(target))

    def restore(self, target: Target) -> MemoryChange:
        """See `ByHand`."""
        return self._told(self.memory.provenance().restore(target))

    def _told(self, change: MemoryChange) -> MemoryChange:
        self.memory.leave_word(_word(change))
        return change


class ByAgent:
    """Hands events to the loaded agent, which tells the model itself."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def memory(self) -> Memory:
        """The open stores, to read from."""
        return self._session.memory

    def undo(self, change_id: int) -> MemoryChange:
        """See `ByHand`."""
        return self._change(ChangeUndone(change_id))

    def forget(self, target: Target) -> MemoryChange:
        """See `ByHand`."""
        return self._change(Forgotten(target))

    def restore(self, target: Target) -> MemoryChange:
        """See `ByHand`."""
        (explained,) = self.memory.provenance().why(target)
        if explained.ended_by is None:
            raise PagekeeperError(f"This {target.kind} is not forgotten: there is nothing to do.")
        return self._change(ChangeUndone(explained.ended_by.change_id))

    def decide(self, proposal_id: int, *, accepted: bool) -> list[MemoryChange]:
        """See `ByHand`."""
        updates = self._session.act(ProposalDecided(proposal_id, accepted))
        return [update.change for update in updates if isinstance(update, MemoryChanged)]

    def _change(self, event: Event) -> MemoryChange:
        updates = self._session.act(event)
        return next(u.change for u in updates if isinstance(u, MemoryChanged))


def _word(change: MemoryChange) -> str:
    """What the model is told of it. It does not repeat what was forgotten."""
    if change.target.kind is TargetKind.BLOCK:
        return prompts.edit_undone(change.target.name, _newest_lines(change.after))
    return prompts.memory_shown(change.after[:_WORD]) if change.after else prompts.memory_hidden()


def _newest_lines(text: str) -> str:
    if len(text) <= _WORD:
        return text
    return "…\n" + text[-_WORD:].partition("\n")[2]
