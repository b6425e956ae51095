"""Files and pasted texts into archival storage."""

import hashlib
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pagekeeper_core.documents.file_faults import no_text, require_file, unreadable
from pagekeeper_core.documents.files_below import last_change
from pagekeeper_core.documents.reader_process import ReaderProcess
from pagekeeper_core.documents.reading import PageText, SourceFile, title_of
from pagekeeper_core.documents.splitting import PassageSplitter
from pagekeeper_core.errors import Cancelled, DocumentError
from pagekeeper_core.messages import storable_text
from pagekeeper_core.protocols import ArchivalStore, DocumentDraft, Embedder
from pagekeeper_core.records import DocumentInfo, DocumentRecord, Passage

__all__ = ["DocumentImporter", "ImportFinished", "ImportProgress"]

_EMBEDDED_AT_ONCE = 16
_HASHED_AT_ONCE = 1024 * 1024
_MOST_FAULTS = 20
_TOLD_FAULTS = 3


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How far an import has come.

    Attributes:
        stage: "reading" or "saving".
        done: Pages read so far, or blocks where there are no pages.
        total: Of how many; 0 where that is not known.
        passages: Passages made and indexed so far.
    """

    stage: str
    done: int
    total: int
    passages: int = 0


@dataclass(frozen=True, slots=True)
class ImportFinished:
    """The document stands in archival storage.

    Attributes:
        info: The document there.
        already_there: Its very content had been archived before, perhaps by another name.
        faults: What of it could not be read, a sentence each, the first few.
    """

    info: DocumentInfo
    already_there: bool
    faults: tuple[str, ...] = ()

    @property
    def missing(self) -> str:
        """What of it could not be read, in words; empty where all could."""
        if not self.faults:
            return ""
        more = " There is more that could not be read." if len(self.faults) > _TOLD_FAULTS else ""
        return f"Not all of it could be read: {' '.join(self.faults[:_TOLD_FAULTS])}{more}"


class DocumentImporter:
    """Reads, splits, embeds and archives one document at a time, whole or not at all."""

    def __init__(
        self,
        archival: ArchivalStore,
        embedder: Embedder,
        *,
        files: ReaderProcess | None = None,
    ) -> None:
        """Import into `archival` what `files` reads, in a process of its own by default."""
        self._archival = archival
        self._embedder = embedder
        self._files = files or ReaderProcess()

    def import_file(
        self,
        path: Path,
        cancel: threading.Event,
        *,
        password: str = "",
        name: str = "",
        origin: str = "",
        replaces: str = "",
        again: bool = False,
    ) -> Iterator[ImportProgress | ImportFinished]:
        """Archive a file; the last value is ImportFinished.

        Args:
            path: The file.
            cancel: Stops the import when it is set.
            password: What opens a locked file.
            name: What the person calls it; by default the name that it has on disk.
            origin: Where it came from, if that is not `path`: the archive that it was taken out of.
            replaces: The identifier of the document whose place it takes.
            again: Read it even if that document is of the very same content.

        Raises:
            Cancelled: `cancel` was set; nothing of the document is archived.
            DocumentLocked: The file needs a password, or another one.
            DocumentError: The file cannot be read, and why.
            ModelError: The embedder failed.
            StoreError: The archive cannot be read or written.
        """
        yield ImportProgress("reading", 0, 0)
        source = SourceFile(path, name or path.name, password)
        try:
            require_file(source)
            sha256 = _sha256(path, cancel)
            there = self._archival.find_document(sha256)
            if there is not None and not (again and there.document_id == replaces):
                yield ImportFinished(there, already_there=True)
                return
            with self._files.reading(source, cancel) as reading:
                record = _record_of(source, origin, reading.kind, sha256)
                yield from self._archive(record, reading, cancel, replaces)
        except OSError as error:
            raise unreadable(source, error) from error

    def expand(
        self,
        path: Path,
        folder: Path,
        cancel: threading.Event,
        *,
        password: str = "",
        name: str = "",
    ) -> Iterator[SourceFile | DocumentError]:
        """Take the files out of a ZIP archive, each to be imported before the next is asked for.

        Args:
            path: The archive (see `zip_archive.is_archive`).
            folder: An empty folder for them (see `zip_archive.unpacking_folder`).
            cancel: Stops it when it is set.
            password: What opens a locked archive.
            name: What the person calls it; by default the name that it has on disk.

        Yields:
            A file with the name that tells where it comes from, or why one was left out.

        Raises:
            Cancelled: `cancel` was set.
            DocumentLocked: The archive needs a password, or another one.
            DocumentError: It is damaged, or made to fill the disk.
        """
        source = SourceFile(path, name or path.name, password)
        try:
            yield from self._files.expand(source, folder, cancel)
        except OSError as error:
            raise unreadable(source, error) from error

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
        size = len(cleaned.encode())
        record = DocumentRecord(title_of(title), "paste", sha256, size=size)
        yield from self._archive(record, [PageText(cleaned, first_line=1)], cancel)

    def _archive(
        self,
        record: DocumentRecord,
        pages: Iterable[PageText],
        cancel: threading.Event,
        replaces: str = "",
    ) -> Iterator[ImportProgress | ImportFinished]:
        """Archive the passages while the pages are read, so that none of it need stand in memory.

        What stands in the draft is found only when the draft is finished.
        """
        faults: list[str] = []
        draft = self._archival.draft(record)
        try:
            latest = ImportProgress("reading", 0, 0)
            for latest in self._drafted(draft, _noting_faults(pages, faults), cancel):
                _heed(cancel)
                yield latest
            if not latest.passages:
                raise no_text(record.title)
            yield replace(latest, stage="saving")
            info = draft.finish(pages=latest.total, replaces=replaces)
        finally:
            draft.discard()
        yield ImportFinished(info, already_there=False, faults=tuple(faults))

    def _drafted(
        self, draft: DocumentDraft, pages: Iterable[PageText], cancel: threading.Event
    ) -> Iterator[ImportProgress]:
        """Embed passages as many at once as is quick, and put them into the draft."""
        waiting: list[Passage] = []
        progress = ImportProgress("reading", 0, 0)
        for done, page, passages in self._passages(pages, cancel):
            waiting += passages
            progress = replace(progress, done=page.page or done, total=page.pages)
            while len(waiting) >= _EMBEDDED_AT_ONCE:
                yield (progress := self._put(draft, waiting[:_EMBEDDED_AT_ONCE], progress))
                del waiting[:_EMBEDDED_AT_ONCE]
            yield progress
        yield self._put(draft, waiting, progress)

    def _passages(
        self, pages: Iterable[PageText], cancel: threading.Event
    ) -> Iterator[tuple[int, PageText, list[Passage]]]:
        """Each page with its number in the order of reading, and its passages."""
        splitter = PassageSplitter(self._embedder.count, self._embedder.max_tokens)
        for number, page in enumerate(pages, start=1):
            _heed(cancel)
            cleaned = replace(page, text=storable_text(page.text), place=storable_text(page.place))
            yield number, cleaned, list(splitter.split([cleaned]))

    def _put(
        self, draft: DocumentDraft, passages: Sequence[Passage], progress: ImportProgress
    ) -> ImportProgress:
        if passages:
            draft.add(passages, self._embedder.embed([passage.text for passage in passages]))
        return replace(progress, passages=progress.passages + len(passages))


def _noting_faults(pages: Iterable[PageText], faults: list[str]) -> Iterator[PageText]:
    for page in pages:
        if page.fault and len(faults) < _MOST_FAULTS:
            faults.append(storable_text(page.fault))
        yield page


def _record_of(source: SourceFile, origin: str, kind: str, sha256: str) -> DocumentRecord:
    about = source.path.stat()
    return DocumentRecord(
        title_of(source.name),
        kind,
        sha256,
        origin or str(source.path),
        size=about.st_size,
        modified=last_change(about),
    )


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
