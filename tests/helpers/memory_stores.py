"""Stores that live in memory: they pass the same contract tests as the real ones."""

import math
import threading
import zlib
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from pagekeeper_core.errors import StoreError
from pagekeeper_core.messages import Message, MessageKind, storable_text
from pagekeeper_core.protocols import EVERYTHING_SAID, Embedder
from pagekeeper_core.records import (
    ArchivalHit,
    BlockDefinition,
    DocumentInfo,
    DocumentRecord,
    ImportJob,
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
from pagekeeper_core.storage.paging import page_offset, page_with
from pagekeeper_core.storage.search_terms import fingerprint, index_terms, query_terms


class HashEmbedder:
    """A bag of words as a vector: texts that share words are near. No model, no torch."""

    def __init__(self, dimension: int = 64, *, name: str = "hash", max_tokens: int = 256) -> None:
        self.name = name
        self.dimension = dimension
        self.max_tokens = max_tokens
        self.is_loaded = True
        self.embedded = 0

    def count(self, text: str) -> int:
        return len(index_terms(text)) + 2

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.embedded += len(texts)
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        values = [0.0] * self.dimension
        for term, times in Counter(index_terms(text)).items():
            values[zlib.crc32(term.encode()) % self.dimension] += times
        length = math.sqrt(sum(value * value for value in values))
        if length == 0:
            return [1.0] + [0.0] * (self.dimension - 1)
        return [value / length for value in values]


class MemoryRecallStore:
    """Recall storage as a list."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def append(self, message: Message) -> Message:
        stored = replace(
            message,
            text=storable_text(message.text),
            prompt_text=storable_text(message.prompt_text),
            created_at=message.created_at.astimezone(UTC),
            seq=len(self.messages) + 1,
        )
        self.messages.append(stored)
        return stored

    def read(
        self, first_seq: int, last_seq: int | None = None, *, thread_id: int | None = None
    ) -> list[Message]:
        last = self.count() if last_seq is None else last_seq
        return [m for m in self._of(thread_id) if first_seq <= m.seq <= last]

    def read_last(
        self, count: int, *, before_seq: int | None = None, thread_id: int | None = None
    ) -> list[Message]:
        before = self.count() + 1 if before_seq is None else before_seq
        older = [message for message in self._of(thread_id) if message.seq < before]
        return older[max(len(older) - count, 0) :] if count > 0 else []

    def _of(self, thread_id: int | None) -> list[Message]:
        return [m for m in self.messages if thread_id in {None, m.thread_id}]

    def count(self) -> int:
        return len(self.messages)

    def search(
        self,
        queries: Sequence[str],
        *,
        where: RecallFilter = EVERYTHING_SAID,
        page: int = 1,
        page_size: int = 5,
    ) -> SearchPage[RecallHit]:
        said = {m.seq: m for m in self.messages if _is_admitted(m, where)}
        if not queries:
            return self._in_order_of_time(said, page, page_size)
        all_texts = {m.seq: m.text for m in self.messages if _is_said(m)}
        rankings = [
            self._with_beside({s: n for s, n in bm25(all_texts, query).items() if s in said})
            for query in queries
        ]
        fused = fuse_by_rank(rankings)
        seqs = sorted(fused, key=lambda seq: (-fused[seq], -seq))
        start = page_offset(page, page_size)
        hits = [RecallHit(said[s], fused[s]) for s in seqs[start : start + page_size]]
        return page_with(hits, page, page_size, len(seqs))

    def tidy(self, cancel: threading.Event) -> None:
        """There is nothing to arrange."""

    def _with_beside(self, scores: dict[int, float]) -> dict[int, float]:
        """Each score with half of its neighbours' in the same conversation."""
        raised = dict(scores)
        of_thread: dict[int, int] = {}
        for seq in sorted(scores):
            before = of_thread.get(self.messages[seq - 1].thread_id, 0)
            of_thread[self.messages[seq - 1].thread_id] = seq
            if before and seq - before <= 3:
                raised[seq] += scores[before] / 2
                raised[before] += scores[seq] / 2
        return {seq: round(score, 9) for seq, score in raised.items()}

    def _in_order_of_time(
        self, said: dict[int, Message], page: int, page_size: int
    ) -> SearchPage[RecallHit]:
        found = sorted(said.values(), key=lambda message: (message.created_at, message.seq))
        first = page_offset(page, page_size)
        hits = [RecallHit(message, 1.0) for message in found[first : first + page_size]]
        return page_with(hits, page, page_size, len(found))


def _is_said(message: Message) -> bool:
    return message.kind in {MessageKind.USER, MessageKind.ASSISTANT} and bool(message.text)


def _is_admitted(message: Message, where: RecallFilter) -> bool:
    start = where.start or datetime.min.replace(tzinfo=UTC)
    end = where.end or datetime.max.replace(tzinfo=UTC)
    return (
        _is_said(message)
        and where.speaker in {None, message.kind}
        and start <= message.created_at < end
        and not (where.outside and where.outside[0] <= message.created_at < where.outside[1])
        and where.thread_id in {None, message.thread_id}
        and (where.before_seq is None or message.seq < where.before_seq)
        and not (
            where.seen is not None
            and message.thread_id == where.seen[0]
            and message.seq >= where.seen[1]
        )
        and message.seq not in where.hidden
    )


class MemoryStateStore:
    """Changes of memory and checkpoints as lists."""

    def __init__(self) -> None:
        self.history: list[MemoryChange] = []
        self.made: dict[str, BlockDefinition] = {}
        self.checkpoints: list[QueueCheckpoint] = []

    def append_change(self, change: MemoryChange) -> MemoryChange:
        stored = replace(
            change,
            before=storable_text(change.before),
            after=storable_text(change.after),
            at=change.at.astimezone(UTC),
            change_id=len(self.history) + 1,
        )
        self.history.append(stored)
        return stored

    def changes(self, target: Target | None = None) -> list[MemoryChange]:
        return [change for change in self.history if target in {None, change.target}]

    def newest_changes(self, kind: TargetKind) -> dict[str, MemoryChange]:
        return {c.target.name: c for c in self.history if c.target.kind is kind}

    def current_blocks(self) -> dict[str, str]:
        return {name: c.after for name, c in self.newest_changes(TargetKind.BLOCK).items()}

    def append_block(self, block: BlockDefinition) -> None:
        self.made[block.name] = block

    def made_blocks(self) -> list[BlockDefinition]:
        return list(self.made.values())

    def append_checkpoint(self, checkpoint: QueueCheckpoint) -> None:
        self.checkpoints.append(checkpoint)

    def latest_checkpoint(self, thread_id: int = 1) -> QueueCheckpoint | None:
        of_thread = [c for c in self.checkpoints if c.thread_id == thread_id]
        return of_thread[-1] if of_thread else None


class MemoryThreadStore:
    """Threads as a list; reads the messages of a recall store."""

    def __init__(self, recall: MemoryRecallStore) -> None:
        self._recall = recall
        now = datetime(2026, 1, 1, tzinfo=UTC)
        self._threads = [Thread(1, "", now, now)]

    def create(self, at: datetime, title: str = "") -> Thread:
        moment = at.astimezone(UTC)
        title = " ".join(storable_text(title).split())
        self._threads.append(Thread(len(self._threads) + 1, title, moment, moment))
        return self._threads[-1]

    def get(self, thread_id: int) -> Thread:
        if not 1 <= thread_id <= len(self._threads):
            raise StoreError(f"There is no conversation {thread_id}.")
        thread = self._threads[thread_id - 1]
        newest = self._recall.read_last(1, thread_id=thread_id)
        return replace(thread, last_at=newest[0].created_at) if newest else thread

    def threads(self, *, archived: bool = False) -> list[Thread]:
        listed = [self.get(thread.thread_id) for thread in self._threads]
        shown = [thread for thread in listed if archived or not thread.archived]
        return sorted(shown, key=lambda thread: (thread.last_at, thread.thread_id), reverse=True)

    def rename(self, thread_id: int, title: str) -> Thread:
        title = " ".join(storable_text(title).split())
        self._threads[thread_id - 1] = replace(self.get(thread_id), title=title)
        return self.get(thread_id)

    def archive(self, thread_id: int, *, archived: bool = True) -> Thread:
        self._threads[thread_id - 1] = replace(self.get(thread_id), archived=archived)
        return self.get(thread_id)


class MemoryProposalStore:
    """Proposals as a list."""

    def __init__(self) -> None:
        self.all: list[Proposal] = []
        self._read_until = 0

    def add(self, proposal: Proposal) -> Proposal:
        stored = replace(
            proposal,
            before=storable_text(proposal.before),
            after=storable_text(proposal.after),
            reason=storable_text(proposal.reason),
            at=proposal.at.astimezone(UTC),
            state=ProposalState.OPEN,
            proposal_id=len(self.all) + 1,
        )
        self.all.append(stored)
        return stored

    def proposals(self, state: ProposalState = ProposalState.OPEN) -> list[Proposal]:
        return [proposal for proposal in self.all if proposal.state is state]

    def decide(self, proposal_id: int, state: ProposalState, at: datetime) -> None:
        if not 1 <= proposal_id <= len(self.all):
            raise StoreError(f"There is no proposal {proposal_id}.")
        known = self.all[proposal_id - 1]
        if known.state is not ProposalState.OPEN:
            raise StoreError(f"Proposal {proposal_id} is decided already: {known.state}.")
        self.all[proposal_id - 1] = replace(known, state=state)

    def read_until(self) -> int:
        return self._read_until

    def mark_read(self, seq: int, at: datetime) -> None:
        self._read_until = max(self._read_until, seq)


class MemoryReminderStore:
    """Reminders as a list, with the moment at which each is due next."""

    def __init__(self) -> None:
        self.reminders: list[Reminder] = []
        self.due: dict[int, datetime | None] = {}

    def add(self, reminder: Reminder) -> Reminder:
        stored = replace(
            reminder,
            text=storable_text(reminder.text),
            due_at=reminder.due_at.astimezone(UTC),
            created_at=reminder.created_at.astimezone(UTC),
            reminder_id=len(self.reminders) + 1,
        )
        self.reminders.append(stored)
        self.due[stored.reminder_id] = stored.due_at
        return stored

    def active(self) -> list[Reminder]:
        pending = [
            replace(reminder, due_at=due)
            for reminder in self.reminders
            if (due := self.due[reminder.reminder_id])
        ]
        return sorted(pending, key=lambda reminder: (reminder.due_at, reminder.reminder_id))

    def fired(self, reminder_id: int, at: datetime, next_due: datetime | None) -> None:
        if not self.due.get(reminder_id):
            raise StoreError(f"There is no reminder {reminder_id} that will still fire.")
        self.due[reminder_id] = next_due

    def cancel(self, reminder_id: int, at: datetime, actor: str) -> None:
        self.fired(reminder_id, at, None)


class MemorySummaryStore:
    """Parts of summaries as lists."""

    def __init__(self) -> None:
        self.made: dict[str, list[SummaryPart]] = {}

    def parts(self, document_id: str) -> list[SummaryPart]:
        return list(self.made.get(document_id, ()))

    def add(self, document_id: str, part: SummaryPart) -> None:
        self.made.setdefault(document_id, []).append(part)

    def delete(self, document_id: str) -> None:
        self.made.pop(document_id, None)

    def documents(self) -> list[str]:
        return sorted(self.made)


class MemoryDocumentNews:
    """Documents to speak of, with whether that is done; what came before `since` is no news."""

    def __init__(self, since: datetime | None = None) -> None:
        self.is_pending: dict[str, bool] = {}
        self._since = since or datetime.max.replace(tzinfo=UTC)

    def add(self, document_id: str, at: datetime, *, pending: bool) -> None:
        self.is_pending.setdefault(document_id, pending)

    def pending(self) -> list[str]:
        return [document_id for document_id, pending in self.is_pending.items() if pending]

    def told(self, document_ids: Sequence[str], at: datetime) -> None:
        for document_id in document_ids:
            if document_id in self.is_pending:
                self.is_pending[document_id] = False

    def missed(self, documents: Sequence[DocumentInfo]) -> list[DocumentInfo]:
        new = [
            d
            for d in documents
            if d.document_id not in self.is_pending and d.created_at > self._since
        ]
        return sorted(new, key=lambda document: document.created_at)


class MemoryArchivalStore:
    """Archival storage as a list: words and vectors, fused by rank like the real one."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        self.embedder: Embedder = embedder or HashEmbedder()
        self.infos: list[DocumentInfo] = []
        self.passage_ids: dict[str, list[str]] = {}
        self.entries: list[tuple[ArchivalHit, Sequence[float]]] = []
        self._documents_made = 0
        self._passages_made = 0

    def insert_note(self, text: str, *, passage_id: str = "") -> InsertedNote:
        note = storable_text(text).strip()
        if not note:
            return InsertedNote("", "", is_new=False)
        for known in self.notes():
            if fingerprint(note) == fingerprint(known.passage.text):
                return InsertedNote(known.passage_id, known.passage.text, is_new=False)
        self._add([Passage(note)], "note", passage_id=passage_id)
        return InsertedNote(self.entries[-1][0].passage_id, note, is_new=True)

    def notes_like(self, text: str, count: int = 5) -> list[ArchivalHit]:
        wanted = storable_text(text).strip()
        if not wanted:
            return []
        (vector,) = self.embedder.embed([wanted])
        near = [
            replace(hit, score=_cosine(vector, other))
            for hit, other in self.entries
            if hit.source == "note"
        ]
        same = {h.passage_id for h in near if fingerprint(h.passage.text) == fingerprint(wanted)}
        scored = [replace(hit, score=1.0) if hit.passage_id in same else hit for hit in near]
        scored.sort(key=lambda hit: (hit.passage_id not in same, -hit.score))
        return scored[:count]

    def passage(self, passage_id: str) -> ArchivalHit | None:
        found = (hit for hit, _ in self.entries if hit.passage_id == passage_id)
        return next((replace(hit, score=1.0) for hit in found), None)

    def identifiers(self, beginning: str) -> list[str]:
        found = [hit.passage_id for hit, _ in self.entries if hit.passage_id.startswith(beginning)]
        return found[:2]

    def tidy(self) -> None:
        """There is nothing to arrange."""

    def notes(self) -> list[ArchivalHit]:
        return [replace(hit, score=1.0) for hit, _ in self.entries if hit.source == "note"]

    def add_document(
        self,
        record: DocumentRecord,
        passages: Sequence[Passage],
        *,
        vectors: Sequence[Sequence[float]] | None = None,
        replaces: str = "",
    ) -> DocumentInfo:
        there = self.find_document(record.sha256)
        if there is not None and there.document_id != replaces:
            return there
        document_id = str(self._documents_made + 1)
        self._documents_made += 1
        before = len(self.entries)
        self._add(passages, record.title, vectors, document_id=document_id)
        info = DocumentInfo(document_id, record, len(passages), datetime.now(UTC))
        self.infos.append(info)
        added = [hit.passage_id for hit, _ in self.entries[before:]]
        self.passage_ids[info.document_id] = added
        self.delete_document(replaces)
        return info

    def draft(self, record: DocumentRecord) -> "MemoryDraft":
        return MemoryDraft(self, record)

    def passages_of(self, document_id: str) -> list[str]:
        return self.passage_ids.get(document_id, [])

    def documents_at(self, path: str) -> list[DocumentInfo]:
        return [info for info in self.documents() if info.record.path == path]

    def document(self, document_id: str) -> DocumentInfo | None:
        return next((info for info in self.infos if info.document_id == document_id), None)

    def delete_document(self, document_id: str) -> None:
        if self.passage_ids.pop(document_id, None) is not None:
            self.infos = [info for info in self.infos if info.document_id != document_id]
            self.entries = [e for e in self.entries if e[0].document_id != document_id]

    def passages_around(self, passage_id: str, before: int, after: int) -> list[ArchivalHit]:
        hit = self.passage(passage_id)
        if hit is None or not hit.document_id:
            return [hit] if hit else []
        first = max(hit.position - max(before, 0), 0)
        return self._in_order(hit.document_id)[first : hit.position + max(after, 0) + 1]

    def document_passages(
        self, document_id: str, page: int = 1, page_size: int = 20
    ) -> SearchPage[ArchivalHit]:
        hits = self._in_order(document_id)
        start = page_offset(page, page_size)
        return page_with(hits[start : start + page_size], page, page_size, len(hits))

    def _in_order(self, document_id: str) -> list[ArchivalHit]:
        hits = [replace(hit, score=1.0) for hit, _ in self.entries]
        return [hit for hit in hits if document_id and hit.document_id == document_id]

    def find_document(self, sha256: str) -> DocumentInfo | None:
        return next((info for info in self.infos if info.record.sha256 == sha256), None)

    def documents(self) -> list[DocumentInfo]:
        return self.infos[::-1]

    def count(self) -> int:
        return len(self.entries)

    def search(
        self,
        queries: Sequence[str],
        *,
        page: int = 1,
        page_size: int = 5,
        hidden: Collection[str] = (),
        behind: Collection[str] = (),
    ) -> SearchPage[ArchivalHit]:
        asked = [query for query in queries if query.strip()]
        texts = {number: hit.passage.text for number, (hit, _) in enumerate(self.entries)}
        vectors = self.embedder.embed(asked)
        rankings = [bm25(texts, query) for query in asked]
        rankings += [self._by_meaning(vector) for vector in vectors]
        fused = {
            number: score
            for number, score in fuse_by_rank(rankings).items()
            if self.entries[number][0].passage_id not in hidden
        }
        last = {n for n, (hit, _) in enumerate(self.entries) if hit.passage_id in behind}
        numbers = sorted(fused, key=lambda number: (number in last, -fused[number], -number))
        start = page_offset(page, page_size)
        hits = [
            replace(
                self.entries[number][0],
                score=fused[number],
                similarity=max(_cosine(vector, self.entries[number][1]) for vector in vectors),
            )
            for number in numbers[start : start + page_size]
        ]
        return page_with(hits, page, page_size, len(numbers))

    def _add(
        self,
        passages: Sequence[Passage],
        source: str,
        vectors: Sequence[Sequence[float]] | None = None,
        *,
        passage_id: str = "",
        document_id: str = "",
    ) -> None:
        vectors = vectors or self.embedder.embed([passage.text for passage in passages])
        for position, (passage, vector) in enumerate(zip(passages, vectors, strict=True)):
            cleaned = Passage(storable_text(passage.text), storable_text(passage.location))
            name = passage_id or f"p{self._passages_made}"
            self._passages_made += 1
            hit = ArchivalHit(
                cleaned,
                source,
                datetime.now(UTC),
                0.0,
                name,
                document_id=document_id,
                position=position,
            )
            self.entries.append((hit, vector))

    def _by_meaning(self, wanted: Sequence[float]) -> dict[int, float]:
        near = {number: _cosine(wanted, vector) for number, (_, vector) in enumerate(self.entries)}
        return {number: similarity for number, similarity in near.items() if similarity >= 0.1}


class MemoryImportJobStore:
    """Import jobs as a list."""

    def __init__(self) -> None:
        self.all: list[ImportJob] = []

    def add(self, jobs: Sequence[ImportJob]) -> list[ImportJob]:
        batch = max((job.batch for job in self.all), default=0) + 1
        first = len(self.all) + 1
        stored = [replace(j, job_id=n, batch=batch) for n, j in enumerate(jobs, start=first)]
        self.all += stored
        return stored

    def change(self, job: ImportJob) -> None:
        self.all[job.job_id - 1] = job

    def open_jobs(self) -> list[ImportJob]:
        return [job for job in self.all if job.is_open]

    def newest(self, count: int) -> list[ImportJob]:
        return self.all[::-1][:count]

    def newest_by_path(self) -> dict[str, ImportJob]:
        return {job.path: job for job in self.all if not job.pasted}


class MemoryDraft:
    """A document that is being archived, as a list."""

    def __init__(self, store: MemoryArchivalStore, record: DocumentRecord) -> None:
        self._store = store
        self._record = record
        self._passages: list[Passage] = []
        self._vectors: list[Sequence[float]] = []

    def add(
        self, passages: Sequence[Passage], vectors: Sequence[Sequence[float]] | None = None
    ) -> None:
        texts = [passage.text for passage in passages]
        self._vectors += self._store.embedder.embed(texts) if vectors is None else vectors
        self._passages += passages

    def finish(self, *, pages: int | None = None, replaces: str = "") -> DocumentInfo:
        record = self._record if pages is None else replace(self._record, pages=pages)
        return self._store.add_document(
            record, self._passages, vectors=self._vectors, replaces=replaces
        )

    def discard(self) -> None:
        self._passages = []


def _cosine(first: Sequence[float], second: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(first, second, strict=True))


def bm25(texts: dict[int, str], query: str) -> dict[int, float]:
    """Scores of the texts that hold a term of the query."""
    counts = {key: Counter(index_terms(text)) for key, text in texts.items()}
    mean = sum(count.total() for count in counts.values()) / max(len(counts), 1)
    scores: dict[int, float] = {}
    for term in query_terms(query):
        having = [key for key, count in counts.items() if term in count]
        weight = math.log(1 + (len(texts) - len(having) + 0.5) / (len(having) + 0.5))
        for key in having:
            times, length = counts[key][term], counts[key].total()
            part = times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length / mean))
            scores[key] = round(scores.get(key, 0.0) + weight * part, 9)
    return scores


def fuse_by_rank(rankings: Sequence[dict[int, float]]) -> dict[int, float]:
    """Reciprocal rank fusion; equal scores share a place."""
    fused: dict[int, float] = {}
    for scores in rankings:
        for key, score in scores.items():
            place = 1 + sum(other > score for other in scores.values())
            fused[key] = round(fused.get(key, 0.0) + 1 / (60 + place), 9)
    return fused
