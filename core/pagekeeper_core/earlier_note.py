"""How far the saying of something came before a kill, told from recall: it goes on from there."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from pagekeeper_core import prompts
from pagekeeper_core.document_words import DOCUMENTS_IN
from pagekeeper_core.messages import Message, MessageKind

__all__ = ["EarlierNote", "note_before"]

_NOTES = (prompts.REMINDER_DUE, DOCUMENTS_IN)


@dataclass(frozen=True, slots=True)
class EarlierNote:
    """A note of the very same thing.

    Attributes:
        message: The note.
        is_answered: Whether the assistant spoke after it.
        is_newest: Whether nothing was said after it, so that it need not be written again.
    """

    message: Message
    is_answered: bool
    is_newest: bool


def note_before(text: str, since: datetime, messages: Iterable[Message]) -> EarlierNote | None:
    """The newest note of this text, not older than `since`, among the newest messages of recall."""
    newest: Message | None = None
    after: list[Message] = []
    for message in messages:
        if message.text == text and message.created_at >= since:
            newest, after = message, []
        elif newest is not None and message.thread_id == newest.thread_id and _speaks(message):
            after.append(message)
    if newest is None:
        return None
    is_answered = bool(after) and after[0].kind is MessageKind.ASSISTANT
    return EarlierNote(newest, is_answered, is_newest=not after)


def _speaks(message: Message) -> bool:
    """Whether it is the person's, a reply, or the note of something else."""
    is_note = message.text.startswith(_NOTES)
    return bool(message.text) and (
        message.kind in {MessageKind.USER, MessageKind.ASSISTANT} or is_note
    )
