"""Conversations that were held with another assistant, as they come into recall storage."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from pagekeeper_core.messages import Message

__all__ = ["ImportedConversation", "ImportedConversationStore", "ImportedMessage"]


@dataclass(frozen=True, slots=True)
class ImportedMessage:
    """One message.

    Attributes:
        identifier: What the export calls it; unique in its conversation.
        message: As recall storage keeps it; number and conversation are not set yet.
    """

    identifier: str
    message: Message


@dataclass(frozen=True, slots=True)
class ImportedConversation:
    """A conversation out of an export.

    Attributes:
        origin: The assistant with whom it was held: "ChatGPT".
        identifier: What the export calls it; unique for that assistant.
        title: Its title; may be empty.
        created_at: When it was begun; aware, UTC.
        messages: What user and assistant said, in order.
    """

    origin: str
    identifier: str
    title: str
    created_at: datetime
    messages: tuple[ImportedMessage, ...]


class ImportedConversationStore(Protocol):
    """Takes conversations into recall storage, each message once."""

    def add(self, conversation: ImportedConversation) -> int:
        """Store what is new of a conversation, all or none; gives how many messages that were.

        It becomes a thread of its own the first time; a later export adds to that thread. Its
        messages are found by words at once, by meaning after idle time. Opening the thread puts its
        last few exchanges into the queue, however long it is.

        Raises:
            StoreError: It could not be written; nothing of it was.
        """
        ...
