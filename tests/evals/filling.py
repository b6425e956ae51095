"""Puts what an experiment is about into the product's stores."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from evals.desk import Stores
from pagekeeper_core import prompts
from pagekeeper_core.clock import SystemClock
from pagekeeper_core.function_calls import SEND_MESSAGE, call_text
from pagekeeper_core.memory_history import MemoryHistory
from pagekeeper_core.messages import FunctionCall, Message, MessageKind
from pagekeeper_core.records import ChangeAction, Target, TargetKind

__all__ = ["Said", "say", "write_block"]

Said = tuple[MessageKind, str]
"""Who said what."""


def say(stores: Stores, sessions: Sequence[Sequence[Said]], *, days_apart: int = 2) -> None:
    """Put sessions into recall, the last one some days ago, a message a minute."""
    now = datetime.now(UTC).replace(microsecond=0)
    for number, session in enumerate(sessions):
        start = now - timedelta(days=days_apart * (len(sessions) - number))
        for minute, (kind, text) in enumerate(session):
            stores.recall.append(_message(kind, text, start + timedelta(minutes=minute)))


def write_block(stores: Stores, block: str, text: str) -> None:
    """Put a text into a block of working context, as the person's hand would have."""
    MemoryHistory(stores.state, SystemClock()).record(
        Target(TargetKind.BLOCK, block), ChangeAction.EDIT, before="", after=text, actor="user"
    )


def _message(kind: MessageKind, text: str, at: datetime) -> Message:
    if kind is MessageKind.USER:
        return Message(kind, text, prompts.user_message(text), at)
    call = FunctionCall(SEND_MESSAGE, {"message": text}, "I answer.")
    return Message(kind, text, call_text(call), at, call)
