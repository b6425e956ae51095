"""What the person must hear of while the assistant is loaded and used, in plain words."""

from collections.abc import Sequence

from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.events import (
    BlockMade,
    DocumentImported,
    Event,
    Login,
    MemoryEdited,
    ProposalDecided,
    ReminderCancelled,
    ReminderSet,
    TimedEvent,
)
from pagekeeper_desktop.assistant_parts import MissingModel
from pagekeeper_desktop.view_models.formatting import byte_size, one_line
from pagekeeper_desktop.view_models.session_state import Action, Notice

__all__ = [
    "download_stopped",
    "failed",
    "is_told_elsewhere",
    "kept_open",
    "load_failed",
    "models_missing",
    "opens_later",
    "worker_ended",
]

LONGEST_TITLE = 60


TOLD_ELSEWHERE = (
    Login,
    DocumentImported,
    MemoryEdited,
    BlockMade,
    ProposalDecided,
    ReminderSet,
    ReminderCancelled,
    TimedEvent,
)
"""Events whose failure is told beside what the person wrote, or need not be told."""


def is_told_elsewhere(event: Event) -> bool:
    """Whether a banner need not tell that this was not done."""
    return isinstance(event, TOLD_ELSEWHERE)


def models_missing(missing: Sequence[MissingModel]) -> Notice:
    """Models have to be downloaded first."""
    size = byte_size(sum(model.size for model in missing))
    names = " and ".join(model.name for model in missing)
    return Notice(
        f"Pagekeeper needs {names} to answer.",
        hint=f"It is downloaded once ({size}) and then works without a network. "
        "You can write already; your messages wait.",
        action=Action.DOWNLOAD,
        label=f"Download {size}",
        is_error=False,
    )


def download_stopped() -> Notice:
    """The person stopped the download."""
    return Notice(
        "The download was stopped.",
        hint="What has arrived is kept; it goes on from there.",
        action=Action.DOWNLOAD,
        label="Go on with it",
        is_error=False,
    )


def load_failed(error: PagekeeperError) -> Notice:
    """Memory or model could not be opened."""
    return Notice(str(error), error.hint, Action.LOAD_AGAIN, "Try again")


def failed(error: PagekeeperError, *, can_send_again: bool) -> Notice:
    """What the person asked for was not done."""
    if can_send_again:
        return Notice(str(error), error.hint, Action.SEND_AGAIN, "Send again")
    return Notice(str(error), error.hint)


def opens_later(title: str, *, can_stop: bool) -> Notice:
    """A conversation is wanted while the shown one waits for a reply."""
    return Notice(
        f"“{one_line(title, LONGEST_TITLE)}” waits until this conversation is answered.",
        hint="It opens by itself then. A message that still waits can be taken back.",
        action=Action.STOP if can_stop else None,
        label="Stop the reply" if can_stop else "",
        is_error=False,
    )


def kept_open() -> Notice:
    """The shown conversation was to be put away while it waits for a reply."""
    return Notice(
        "This conversation is still being answered.",
        hint="Put it away when the reply is written, or stop the reply first.",
        is_error=False,
    )


def worker_ended() -> Notice:
    """The agent thread ended by itself."""
    return Notice("The assistant stopped working.", "Close Pagekeeper and open it again.")
