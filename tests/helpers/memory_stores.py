"""Stores that live in memory: they pass the same contract tests as the real ones."""

import math
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from pagekeeper_core.messages import Message, MessageKind, storable_text
from pagekeeper_core.protocols import Embedder
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
from pagekeeper_core.storage.paging import page_offset, page_with
from pagekeeper_core.storage.search_terms import fingerprint, index_terms, query_terms


class HashEmbedder:
    """A bag of words as a vector: texts that share words are near. No model, no torch."""

    def __init__(self, dimension: int = 64, *, name: str = "hash", max_tokens: int = 256) -> None:
        self.name = name
        self.dimension = dimension
        self.max_tokens = max_tokens
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

    def read(self, first_seq: int, last_seq: int | None = None) -> list[Message]:
        last = self.count() if last_seq is None else last_seq
        return [message for message in self.messages if first_seq <= message.seq <= last]

    def read_last(self, count: int, *, before_seq: int | None = None) -> list[Message]:
        before = self.count() + 1 if before_seq is None else before_seq
        older = [message for message in self.messages if message.seq < before]
        return older[max(len(older) - count, 0) :] if count > 0 else []

    def count(self) -> int:
        return len(self.messages)

    def search(
        self,
        queries: Sequence[str],
        *,
        page: int = 1,
        page_size: int = 5,
        before_seq: int | None = None,
    ) -> SearchPage[RecallHit]:
        before = self.count() + 1 if before_seq is None else before_seq
        said = {message.seq: message.text for message in self._said() if message.seq < before}
        fused = fuse_by_rank([bm25(said, query) for query in queries])
        seqs = sorted(fused, key=lambda seq: (-fused[seq], -seq))
        start = page_offset(page, page_size)
        hits = [RecallHit(self.messages[s - 1], fused[s]) for s in seqs[start : start + page_size]]
        return page_with(hits, page, page_size, len(seqs))

    def search_dates(
        self, start: datetime, end: datetime, *, page: int = 1, page_size: int = 5
    ) -> SearchPage[RecallHit]:
        found = [message for message in self._said() if start <= message.created_at < end]
        found.sort(key=lambda message: (message.created_at, message.seq))
        first = page_offset(page, page_size)
        hits = [RecallHit(message, 1.0) for message in found[first : first + page_size]]
        return page_with(hits, page, page_size, len(found))

    def _said(self) -> list[Message]:
        kinds = {MessageKind.USER, MessageKind.ASSISTANT}
        return [message for message in self.messages if message.kind in kinds and message.text]


class MemoryStateStore:
    """Block edits and checkpoints as lists."""

    def __init__(self) -> None:
        self.edits: list[BlockEdit] = []
        self.checkpoints: list[QueueCheckpoint] = []

    def append_block_edit(self, edit: BlockEdit) -> BlockEdit:
        stored = replace(edit, edit_id=len(self.edits) + 1)
        self.edits.append(stored)
        return stored

    def block_edits(self, block: str | None = None) -> list[BlockEdit]:
        return [edit for edit in self.edits if block in {None, edit.block}]

    def current_blocks(self) -> dict[str, str]:
        return {edit.block: edit.after for edit in self.edits}

    def append_checkpoint(self, checkpoint: QueueCheckpoint) -> None:
        self.checkpoints.append(checkpoint)

    def latest_checkpoint(self) -> QueueCheckpoint | None:
        return self.checkpoints[-1] if self.checkpoints else None


class MemoryArchivalStore:
    """Archival storage as a list: words and vectors, fused by rank like the real one."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        self.embedder: Embedder = embedder or HashEmbedder()
        self.infos: list[DocumentInfo] = []
        self.entries: list[tuple[ArchivalHit, Sequence[float]]] = []

    def insert_note(self, text: str) -> bool:
        note = storable_text(text).strip()
        known = [hit.passage.text for hit, _ in self.entries if hit.source == "note"]
        if not note or any(fingerprint(note) == fingerprint(other) for other in known):
            return False
        self._add([Passage(note)], "note")
        return True

    def add_document(
        self,
        record: DocumentRecord,
        passages: Sequence[Passage],
        *,
        vectors: Sequence[Sequence[float]] | None = None,
    ) -> DocumentInfo:
        there = self.find_document(record.sha256)
        if there is not None:
            return there
        self._add(passages, record.title, vectors)
        info = DocumentInfo(str(len(self.infos) + 1), record, len(passages), datetime.now(UTC))
        self.infos.append(info)
        return info

    def find_document(self, sha256: str) -> DocumentInfo | None:
        return next((info for info in self.infos if info.record.sha256 == sha256), None)

    def documents(self) -> list[DocumentInfo]:
        return self.infos[::-1]

    def count(self) -> int:
        return len(self.entries)

    def search(
        self, queries: Sequence[str], *, page: int = 1, page_size: int = 5
    ) -> SearchPage[ArchivalHit]:
        asked = [query for query in queries if query.strip()]
        texts = {number: hit.passage.text for number, (hit, _) in enumerate(self.entries)}
        vectors = self.embedder.embed(asked)
        rankings = [bm25(texts, query) for query in asked]
        rankings += [self._by_meaning(vector) for vector in vectors]
        fused = fuse_by_rank(rankings)
        numbers = sorted(fused, key=lambda number: (-fused[number], -number))
        start = page_offset(page, page_size)
        hits = [
            replace(self.entries[number][0], score=fused[number])
            for number in numbers[start : start + page_size]
        ]
        return page_with(hits, page, page_size, len(numbers))

    def _add(
        self,
        passages: Sequence[Passage],
        source: str,
        vectors: Sequence[Sequence[float]] | None = None,
    ) -> None:
        vectors = vectors or self.embedder.embed([passage.text for passage in passages])
        for passage, vector in zip(passages, vectors, strict=True):
            cleaned = Passage(storable_text(passage.text), storable_text(passage.location))
            self.entries.append((ArchivalHit(cleaned, source, datetime.now(UTC), 0.0), vector))

    def _by_meaning(self, wanted: Sequence[float]) -> dict[int, float]:
        near = {
            number: sum(a * b for a, b in zip(wanted, vector, strict=True))
            for number, (_, vector) in enumerate(self.entries)
        }
        return {number: similarity for number, similarity in near.items() if similarity >= 0.1}


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
