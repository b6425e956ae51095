"""How far a session is, and what the person must hear of: plain values for the controls."""

from dataclasses import dataclass
from enum import Enum, auto

__all__ = ["Action", "Notice", "Phase", "SessionState"]


class Phase(Enum):
    """How far the assistant is from answering."""

    OPENING = auto()
    MODEL_MISSING = auto()
    LOADING = auto()
    DOWNLOADING = auto()
    FAILED = auto()
    READY = auto()
    CLOSING = auto()


class Action(Enum):
    """What a notice offers to do."""

    LOAD_AGAIN = auto()
    DOWNLOAD = auto()
    SEND_AGAIN = auto()
    STOP = auto()


@dataclass(frozen=True, slots=True)
class SessionState:
    """What the controls of the window depend on.

    Attributes:
        phase: How far the assistant is from answering.
        busy: A message is being answered.
        stopping: Stop was pressed, the agent has not ended yet.
        stage: What is going on while loading.
        done: Units done, of `total`.
        total: 0 while it is unknown.
        model_name: The loaded model's name; empty before.
        tokens_per_second: Of the last reply; 0 before the first.
    """

    phase: Phase = Phase.OPENING
    busy: bool = False
    stopping: bool = False
    stage: str = ""
    done: int = 0
    total: int = 0
    model_name: str = ""
    tokens_per_second: float = 0.0


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that the person must hear of, shown as a banner.

    Attributes:
        message: What happened.
        hint: What they can do about it.
        action: What a button does, or None.
        label: The button's text.
        is_error: Whether something failed.
        lasts: Whether it stays when the session goes on, until it is closed.
    """

    message: str
    hint: str = ""
    action: Action | None = None
    label: str = ""
    is_error: bool = True
    lasts: bool = False
