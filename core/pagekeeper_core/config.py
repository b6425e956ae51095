"""Thresholds and bounds of the virtual context, in one value."""

from dataclasses import dataclass
from enum import StrEnum

from pagekeeper_core.errors import ContextWindowError

__all__ = [
    "EVICTED_SHARES",
    "FLUSH_LEVELS",
    "LEAST_DISTANCE",
    "WARNING_LEVELS",
    "Consolidation",
    "ContextBudget",
    "Eviction",
    "MemoryPolicy",
]

SMALLEST_QUEUE = 256
"""Tokens that the queue must have, or no conversation is possible."""


WARNING_LEVELS = (0.4, 0.95)
FLUSH_LEVELS = (0.5, 1.0)
EVICTED_SHARES = (0.1, 0.9)
"""What a person may choose, lowest and highest."""

LEAST_DISTANCE = 0.05
"""How far the flush level must lie above the warning level: room to save what matters."""


class Eviction(StrEnum):
    """Which messages a flush takes; see `eviction`."""

    FIFO = "fifo"
    """The oldest (the paper)."""
    SECOND_CHANCE = "second-chance"
    """The oldest, but what was of use since it came stays one round longer."""


class Consolidation(StrEnum):
    """What idle time does about the memory blocks."""

    OFF = "off"
    """Nothing."""
    PROPOSE = "propose"
    """Look for what could be added, merged or superseded, and propose it to the person."""


@dataclass(frozen=True, slots=True)
class MemoryPolicy:
    """How the queue manager and the agent behave; levels are fractions of the usable window.

    Attributes:
        warning_level: Fraction at which the memory-pressure warning is raised (paper: 70%).
        flush_level: Fraction at which the queue is flushed (paper: 100%).
        evicted_share: Share of the queue's tokens that a flush evicts (paper: about 50%).
        eviction: Which messages those are.
        max_steps: Steps of one chain before only `send_message` is offered.
        max_failures: Failed calls of one chain before only `send_message` is offered.
        read_ahead: Whether a user message brings with it what memory holds about its words.
        pressure_steps: Steps that the model gets to save what matters after a warning.
        consolidation: What idle time does about the memory blocks.
        document_offers: Whether the assistant speaks of documents that came in.
        queries: Queries that one search may carry, besides the user's own words.
        thoughts: Bound of what the model writes for itself before a call, in characters; 0: it
            writes nothing.
        thoughts_after_search: The same after a search, where the model quotes the line it uses.
    """

    warning_level: float = 0.7
    flush_level: float = 1.0
    evicted_share: float = 0.5
    eviction: Eviction = Eviction.FIFO
    max_steps: int = 6
    max_failures: int = 3
    read_ahead: bool = True
    pressure_steps: int = 3
    consolidation: Consolidation = Consolidation.PROPOSE
    document_offers: bool = True
    queries: int = 3
    thoughts: int = 100
    thoughts_after_search: int = 200

    @property
    def early_flush_level(self) -> float:
        """Fraction at which idle time is used to flush before the person waits.

        Nearer to the flush level than to the warning, so that the warning always comes first.
        """
        return max(0.9 * self.flush_level, (self.warning_level + self.flush_level) / 2)


@dataclass(frozen=True, slots=True)
class ContextBudget:
    """How a context window of a given size is divided, all in tokens.

    Attributes:
        window: The whole context window.
        reply_reserve: What is kept free for one step's text.
        summary: Upper bound of the recursive summary.
        human: Limit of the block `human`.
        persona: Limit of the block `persona`.
        result: Upper bound of one function result or system message in the queue.
        read_ahead: Upper bound of the reminder that a user message brings with it.
        message: Upper bound of one user message in the queue; the rest of a longer one is archived.
    """

    window: int
    reply_reserve: int
    summary: int
    human: int
    persona: int
    result: int
    read_ahead: int
    message: int

    @property
    def usable(self) -> int:
        """What a prompt may fill: with the reply reserve it can never overflow the window."""
        return self.window - self.reply_reserve

    @classmethod
    def for_window(cls, window: int) -> "ContextBudget":
        """The division that works for a window of `window` tokens."""
        return cls(
            window=window,
            reply_reserve=min(1024, window // 6),
            summary=min(600, window // 14),
            human=min(800, window // 12),
            persona=min(300, window // 24),
            result=min(700, window // 10),
            read_ahead=min(240, window // 20),
            message=min(2000, window // 8),
        )

    def check(self, fixed_tokens: int) -> None:
        """Refuse a window in which nothing would be left for the conversation.

        Args:
            fixed_tokens: What instructions, working context and summary take at most.

        Raises:
            ContextWindowError: Fewer than `SMALLEST_QUEUE` tokens would be left.
        """
        if self.usable - fixed_tokens < SMALLEST_QUEUE:
            needed = self._smallest_window(fixed_tokens)
            raise ContextWindowError(
                f"A context window of {self.window} tokens is too small: the instructions and the "
                f"memory blocks alone need {fixed_tokens}.",
                hint=f"Choose a context window of {needed} tokens or more.",
            )

    @classmethod
    def _smallest_window(cls, fixed_tokens: int) -> int:
        """A window that is surely large enough, although blocks and summary grow with it."""
        return (fixed_tokens + SMALLEST_QUEUE) * 2
