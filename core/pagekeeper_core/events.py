"""Events: what reaches the agent from outside, each answered by one chain (paper, section 2.3).

What the window receives is an Update (see `updates`), never an Event.
"""

from dataclasses import dataclass

__all__ = ["DocumentImported", "Event", "Login", "MemoryEdited", "UserMessage"]


@dataclass(frozen=True, slots=True)
class UserMessage:
    """The person wrote something; the chain must end in a message to them."""

    text: str


@dataclass(frozen=True, slots=True)
class Login:
    """The program was started; after an absence that is noted in the queue, no step is taken."""


@dataclass(frozen=True, slots=True)
class DocumentImported:
    """A document stands in archival storage; noted in the queue, no step is taken."""

    title: str
    passages: int
    pages: int


@dataclass(frozen=True, slots=True)
class MemoryEdited:
    """The person rewrote a block of working context by hand; noted in the queue."""

    block: str
    text: str


Event = UserMessage | Login | DocumentImported | MemoryEdited
