"""What a person changes by hand: through the loaded agent, or on the stores alone."""

from typing import TYPE_CHECKING

from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.events import BlockMade, ChangeUndone, Forgotten, ProposalDecided
from pagekeeper_core.records import MemoryChange, Target
from pagekeeper_core.updates import MemoryChanged, Update
from pagekeeper_desktop.composition import Memory
from pagekeeper_desktop.model_choice import planned_window
from pagekeeper_desktop.options import Options

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pagekeeper_core.user_actions import MemoryAction

__all__ = ["ByHand"]


class ByHand:
    """Changes of memory by the person's hand; each is stored when the method returns.

    Attributes:
        memory: The open stores, to read from.
    """

    def __init__(self, memory: Memory, act: "Callable[[MemoryAction], Sequence[Update]]") -> None:
        """Change memory.

        Args:
            memory: The open stores.
            act: Carries out what is wanted and gives what came of it: the agent does, or the user
                actions on the stores alone.
        """
        self.memory = memory
        self._act = act

    @classmethod
    def without_agent(cls, memory: Memory, options: Options) -> "ByHand":
        """Work on the stores; nothing else may have them open."""
        actions = memory.user_actions(planned_window(options))
        return cls(memory, lambda event: list(actions.carry_out(event)))

    def undo(self, change_id: int) -> MemoryChange:
        """Take a change back.

        Raises:
            PagekeeperError: It cannot be; the message says what stands in the way.
        """
        return self._changes(ChangeUndone(change_id))[0]

    def forget(self, target: Target) -> MemoryChange:
        """Hide a passage or a message from the model.

        Raises:
            PagekeeperError: There is none, or it is hidden already.
        """
        return self._changes(Forgotten(target))[0]

    def restore(self, target: Target) -> MemoryChange:
        """Let what was forgotten or superseded hold again.

        Raises:
            PagekeeperError: There is none, or it holds.
        """
        (explained,) = self.memory.provenance().why(target)
        if explained.ended_by is None:
            raise PagekeeperError(f"This {target.kind} is not forgotten: there is nothing to do.")
        return self._changes(ChangeUndone(explained.ended_by.change_id))[0]

    def make_block(self, name: str, about: str, limit: int) -> None:
        """Add a block of the person's own, or give one another description or limit.

        Raises:
            PagekeeperError: Name, description or limit will not do; the hint says what will.
        """
        self._act(BlockMade(name, about, limit))

    def decide(self, proposal_id: int, *, accepted: bool) -> list[MemoryChange]:
        """Accept what was proposed, or dismiss it; gives the changes that this made.

        Raises:
            PagekeeperError: There is no such proposal, or it cannot be carried out any more.
        """
        return self._changes(ProposalDecided(proposal_id, accepted))

    def _changes(self, event: "MemoryAction") -> list[MemoryChange]:
        return [update.change for update in self._act(event) if isinstance(update, MemoryChanged)]
