"""`pagekeeper memory proposals`: what idle work found worth changing, for the person to decide."""

from collections.abc import Iterator, Sequence

from pagekeeper_core.records import Proposal, TargetKind
from pagekeeper_desktop.cli.by_hand import ByHand
from pagekeeper_desktop.cli.changes import change_fields, target_fields
from pagekeeper_desktop.cli.console import Console
from pagekeeper_desktop.cli.history import write_changes
from pagekeeper_desktop.cli.identifiers import change_named, target_named
from pagekeeper_desktop.cli.invocation import Invocation
from pagekeeper_desktop.cli.session import open_memory
from pagekeeper_desktop.view_models.call_phrases import block_title
from pagekeeper_desktop.view_models.formatting import one_line

__all__ = ["accept", "dismiss", "proposal_lines", "show"]

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
        console.note(
            "Nothing is proposed. The assistant looks for it while nobody waits for an answer."
        )
    return 0


def accept(invocation: Invocation, console: Console) -> int:
    """Make the change that is proposed.

    Raises:
        PagekeeperError: There is no such proposal, or it cannot be carried out any more.
    """
    with open_memory(invocation.options, console) as memory:
        hand = ByHand.without_agent(memory, invocation.options)
        changes = hand.decide(invocation.arguments.number, accepted=True)
    if invocation.json:
        console.emit({"changes": [change_fields(change) for change in changes]})
        return 0
    write_changes(changes, console)
    for change in changes:
        console.note(f"`pagekeeper memory undo {change_named(change.change_id)}` takes this back.")
    if not changes:
        console.note("Memory said so already: nothing was to be changed.")
    return 0


def dismiss(invocation: Invocation, console: Console) -> int:
    """Leave memory as it is; the same is not proposed again.

    Raises:
        PagekeeperError: There is no such proposal.
    """
    number = invocation.arguments.number
    with open_memory(invocation.options, console) as memory:
        ByHand.without_agent(memory, invocation.options).decide(number, accepted=False)
    if invocation.json:
        console.emit({"id": number, "dismissed": True})
    else:
        console.line(f"Proposal {number} is dismissed.")
    return 0


def proposal_lines(proposals: Sequence[Proposal]) -> list[str]:
    """Each with its number, what would change, and why."""
    return [line for proposal in proposals for line in _lines(proposal)]


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
