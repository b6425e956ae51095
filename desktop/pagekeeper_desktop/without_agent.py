"""What the person does by hand while no model is loaded: carried out on the stores alone."""

from collections.abc import Iterator

from pagekeeper_core.clock import SystemClock
from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.events import (
    BlockMade,
    ChangeUndone,
    DocumentImported,
    Event,
    Forgotten,
    MemoryEdited,
    ProposalDecided,
    ReminderCancelled,
    ReminderSet,
    ThreadArchived,
    ThreadRenamed,
)
from pagekeeper_core.schedule import Reminders
from pagekeeper_core.updates import ThreadsChanged, Update
from pagekeeper_desktop.assistant_parts import MemoryPart

__all__ = ["carry_out", "is_quick", "needs_no_agent"]

QUICK = (
    BlockMade,
    ChangeUndone,
    DocumentImported,
    Forgotten,
    MemoryEdited,
    ProposalDecided,
    ReminderCancelled,
    ReminderSet,
    ThreadArchived,
    ThreadRenamed,
)
NO_AGENT = (
    BlockMade,
    ChangeUndone,
    Forgotten,
    MemoryEdited,
    ProposalDecided,
    ReminderCancelled,
    ReminderSet,
    ThreadArchived,
    ThreadRenamed,
)


def is_quick(event: Event) -> bool:
    """Whether an event only writes: it is carried out even when the window closes."""
    return isinstance(event, QUICK)


def needs_no_agent(event: Event) -> bool:
    """Whether an event is about the stores alone."""
    return isinstance(event, NO_AGENT)


def carry_out(event: Event, memory: MemoryPart | None, context_window: int) -> Iterator[Update]:
    """Do what `needs_no_agent` admits.

    Args:
        event: What the person wants.
        memory: The open stores; None while they could not be opened.
        context_window: The window that the next start would use, in tokens.

    Raises:
        PagekeeperError: It cannot be done; the message says why.
    """
    if memory is None:
        raise PagekeeperError(
            "Your memory is not open, so nothing was stored.",
            hint="See the message above the conversation, then try again.",
        )
    match event:
        case ThreadRenamed(thread_id, title):
            memory.threads.rename(thread_id, title)
            yield _threads(memory)
        case ThreadArchived(thread_id, archived):
            memory.threads.archive(thread_id, archived=archived)
            yield _threads(memory)
        case ReminderSet() | ReminderCancelled():
            yield from Reminders(memory.reminders, SystemClock()).carry_out(event)
        case BlockMade() | ChangeUndone() | Forgotten() | MemoryEdited() | ProposalDecided():
            yield from memory.user_actions(context_window).carry_out(event)
        case _:
            raise ValueError(f"{event} needs the agent")


def _threads(memory: MemoryPart) -> ThreadsChanged:
    """The newest conversation is the one that the agent opens when it is loaded."""
    threads = tuple(memory.threads.threads())
    return ThreadsChanged(threads[0].thread_id if threads else 0, threads)
