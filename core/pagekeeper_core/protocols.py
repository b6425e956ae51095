"""What core needs from outside: a model, an embedder, stores, a clock.

`pagekeeper_models` implements model, token counter and embedder, `pagekeeper_core.storage` the
stores. One contract test suite runs against every implementation, the test doubles included.
"""

import threading
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from pagekeeper_core.messages import Message, PromptMessage
from pagekeeper_core.records import (
    ArchivalHit,
    BlockDefinition,
    DocumentInfo,
    DocumentRecord,
    ImportJob,
    IndexEntry,
    InsertedNote,
    MemoryChange,
    Passage,
    Proposal,
    ProposalState,
    QueueCheckpoint,
    RecallFilter,
    RecallHit,
    Reminder,
    SearchPage,
    SummaryPart,
    Target,
    TargetKind,
    Thread,
)
from pagekeeper_core.updates import PromptProgress, Update, Usage

__all__ = [
    "EVERYTHING_SAID",
    "ArchivalStore",
    "Clock",
    "DocumentDraft",
    "DocumentNewsStore",
    "DocumentSummaryStore",
    "Embedder",
    "IdleJob",
    "ImportJobStore",
    "JsonSchema",
    "LanguageModel",
    "ProposalStore",
    "RecallIndex",
    "RecallStore",
    "ReminderStore",
    "StateStore",
    "ThreadStore",
    "TokenCounter",
]

JsonSchema = Mapping[str, object]

EVERYTHING_SAID = RecallFilter()


class Clock(Protocol):
    """The time, and the person's time zone. Stores keep UTC; people and the model see local."""

    def now(self) -> datetime:
        """Now, aware, in UTC."""
        ...

    def to_local(self, moment: datetime) -> datetime:
        """An aware moment in the person's time zone."""
        ...

    def from_local(self, wall_time: datetime) -> datetime:
        """A naive time, read as the person's wall clock, as an aware moment in UTC."""
        ...


class TokenCounter(Protocol):
    """Counts tokens as the model does; callable from any thread."""

    def count(self, text: str) -> int:
        """Tokens of `text` alone: special tokens in it are counted as the plain text they are."""
        ...

    def count_prompt(self, prompt: Sequence[PromptMessage]) -> int:
        """Tokens of the whole prompt, the chat template's own and the reply's opening included."""
        ...


class LanguageModel(TokenCounter, Protocol):
    """A model that writes JSON under a schema. All but the counting belongs to one thread."""

    @property
    def name(self) -> str:
        """What the person calls it, such as "Qwen2.5 Coder 1.5B"."""
        ...

    @property
    def context_window(self) -> int:
        """Tokens that prompt and reply may fill together."""
        ...

    def generate(
        self,
        prompt: Sequence[PromptMessage],
        schema: JsonSchema,
        *,
        max_tokens: int,
        cancel: threading.Event,
    ) -> Generator[PromptProgress | str, None, Usage]:
        """Write one JSON value that `schema` admits.

        Yields prompt progress, then the text piece by piece (whole characters). The pieces joined
        are the JSON text; when the returned usage says `complete=False` its end is missing. Text
        generated here and put back into a later prompt verbatim is matched to the very tokens that
        were sampled, so that it need not be evaluated again.

        Raises:
            Cancelled: `cancel` was set; what has been evaluated stays in the cache.
            ContextWindowError: The prompt and `max_tokens` do not fit the window.
            ModelError: The runtime failed.
        """
        ...

    def evaluate(
        self, prompt: Sequence[PromptMessage], *, cancel: threading.Event
    ) -> Generator[PromptProgress, None, Usage]:
        """Evaluate the prompt ahead of time, so that the next `generate` starts at once.

        Raises:
            Cancelled: `cancel` was set; what has been evaluated stays in the cache.
            ContextWindowError: The prompt does not fit the window.
        """
        ...


class Embedder(Protocol):
    """Turns text into vectors of unit length; callable from any thread."""

    @property
    def name(self) -> str:
        """The embedding model's name, stored beside the vectors."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    @property
    def max_tokens(self) -> int:
        """Word pieces of a text that are read; what follows is ignored by the model."""
        ...

    @property
    def is_loaded(self) -> bool:
        """Whether `embed` answers at once; the first time it may load for seconds."""
        ...

    def count(self, text: str) -> int:
        """Word pieces of `text`, by the embedder's own tokenizer."""
        ...

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text: float32 values, unit length.

        Raises:
            ModelError: The embedder is missing or failed.
        """
        ...


class RecallStore(Protocol):
    """Every message ever, in order; appended to, never changed (paper: recall storage)."""

    def append(self, message: Message) -> Message:
        """Store a message durably; gives it back with its sequence number.

        Raises:
            StoreError: It could not be written; nothing was.
        """
        ...

    def read(
        self, first_seq: int, last_seq: int | None = None, *, thread_id: int | None = None
    ) -> list[Message]:
        """Messages `first_seq` to `last_seq` (inclusive; None: the newest), in order.

        With `thread_id` only those of one conversation.
        """
        ...

    def read_last(
        self, count: int, *, before_seq: int | None = None, thread_id: int | None = None
    ) -> list[Message]:
        """The newest `count` messages (of those before `before_seq`), in order."""
        ...

    def count(self) -> int:
        """How many messages there are, which is the newest one's sequence number."""
        ...

    def search(
        self,
        queries: Sequence[str],
        *,
        where: RecallFilter = EVERYTHING_SAID,
        page: int = 1,
        page_size: int = 5,
    ) -> SearchPage[RecallHit]:
        """What was said (user messages and replies) that matches any query, best first.

        A message is findable by its words as soon as it is appended, in every script; by meaning
        as soon as idle work has indexed it, while the index is ready: no search waits for the
        embedder to be loaded. The queries' results are fused by reciprocal rank.
        Without a query, all that `where` admits, oldest first.
        """
        ...

    def tidy(self, cancel: threading.Event) -> None:
        """Arrange what searches by words read, when that is worth the while.

        Raises:
            Cancelled: `cancel` was set; what is done is kept.
        """
        ...


class RecallIndex(Protocol):
    """The index of recall storage by meaning: derived from it, and made anew when it is damaged."""

    @property
    def is_ready(self) -> bool:
        """Whether it is open and its embedder loaded, so that a search does not wait for them."""
        ...

    def make_ready(self) -> None:
        """Open it and load its embedder: seconds, the first time in a process.

        Raises:
            StoreError: It cannot be opened or made anew.
            ModelError: The embedder is missing or failed.
        """
        ...

    def newest(self) -> tuple[int, datetime | None]:
        """Number and time of the newest message that it has read; 0 and None while it is empty."""
        ...

    def add(self, entries: Sequence[IndexEntry]) -> None:
        """Embed the entries and store them, all or none."""
        ...

    def tidy(self) -> None:
        """Arrange what searches read, when that is worth the while: seconds, at times."""
        ...

    def clear(self) -> None:
        """Empty it, to be filled anew."""
        ...


class StateStore(Protocol):
    """The history of memory and queue checkpoints, appended to and never changed; own blocks.

    Of a block that the person made only the newest definition is kept.
    """

    def append_change(self, change: MemoryChange) -> MemoryChange:
        """Store a change durably; gives it back with its number."""
        ...

    def changes(self, target: Target | None = None) -> list[MemoryChange]:
        """All changes (of one target), oldest first."""
        ...

    def newest_changes(self, kind: TargetKind) -> dict[str, MemoryChange]:
        """The newest change of every target of this kind, by the target's name."""
        ...

    def current_blocks(self) -> dict[str, str]:
        """Every block's text as its newest edit left it."""
        ...

    def append_block(self, block: BlockDefinition) -> None:
        """Store a block that the person made. A second one of that name takes its place."""
        ...

    def made_blocks(self) -> list[BlockDefinition]:
        """The blocks that the person made, oldest first."""
        ...

    def append_checkpoint(self, checkpoint: QueueCheckpoint) -> None:
        """Store a checkpoint durably, in one transaction."""
        ...

    def latest_checkpoint(self, thread_id: int = 1) -> QueueCheckpoint | None:
        """The newest checkpoint of a conversation, or None before the first."""
        ...


class ThreadStore(Protocol):
    """The conversations."""

    def create(self, at: datetime, title: str = "") -> Thread:
        """Begin a conversation."""
        ...

    def get(self, thread_id: int) -> Thread:
        """The conversation of that number.

        Raises:
            StoreError: There is none.
        """
        ...

    def threads(self, *, archived: bool = False) -> list[Thread]:
        """The conversations (those put away too), the one with the newest message first.

        Those that were imported and not gone on with stand behind all others.
        """
        ...

    def rename(self, thread_id: int, title: str) -> Thread:
        """Give a conversation another title."""
        ...

    def archive(self, thread_id: int, *, archived: bool = True) -> Thread:
        """Put a conversation away, or fetch it back. Its messages stay searchable."""
        ...


class ReminderStore(Protocol):
    """Timed events: what is to fire, and what has fired."""

    def add(self, reminder: Reminder) -> Reminder:
        """Store a reminder durably; gives it back with its number."""
        ...

    def active(self) -> list[Reminder]:
        """Those that will still fire, the next one first."""
        ...

    def fired(self, reminder_id: int, at: datetime, next_due: datetime | None) -> None:
        """Note that it fired; it is due again at `next_due`, or never again."""
        ...

    def cancel(self, reminder_id: int, at: datetime, actor: str) -> None:
        """End a reminder; it stays in the history."""
        ...


class ProposalStore(Protocol):
    """What idle work proposes, and how far it has read."""

    def add(self, proposal: Proposal) -> Proposal:
        """Store a proposal durably; gives it back with its number."""
        ...

    def proposals(self, state: ProposalState = ProposalState.OPEN) -> list[Proposal]:
        """The proposals in this state, oldest first."""
        ...

    def decide(self, proposal_id: int, state: ProposalState, at: datetime) -> None:
        """Note what became of it.

        Raises:
            StoreError: There is no such proposal, or it is decided already.
        """
        ...

    def read_until(self) -> int:
        """The newest message that consolidation has read; 0 before the first."""
        ...

    def mark_read(self, seq: int, at: datetime) -> None:
        """Note that consolidation has read up to this message."""
        ...


class DocumentSummaryStore(Protocol):
    """Summaries of documents, part by part as they are made."""

    def parts(self, document_id: str) -> list[SummaryPart]:
        """The parts in the order in which they were made."""
        ...

    def add(self, document_id: str, part: SummaryPart) -> None:
        """Store a part durably.

        Raises:
            StoreError: It could not be written; nothing was.
        """
        ...

    def delete(self, document_id: str) -> None:
        """Take all parts of a document away, from the disk too."""
        ...

    def documents(self) -> list[str]:
        """Identifiers of the documents that have parts."""
        ...


class DocumentNewsStore(Protocol):
    """Which documents the assistant has still to speak of."""

    def add(self, document_id: str, at: datetime, *, pending: bool) -> None:
        """A document came in; `pending` when it is to be spoken of. A second time changes nothing.

        Raises:
            StoreError: It could not be written.
        """
        ...

    def pending(self) -> list[str]:
        """Identifiers of those that are to be spoken of, in the order in which they came."""
        ...

    def told(self, document_ids: Sequence[str], at: datetime) -> None:
        """These were spoken of, or are not to be any more.

        Raises:
            StoreError: It could not be written.
        """
        ...

    def missed(self, documents: Sequence[DocumentInfo]) -> list[DocumentInfo]:
        """Those of which the program was killed before it could add them, oldest first."""
        ...


class ImportJobStore(Protocol):
    """The files that are on their way into memory, and the history of those that were."""

    def add(self, jobs: Sequence[ImportJob]) -> list[ImportJob]:
        """Store jobs durably; gives them back with their numbers, and one batch for them all.

        Raises:
            StoreError: They could not be written; none was.
        """
        ...

    def change(self, job: ImportJob) -> None:
        """Store how far a job is.

        Raises:
            StoreError: It could not be written.
        """
        ...

    def open_jobs(self) -> list[ImportJob]:
        """Those that may still be read, in the order in which they were asked for."""
        ...

    def newest(self, count: int) -> list[ImportJob]:
        """The newest jobs, newest first."""
        ...

    def newest_by_path(self) -> dict[str, ImportJob]:
        """The newest job of each file; pasted texts are left out."""
        ...


class IdleJob(Protocol):
    """A piece of work for the time in which nobody waits."""

    def work(self, cancel: threading.Event) -> Iterator[Update]:
        """Do what is due; nothing, and at no cost, when nothing is.

        Raises:
            Cancelled: `cancel` was set; what is done is kept, the rest is done the next time.
        """
        ...


class DocumentDraft(Protocol):
    """A document that is being archived: none of it is found before `finish`.

    A draft that is neither finished nor discarded, after a kill, is gone at the next opening.
    """

    def add(
        self, passages: Sequence[Passage], vectors: Sequence[Sequence[float]] | None = None
    ) -> None:
        """Put passages at its end, with their vectors or to be embedded now.

        Raises:
            StoreError: They could not be written.
            ModelError: The embedder failed, or the vectors are of a wrong kind.
        """
        ...

    def finish(self, *, pages: int | None = None, replaces: str = "") -> DocumentInfo:
        """Archive it, as `ArchivalStore.add_document` does.

        `pages` is how many it has, where that was not known when it was begun.

        Raises:
            StoreError: It could not be written; nothing of it is there.
        """
        ...

    def discard(self) -> None:
        """Throw it away; nothing happens when it is finished."""
        ...


class ArchivalStore(Protocol):
    """Passages of any length: documents and notes (paper: archival storage)."""

    def insert_note(self, text: str, *, passage_id: str = "") -> InsertedNote:
        """Archive a note, unless the very same text is there already.

        With `passage_id` that is its identifier; without, it gets a new one.
        """
        ...

    def notes_like(self, text: str, count: int = 5) -> list[ArchivalHit]:
        """The notes that are nearest to a text in meaning, nearest first; the score is the cosine.

        One that differs in case, white space or sentence marks only comes first, with a score of 1.
        """
        ...

    def add_document(
        self,
        record: DocumentRecord,
        passages: Sequence[Passage],
        *,
        vectors: Sequence[Sequence[float]] | None = None,
        replaces: str = "",
    ) -> DocumentInfo:
        """Archive a document, whole or not at all.

        A document with the same SHA-256 is there once: adding it again gives the first one back.
        `vectors` are the passages' own by this archive's embedder, where the caller has made them
        already. With `replaces` it takes the place of the document of that identifier, which is
        deleted; a kill leaves one of the two, whole.

        Raises:
            StoreError: It could not be written; nothing was.
            ModelError: The embedder failed; nothing was written.
        """
        ...

    def draft(self, record: DocumentRecord) -> DocumentDraft:
        """Begin a document that is too long to stand in memory whole."""
        ...

    def find_document(self, sha256: str) -> DocumentInfo | None:
        """The document with this content, if it is there."""
        ...

    def documents_at(self, path: str) -> list[DocumentInfo]:
        """The documents that came from there: one, or those of an archive."""
        ...

    def document(self, document_id: str) -> DocumentInfo | None:
        """The document of that identifier; None if there is none."""
        ...

    def delete_document(self, document_id: str) -> None:
        """Take a document out with all its passages, and its text from the files on disk.

        Nothing happens when there is none of that identifier.

        Raises:
            StoreError: It could not be deleted, or its text could not be erased yet.
        """
        ...

    def passages_around(self, passage_id: str, before: int, after: int) -> list[ArchivalHit]:
        """A document's passage among so many before and after it, in reading order.

        A note stands alone; nothing is around a passage that is not there.
        """
        ...

    def document_passages(
        self, document_id: str, page: int = 1, page_size: int = 20
    ) -> SearchPage[ArchivalHit]:
        """The passages of a document in reading order, each with a score of 1."""
        ...

    def passages_of(self, document_id: str) -> list[str]:
        """Identifiers of the passages of a document."""
        ...

    def documents(self) -> list[DocumentInfo]:
        """All documents, newest first."""
        ...

    def count(self) -> int:
        """How many passages there are, notes included."""
        ...

    def search(
        self,
        queries: Sequence[str],
        *,
        page: int = 1,
        page_size: int = 5,
        hidden: Collection[str] = (),
        behind: Collection[str] = (),
    ) -> SearchPage[ArchivalHit]:
        """Passages that match any query in words or meaning, best first, fused by rank.

        A hit's similarity says how near it is to the nearest query in meaning, whatever its rank.
        `hidden` are identifiers of passages that are not to be found, `behind` of those that rank
        behind all others.
        """
        ...

    def passage(self, passage_id: str) -> ArchivalHit | None:
        """The passage of that identifier with a score of 1; None if there is none."""
        ...

    def identifiers(self, beginning: str) -> list[str]:
        """Identifiers of passages that begin so: the only one, or two where there are several."""
        ...

    def notes(self) -> list[ArchivalHit]:
        """All notes, oldest first, each with a score of 1."""
        ...

    def tidy(self) -> None:
        """Arrange what searches read, when that is worth the while."""
        ...
