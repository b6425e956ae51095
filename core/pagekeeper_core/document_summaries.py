"""Summaries of documents of any length, as an operating system pages through a large file.

A document that fits one request is summarised in one. A longer one is read part by part, each made
into a few sentences; these are summarised like a document of their own, until they fit one request.
Each part is stored when it is made: a stop, or a kill, loses the part at hand and nothing else, and
who asks again for a summary that is there has it at once.
"""

import logging
import threading
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil

from pagekeeper_core.document_words import summary_text
from pagekeeper_core.errors import Cancelled, ModelError
from pagekeeper_core.main_context import MainContext
from pagekeeper_core.memory_history import MemoryHistory
from pagekeeper_core.messages import Citation
from pagekeeper_core.protocols import ArchivalStore, Clock, DocumentSummaryStore, LanguageModel
from pagekeeper_core.records import DocumentInfo, SummaryPart, SummarySentence
from pagekeeper_core.results import cut_to_tokens
from pagekeeper_core.summary_writing import TOKENS_A_SENTENCE, Line, SummaryWriter, quoted_from
from pagekeeper_core.updates import PromptProgress, SummaryProgress

__all__ = ["DocumentSummaries", "DocumentSummary"]

log = logging.getLogger(__name__)

LONGEST_PART = 2500
"""Tokens of one part. A small model loses the middle of a longer one, and a stop loses the work."""

PART_SENTENCES = 8
MOST_SENTENCES = 10
"""Of a part, and of the whole."""

REPLY_PART = 4
"""The sentences of a part take at most a fourth of the window: in a small one the text needs it."""

FEWEST_SENTENCES = 2
TOKENS_FOR_A_SENTENCE = 80
"""A text of so many tokens is worth one sentence of summary."""

PASSAGES_READ = 50
"""Passages that are read from the archive at once."""


@dataclass(frozen=True, slots=True)
class DocumentSummary:
    """A document in a few sentences.

    Attributes:
        info: The document.
        sentences: In the order in which the model gave them, mostly the document's.
        quoted: Whether some of them are its own words, because the model gave nothing usable.
    """

    info: DocumentInfo
    sentences: tuple[SummarySentence, ...]
    quoted: bool

    @property
    def citations(self) -> list[Citation]:
        """The passages that its sentences rest on, each once, numbered from 1."""
        passages = {said.passage_id: said.location for said in self.sentences}
        title = self.info.record.title
        return [
            Citation(number, passage_id, self.info.document_id, title, location)
            for number, (passage_id, location) in enumerate(passages.items(), 1)
        ]

    def text(self) -> str:
        """As the assistant says it."""
        number_of = {citation.passage_id: citation.number for citation in self.citations}
        numbers = [number_of[said.passage_id] for said in self.sentences]
        return summary_text(self.info, self.sentences, numbers, quoted=self.quoted)


@dataclass(frozen=True, slots=True)
class _Level:
    """What is summarised: the passages (level 0), or the sentences of the level below."""

    number: int
    total: int
    sentences: Sequence[SummarySentence] = ()


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Lines of a level that one request holds; hidden passages between them are left out."""

    first: int
    last: int
    lines: Sequence[Line]
    tokens: int


@dataclass(frozen=True, slots=True)
class _Work:
    """A summary that is being made; the parts are those in its language that are stored."""

    info: DocumentInfo
    language: str
    parts: Sequence[SummaryPart]
    begun: datetime

    def stored(self, level: _Level) -> list[SummaryPart]:
        """The parts of a level without a gap, from its first line on."""
        found: list[SummaryPart] = []
        for part in self.parts:
            follows = part.first == (found[-1].last + 1 if found else 0)
            if (part.level, part.total) == (level.number, level.total) and follows:
                found.append(part)
        return found


class DocumentSummaries:
    """Makes summaries and keeps them with their documents."""

    def __init__(
        self,
        *,
        model: LanguageModel,
        context: MainContext,
        archival: ArchivalStore,
        store: DocumentSummaryStore,
        history: MemoryHistory,
        clock: Clock,
    ) -> None:
        self._model = model
        self._context = context
        self._archival = archival
        self._store = store
        self._history = history
        self._clock = clock
        self._writer = SummaryWriter(model)
        reply = model.context_window // REPLY_PART // TOKENS_A_SENTENCE
        self._part_sentences = max(min(PART_SENTENCES, reply), FEWEST_SENTENCES)

    def summarise(
        self, info: DocumentInfo, cancel: threading.Event, *, language: str = ""
    ) -> Generator[PromptProgress | SummaryProgress, None, DocumentSummary]:
        """The summary of a document; what an earlier call has made of it is not made again.

        Args:
            info: The document.
            cancel: Stops it at the next token; the parts that are made stay.
            language: The English name of the language to write in; empty for the document's own.

        Raises:
            Cancelled: `cancel` was set.
            StoreError: Passages cannot be read, or parts not be stored.
        """
        stored = [p for p in self._store.parts(info.document_id) if p.language == language]
        work = _Work(info, language, stored, self._clock.now())
        level, quoted = _Level(0, info.passages), False
        while True:
            parts = yield from self._parts(level, work, cancel)
            sentences = [sentence for part in parts for sentence in part.sentences]
            quoted = quoted or any(part.quoted for part in parts)
            if len(parts) <= 1 or (level.number and len(sentences) >= level.total):
                return DocumentSummary(info, self._shown(sentences), quoted)
            level = _Level(level.number + 1, len(sentences), sentences)

    def _parts(
        self, level: _Level, work: _Work, cancel: threading.Event
    ) -> Generator[PromptProgress | SummaryProgress, None, list[SummaryPart]]:
        """The parts of a level: those that are stored, then the others."""
        parts = work.stored(level)
        begun_at = parts[-1].last + 1 if parts else 0
        for stretch in self._stretches(level, work.info, begun_at):
            if cancel.is_set():
                raise Cancelled
            yield self._progress(level, stretch, len(parts), begun_at, work)
            try:
                part = yield from self._part(level, stretch, work, cancel)
                self._store.add(work.info.document_id, part)
            except ModelError:
                log.warning("The model failed at a part of a document", exc_info=True)
                part = _part_of(level, stretch, (), self._part_sentences, work.language)
            parts.append(part)
        return parts

    def _part(
        self, level: _Level, stretch: _Stretch, work: _Work, cancel: threading.Event
    ) -> Generator[PromptProgress, None, SummaryPart]:
        """What one request makes of a stretch.

        Behind the prompt that the cache holds, where there is room for all of it: then the next
        reply finds the conversation still evaluated.
        """
        title, whole = work.info.record.title, stretch.first == 0 and _is_last(stretch, level)
        worth = max(stretch.tokens // TOKENS_FOR_A_SENTENCE, FEWEST_SENTENCES)
        most = min(worth, self._most() if whole else self._part_sentences)
        before = self._context.prompt() if whole else []
        if stretch.tokens > self._writer.room(before, title, most):
            before = []
        if stretch.tokens > self._writer.room(before, title, most):
            most = min(most, self._part_sentences)
        sentences = yield from self._writer.write(
            before, title, stretch.lines, most, work.language, cancel
        )
        return _part_of(level, stretch, sentences, most, work.language)

    def _stretches(self, level: _Level, info: DocumentInfo, first: int) -> Iterator[_Stretch]:
        """The rest of a level, from line `first` on, in stretches of one request each."""
        room = self._writer.room((), info.record.title, self._part_sentences)
        room = max(min(LONGEST_PART, room), TOKENS_A_SENTENCE)
        held: list[Line] = []
        used, last = 0, first - 1
        for position, line in self._lines(level, info, first):
            cost = self._writer.cost(line)
            if cost > room:
                line, cost = self._shortened(line, room), room  # noqa: PLW2901 - the same line
            if held and used + cost > room:
                yield _Stretch(first, last, held, used)
                held, used, first = [], 0, last + 1
            held.append(line)
            used, last = used + cost, position
        if held:
            yield _Stretch(first, level.total - 1, held, used)

    def _lines(self, level: _Level, info: DocumentInfo, first: int) -> Iterator[tuple[int, Line]]:
        """The lines from number `first` on, without what the person had forgotten."""
        if level.number:
            for position, said in enumerate(level.sentences[first:], first):
                yield position, Line(said.text, said.passage_id, said.location)
            return
        hidden = self._history.hidden_passages()
        for page in range(first // PASSAGES_READ + 1, ceil(info.passages / PASSAGES_READ) + 1):
            found = self._archival.document_passages(info.document_id, page, PASSAGES_READ)
            for hit in found.hits:
                if hit.position >= first and hit.passage_id not in hidden:
                    yield hit.position, Line(hit.passage.text, hit.passage_id, hit.passage.location)

    def _shortened(self, line: Line, room: int) -> Line:
        around = self._writer.cost(Line("", "", ""))
        text = cut_to_tokens(line.text, max(room - around, 1), self._model)
        return Line(text, line.passage_id, line.location)

    def _progress(
        self, level: _Level, stretch: _Stretch, done: int, begun_at: int, work: _Work
    ) -> SummaryProgress:
        """How far it is, with the time that the rest takes at the pace of this run."""
        left = level.total - stretch.first
        after = level.total - 1 - stretch.last
        read = stretch.first - begun_at
        elapsed = (self._clock.now() - work.begun).total_seconds()
        return SummaryProgress(
            work.info.document_id,
            work.info.record.title,
            part=done + 1,
            parts=done + 1 + ceil(after / (stretch.last - stretch.first + 1)),
            seconds_left=elapsed / read * left if read and not level.number else None,
            joining=level.number > 0,
        )

    def _shown(self, sentences: Sequence[SummarySentence]) -> tuple[SummarySentence, ...]:
        """As many as a reply holds, evenly, without those from what was forgotten since."""
        hidden = self._history.hidden_passages()
        left = [said for said in sentences if said.passage_id not in hidden]
        step = max(len(left) / self._most(), 1.0)
        return tuple(left[int(number * step)] for number in range(min(len(left), self._most())))

    def _most(self) -> int:
        """Sentences that a reply holds, so that it fits the queue like a result does."""
        in_budget = self._context.budget.result // TOKENS_A_SENTENCE
        return min(max(in_budget, FEWEST_SENTENCES), MOST_SENTENCES)


def _part_of(
    level: _Level,
    stretch: _Stretch,
    sentences: tuple[SummarySentence, ...],
    most: int,
    language: str,
) -> SummaryPart:
    """A stretch by these sentences, or by the document's own words where there are none."""
    return SummaryPart(
        level=level.number,
        first=stretch.first,
        last=stretch.last,
        total=level.total,
        sentences=sentences or quoted_from(stretch.lines, most),
        quoted=not sentences,
        language=language,
    )


def _is_last(stretch: _Stretch, level: _Level) -> bool:
    return stretch.last >= level.total - 1
