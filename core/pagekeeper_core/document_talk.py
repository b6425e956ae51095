"""What the assistant says about documents by the program's own means: offers and summaries."""

import threading
from collections.abc import Generator, Iterator

from pagekeeper_core import document_words
from pagekeeper_core.document_news import DocumentNews
from pagekeeper_core.document_summaries import DocumentSummaries, DocumentSummary
from pagekeeper_core.errors import Cancelled, PagekeeperError
from pagekeeper_core.events import DocumentImported, DocumentsArrived, SummaryAsked
from pagekeeper_core.intake import Intake
from pagekeeper_core.main_context import MainContext
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.protocols import ArchivalStore
from pagekeeper_core.queue_manager import QueueManager
from pagekeeper_core.records import DocumentInfo
from pagekeeper_core.scripts import language_by_script
from pagekeeper_core.steps import Steps
from pagekeeper_core.summary_request import accepts_offer, wanted
from pagekeeper_core.updates import SummaryProgress, Update

__all__ = ["DocumentTalk"]


class DocumentTalk:
    """Speaks first of new documents, and answers who wants a summary."""

    def __init__(
        self,
        *,
        news: DocumentNews,
        summaries: DocumentSummaries,
        archival: ArchivalStore,
        context: MainContext,
        queue_manager: QueueManager,
        intake: Intake,
        steps: Steps,
    ) -> None:
        self.news = news
        self._summaries = summaries
        self._archival = archival
        self._context = context
        self._queue_manager = queue_manager
        self._intake = intake
        self._steps = steps

    def imported(self, event: DocumentImported) -> Iterator[Update]:
        """A document came in: it is noted now, and spoken of when all of its drop are there."""
        self.news.add(event)
        yield from self._intake.user_action(event)

    def speak_first(self, event: DocumentsArrived, cancel: threading.Event) -> Iterator[Update]:
        """Say what new documents are, and offer to summarise them.

        Raises:
            StoreError: A database cannot be read or written; it is said another time.
        """
        documents = self.news.documents(event)
        if documents:
            text = document_words.documents_in([info.record.title for info in documents])
            since = min(info.created_at for info in documents)
            note = self._queue_manager.system_message(text)
            noted = yield from self._intake.announce(note, since)
            if noted is not None:
                offer = yield from self.news.offer(documents, self._language(), cancel)
                yield from self._steps.say(offer.text, offer.citations)
        self.news.told(event.document_ids)

    def asked_for(self, text: str) -> list[DocumentInfo]:
        """The documents of which a message of the person wants a summary; mostly none."""
        offered = self._offered()
        if offered and (chosen := accepts_offer(text, offered)):
            return chosen
        found = wanted(text, self._archival.documents, self._spoken_of())
        return [found] if found else []

    def summarise(
        self, documents: list[DocumentInfo], request: str, cancel: threading.Event
    ) -> Generator[Update, None, int]:
        """Say the summaries of these documents, one after another; gives how many.

        Raises:
            Cancelled: `cancel` was set; what was read is kept, and the model is told so.
            StoreError: A store cannot be read or written.
        """
        for info in documents:
            summary = yield from self._summary(info, self._language_for(info, request), cancel)
            yield from self._say(summary)
            self.news.told([info.document_id])
        return len(documents)

    def summarise_asked(
        self, event: SummaryAsked, cancel: threading.Event
    ) -> Generator[Update, None, int]:
        """The person chose a document in the library.

        Raises:
            PagekeeperError: It is not there any more.
            Cancelled: `cancel` was set.
        """
        info = self._archival.document(event.document_id)
        if info is None:
            raise PagekeeperError(
                "That document is no longer in the library.", hint="Import it again."
            )
        yield from self._intake.note(document_words.summary_asked(info.record.title))
        return (yield from self.summarise([info], "", cancel))

    def _summary(
        self, info: DocumentInfo, language: str, cancel: threading.Event
    ) -> Generator[Update, None, DocumentSummary]:
        at: SummaryProgress | None = None
        making = self._summaries.summarise(info, cancel, language=language)
        try:
            while True:
                update = next(making)
                if isinstance(update, SummaryProgress):
                    at = update
                    yield update
        except StopIteration as end:
            summary: DocumentSummary = end.value
            return summary
        except Cancelled:
            part, parts = (at.part, at.parts) if at else (1, 1)
            title = info.record.title
            yield from self._intake.note(document_words.summary_stopped(title, part, parts))
            raise

    def _say(self, summary: DocumentSummary) -> Iterator[Update]:
        yield from self._steps.say(summary.text(), summary.citations)

    def _offered(self) -> list[DocumentInfo]:
        """The documents that the assistant's last reply offered to summarise."""
        spoken = [entry.message for entry in self._context.queue.entries if _counts(entry.message)]
        before, reply = spoken[-3:-1] if len(spoken) > 2 else (None, None)
        if before is None or reply is None or reply.kind is not MessageKind.ASSISTANT:
            return []
        if not before.text.startswith(document_words.DOCUMENTS_IN):
            return []
        there = self._archival.documents()
        return [info for info in there if document_words.named(info.record.title) in before.text]

    def _spoken_of(self) -> list[str]:
        """What was said in this conversation before the newest message, newest first."""
        entries = self._context.queue.entries
        said = [entry.message.text for entry in entries if _counts(entry.message)]
        return said[-2::-1]

    def _language(self) -> str:
        """The language in which the person wrote last, where its script tells."""
        entries = (entry.message for entry in self._context.queue.entries)
        said = [message.text for message in entries if message.kind is MessageKind.USER]
        return language_by_script(said[-1]) if said else ""

    def _language_for(self, info: DocumentInfo, request: str) -> str:
        """The language to summarise in, where the request is plainly in another than the text."""
        asked = language_by_script(request)
        if not asked:
            return ""
        found = self._archival.document_passages(info.document_id, 1, 1)
        own = language_by_script(found.hits[0].passage.text) if found.hits else ""
        return "" if asked == own else asked


def _counts(message: Message) -> bool:
    """Whether it is said, or the note of new documents or of a wanted summary."""
    if message.kind in {MessageKind.USER, MessageKind.ASSISTANT}:
        return bool(message.text)
    notes = (document_words.DOCUMENTS_IN, document_words.SUMMARY_WANTED)
    return message.text.startswith(notes)
