"""What the stores keep and give back: plain values."""

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from pagekeeper_core.messages import Message

__all__ = [
    "ArchivalHit",
    "BlockEdit",
    "DocumentInfo",
    "DocumentRecord",
    "Passage",
    "QueueCheckpoint",
    "RecallHit",
    "SearchPage",
]

Hit = TypeVar("Hit")


@dataclass(frozen=True, slots=True)
class SearchPage(Generic[Hit]):
    """One page of ranked results.

    Attributes:
        hits: Best first.
        page: Its number; pages count from 1.
        pages: How many pages there are, at least 1.
        total: How many results there are on all pages.
    """

    hits: tuple[Hit, ...]
    page: int
    pages: int
    total: int


@dataclass(frozen=True, slots=True)
class RecallHit:
    """A message that a search of recall storage found; a higher score is a better match."""

    message: Message
    score: float


@dataclass(frozen=True, slots=True)
class BlockEdit:
    """One change of a working-context block: appended, never removed.

    Attributes:
        block: The block's name.
        before: Its text until then.
        after: Its text from then on.
        at: When; aware, UTC.
        actor: "assistant", "user" or "program".
        cause_seq: The message that caused it; 0 if none did.
        edit_id: Its number in the store: 1, 2, 3 …; 0 until it has been stored.
    """

    block: str
    before: str
    after: str
    at: datetime
    actor: str
    cause_seq: int = 0
    edit_id: int = 0


@dataclass(frozen=True, slots=True)
class QueueCheckpoint:
    """What a flush left: with recall storage it rebuilds the main context exactly.

    Attributes:
        first_seq: The oldest message that is still in the queue.
        summary: The recursive summary of all before it; empty before the first flush.
        working_context: The rendered blocks as they stand at the top of the prompt since then.
        at: When; aware, UTC.
    """

    first_seq: int
    summary: str
    working_context: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of text in archival storage, with where it comes from.

    Attributes:
        text: Verbatim.
        location: Where in its document: "page 3", "lines 10 to 42"; empty for a note.
    """

    text: str
    location: str = ""


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A document about to be archived.

    Attributes:
        title: What people call it: the file's name, or "Pasted text of 3 May 2026".
        kind: "pdf", "text", "paste".
        sha256: Of its bytes: the same content is archived once.
        path: Where it came from; empty for pasted text.
        pages: Its pages; 0 where it has none.
    """

    title: str
    kind: str
    sha256: str
    path: str = ""
    pages: int = 0


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """A document as it stands in archival storage."""

    document_id: str
    record: DocumentRecord
    passages: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ArchivalHit:
    """A passage that a search of archival storage found.

    Attributes:
        passage: The text and its location.
        source: The document's title, or "note" for what the model inserted itself.
        created_at: When it was archived; aware, UTC.
        score: A higher one is a better match.
    """

    passage: Passage
    source: str
    created_at: datetime
    score: float
