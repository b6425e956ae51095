"""What core needs from outside: a model, an embedder, stores, a clock.

`pagekeeper_models` implements model, token counter and embedder, `pagekeeper_core.storage` the
stores. One contract test suite runs against every implementation, the test doubles included.
"""

import threading
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from pagekeeper_core.messages import Message, PromptMessage
from pagekeeper_core.updates import PromptProgress, Usage

__all__ = [
    "ArchivalHit",
    "ArchivalStore",
    "BlockEdit",
    "Clock",
    "DocumentInfo",
    "DocumentRecord",
    "Embedder",
    "JsonSchema",
    "LanguageModel",
    "Passage",
    "QueueCheckpoint",
    "RecallHit",
    "RecallStore",
    "SearchPage",
    "StateStore",
    "TokenCounter",
]

JsonSchema = Mapping[str, object]

Hit = TypeVar("Hit")


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

    def count(self, text: str) -> int:
        """Word pieces of `text`, by the embedder's own tokenizer."""
        ...

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text: float32 values, unit length.

        Raises:
            ModelError: The embedder is missing or failed.
        """
        ...


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


class RecallStore(Protocol):
    """Every message ever, in order; appended to, never changed (paper: recall storage)."""

    def append(self, message: Message) -> Message:
        """Store a message durably; gives it back with its sequence number.

        Raises:
            StoreError: It could not be written; nothing was.
        """
        ...

    def read(self, first_seq: int, last_seq: int | None = None) -> list[Message]:
        """Messages `first_seq` to `last_seq` (inclusive; None: the newest), in order."""
        ...

    def read_last(self, count: int, *, before_seq: int | None = None) -> list[Message]:
        """The newest `count` messages (of those before `before_seq`), in order."""
        ...

    def count(self) -> int:
        """How many messages there are, which is the newest one's sequence number."""
        ...

    def search(
        self,
        queries: Sequence[str],
        *,
        page: int = 1,
        page_size: int = 5,
        before_seq: int | None = None,
    ) -> SearchPage[RecallHit]:
        """What was said (user messages and replies) that matches any query, best first.

        A message is findable as soon as it is appended, in every script. The queries' results are
        fused by reciprocal rank. With `before_seq` only older messages are searched: the model sees
        the newer ones in its queue.
        """
        ...

    def search_dates(
        self, start: datetime, end: datetime, *, page: int = 1, page_size: int = 5
    ) -> SearchPage[RecallHit]:
        """What was said from `start` to before `end` (aware), oldest first."""
        ...


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


class StateStore(Protocol):
    """Working-context history and queue checkpoints; appended to, never changed."""

    def append_block_edit(self, edit: BlockEdit) -> BlockEdit:
        """Store an edit durably; gives it back with its number."""
        ...

    def block_edits(self, block: str | None = None) -> list[BlockEdit]:
        """All edits (of one block), oldest first."""
        ...

    def current_blocks(self) -> dict[str, str]:
        """Every block's text as its newest edit left it."""
        ...

    def append_checkpoint(self, checkpoint: QueueCheckpoint) -> None:
        """Store a checkpoint durably, in one transaction."""
        ...

    def latest_checkpoint(self) -> QueueCheckpoint | None:
        """The newest checkpoint, or None before the first."""
        ...


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


class ArchivalStore(Protocol):
    """Passages of any length: documents and notes (paper: archival storage)."""

    def insert_note(self, text: str) -> bool:
        """Archive a note of the model; False when the very same note is there already."""
        ...

    def add_document(
        self,
        record: DocumentRecord,
        passages: Sequence[Passage],
        *,
        vectors: Sequence[Sequence[float]] | None = None,
    ) -> DocumentInfo:
        """Archive a document, whole or not at all.

        A document with the same SHA-256 is there once: adding it again gives the first one back.
        `vectors` are the passages' own by this archive's embedder, where the caller has made them
        already, batch by batch, to show progress.

        Raises:
            StoreError: It could not be written; nothing was.
            ModelError: The embedder failed; nothing was written.
        """
        ...

    def find_document(self, sha256: str) -> DocumentInfo | None:
        """The document with this content, if it is there."""
        ...

    def documents(self) -> list[DocumentInfo]:
        """All documents, newest first."""
        ...

    def count(self) -> int:
        """How many passages there are, notes included."""
        ...

    def search(
        self, queries: Sequence[str], *, page: int = 1, page_size: int = 5
    ) -> SearchPage[ArchivalHit]:
        """Passages that match any query in words or meaning, best first, fused by rank."""
        ...
