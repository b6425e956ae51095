"""What the window needs from the composition, as protocols.

The module `composition` satisfies `Composition`; tests put a scripted one in its place. Nothing
here imports a model or a database, so that the window stands before they are loaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    import threading
    from collections.abc import Generator, Iterator, Sequence

    from pagekeeper_core.events import DocumentsArrived, Event, TimedEvent
    from pagekeeper_core.import_queue import ImportQueue
    from pagekeeper_core.protocols import (
        ArchivalStore,
        ProposalStore,
        RecallStore,
        ReminderStore,
        ThreadStore,
    )
    from pagekeeper_core.provenance import Provenance
    from pagekeeper_core.updates import ContextUsage, ThreadsChanged, Update
    from pagekeeper_core.user_actions import UserActions
    from pagekeeper_core.watched_folders import WatchedFolders
    from pagekeeper_core.working_context import Block
    from pagekeeper_desktop.options import Options

__all__ = [
    "AgentPart",
    "AssistantPart",
    "BlocksPart",
    "Composition",
    "MemoryPart",
    "MissingModel",
    "Stage",
]

MemoryT = TypeVar("MemoryT", bound="MemoryPart")


class Stage(Protocol):
    """A step of long work: of loading, downloading or reading a file."""

    @property
    def label(self) -> str:
        """What is going on, for a person."""
        ...

    @property
    def done(self) -> int:
        """Units done."""
        ...

    @property
    def total(self) -> int:
        """Units to do; 0 while that is unknown."""
        ...


class BlocksPart(Protocol):
    """The working context as it stands now."""

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks, in their order in the prompt."""
        ...

    def tokens_of(self, block: Block) -> int:
        """Tokens of a block's text."""
        ...


class AgentPart(Protocol):
    """The agent; all of it belongs to the agent thread."""

    @property
    def working_context(self) -> BlocksPart:
        """The blocks."""
        ...

    def handle(self, event: Event, cancel: threading.Event) -> Iterator[Update]:
        """Answer an event."""
        ...

    def idle(self, cancel: threading.Event) -> Iterator[Update]:
        """Do what is due while nobody waits; `cancel` ends it at no loss."""
        ...

    def timed_event(self) -> TimedEvent | DocumentsArrived | None:
        """What is due by itself, to be handled: a reminder, or new documents; None if nothing."""
        ...

    def seconds_to_timed_event(self) -> float | None:
        """How long to wait before asking again: 60 at most; None while nothing can fall due.

        May be called from any thread.
        """
        ...

    def usage(self) -> ContextUsage:
        """Tokens in the context window by region."""
        ...

    def threads(self) -> ThreadsChanged:
        """The conversations, and which of them is open."""
        ...


class MemoryPart(Protocol):
    """The open stores."""

    @property
    def recall(self) -> RecallStore:
        """Every message ever; may be read from any thread."""
        ...

    @property
    def archival(self) -> ArchivalStore:
        """Documents and notes; may be used from any thread."""
        ...

    @property
    def imports(self) -> ImportQueue:
        """Files on their way into the archive; one thread works through them."""
        ...

    @property
    def watched(self) -> WatchedFolders:
        """The folders whose files are imported by themselves; for the import thread."""
        ...

    @property
    def threads(self) -> ThreadStore:
        """The conversations; may be read from any thread."""
        ...

    @property
    def reminders(self) -> ReminderStore:
        """What is to be brought up when; may be read from any thread."""
        ...

    @property
    def proposals(self) -> ProposalStore:
        """What idle work proposes; may be read from any thread."""
        ...

    def provenance(self) -> Provenance:
        """Explains what memory holds; made anew for each use, which may be on any thread."""
        ...

    def user_actions(self, context_window: int) -> UserActions:
        """What the person does to memory while no model is loaded; made anew for each use."""
        ...

    @property
    def notices(self) -> Sequence[str]:
        """What was found damaged and how it was handled, in sentences for the person."""
        ...

    def close(self) -> None:
        """Write what is to be written and let go of the data folder."""
        ...


class AssistantPart(Protocol):
    """The loaded assistant."""

    @property
    def agent(self) -> AgentPart:
        """The agent."""
        ...

    @property
    def model_name(self) -> str:
        """What the person calls the model."""
        ...

    def close(self) -> None:
        """Let go of the model."""
        ...


class MissingModel(Protocol):
    """A model file that has to be downloaded first."""

    @property
    def name(self) -> str:
        """What the person calls it."""
        ...

    @property
    def size(self) -> int:
        """Bytes to download."""
        ...


class Composition(Protocol[MemoryT]):
    """Builds the concrete parts; every call is made on the agent thread."""

    def open_memory(self, options: Options) -> MemoryT:
        """Open the data folder; quick. Raises StoreError and its kinds."""
        ...

    def missing_models(self, options: Options) -> Sequence[MissingModel]:
        """The model files that are not there yet."""
        ...

    def download_models(self, options: Options, cancel: threading.Event) -> Iterator[Stage]:
        """Download them; the only thing that opens a network connection."""
        ...

    def load_assistant(
        self, memory: MemoryT, options: Options, cancel: threading.Event
    ) -> Generator[Stage, None, AssistantPart]:
        """Load the model and prepare the prompt. Raises ModelError, StoreError, Cancelled."""
        ...
