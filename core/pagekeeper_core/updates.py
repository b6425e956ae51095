"""Updates: what the agent tells whoever watches while it handles an event."""

from dataclasses import dataclass

from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.messages import FunctionCall, FunctionResult, Message
from pagekeeper_core.records import MemoryChange, Proposal, Reminder, Thread

__all__ = [
    "CallFinished",
    "CallStarted",
    "ChainCancelled",
    "ChainFailed",
    "ChainFinished",
    "ChainStarted",
    "ContextUsage",
    "MemoryChanged",
    "MemoryPressure",
    "MessageAdmitted",
    "PromptProgress",
    "ProposalsChanged",
    "QueueFlushed",
    "RemindersChanged",
    "ReplyDelta",
    "ReplyFinished",
    "StepFinished",
    "SummaryProgress",
    "ThreadsChanged",
    "Update",
    "Usage",
    "WorkingContextChanged",
]


@dataclass(frozen=True, slots=True)
class PromptProgress:
    """Tokens of the prompt that are evaluated, of those that had to be."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Usage:
    """What one generation cost.

    Attributes:
        prompt_tokens: Length of the whole prompt.
        evaluated_tokens: Those of them that were evaluated; the others stood in the KV cache.
        generated_tokens: Tokens written, sampled and forced.
        forced_tokens: Those of them that the grammar left no choice about.
        prompt_seconds: Time for the prompt.
        generation_seconds: Time for the text.
        complete: False when the token budget ended before the JSON did.
    """

    prompt_tokens: int
    evaluated_tokens: int
    generated_tokens: int = 0
    forced_tokens: int = 0
    prompt_seconds: float = 0.0
    generation_seconds: float = 0.0
    complete: bool = True


@dataclass(frozen=True, slots=True)
class ChainStarted:
    """The agent took up an event."""


@dataclass(frozen=True, slots=True)
class MessageAdmitted:
    """A message stands in recall storage and in the queue."""

    message: Message


@dataclass(frozen=True, slots=True)
class ReplyDelta:
    """More text of the reply that is being written."""

    text: str


@dataclass(frozen=True, slots=True)
class ReplyFinished:
    """The reply is whole, stored, and this is its text; `message.citations` says what it cites."""

    message: Message


@dataclass(frozen=True, slots=True)
class CallStarted:
    """The model chose a function other than send_message; it runs now."""

    call: FunctionCall


@dataclass(frozen=True, slots=True)
class CallFinished:
    """The function gave its result."""

    call: FunctionCall
    result: FunctionResult


@dataclass(frozen=True, slots=True)
class StepFinished:
    """One inference is done; what it cost."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class SummaryProgress:
    """A document is being summarised; this part of it is read now.

    Attributes:
        document_id: The document.
        title: What people call it.
        part: The number of the part, from 1.
        parts: How many there are, as it looks now.
        seconds_left: What the rest takes at the pace so far; None while there is none.
        joining: Whether the parts are read, and it is their sentences that are summarised now.
    """

    document_id: str
    title: str
    part: int
    parts: int
    seconds_left: float | None = None
    joining: bool = False


@dataclass(frozen=True, slots=True)
class ContextUsage:
    """Tokens in the context window by region (paper, figure 3).

    Attributes:
        instructions: System instructions, function descriptions, worked conversation.
        working_context: The blocks.
        summary: Slot 0 of the queue, the recursive summary.
        queue: The messages.
        usable: What these four may fill together: the window less the reply reserve.
        window: The whole context window.
        warning_level: Tokens at which the memory-pressure warning is raised.
        flush_level: Tokens at which the queue is flushed.
    """

    instructions: int
    working_context: int
    summary: int
    queue: int
    usable: int
    window: int
    warning_level: int
    flush_level: int

    @property
    def total(self) -> int:
        """Tokens in use."""
        return self.instructions + self.working_context + self.summary + self.queue


@dataclass(frozen=True, slots=True)
class MemoryPressure:
    """The warning level was passed; the model was told (paper, section 2.2)."""

    usage: ContextUsage


@dataclass(frozen=True, slots=True)
class QueueFlushed:
    """Messages left the queue; the summary stands for them. They stay in recall storage."""

    evicted: int
    evicted_tokens: int
    summary: str


@dataclass(frozen=True, slots=True)
class WorkingContextChanged:
    """A block has a new text."""

    block: str
    text: str


@dataclass(frozen=True, slots=True)
class MemoryChanged:
    """What the assistant knows was changed, forgotten or restored; the change is stored."""

    change: MemoryChange


@dataclass(frozen=True, slots=True)
class ThreadsChanged:
    """Another conversation stands in the queue, or one has another title or was put away.

    Attributes:
        open_id: The conversation that stands in the queue.
        threads: All that are not put away, the one with the newest message first.
    """

    open_id: int
    threads: tuple[Thread, ...]


@dataclass(frozen=True, slots=True)
class RemindersChanged:
    """These reminders will fire, the next one first."""

    reminders: tuple[Reminder, ...]


@dataclass(frozen=True, slots=True)
class ProposalsChanged:
    """These proposals wait for the person, oldest first."""

    proposals: tuple[Proposal, ...]


@dataclass(frozen=True, slots=True)
class ChainFinished:
    """The event is answered; the agent waits for the next."""

    steps: int


@dataclass(frozen=True, slots=True)
class ChainCancelled:
    """The person pressed Stop; what was written until then is kept."""


@dataclass(frozen=True, slots=True)
class ChainFailed:
    """The chain ended by an error that the person must hear of."""

    error: PagekeeperError


Update = (
    PromptProgress
    | ChainStarted
    | MessageAdmitted
    | ReplyDelta
    | ReplyFinished
    | CallStarted
    | CallFinished
    | StepFinished
    | SummaryProgress
    | ContextUsage
    | MemoryPressure
    | QueueFlushed
    | WorkingContextChanged
    | MemoryChanged
    | ThreadsChanged
    | RemindersChanged
    | ProposalsChanged
    | ChainFinished
    | ChainCancelled
    | ChainFailed
)
