"""How far the saying of a reminder came, told from recall: after a kill it goes on from there."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from pagekeeper_core import prompts
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.protocols import Clock
from pagekeeper_core.records import Reminder

__all__ = ["EarlierNote", "earlier_note", "new_note"]

LATE = timedelta(minutes=5)
"""A delay that the person is told of."""


@dataclass(frozen=True, slots=True)
class EarlierNote:
    """A note of the same reminder at the same moment.

    Attributes:
        message: The note.
        is_answered: Whether the assistant spoke after it.
        is_newest: Whether nothing was said after it, so that it need not be written again.
    """

    message: Message
    is_answered: bool
    is_newest: bool


def new_note(reminder: Reminder, clock: Clock) -> Message:
    """The message that tells the model of a due reminder; its text is what a person reads."""
    now = clock.now()
    due, local = clock.to_local(reminder.due_at), clock.to_local(now)
    late = local if now - reminder.due_at >= LATE else None
    text = prompts.due_reminder(reminder.text, due)
    return Message(MessageKind.SYSTEM, text, text + prompts.speak_first(reminder.text, late), now)


def earlier_note(
    reminder: Reminder, messages: Iterable[Message], clock: Clock
) -> EarlierNote | None:
    """The newest note of this reminder among `messages` (the newest ones of recall), if any."""
    text = prompts.due_reminder(reminder.text, clock.to_local(reminder.due_at))
    newest: Message | None = None
    after: list[Message] = []
    for message in messages:
        if message.text == text and message.created_at >= reminder.created_at:
            newest, after = message, []
        elif newest is not None and message.thread_id == newest.thread_id and _speaks(message):
            after.append(message)
    if newest is None:
        return None
    is_answered = bool(after) and after[0].kind is MessageKind.ASSISTANT
    return EarlierNote(newest, is_answered, is_newest=not after)


def _speaks(message: Message) -> bool:
    """Whether it is the person's, a reply, or the note of another reminder."""
    is_note = message.text.startswith(prompts.REMINDER_DUE)
    return bool(message.text) and (
        message.kind in {MessageKind.USER, MessageKind.ASSISTANT} or is_note
    )
