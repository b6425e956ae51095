"""When the model is told what time it is: after an absence, on a new day, after a flush."""

from collections.abc import Iterable
from datetime import timedelta

from pagekeeper_core import prompts
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.protocols import Clock

__all__ = ["due_time_note"]

PAUSE = timedelta(hours=1)
"""An absence that is worth the tokens of a note."""


def due_time_note(visible: Iterable[Message], last: Message | None, clock: Clock) -> str:
    """The note that is due now; empty when the model has been told today and just now.

    Args:
        visible: The messages in the queue.
        last: The user's newest message before now, if there is one.
        clock: The time.
    """
    now = clock.now()
    local = clock.to_local(now)
    told = any(
        message.kind is MessageKind.SYSTEM
        and message.prompt_text.startswith(prompts.day_of_note(local))
        for message in visible
    )
    away = last is None or now - last.created_at >= PAUSE
    if told and not away:
        return ""
    return prompts.time_note(local, clock.to_local(last.created_at) if last else None)
