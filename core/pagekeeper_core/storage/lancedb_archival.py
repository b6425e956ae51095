"""Archival storage on LanceDB: documents and notes, searched by words and by meaning."""

import logging
import math
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from pagekeeper_core.errors import ModelError
from pagekeeper_core.messages import storable_text
from pagekeeper_core.protocols import Embedder
from pagekeeper_core.records import (
    ArchivalHit,
    DocumentInfo,
    DocumentRecord,
    InsertedNote,
    Passage,
    SearchPage,
)
from pagekeeper_core.storage.faults import ARCHIVE_ERRORS, archive_error
from pagekeeper_core.storage.lancedb_rows import (
    Row,
    document_of,
    document_row,
    hit_of,
    passage_row,
    storable_record,
)
from pagekeeper_core.storage.paging import page_offset, page_with
from pagekeeper_core.storage.rank_fusion import fuse_rankings
from pagekeeper_core.storage.search_terms import fingerprint, query_terms

if TYPE_CHECKING:
    from pagekeeper_core.storage.lancedb_tables import ArchiveTables

__all__ = ["LanceDBArchivalStore"]

# Measured on LoCoMo (759 questions on long dialogues) and Natural Questions (400 on encyclopedia
# passages), with weights of meaning of 0.5 and 0.7: recall at 5 is .54 to .55 and .91 to .92,
# against .42 and .93 by meaning alone, .54 and .87 by words alone.
_WORDS_WEIGHT = 1.0
_MEANING_WEIGHT = 0.6
_FUSION_CONSTANT = 20
_DEPTH = 100

# Cosine below which nothing is near in meaning: under 1 % of the right passages lie there, and up
# to 87 % of the others. Words find a passage whatever its vector says.
_LEAST_SIMILARITY = 0.1

_EMBEDDED_AT_ONCE = 64
_WRITTEN_AT_ONCE = 1000
_SHOWN = ["passage_id", "text", "location", "source", "created_at", "position"]

_log = logging.getLogger(__name__)


class LanceDBArchivalStore:
    """Passages with their vectors in a LanceDB folder. Callable from any thread.

    Making one touches no file; the tables are opened by `open` or by the first use. Embedding is
    done outside the lock, so that an import does not hold up a search.
    """

    def __init__(
        self, path: Path, embedder: Embedder, *, notice: Callable[[str], None] = _log.warning
    ) -> None:
        """Archive in `path`; `notice` is told what opening found damaged and how it was handled."""
        self._path = path
        self._embedder = embedder
        self._notice = notice
        self._index_made_anew = False
        self._lock = threading.RLock()
        self._opened: ArchiveTables | None = None
        self._is_tidy = False

    def open(self) -> None:
        """Open or create the tables now; takes over a second the first time in a process.

        Raises:
            StoreError: They cannot be opened, or hold the vectors of another embedder.
            ModelError: The embedder is missing.
        """
        with self._tables() as tables:
            tables.tidy()

    def close(self) -> None:
        """Tidy up and let go of the tables."""
        with self._lock:
            if self._opened is not None:
                self._opened.tidy()
                self._opened = None

    def tidy(self) -> None:
        """Index the vectors and merge small pieces of the tables, when that is worth the while.

        Does nothing while the archive is not open, or nothing came in since. Searches go on while
        the vectors are indexed for the first time.

        Raises:
            StoreError: The archive could not be read.
        """
        if self._opened is None or self._is_tidy:
            return
        self._is_tidy = True
        from pagekeeper_core.storage.lancedb_vectors import (  # noqa: PLC0415 - slow import
            index_vectors,
        )

        with self._tables() as tables:
            passages = tables.passages
        index_vectors(passages, self._path)
        with self._tables() as tables:
            tables.tidy()

    def insert_note(self, text: str, *, passage_id: str = "") -> InsertedNote:
        """Archive a note.

        Nothing is stored when it is blank or a note is there that differs from it in case, white
        space or punctuation only. With `passage_id` that is its identifier.

        Raises:
            StoreError: It could not be written; nothing was.
            ModelError: The embedder failed; nothing was written.
        """
        note = Passage(storable_text(text).strip())
        known = fingerprint(note.text)
        if not note.text:
            return InsertedNote("", "", is_new=False)
        there = self._note_like(known)
        if there is not None:
            return there
        (vector,) = self._embed([note.text])
        with self._tables() as tables:
            there = self._note_like(known)
            if there is not None:
                return there
            row = passage_row(note, vector, known=known, passage_id=passage_id)
            tables.passages.add([row])
            self._is_tidy = False
        return InsertedNote(row["passage_id"], note.text, is_new=True)

    def notes_like(self, text: str, count: int = 5) -> list[ArchivalHit]:
        """The notes that are nearest to a text in meaning, nearest first; the score is the cosine.

        One that differs in case, white space or sentence marks only comes first, with a score of 1.

        Raises:
            StoreError: The archive could not be read.
            ModelError: The embedder is missing or failed.
        """
        wanted = storable_text(text).strip()
        same = self._note_like(fingerprint(wanted)) if wanted else None
        first = self.passage(same.passage_id) if same else None
        if not wanted or (first is None and not self.count()):
            return []
        (vector,) = self._embed([wanted])
        with self._tables() as tables:
            rows = _nearest(tables, vector, count, where="document_id = ''")
        near = [hit_of(row, 1 - row["_distance"]) for row in rows]
        others = [hit for hit in near if first is None or hit.passage_id != first.passage_id]
        return [*([first] if first else []), *others][:count]

    def passage(self, passage_id: str) -> ArchivalHit | None:
        """The passage of that identifier with a score of 1; None if there is none.

        Raises:
            StoreError: The archive could not be read.
        """
        from pagekeeper_core.storage.lancedb_repair import quoted  # noqa: PLC0415 - slow import

        with self._tables() as tables:
            wanted = f"passage_id = {quoted(storable_text(passage_id))}"
            rows = tables.passages.search().where(wanted).select(_SHOWN).limit(1).to_list()
        return hit_of(rows[0], 1.0) if rows else None

    def identifiers(self, beginning: str) -> list[str]:
        """Identifiers of passages that begin so: the only one, or two where there are several.

        Raises:
            StoreError: The archive could not be read.
        """
        from pagekeeper_core.storage.lancedb_repair import quoted  # noqa: PLC0415 - slow import

        with self._tables() as tables:
            wanted = f"starts_with(passage_id, {quoted(storable_text(beginning))})"
            rows = tables.passages.search().where(wanted).select(["passage_id"]).limit(2).to_list()
        return [row["passage_id"] for row in rows]

    def notes(self) -> list[ArchivalHit]:
        """All notes, oldest first, each with a score of 1.

        Raises:
            StoreError: The archive could not be read.
        """
        with self._tables() as tables:
            rows = tables.passages.search().where("document_id = ''").select(_SHOWN).to_list()
        return sorted((hit_of(row, 1.0) for row in rows), key=lambda hit: hit.created_at)

    def add_document(
        self,
        record: DocumentRecord,
        passages: Sequence[Passage],
        *,
        vectors: Sequence[Sequence[float]] | None = None,
    ) -> DocumentInfo:
        """Archive a document, whole or not at all.

        A document with the same SHA-256 is there once: adding it again gives the first one back.

        Raises:
            StoreError: It could not be written; nothing was.
            ModelError: The embedder failed; nothing was written.
        """
        there = self.find_document(record.sha256)
        if there is not None:
            return there
        cleaned = [Passage(storable_text(p.text), storable_text(p.location)) for p in passages]
        if vectors is None:
            vectors = self._embed([passage.text for passage in cleaned])
        self._require_sound(vectors, len(cleaned))
        with self._tables() as tables:
            there = self.find_document(record.sha256)
            if there is not None:
                return there
            info = DocumentInfo(
                uuid4().hex, storable_record(record), len(cleaned), datetime.now(UTC)
            )
            try:
                _write_document(tables, info, cleaned, vectors)
            except BaseException:
                self._take_back(tables, info)
                raise
            tables.tidy()
            self._is_tidy = False
        return info

    def find_document(self, sha256: str) -> DocumentInfo | None:
        """The document with this content, if it is there."""
        from pagekeeper_core.storage.lancedb_repair import quoted  # noqa: PLC0415 - slow import

        with self._tables() as tables:
            rows = tables.documents.search().where(f"sha256 = {quoted(sha256)}").to_list()
        return document_of(rows[0]) if rows else None

    def passages_of(self, document_id: str) -> list[str]:
        """Identifiers of the passages of a document.

        Raises:
            StoreError: The archive could not be read.
        """
        from pagekeeper_core.storage.lancedb_repair import quoted  # noqa: PLC0415 - slow import

        with self._tables() as tables:
            wanted = f"document_id = {quoted(document_id)}"
            rows = tables.passages.search().where(wanted).select(["passage_id"]).to_list()
        return [row["passage_id"] for row in rows]

    def documents(self) -> list[DocumentInfo]:
        """All documents, newest first."""
        with self._tables() as tables:
            rows = tables.documents.search().to_list()
        return sorted(map(document_of, rows), key=lambda info: info.created_at, reverse=True)

    def count(self) -> int:
        """How many passages there are, notes included."""
        with self._tables() as tables:
            return int(tables.passages.count_rows())

    def search(
        self,
        queries: Sequence[str],
        *,
        page: int = 1,
        page_size: int = 5,
        hidden: Collection[str] = (),
        behind: Collection[str] = (),
    ) -> SearchPage[ArchivalHit]:
        """Passages that match any query in words or meaning, best first, newer first among equals.

        Raises:
            StoreError: The archive could not be read.
            ModelError: The embedder is missing or failed.
        """
        asked = [storable_text(query) for query in queries if query.strip()]
        if not asked or not self.count():
            return page_with((), page, page_size, 0)
        vectors = self._embed(asked)
        found: dict[str, Row] = {}
        rankings: list[tuple[float, list[str]]] = []
        with self._tables() as tables:
            for query, vector in zip(asked, vectors, strict=True):
                for weight, rows in (
                    (_WORDS_WEIGHT, self._words_found(tables, query)),
                    (_MEANING_WEIGHT, _by_meaning(tables, vector)),
                ):
                    found.update((row["passage_id"], row) for row in rows)
                    rankings.append((weight, [row["passage_id"] for row in rows]))
        scores = fuse_rankings(rankings, constant=_FUSION_CONSTANT)
        shown = {name: score for name, score in scores.items() if name not in hidden}
        return _page(found, shown, page, page_size, behind)

    def _words_found(self, tables: "ArchiveTables", query: str) -> list[Row]:
        """Passages with the words; none, and meaning alone finds, where their index is lost."""
        try:
            return _by_words(tables, query)
        except ARCHIVE_ERRORS as error:
            _log.warning("The archive's index of words cannot be read: %s", error)
        if self._index_made_anew:
            return []
        self._index_made_anew = True
        try:
            tables.index_words()
            return _by_words(tables, query)
        except ARCHIVE_ERRORS as error:
            _log.warning("The archive's index of words cannot be made anew: %s", error)
            return []

    @contextmanager
    def _tables(self) -> Iterator["ArchiveTables"]:
        """The tables, for this thread alone; what LanceDB raises becomes a StoreError."""
        from pagekeeper_core.storage.lancedb_tables import open_tables  # noqa: PLC0415 - slow import

        with self._lock:
            if self._opened is None:
                name, dimension = self._embedder.name, self._embedder.dimension
                self._opened = open_tables(self._path, name, dimension, self._notice)
            try:
                yield self._opened
            except ARCHIVE_ERRORS as error:
                raise archive_error(self._path, error, "read or written") from error

    def _take_back(self, tables: "ArchiveTables", info: DocumentInfo) -> None:
        """Remove a document that was not written whole: now, or else when the tables are next used.

        A full disk refuses this as it refused the document, and the first error is the one to tell.
        """
        try:
            tables.remove_unfinished()
        except ARCHIVE_ERRORS as error:
            _log.warning("A part of %s is still in the archive: %s", info.record.title, error)
            # Opening removes what is unfinished.
            self._opened = None

    def _note_like(self, known: str) -> InsertedNote | None:
        with self._tables() as tables:
            rows = tables.passages.search().where(f"fingerprint = '{known}'").limit(1).to_list()
        return InsertedNote(rows[0]["passage_id"], rows[0]["text"], is_new=False) if rows else None

    def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        vectors: list[list[float]] = []
        for start in range(0, len(texts), _EMBEDDED_AT_ONCE):
            vectors += self._embedder.embed(texts[start : start + _EMBEDDED_AT_ONCE])
        self._require_sound(vectors, len(texts))
        return vectors

    def _require_sound(self, vectors: Sequence[Sequence[float]], count: int) -> None:
        name, dimension = self._embedder.name, self._embedder.dimension
        if len(vectors) != count or any(len(vector) != dimension for vector in vectors):
            raise ModelError(f"The embedding model {name} gave vectors of a wrong length.")
        if not all(math.isfinite(value) for vector in vectors for value in vector):
            raise ModelError(f"The embedding model {name} gave vectors that are not numbers.")


def _write_document(
    tables: "ArchiveTables",
    info: DocumentInfo,
    passages: Sequence[Passage],
    vectors: Sequence[Sequence[float]],
) -> None:
    """Write the passages, then the row that says that they are all there."""
    for start in range(0, len(passages), _WRITTEN_AT_ONCE):
        part = range(start, min(start + _WRITTEN_AT_ONCE, len(passages)))
        rows = [passage_row(passages[n], vectors[n], info=info, position=n) for n in part]
        tables.passages.add(rows)
    tables.documents.add([document_row(info)])


def _by_words(tables: "ArchiveTables", query: str) -> list[Row]:
    from lancedb.query import MatchQuery  # noqa: PLC0415 - slow import

    terms = " ".join(query_terms(query))
    if not terms:
        return []
    search = tables.passages.search(MatchQuery(terms, "terms"), query_type="fts")
    rows: list[Row] = search.select([*_SHOWN, "_score"]).limit(_DEPTH).to_list()
    return rows


def _by_meaning(tables: "ArchiveTables", vector: Sequence[float]) -> list[Row]:
    rows = _nearest(tables, vector, _DEPTH)
    return [row for row in rows if 1 - row["_distance"] >= _LEAST_SIMILARITY]


def _nearest(
    tables: "ArchiveTables", vector: Sequence[float], count: int, *, where: str = ""
) -> list[Row]:
    from pagekeeper_core.storage.lancedb_vectors import (  # noqa: PLC0415 - slow import
        nearest_vectors,
    )

    search = nearest_vectors(tables.passages, vector, count, where)
    rows: list[Row] = search.select([*_SHOWN, "_distance"]).to_list()
    return rows


def _page(
    found: Mapping[str, Row],
    scores: Mapping[str, float],
    page: int,
    page_size: int,
    behind: Collection[str],
) -> SearchPage[ArchivalHit]:
    def rank(identifier: str) -> tuple[bool, float, float, int]:
        row = found[identifier]
        newest = -row["created_at"].timestamp()
        return identifier in behind, -scores[identifier], newest, row["position"]

    start = page_offset(page, page_size)
    best = sorted(scores, key=rank)[start : start + page_size]
    hits = [hit_of(found[identifier], scores[identifier]) for identifier in best]
    return page_with(hits, page, page_size, len(scores))
