"""`pagekeeper memory proposals`: what idle work found worth changing, for the person to decide."""

from collections.abc import Iterator, Sequence

from pagekeeper_core.errors import StoreError
from pagekeeper_core.records import Proposal, TargetKind
from pagekeeper_desktop.cli.changes import target_fields
from pagekeeper_desktop.cli.console import Console
from pagekeeper_desktop.cli.identifiers import target_named
from pagekeeper_desktop.cli.invocation import Invocation
from pagekeeper_desktop.cli.session import open_memory
from pagekeeper_desktop.composition import Memory
from pagekeeper_desktop.view_models.call_phrases import block_title
from pagekeeper_desktop.view_models.formatting import one_line

__all__ = ["find_proposal", "proposal_lines", "show"]

_LONGEST = 200


def show(invocation: Invocation, console: Console) -> int:
    """List what waits for the person, the oldest first."""
    with open_memory(invocation.options, console) as memory:
        proposals = memory.proposals.proposals()
    if invocation.json:
        console.emit({"proposals": [_fields(proposal) for proposal in proposals]})
        return 0
    for line in proposal_lines(proposals):
        console.line(line)
    if not proposals:
        console.note("Nothing is proposed. It looks for what to propose while nobody waits for it.")
    return 0


def proposal_lines(proposals: Sequence[Proposal]) -> list[str]:
    """Each with its number, what would change, and why."""
    return [line for proposal in proposals for line in _lines(proposal)]


def find_proposal(memory: Memory, number: int) -> Proposal:
    """The open proposal of that number.

    Raises:
        StoreError: There is none.
    """
    for proposal in memory.proposals.proposals():
        if proposal.proposal_id == number:
            return proposal
    raise StoreError(f"There is no open proposal {number}.", hint="Choose one from the list.")


def _lines(proposal: Proposal) -> Iterator[str]:
    is_block = proposal.target.kind is TargetKind.BLOCK
    where = block_title(proposal.target.name) if is_block else target_named(proposal.target)
    yield f"{proposal.proposal_id:>3}  {where}: {proposal.reason}"
    if proposal.before:
        yield f"     - {one_line(proposal.before, _LONGEST)}"
    if proposal.after:
        yield f"     + {one_line(proposal.after, _LONGEST)}"
    if proposal.sources:
        yield f"     from {', '.join(f'm{seq}' for seq in proposal.sources)}"


def _fields(proposal: Proposal) -> dict[str, object]:
    return {
        "id": proposal.proposal_id,
        **target_fields(proposal.target),
        "before": proposal.before,
        "after": proposal.after,
        "reason": proposal.reason,
        "source_seqs": list(proposal.sources),
        "at": proposal.at.isoformat(),
    }
