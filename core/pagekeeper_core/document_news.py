"""Documents that came in: the assistant speaks of them once, when it does not disturb.

All files of a drop are spoken of together, when the last one is read. A kill at any moment neither
loses nor repeats it:

    its row says that it is pending -> the note enters recall -> the assistant speaks -> it is told
"""

import logging
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass

from pagekeeper_core import document_words
from pagekeeper_core.errors import Cancelled, ModelError, StoreError
from pagekeeper_core.events import DocumentImported, DocumentsArrived
from pagekeeper_core.generated import whole_text
from pagekeeper_core.main_context import MainContext
from pagekeeper_core.messages import Citation, PromptMessage, PromptRole
from pagekeeper_core.protocols import (
    ArchivalStore,
    Clock,
    DocumentNewsStore,
    DocumentSummaryStore,
    JsonSchema,
    LanguageModel,
)
from pagekeeper_core.records import ArchivalHit, DocumentInfo
from pagekeeper_core.results import cut_to_tokens
from pagekeeper_core.updates import PromptProgress, Update
from pagekeeper_core.wording import is_said_in

__all__ = ["DocumentNews", "DocumentUpkeep"]

log = logging.getLogger(__name__)

MOST_DESCRIBED = 3
"""Documents of one drop that are looked into; the others are named."""

BEGINNING = 3
"""Passages that tell what a document is about."""

LONGEST_ABOUT = 140
ABOUT_TOKENS = 64
"""Bounds of the phrase, in characters and tokens."""

UNTIL_READ = 1.0
"""Seconds until it is asked again whether the files of a drop are read."""

_SCHEMA: JsonSchema = {
    "type": "object",
    "properties": {"about": {"type": "string", "minLength": 1, "maxLength": LONGEST_ABOUT}},
    "required": ["about"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Offer:
    """What the assistant says of new documents, with the beginnings that tell what they are."""

    text: str
    citations: Sequence[Citation]


class DocumentNews:
    """What is to be said of new documents, and when."""

    def __init__(
        self,
        *,
        model: LanguageModel,
        context: MainContext,
        archival: ArchivalStore,
        store: DocumentNewsStore,
        clock: Clock,
        is_reading: Callable[[], bool],
    ) -> None:
        """`is_reading` says whether files are being read or wait for it; from any thread."""
        self._model = model
        self._context = context
        self._archival = archival
        self._store = store
        self._clock = clock
        self._is_reading = is_reading

    def add(self, event: DocumentImported) -> None:
        """Remember to speak of it, if that is wanted.

        Raises:
            StoreError: It could not be written.
        """
        if event.document_id:
            pending = self._context.policy.document_offers and not event.quiet
            self._store.add(event.document_id, self._clock.now(), pending=pending)

    def event(self) -> DocumentsArrived | None:
        """The documents to speak of now; None while there are none or others are being read."""
        pending = self._pending()
        return DocumentsArrived(tuple(pending)) if pending and not self._is_reading() else None

    def seconds(self) -> float | None:
        """How long to wait before asking again; None while there is nothing to say."""
        if not self._pending():
            return None
        return UNTIL_READ if self._is_reading() else 0.0

    def documents(self, event: DocumentsArrived) -> list[DocumentInfo]:
        """Those that are still there."""
        found = map(self._archival.document, event.document_ids)
        return [info for info in found if info is not None]

    def offer(
        self, documents: list[DocumentInfo], language: str, cancel: threading.Event
    ) -> Generator[PromptProgress, None, Offer]:
        """What the assistant says of them. A stop leaves out what was not looked into yet."""
        abouts: list[str] = []
        citations: list[Citation] = []
        try:
            for info in documents[:MOST_DESCRIBED]:
                beginning = self._archival.document_passages(info.document_id, 1, BEGINNING).hits
                about = yield from self._about(info, beginning, language, cancel)
                if about:
                    citations.append(_citation(len(citations) + 1, info, beginning[0]))
                    about = f"{about} [{len(citations)}]"
                abouts.append(about)
        except Cancelled:
            log.info("Stopped after looking into %d documents", len(abouts))
        return Offer(document_words.offer(documents, abouts, language), citations)

    def told(self, document_ids: Sequence[str]) -> None:
        """They were spoken of, or need not be any more.

        Raises:
            StoreError: It could not be written.
        """
        self._store.told(document_ids, self._clock.now())

    def _pending(self) -> list[str]:
        """Those to speak of; none when they cannot be read, which must not end whoever waits."""
        try:
            return self._store.pending()
        except StoreError:
            log.warning("News of documents could not be read", exc_info=True)
            return []

    def _about(
        self,
        info: DocumentInfo,
        beginning: Sequence[ArchivalHit],
        language: str,
        cancel: threading.Event,
    ) -> Generator[PromptProgress, None, str]:
        """What it is about in a phrase; empty where the model gives none that the text bears out.

        Given an example of such a phrase, Qwen2.5-Coder-1.5B repeats the example.
        """
        if not beginning:
            return ""
        request = self._request(info, beginning, language)
        prompt = [*self._context.prompt(), request]
        if self._model.count_prompt(prompt) + ABOUT_TOKENS > self._model.context_window:
            prompt = [request]
        try:
            writing = self._model.generate(prompt, _SCHEMA, max_tokens=ABOUT_TOKENS, cancel=cancel)
            text = yield from whole_text(writing)
        except ModelError:
            log.warning("The model did not say what a document is about", exc_info=True)
            return ""
        about = document_words.about_in(text)
        read = [info.record.title, *(hit.passage.text for hit in beginning)]
        return about if is_said_in(about, read) else ""

    def _request(
        self, info: DocumentInfo, beginning: Sequence[ArchivalHit], language: str
    ) -> PromptMessage:
        lines = [f"{hit.passage.location}: {hit.passage.text}".strip(": ") for hit in beginning]
        text = cut_to_tokens("\n".join(lines), self._context.budget.result, self._model)
        words = document_words.about_request(info.record.title, text, language)
        return PromptMessage(PromptRole.SYSTEM, words)


class DocumentUpkeep:
    """An idle job: what a kill left undone is made good, once after the start."""

    def __init__(
        self,
        *,
        archival: ArchivalStore,
        news: DocumentNewsStore,
        summaries: DocumentSummaryStore,
        clock: Clock,
        offers: bool,
    ) -> None:
        """With `offers` the assistant speaks of documents that it was not told of."""
        self._archival = archival
        self._news = news
        self._summaries = summaries
        self._clock = clock
        self._offers = offers
        self._is_done = False

    def work(self, cancel: threading.Event) -> Iterator[Update]:
        """Find documents nobody was told of, and summaries of documents that are gone.

        Raises:
            Cancelled: `cancel` was set.
            StoreError: A store cannot be read or written.
        """
        if self._is_done:
            return
        if cancel.is_set():
            raise Cancelled
        documents = self._archival.documents()
        for info in self._news.missed(documents):
            pending = self._offers and info.record.kind != "paste"
            self._news.add(info.document_id, self._clock.now(), pending=pending)
        known = {info.document_id for info in documents}
        for document_id in self._summaries.documents():
            if document_id not in known:
                self._summaries.delete(document_id)
        self._is_done = True
        yield from ()


def _citation(number: int, info: DocumentInfo, hit: ArchivalHit) -> Citation:
    return Citation(
        number, hit.passage_id, info.document_id, info.record.title, hit.passage.location
    )
