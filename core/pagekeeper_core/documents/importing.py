"""Files and pasted texts into archival storage."""

import hashlib
import threading
from array import array
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pagekeeper_core.documents.file_faults import (
    no_text,
    require_file,
    unknown_kind,
    unreadable,
)
from pagekeeper_core.documents.formats import READERS
from pagekeeper_core.documents.reading import HEAD_BYTES, DocumentReader, PageText, SourceFile
from pagekeeper_core.documents.splitting import PassageSplitter
from pagekeeper_core.errors import Cancelled
from pagekeeper_core.messages import storable_text
from pagekeeper_core.protocols import ArchivalStore, Embedder
from pagekeeper_core.records import DocumentInfo, DocumentRecord, Passage

__all__ = ["DocumentImporter", "ImportFinished", "ImportProgress"]

_EMBEDDED_AT_ONCE = 16
_HASHED_AT_ONCE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How far an import has come.

    Attributes:
        stage: "reading", "indexing" or "saving".
        done: Pages read, or passages indexed.
        total: Of how many; 0 where that is not known.
    """

    stage: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class ImportFinished:
    """The document stands in archival storage.

    Attributes:
        info: The document there.
        already_there: Its very content had been archived before, perhaps by another name.
    """

    info: DocumentInfo
    already_there: bool


class DocumentImporter:
    """Reads, splits, embeds and archives one document at a time, whole or not at all."""

    def __init__(
        self,
        archival: ArchivalStore,
        embedder: Embedder,
        *,
        readers: Sequence[DocumentReader] | None = None,
    ) -> None:
        """Import into `archival`; the first of `readers` that accepts a file reads it."""
        self._archival = archival
        self._embedder = embedder
        self._readers = tuple(readers) if readers else READERS

    def import_file(
        self, path: Path, cancel: threading.Event, *, password: str = "", name: str = ""
    ) -> Iterator[ImportProgress | ImportFinished]:
        """Archive a file; the last value is ImportFinished.

        Args:
            path: The file.
            cancel: Stops the import when it is set.
            password: What opens a locked file.
            name: What the person calls it; by default the name that it has on disk.

        Raises:
            Cancelled: `cancel` was set; nothing of the document is archived.
            DocumentLocked: The file needs a password, or another one.
            DocumentError: The file cannot be read, and why.
            ModelError: The embedder failed.
            StoreError: The archive cannot be read or written.
        """
        yield ImportProgress("reading", 0, 0)
        try:
            source = SourceFile(path, name or path.name, password)
            reader = self._reader_of(source)
            sha256 = _sha256(path, cancel)
            there = self._archival.find_document(sha256)
            if there is not None:
                yield ImportFinished(there, already_there=True)
                return
            passages, pages = yield from self._read(reader.read(source), cancel)
        except OSError as error:
            raise unreadable(path, error) from error
        if not passages:
            raise no_text(source.name)
        title, place = storable_text(source.name), storable_text(str(path))
        record = DocumentRecord(title, reader.kind, sha256, place, pages)
        yield from self._archive(record, passages, cancel)

    def import_text(
        self, title: str, text: str, cancel: threading.Event
    ) -> Iterator[ImportProgress | ImportFinished]:
        """Archive a pasted text; the last value is ImportFinished.

        Raises:
            Cancelled: `cancel` was set; nothing of the text is archived.
            DocumentError: There is no text.
            ModelError: The embedder failed.
            StoreError: The archive cannot be read or written.
        """
        cleaned = storable_text(text)
        sha256 = hashlib.sha256(cleaned.encode()).hexdigest()
        there = self._archival.find_document(sha256)
        if there is not None:
            yield ImportFinished(there, already_there=True)
            return
        passages, _ = yield from self._read([PageText(cleaned, first_line=1)], cancel)
        if not passages:
            raise no_text(title)
        yield from self._archive(
            DocumentRecord(storable_text(title), "paste", sha256), passages, cancel
        )

    def _reader_of(self, source: SourceFile) -> DocumentReader:
        require_file(source.path)
        with source.path.open("rb") as file:
            head = file.read(HEAD_BYTES)
        for reader in self._readers:
            if reader.accepts(head, source):
                return reader
        raise unknown_kind(source.path, head)

    def _read(
        self, pages: Iterable[PageText], cancel: threading.Event
    ) -> Generator[ImportProgress, None, tuple[list[Passage], int]]:
        """The passages of all pages, and how many pages the document has."""
        splitter = PassageSplitter(self._embedder.count, self._embedder.max_tokens)
        passages: list[Passage] = []
        total = 0
        for done, page in enumerate(pages, start=1):
            _heed(cancel)
            cleaned = replace(page, text=storable_text(page.text), place=storable_text(page.place))
            passages.extend(splitter.split([cleaned]))
            total = page.pages
            yield ImportProgress("reading", page.page or done, total)
        return passages, total

    def _archive(
        self, record: DocumentRecord, passages: list[Passage], cancel: threading.Event
    ) -> Iterator[ImportProgress | ImportFinished]:
        # A list of floats would take eight times the memory: a long table has 30,000 passages.
        vectors: list[array[float]] = []
        for start in range(0, len(passages), _EMBEDDED_AT_ONCE):
            _heed(cancel)
            yield ImportProgress("indexing", start, len(passages))
            texts = [passage.text for passage in passages[start : start + _EMBEDDED_AT_ONCE]]
            vectors += [array("f", vector) for vector in self._embedder.embed(texts)]
        _heed(cancel)
        yield ImportProgress("saving", len(passages), len(passages))
        info = self._archival.add_document(record, passages, vectors=vectors)
        yield ImportFinished(info, already_there=False)


def _sha256(path: Path, cancel: threading.Event) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_HASHED_AT_ONCE):
            _heed(cancel)
            digest.update(block)
    return digest.hexdigest()


def _heed(cancel: threading.Event) -> None:
    if cancel.is_set():
        raise Cancelled
