"""The note that tells the model of a due reminder."""

from datetime import timedelta

from pagekeeper_core import prompts
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.protocols import Clock
from pagekeeper_core.records import Reminder

__all__ = ["new_note"]

LATE = timedelta(minutes=5)
"""A delay that the person is told of."""


def new_note(reminder: Reminder, clock: Clock) -> Message:
    """The message that tells the model of a due reminder; its text is what a person reads."""
    now = clock.now()
    due, local = clock.to_local(reminder.due_at), clock.to_local(now)
    late = local if now - reminder.due_at >= LATE else None
    text = prompts.due_reminder(reminder.text, due)
    return Message(MessageKind.SYSTEM, text, text + prompts.speak_first(reminder.text, late), now)
