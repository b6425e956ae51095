"""Archival storage on LanceDB: documents and notes, searched by words and by meaning."""

import logging
import math
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pagekeeper_core.errors import ModelError
from pagekeeper_core.messages import storable_text
from pagekeeper_core.protocols import Embedder
from pagekeeper_core.records import (
    ArchivalHit,
    DocumentInfo,
    DocumentRecord,
    InsertedNote,
    Passage,
    Retrieval,
    SearchPage,
)
from pagekeeper_core.storage.faults import ARCHIVE_ERRORS, archive_error
from pagekeeper_core.storage.lancedb_documents import (
    around,
    delete_document,
    document_with,
    documents_in,
    passages_in_order,
    put_document,
)
from pagekeeper_core.storage.lancedb_draft import LanceDBDraft, remove_drafts
from pagekeeper_core.storage.lancedb_rows import (
    SHOWN,
    Row,
    hit_of,
    passage_row,
    quoted,
    stored_path,
)
from pagekeeper_core.storage.lancedb_search import by_meaning, by_words, fused_page, nearest
from pagekeeper_core.storage.paging import page_with
from pagekeeper_core.storage.search_terms import fingerprint

if TYPE_CHECKING:
    from pagekeeper_core.storage.lancedb_tables import ArchiveTables

__all__ = ["LanceDBArchivalStore"]

_EMBEDDED_AT_ONCE = 64

_log = logging.getLogger(__name__)


def _nothing_kept_beside(document_id: str) -> None:
    """Let a document go of which nothing is kept elsewhere."""


class LanceDBArchivalStore:
    """Passages with their vectors in a LanceDB folder. Callable from any thread.

    Making one touches no file; the tables are opened by `open` or by the first use. Embedding is
    done outside the lock, so that an import does not hold up a search.
    """

    def __init__(
        self,
        path: Path,
        embedder: Embedder,
        *,
        notice: Callable[[str], None] = _log.warning,
        retrieval: Retrieval = Retrieval.HYBRID,
        gone: Callable[[str], None] = _nothing_kept_beside,
    ) -> None:
        """Archive in `path`.

        Args:
            path: The folder.
            embedder: Makes the vectors.
            notice: Is told what opening found damaged and how it was handled.
            retrieval: What a search goes by.
            gone: Is told of a document that is deleted or replaced, before its text is erased: what
                is kept of it elsewhere goes with it.
        """
        self._gone = gone
        self._path = path
        self._embedder = embedder
        self._notice = notice
        self._goes_by_words = retrieval is not Retrieval.VECTORS
        self._goes_by_meaning = retrieval is not Retrieval.WORDS
        self._index_made_anew = False
        self._lock = threading.RLock()
        self._opened: ArchiveTables | None = None
        self._is_tidy = False
        self._was_open = False

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
            rows = nearest(tables, vector, count, where="document_id = ''")
        near = [hit_of(row, 1 - row["_distance"]) for row in rows]
        others = [hit for hit in near if first is None or hit.passage_id != first.passage_id]
        return [*([first] if first else []), *others][:count]

    def passage(self, passage_id: str) -> ArchivalHit | None:
        """The passage of that identifier with a score of 1; None if there is none.

        Raises:
            StoreError: The archive could not be read.
        """
        with self._tables() as tables:
            wanted = f"passage_id = {quoted(storable_text(passage_id))}"
            rows = tables.passages.search().where(wanted).select(SHOWN).limit(1).to_list()
        return hit_of(rows[0], 1.0) if rows else None

    def identifiers(self, beginning: str) -> list[str]:
        """Identifiers of passages that begin so: the only one, or two where there are several.

        Raises:
            StoreError: The archive could not be read.
        """
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
            rows = tables.passages.search().where("document_id = ''").select(SHOWN).to_list()
        return sorted((hit_of(row, 1.0) for row in rows), key=lambda hit: hit.created_at)

    def add_document(
        self,
        record: DocumentRecord,
        passages: Sequence[Passage],
        *,
        vectors: Sequence[Sequence[float]] | None = None,
        replaces: str = "",
    ) -> DocumentInfo:
        """Archive a document, whole or not at all, in place of another or of none.

        A document with the same SHA-256 is there once: adding it again gives the first one back.

        Raises:
            StoreError: It could not be written; nothing was.
            ModelError: The embedder failed; nothing was written.
        """
        there = self.find_document(record.sha256)
        if there is not None and there.document_id != replaces:
            return there
        draft = self.draft(record)
        try:
            draft.add(passages, vectors)
            return draft.finish(replaces=replaces)
        finally:
            draft.discard()

    def draft(self, record: DocumentRecord) -> LanceDBDraft:
        """Begin a document that is too long to stand in memory whole.

        Raises:
            StoreError: The archive could not be read.
        """
        with self._tables() as tables:
            schema = tables.passages.schema
        return LanceDBDraft(
            self._path, record, schema, vectors_of=self._vectors_of, archive=self._archive
        )

    def find_document(self, sha256: str) -> DocumentInfo | None:
        """The document with this content, if it is there."""
        with self._tables() as tables:
            return document_with(tables, "sha256", sha256)

    def documents_at(self, path: str) -> list[DocumentInfo]:
        """The documents that came from there: one, or those of an archive."""
        with self._tables() as tables:
            return documents_in(tables, f"path = {quoted(stored_path(path))}")

    def document(self, document_id: str) -> DocumentInfo | None:
        """The document of that identifier; None if there is none."""
        with self._tables() as tables:
            return document_with(tables, "document_id", storable_text(document_id))

    def delete_document(self, document_id: str) -> None:
        """Take a document out with all its passages, and its text from the files on disk.

        Raises:
            StoreError: It could not be deleted. Where only its text could not be erased yet, the
                next opening erases it.
        """
        with self._tables() as tables:
            if document_with(tables, "document_id", storable_text(document_id)) is not None:
                self._gone(document_id)
                delete_document(tables, document_id)

    def passages_around(self, passage_id: str, before: int, after: int) -> list[ArchivalHit]:
        """A document's passage among so many before and after it, in reading order.

        Raises:
            StoreError: The archive could not be read.
        """
        hit = self.passage(passage_id)
        with self._tables() as tables:
            return around(tables, hit, before, after) if hit else []

    def document_passages(
        self, document_id: str, page: int = 1, page_size: int = 20
    ) -> SearchPage[ArchivalHit]:
        """The passages of a document in reading order, each with a score of 1.

        Raises:
            StoreError: The archive could not be read.
        """
        with self._tables() as tables:
            info = document_with(tables, "document_id", storable_text(document_id))
            if info is None:
                return page_with((), page, page_size, 0)
            return passages_in_order(tables, info, page, page_size)

    def passages_of(self, document_id: str) -> list[str]:
        """Identifiers of the passages of a document.

        Raises:
            StoreError: The archive could not be read.
        """
        with self._tables() as tables:
            wanted = f"document_id = {quoted(document_id)}"
            rows = tables.passages.search().where(wanted).select(["passage_id"]).to_list()
        return [row["passage_id"] for row in rows]

    def documents(self) -> list[DocumentInfo]:
        """All documents, newest first."""
        with self._tables() as tables:
            return documents_in(tables)

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
        with self._tables() as tables:
            found = [
                (
                    self._words_found(tables, query) if self._goes_by_words else [],
                    by_meaning(tables, vector) if self._goes_by_meaning else [],
                )
                for query, vector in zip(asked, vectors, strict=True)
            ]
            return fused_page(tables, vectors, found, page, page_size, hidden, behind)

    def _words_found(self, tables: "ArchiveTables", query: str) -> list[Row]:
        """Passages with the words; none, and meaning alone finds, where their index is lost."""
        try:
            return by_words(tables, query)
        except ARCHIVE_ERRORS as error:
            _log.warning("The archive's index of words cannot be read: %s", error)
        if self._index_made_anew:
            return []
        self._index_made_anew = True
        try:
            tables.index_words()
            return by_words(tables, query)
        except ARCHIVE_ERRORS as error:
            _log.warning("The archive's index of words cannot be made anew: %s", error)
            return []

    @contextmanager
    def _tables(self) -> Iterator["ArchiveTables"]:
        """The tables, for this thread alone; what LanceDB raises becomes a StoreError."""
        with self._lock:
            if self._opened is None:
                self._opened = self._open_tables()
            try:
                yield self._opened
            except ARCHIVE_ERRORS as error:
                raise archive_error(self._path, error, "read or written") from error

    def _open_tables(self) -> "ArchiveTables":
        """Open them, and clear away what a kill left."""
        from pagekeeper_core.storage.lancedb_erasure import (  # noqa: PLC0415 - slow import
            finish_erasing,
        )
        from pagekeeper_core.storage.lancedb_tables import open_tables  # noqa: PLC0415 - slow import

        if not self._was_open:
            remove_drafts(self._path)
        name, dimension = self._embedder.name, self._embedder.dimension
        tables = open_tables(self._path, name, dimension, self._notice)
        self._was_open = True
        try:
            finish_erasing(tables)
        except ARCHIVE_ERRORS as error:
            _log.warning("Deleted documents are not erased from the files yet: %s", error)
        return tables

    def _archive(self, info: DocumentInfo, passages: Path, replaces: str) -> DocumentInfo:
        """Put in a document whose passages lie in a file, unless its content is there already."""
        with self._tables() as tables:
            there = document_with(tables, "sha256", info.record.sha256)
            if there is not None and there.document_id != replaces:
                return there
            if replaces:
                self._gone(replaces)
            try:
                put_document(tables, info, passages, replaces)
            except BaseException:
                self._take_back(tables, info)
                raise
            tables.tidy()
            self._is_tidy = False
        return info

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

    def _vectors_of(
        self, passages: Sequence[Passage], vectors: Sequence[Sequence[float]] | None
    ) -> Sequence[Sequence[float]]:
        if vectors is None:
            return self._embed([passage.text for passage in passages])
        self._require_sound(vectors, len(passages))
        return vectors

    def _require_sound(self, vectors: Sequence[Sequence[float]], count: int) -> None:
        name, dimension = self._embedder.name, self._embedder.dimension
        if len(vectors) != count or any(len(vector) != dimension for vector in vectors):
            raise ModelError(f"The embedding model {name} gave vectors of a wrong length.")
        if not all(math.isfinite(value) for vector in vectors for value in vector):
            raise ModelError(f"The embedding model {name} gave vectors that are not numbers.")
