"""What core needs from outside: a model, an embedder, stores, a clock.

`pagekeeper_models` implements model, token counter and embedder, `pagekeeper_core.storage` the
stores. One contract test suite runs against every implementation, the test doubles included.
"""

import threading
from collections.abc import Generator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from pagekeeper_core.messages import Message, PromptMessage
from pagekeeper_core.records import (
    ArchivalHit,
    BlockEdit,
    DocumentInfo,
    DocumentRecord,
    Passage,
    QueueCheckpoint,
    RecallHit,
    SearchPage,
)
from pagekeeper_core.updates import PromptProgress, Usage

__all__ = [
    "ArchivalStore",
    "Clock",
    "Embedder",
    "JsonSchema",
    "LanguageModel",
    "RecallStore",
    "StateStore",
    "TokenCounter",
]

JsonSchema = Mapping[str, object]


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
