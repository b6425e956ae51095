"""What the stores keep and give back: plain values."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Generic, TypeVar

from pagekeeper_core.messages import Citation, Message, MessageKind

__all__ = [
    "OPEN_STATES",
    "ArchivalHit",
    "BlockDefinition",
    "ChangeAction",
    "Citation",
    "DocumentInfo",
    "DocumentRecord",
    "ImportJob",
    "IndexEntry",
    "InsertedNote",
    "JobState",
    "MemoryChange",
    "Passage",
    "Proposal",
    "ProposalState",
    "QueueCheckpoint",
    "RecallFilter",
    "RecallHit",
    "Reminder",
    "Retrieval",
    "SearchPage",
    "SummaryPart",
    "SummarySentence",
    "Target",
    "TargetKind",
    "Thread",
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


class Retrieval(StrEnum):
    """What a search goes by."""

    HYBRID = "hybrid"
    """Words and meaning, fused."""
    WORDS = "words"
    VECTORS = "vectors"
    """Meaning alone."""


@dataclass(frozen=True, slots=True)
class RecallHit:
    """A message that a search of recall storage found; a higher score is a better match."""

    message: Message
    score: float


class TargetKind(StrEnum):
    """The kinds of things that memory holds and that can be changed, forgotten, explained."""

    BLOCK = "block"
    """A block of working context."""
    PASSAGE = "passage"
    """A passage of archival storage."""
    MESSAGE = "message"
    """A message of recall storage; its text never changes, but it can be forgotten."""


class ChangeAction(StrEnum):
    """What a change did to its target."""

    EDIT = "edit"
    """A block has another text."""
    INSERT = "insert"
    """A passage was archived."""
    FORGET = "forget"
    """It is hidden from the model; nothing is destroyed."""
    RESTORE = "restore"
    """What was forgotten or superseded holds again."""
    SUPERSEDE = "supersede"
    """A newer passage says what holds now; this one says what held until then."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a change is about.

    Attributes:
        kind: What it is.
        name: The block's name, the passage's identifier, or the message's number in digits.
    """

    kind: TargetKind
    name: str


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """One change of what the assistant knows: appended, never removed, and undone by another one.

    Attributes:
        target: What was changed.
        action: What was done to it.
        before: Its text until then; empty for what was not there.
        after: Its text from then on; empty for what is hidden now.
        at: When; aware, UTC.
        actor: "assistant", "user" or "program".
        cause_seq: The message that caused it; 0 if none did.
        undoes: The change that this one takes back; 0 if it takes none back.
        successor: The passage that holds instead, for SUPERSEDE.
        change_id: Its number in the store: 1, 2, 3 …; 0 until it has been stored.
    """

    target: Target
    action: ChangeAction
    before: str
    after: str
    at: datetime
    actor: str
    cause_seq: int = 0
    undoes: int = 0
    successor: str = ""
    change_id: int = 0


@dataclass(frozen=True, slots=True)
class BlockDefinition:
    """A block of working context that the person made.

    Attributes:
        name: How functions refer to it: a letter, then letters, digits and underscores.
        description: What belongs in it; the model sees this.
        limit: Its bound, in tokens.
        at: When it was made; aware, UTC.
    """

    name: str
    description: str
    limit: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Thread:
    """One conversation: a queue and a summary of its own, over the memory that all share.

    Attributes:
        thread_id: 1, 2, 3 …
        title: What the person calls it; empty until it has one.
        created_at: Aware, UTC.
        last_at: When its newest message was made; `created_at` while it has none.
        archived: Whether the person put it away. It stays searchable.
        origin: With whom it was held, "ChatGPT", if it was imported and not gone on with here.
    """

    thread_id: int
    title: str
    created_at: datetime
    last_at: datetime
    archived: bool = False
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Reminder:
    """Something that the assistant is to bring up by itself, once or again and again.

    Attributes:
        text: What it is about.
        due_at: When it fires next; aware, UTC.
        recurrence: An RRULE (RFC 5545), read on the person's wall clock; empty when it fires once.
        created_at: Aware, UTC.
        actor: Who set it: "assistant" or "user".
        cause_seq: The message that caused it; 0 if none did.
        reminder_id: Its number in the store; 0 until it has been stored.
    """

    text: str
    due_at: datetime
    recurrence: str
    created_at: datetime
    actor: str
    cause_seq: int = 0
    reminder_id: int = 0


class ProposalState(StrEnum):
    """What became of a proposal."""

    OPEN = "open"
    ACCEPTED = "accepted"
    DISMISSED = "dismissed"
    """The person does not want it."""
    WITHDRAWN = "withdrawn"
    """The program took it back: what it was about is gone, or the user said otherwise."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change of memory that idle work found worth making; the person decides.

    Attributes:
        target: The block or the passage.
        before: The line or text that it would replace; empty when it adds one.
        after: What would stand there; empty when it removes one.
        reason: Why, in one sentence for the person.
        sources: Numbers of the messages that say so.
        at: When it was made; aware, UTC.
        state: What became of it.
        successor: The passage that holds instead, where a passage would be superseded.
        proposal_id: Its number in the store; 0 until it has been stored.
    """

    target: Target
    before: str
    after: str
    reason: str
    sources: tuple[int, ...]
    at: datetime
    state: ProposalState = ProposalState.OPEN
    successor: str = ""
    proposal_id: int = 0


@dataclass(frozen=True, slots=True)
class RecallFilter:
    """Which messages a search of recall storage may find; the default admits all that was said.

    What was forgotten is never found by the model: see `hidden`.

    Attributes:
        speaker: Only the user's or only the assistant's.
        start: Only from then on; aware.
        end: Only before then; aware.
        outside: (start, end): not those from that start on and before that end; aware.
        thread_id: Only of this conversation.
        before_seq: Only with a smaller number.
        seen: (thread, number): not those of this conversation from this number on, because the
            model has them in its queue.
        hidden: Numbers of messages that are not to be found.
    """

    speaker: MessageKind | None = None
    start: datetime | None = None
    end: datetime | None = None
    outside: tuple[datetime, datetime] | None = None
    thread_id: int | None = None
    before_seq: int | None = None
    seen: tuple[int, int] | None = None
    hidden: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A message for the index by meaning.

    Attributes:
        message: What a search by meaning finds.
        text: What is embedded: the message with the one that it answers, or a part of a long one.
    """

    message: Message
    text: str


@dataclass(frozen=True, slots=True)
class QueueCheckpoint:
    """What a flush left: with recall storage it rebuilds the main context exactly.

    Attributes:
        first_seq: The message from which on the queue holds all of its conversation.
        summary: The recursive summary of all before it; empty before the first flush.
        working_context: The rendered blocks as they stand at the top of the prompt since then.
        at: When; aware, UTC.
        thread_id: The conversation whose queue it is.
        kept: Numbers of older messages that stay in the queue because they were of use.
        flushed_after: The newest message at the last flush; 0 before the first.
    """

    first_seq: int
    summary: str
    working_context: str
    at: datetime
    thread_id: int = 1
    kept: tuple[int, ...] = ()
    flushed_after: int = 0


@dataclass(frozen=True, slots=True)
class InsertedNote:
    """What became of a note that was to be archived.

    Attributes:
        passage_id: The note's, or the one's that says the same.
        text: The text that stands in the archive; empty when the note was blank.
        is_new: Whether it was archived now.
    """

    passage_id: str
    text: str
    is_new: bool


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
        size: Of the file, in bytes; 0 where that is not known.
        modified: When the file was last changed, aware, UTC; None where that is not known.
    """

    title: str
    kind: str
    sha256: str
    path: str = ""
    pages: int = 0
    size: int = 0
    modified: datetime | None = None


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """A document as it stands in archival storage."""

    document_id: str
    record: DocumentRecord
    passages: int
    created_at: datetime


class JobState(StrEnum):
    """How far the import of a file is."""

    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    LOCKED = "locked"
    """It waits for a password."""
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


OPEN_STATES = frozenset({JobState.WAITING, JobState.RUNNING, JobState.PAUSED, JobState.LOCKED})
"""Those of a job that may still be read."""


@dataclass(frozen=True, slots=True)
class ImportJob:
    """A file, or a pasted text, on its way into memory; or the history of what became of it.

    Attributes:
        path: The file.
        title: What the person calls it.
        added_at: When it was asked for; aware, UTC.
        batch: Jobs that were asked for at once share this number.
        pasted: Whether the file holds pasted text, to be removed when it is read.
        watched: Whether it was found in a watched folder, not asked for by hand.
        size: Bytes of the file; 0 where that is not known.
        modified: When the file was last changed; aware, UTC.
        state: How far it is.
        done: Pages read so far, or files of an archive.
        total: Of how many; 0 where that is not known.
        passages: Passages made so far.
        document_id: The document that stands in the archive; empty where there is none or several.
        replaces: The document whose place it is to take; empty: an older version, if there is one.
        note: What became of it, in a sentence: why it failed, or what else is worth saying.
        hint: What the person can do about it.
        job_id: Its number in the store; 0 until it has been stored.
    """

    path: str
    title: str
    added_at: datetime
    batch: int = 0
    pasted: bool = False
    watched: bool = False
    size: int = 0
    modified: datetime | None = None
    state: JobState = JobState.WAITING
    done: int = 0
    total: int = 0
    passages: int = 0
    document_id: str = ""
    replaces: str = ""
    note: str = ""
    hint: str = ""
    job_id: int = 0

    @property
    def is_open(self) -> bool:
        """Whether it may still be read."""
        return self.state in OPEN_STATES


@dataclass(frozen=True, slots=True)
class ArchivalHit:
    """A passage that a search of archival storage found.

    Attributes:
        passage: The text and its location.
        source: The document's title, or "note" for what the model inserted itself.
        created_at: When it was archived; aware, UTC.
        score: A higher one is a better match.
        passage_id: Its identifier in the store.
        document_id: The identifier of its document; empty for a note.
        position: Its place among the passages of its document, from 0.
        similarity: Cosine of its vector and the nearest query's; 1 when it was not searched for.
    """

    passage: Passage
    source: str
    created_at: datetime
    score: float
    passage_id: str = ""
    document_id: str = ""
    position: int = 0
    similarity: float = 1.0


@dataclass(frozen=True, slots=True)
class SummarySentence:
    """A sentence of a document's summary, and the passage that says so.

    Attributes:
        text: The sentence.
        passage_id: The passage.
        location: Where that is in the document: "page 3".
    """

    text: str
    passage_id: str
    location: str = ""


@dataclass(frozen=True, slots=True)
class SummaryPart:
    """What was made of one stretch of a document, or of the sentences of such parts.

    Attributes:
        level: 0 for a part of the document's passages; n for one of the sentences of level n - 1.
        first: The first passage or sentence that it is about, from 0.
        last: The last one, included.
        total: How many there are at this level.
        sentences: What it says.
        quoted: Whether the model gave nothing usable and these are the document's own words.
        language: The English name of the language that was asked for; empty for the document's.
    """

    level: int
    first: int
    last: int
    total: int
    sentences: tuple[SummarySentence, ...]
    quoted: bool = False
    language: str = ""
