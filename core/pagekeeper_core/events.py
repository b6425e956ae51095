"""Events: what reaches the agent from outside, each answered by one chain (paper, section 2.3).

What the window receives is an Update (see `updates`), never an Event.
"""

from dataclasses import dataclass

from pagekeeper_core.records import Reminder, Target

__all__ = [
    "BlockMade",
    "ChangeUndone",
    "DocumentImported",
    "DocumentsArrived",
    "Event",
    "Forgotten",
    "Login",
    "MemoryEdited",
    "MessageMarked",
    "ProposalDecided",
    "ReminderCancelled",
    "ReminderSet",
    "SummaryAsked",
    "ThreadArchived",
    "ThreadOpened",
    "ThreadRenamed",
    "TimedEvent",
    "UserMessage",
]


@dataclass(frozen=True, slots=True)
class UserMessage:
    """The person wrote something; the chain must end in a message to them."""

    text: str


@dataclass(frozen=True, slots=True)
class Login:
    """The program was started; after an absence that is noted in the queue, no step is taken."""


@dataclass(frozen=True, slots=True)
class ThreadOpened:
    """The person opened a conversation: its queue takes the place of the other's.

    Attributes:
        thread_id: Its number; 0 begins a new one.
    """

    thread_id: int


@dataclass(frozen=True, slots=True)
class ThreadRenamed:
    """The person gave a conversation another title."""

    thread_id: int
    title: str


@dataclass(frozen=True, slots=True)
class ThreadArchived:
    """The person put a conversation away, or fetched it back."""

    thread_id: int
    archived: bool


@dataclass(frozen=True, slots=True)
class DocumentImported:
    """A document stands in archival storage; noted in the queue, no step is taken.

    Attributes:
        title: What people call it.
        passages: How many it was split into.
        pages: Its pages; 0 where it has none.
        document_id: Its identifier. Without one the assistant does not speak of it.
        quiet: Whether the note is all: so it is with what a watched folder brings.
    """

    title: str
    passages: int
    pages: int
    document_id: str = ""
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class DocumentsArrived:
    """The files of a drop are read: the assistant says what they are and offers a summary."""

    document_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SummaryAsked:
    """The person wants a summary of this document; the chain ends in a message that is one."""

    document_id: str


@dataclass(frozen=True, slots=True)
class MemoryEdited:
    """The person rewrote a block of working context by hand; noted in the queue."""

    block: str
    text: str


@dataclass(frozen=True, slots=True)
class BlockMade:
    """The person made a block of working context, or changed its description or limit."""

    name: str
    description: str
    limit: int


@dataclass(frozen=True, slots=True)
class ChangeUndone:
    """The person took a change of memory back; noted in the queue."""

    change_id: int


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The person wants a passage or a message hidden from the model."""

    target: Target


@dataclass(frozen=True, slots=True)
class MessageMarked:
    """The person marked a message as important; noted in the queue.

    Attributes:
        seq: The message's number.
    """

    seq: int


@dataclass(frozen=True, slots=True)
class ProposalDecided:
    """The person accepted what idle work had proposed, or dismissed it."""

    proposal_id: int
    accepted: bool


@dataclass(frozen=True, slots=True)
class ReminderSet:
    """The person set a reminder by hand.

    Attributes:
        text: What it is about.
        when: In the person's words: "on Friday at nine", "every morning".
    """

    text: str
    when: str


@dataclass(frozen=True, slots=True)
class ReminderCancelled:
    """The person ended a reminder."""

    reminder_id: int


@dataclass(frozen=True, slots=True)
class TimedEvent:
    """A reminder is due; the chain must end in a message to the person."""

    reminder: Reminder


Event = (
    UserMessage
    | Login
    | ThreadOpened
    | ThreadRenamed
    | ThreadArchived
    | DocumentImported
    | DocumentsArrived
    | SummaryAsked
    | MemoryEdited
    | BlockMade
    | ChangeUndone
    | Forgotten
    | MessageMarked
    | ProposalDecided
    | ReminderSet
    | ReminderCancelled
    | TimedEvent
)
