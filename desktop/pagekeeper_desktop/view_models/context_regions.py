"""The context window by region, in figures and plain words."""

from dataclasses import dataclass
from enum import StrEnum

from pagekeeper_core.updates import ContextUsage
from pagekeeper_desktop.view_models.formatting import thousands

__all__ = ["Region", "RegionShare", "figures", "in_words", "regions_of"]


class Region(StrEnum):
    """The parts of the main context, in the order of the prompt; each has one colour everywhere."""

    INSTRUCTIONS = "Instructions"
    WORKING_CONTEXT = "Working context"
    SUMMARY = "Summary"
    QUEUE = "Messages"
    FREE = "Free"
    RESERVE = "Kept for the reply"


MEANINGS = {
    Region.INSTRUCTIONS: "What Pagekeeper tells the model about its task and its functions.",
    Region.WORKING_CONTEXT: "What the assistant always has in mind: the memory panel's blocks.",
    Region.SUMMARY: "A summary of older messages that no longer fit. They can still be searched.",
    Region.QUEUE: "The newest messages of this conversation, word for word.",
    Region.FREE: "Room for new messages. At 70% the assistant saves what matters; at 100% the "
    "oldest messages leave the window.",
    Region.RESERVE: "Always kept free, so that a reply has room.",
}


@dataclass(frozen=True, slots=True)
class RegionShare:
    """A region and the tokens that it takes."""

    region: Region
    tokens: int

    @property
    def meaning(self) -> str:
        """What the region is for, in plain words."""
        return MEANINGS[self.region]


def regions_of(usage: ContextUsage) -> tuple[RegionShare, ...]:
    """All regions, which together are the whole window."""
    free = max(0, usage.usable - usage.total)
    return (
        RegionShare(Region.INSTRUCTIONS, usage.instructions),
        RegionShare(Region.WORKING_CONTEXT, usage.working_context),
        RegionShare(Region.SUMMARY, usage.summary),
        RegionShare(Region.QUEUE, usage.queue),
        RegionShare(Region.FREE, free),
        RegionShare(Region.RESERVE, max(0, usage.window - usage.usable)),
    )


def figures(usage: ContextUsage) -> str:
    """4,812 / 8,192."""
    return f"{thousands(usage.total)} / {thousands(usage.window)}"


def in_words(usage: ContextUsage | None) -> str:
    """The meter as a sentence, for who cannot see it."""
    if usage is None:
        return "Context window: not known before the model is loaded."
    parts = ", ".join(
        f"{share.region.lower()} {thousands(share.tokens)}" for share in regions_of(usage)
    )
    percent = round(100 * usage.total / max(1, usage.usable))
    return (
        f"Context window: {thousands(usage.total)} of {thousands(usage.window)} tokens in use, "
        f"{percent} percent of what may be filled. {parts}. "
        f"The assistant is warned at {thousands(usage.warning_level)} tokens; the oldest messages "
        f"leave at {thousands(usage.flush_level)}."
    )
