"""What the person does to memory by hand; the model is told of it in a short note."""

from collections.abc import Callable, Iterator
from typing import assert_never

from pagekeeper_core import prompts
from pagekeeper_core.errors import FunctionError, PagekeeperError
from pagekeeper_core.events import BlockMade, ChangeUndone, Forgotten, MemoryEdited, ProposalDecided
from pagekeeper_core.intake import Intake
from pagekeeper_core.memory_history import MemoryHistory
from pagekeeper_core.messages import storable_text
from pagekeeper_core.provenance import Provenance
from pagekeeper_core.records import TargetKind
from pagekeeper_core.updates import Update
from pagekeeper_core.working_context import WorkingContext

__all__ = ["MemoryAction", "UserActions"]

MemoryAction = MemoryEdited | BlockMade | ChangeUndone | Forgotten | ProposalDecided


class UserActions:
    """Carries out what the person wants changed, taken back or hidden."""

    def __init__(
        self,
        *,
        working_context: WorkingContext,
        history: MemoryHistory,
        provenance: Provenance,
        intake: Intake,
    ) -> None:
        self._working_context = working_context
        self._history = history
        self._provenance = provenance
        self._intake = intake

    def carry_out(self, event: MemoryAction) -> Iterator[Update]:
        """Do what the person wants.

        Raises:
            PagekeeperError: It cannot be done; the message says why. Nothing has changed.
        """
        match event:
            case MemoryEdited():
                yield from self._edit_block(event)
            case ChangeUndone():
                yield from self._undo(event)
            case Forgotten():
                yield from self._forget(event)
            case BlockMade() | ProposalDecided():
                raise NotImplementedError
            case _:
                assert_never(event)

    def _edit_block(self, event: MemoryEdited) -> Iterator[Update]:
        name, text = event.block, storable_text(event.text)
        try:
            self._working_context.rewrite(name, text, actor="user")
        except FunctionError as error:
            limit = self._working_context.block(name).limit
            raise PagekeeperError(
                f"The block '{name}' was not changed: it holds at most {limit} tokens.",
                hint="Shorten the text, or drop it on the window as a document instead.",
            ) from error
        yield from self._tell(self._block_note(prompts.memory_edited, name))

    def _undo(self, event: ChangeUndone) -> Iterator[Update]:
        change = self._provenance.undo(event.change_id)
        if change.target.kind is TargetKind.BLOCK:
            note = self._block_note(prompts.edit_undone, change.target.name)
        else:
            note = (
                prompts.memory_hidden() if not change.after else prompts.memory_shown(change.after)
            )
        yield from self._tell(note)

    def _forget(self, event: Forgotten) -> Iterator[Update]:
        self._provenance.forget(event.target)
        yield from self._tell(prompts.memory_hidden())

    def _block_note(self, words: Callable[[str, str], str], name: str) -> str:
        return words(name, self._intake.newest_lines(self._working_context.block(name).text))

    def _tell(self, note: str) -> Iterator[Update]:
        yield from self._history.take_updates()
        yield from self._intake.note(note)
