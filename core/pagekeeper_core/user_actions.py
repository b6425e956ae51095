"""What the person does to memory by hand; the model is told of it in a short note."""

from collections.abc import Callable, Iterator
from typing import Protocol, assert_never

from pagekeeper_core import prompts
from pagekeeper_core.block_definitions import block_definition
from pagekeeper_core.errors import FunctionError, PagekeeperError
from pagekeeper_core.events import BlockMade, ChangeUndone, Forgotten, MemoryEdited, ProposalDecided
from pagekeeper_core.memory_history import MemoryHistory
from pagekeeper_core.messages import storable_text
from pagekeeper_core.notes import Notes
from pagekeeper_core.proposing import withdraw_overtaken
from pagekeeper_core.protocols import Clock, ProposalStore
from pagekeeper_core.provenance import Provenance
from pagekeeper_core.records import Proposal, ProposalState, TargetKind
from pagekeeper_core.updates import ProposalsChanged, Update, WorkingContextChanged
from pagekeeper_core.working_context import WorkingContext

__all__ = ["MemoryAction", "Notice", "UserActions"]

MemoryAction = MemoryEdited | BlockMade | ChangeUndone | Forgotten | ProposalDecided


class Notice(Protocol):
    """How the model hears of what was done: `Intake`, or word left for the next start."""

    def newest_lines(self, text: str) -> str:
        """As many of the last lines of a block as a note of what changed in it shows."""
        ...

    def note(self, text: str) -> Iterator[Update]:
        """Tell the model."""
        ...


class UserActions:
    """Carries out what the person wants changed, taken back or hidden."""

    def __init__(
        self,
        *,
        working_context: WorkingContext,
        history: MemoryHistory,
        provenance: Provenance,
        proposals: ProposalStore,
        notes: Notes,
        notice: Notice,
        clock: Clock,
    ) -> None:
        self._working_context = working_context
        self._history = history
        self._provenance = provenance
        self._proposals = proposals
        self._notes = notes
        self._notice = notice
        self._clock = clock

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
            case BlockMade():
                yield from self._make_block(event)
            case ProposalDecided():
                yield from self._decide(event)
            case _:
                assert_never(event)
        now = self._clock.now()
        if withdraw_overtaken(self._proposals, self._working_context, self._history, now):
            yield self._waiting()

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

    def _make_block(self, event: BlockMade) -> Iterator[Update]:
        now = self._clock.now()
        definition = block_definition(event.name, event.description, event.limit, now)
        block = self._working_context.make_block(definition)
        yield WorkingContextChanged(block.name, block.text)
        yield from self._tell(prompts.block_made(block.name, block.description, block.limit))

    def _decide(self, event: ProposalDecided) -> Iterator[Update]:
        """Carry out what idle work proposed, or put it away.

        First the change, then the decision: a kill in between leaves the proposal open, and
        accepting it again says that the change is there.
        """
        proposal = self._open_proposal(event.proposal_id)
        state = ProposalState.ACCEPTED if event.accepted else ProposalState.DISMISSED
        if event.accepted:
            self._accept(proposal)
            yield from self._history.take_updates()
        self._proposals.decide(proposal.proposal_id, state, self._clock.now())
        yield self._waiting()
        if not event.accepted:
            return
        if proposal.target.kind is TargetKind.BLOCK:
            note = self._block_note(prompts.proposal_accepted, proposal.target.name)
        else:
            note = prompts.notes_mended()
        yield from self._tell(note)

    def _waiting(self) -> ProposalsChanged:
        return ProposalsChanged(tuple(self._proposals.proposals()))

    def _open_proposal(self, proposal_id: int) -> Proposal:
        for proposal in self._proposals.proposals():
            if proposal.proposal_id == proposal_id:
                return proposal
        raise PagekeeperError(f"There is no open proposal {proposal_id}.")

    def _accept(self, proposal: Proposal) -> None:
        cause_seq = proposal.sources[-1] if proposal.sources else 0
        if proposal.target.kind is TargetKind.BLOCK:
            self._change_line(proposal, cause_seq)
        elif self._history.is_hidden(proposal.target):
            raise PagekeeperError("That note is forgotten.", hint="Dismiss the proposal.")
        elif not proposal.successor:
            self._provenance.forget(proposal.target, cause_seq=cause_seq)
        elif proposal.target.name not in self._history.superseded():
            self._notes.supersede(
                proposal.target.name,
                proposal.before,
                proposal.successor,
                actor="user",
                cause_seq=cause_seq,
            )

    def _change_line(self, proposal: Proposal, cause_seq: int) -> None:
        name = proposal.target.name
        try:
            self._working_context.replace_line(
                name, proposal.before, proposal.after, actor="user", cause_seq=cause_seq
            )
        except FunctionError as error:
            raise PagekeeperError(
                f"The proposal cannot be carried out. {error}",
                hint="Dismiss the proposal, or edit the block.",
            ) from error

    def _block_note(self, words: Callable[[str, str], str], name: str) -> str:
        return words(name, self._notice.newest_lines(self._working_context.block(name).text))

    def _tell(self, note: str) -> Iterator[Update]:
        yield from self._history.take_updates()
        yield from self._notice.note(note)
