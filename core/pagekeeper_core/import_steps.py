"""What is done for one job of the import queue: a file, an archive, an export, a pasted text."""

import threading
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from pagekeeper_core.conversation_import import (
    ConversationsImported,
    import_conversations,
    is_conversation_export,
)
from pagekeeper_core.documents.importing import ImportFinished, ImportProgress
from pagekeeper_core.documents.reading import SourceFile, title_of
from pagekeeper_core.documents.zip_archive import is_archive, unpacking_folder
from pagekeeper_core.errors import DocumentError, DocumentLocked
from pagekeeper_core.imported_conversations import ImportedConversationStore
from pagekeeper_core.protocols import ArchivalStore
from pagekeeper_core.records import DocumentInfo, ImportJob

__all__ = ["ImportOutcome", "ImportSteps", "Importer"]

Step = ImportProgress | ImportFinished

# What a damaged archive raises; an encrypted or unknown compression is a RuntimeError.
_BROKEN = (OSError, ValueError, RuntimeError, EOFError, zipfile.BadZipFile, zlib.error)


class Importer(Protocol):
    """What brings one file into the archive: `documents.importing.DocumentImporter`."""

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
    ) -> Iterator[Step]:
        """Archive a file."""
        ...

    def import_text(self, title: str, text: str, cancel: threading.Event) -> Iterator[Step]:
        """Archive a pasted text."""
        ...

    def expand(
        self,
        path: Path,
        folder: Path,
        cancel: threading.Event,
        *,
        password: str = "",
        name: str = "",
    ) -> Iterator[SourceFile | DocumentError]:
        """Take the files out of a ZIP archive."""
        ...


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """What became of a job.

    Attributes:
        documents: The documents that stand in the archive now; none for an export.
        already_there: Whether nothing was new.
        note: What else is worth saying; empty when there is nothing.
    """

    documents: tuple[DocumentInfo, ...] = ()
    already_there: bool = False
    note: str = ""


@dataclass(slots=True)
class _Members:
    """What became of the files of an archive."""

    came: list[DocumentInfo] = field(default_factory=list)
    there: list[DocumentInfo] = field(default_factory=list)
    failed: list[DocumentError] = field(default_factory=list)
    partly: list[str] = field(default_factory=list)

    @property
    def read(self) -> list[DocumentInfo]:
        return [*self.came, *self.there]

    @property
    def count(self) -> int:
        return len(self.read) + len(self.failed)


class ImportSteps:
    """Carries out jobs, each as steps with progress; the last one is an ImportOutcome."""

    def __init__(
        self,
        importer: Importer,
        archival: ArchivalStore,
        folder: Path,
        conversations: ImportedConversationStore | None = None,
    ) -> None:
        """Import by `importer`; unpack archives in `folder`, put exports into `conversations`."""
        self._importer = importer
        self._archival = archival
        self._folder = folder
        self._conversations = conversations

    def of(
        self, job: ImportJob, cancel: threading.Event, password: str = ""
    ) -> Iterator[ImportProgress | ImportOutcome]:
        """The steps of a job.

        Raises:
            Cancelled: `cancel` was set. Of an archive, the files before it stay.
            DocumentLocked: It needs a password, or another one.
            DocumentError: It cannot be read, and why.
            ModelError: The embedder failed.
            StoreError: A store cannot be read or written.
        """
        path = Path(job.path)
        if job.pasted:
            text = path.read_text(encoding="utf-8")
            return self._document(self._importer.import_text(job.title, text, cancel))
        if self._conversations is not None and _is(is_conversation_export, path):
            return _export(path, self._conversations, cancel)
        if _is(is_archive, path):
            return self._archive(job, cancel, password)
        return self._file(job, cancel, password)

    def _file(
        self, job: ImportJob, cancel: threading.Event, password: str
    ) -> Iterator[ImportProgress | ImportOutcome]:
        older = self._older(job.path, job.title)
        replaces = job.replaces or (older.document_id if older else "")
        if older and not job.replaces and _is_unchanged(job, older):
            yield ImportOutcome((older,), already_there=True, note="It has not changed since then.")
            return
        steps = self._importer.import_file(
            Path(job.path),
            cancel,
            password=password,
            name=job.title,
            replaces=replaces,
            again=bool(job.replaces),
        )
        for step in self._document(steps):
            if isinstance(step, ImportOutcome) and older is not None:
                yield self._settled(step, older)
            else:
                yield step

    def _settled(self, outcome: ImportOutcome, older: DocumentInfo) -> ImportOutcome:
        """Say that an older version is gone, and see to it where the content was there already."""
        (info,) = outcome.documents
        if info.document_id == older.document_id:
            return replace(outcome, note="It has not changed since then.")
        if outcome.already_there:
            self._archival.delete_document(older.document_id)
        note = f"It took the place of its older version. {outcome.note}".strip()
        return replace(outcome, note=note)

    def _document(self, steps: Iterator[Step]) -> Iterator[ImportProgress | ImportOutcome]:
        for step in steps:
            if isinstance(step, ImportFinished):
                note = step.missing
                yield ImportOutcome((step.info,), already_there=step.already_there, note=note)
            else:
                yield step

    def _archive(
        self, job: ImportJob, cancel: threading.Event, password: str
    ) -> Iterator[ImportProgress | ImportOutcome]:
        """The files of an archive one by one; a bad one is told of and the rest go on."""
        members = _Members()
        passages = 0
        with unpacking_folder(self._folder) as folder:
            files = self._importer.expand(
                Path(job.path), folder, cancel, password=password, name=job.title
            )
            for member in files:
                if isinstance(member, DocumentError):
                    members.failed.append(member)
                    continue
                before = passages
                for progress in self._member(job, member, cancel, members):
                    passages = before + progress.passages
                    yield replace(progress, done=members.count, total=0, passages=passages)
        yield _told(members, job.title)

    def _member(
        self, job: ImportJob, member: SourceFile, cancel: threading.Event, members: _Members
    ) -> Iterator[ImportProgress]:
        older = self._older(job.path, member.name, but=members.read)
        steps = self._importer.import_file(
            member.path,
            cancel,
            password=member.password,
            name=member.name,
            origin=job.path,
            replaces=older.document_id if older else "",
        )
        try:
            for step in steps:
                if isinstance(step, ImportProgress):
                    yield step
                elif step.already_there:
                    members.there.append(step.info)
                    if older and older.document_id != step.info.document_id:
                        self._archival.delete_document(older.document_id)
                else:
                    members.came.append(step.info)
                    if step.missing:
                        members.partly.append(f"{member.name}: {step.missing}")
        except DocumentError as error:
            members.failed.append(error)
        finally:
            member.path.unlink(missing_ok=True)

    def _older(
        self, path: str, title: str, but: Collection[DocumentInfo] = ()
    ) -> DocumentInfo | None:
        """The version that stands in the archive; an archive may hold one name more than once."""
        there = self._archival.documents_at(path)
        wanted = title_of(title)
        return next(
            (info for info in there if info.record.title == wanted and info not in but), None
        )


def _is_unchanged(job: ImportJob, older: DocumentInfo) -> bool:
    """Whether size and date are what they were: then it is not even read."""
    record = older.record
    return bool(job.modified) and (job.size, job.modified) == (record.size, record.modified)


def _export(
    path: Path, conversations: ImportedConversationStore, cancel: threading.Event
) -> Iterator[ImportProgress | ImportOutcome]:
    """Conversations held with another assistant: they become history, not a document."""
    latest = ConversationsImported()
    for latest in import_conversations(path, conversations, cancel):
        yield ImportProgress("reading", _percent(latest.read, latest.size), 100)
    yield ImportOutcome(already_there=not latest.messages, note=_about_export(latest))


def _about_export(done: ConversationsImported) -> str:
    were = "conversation was" if done.conversations == 1 else "conversations were"
    are = "message of it is" if done.messages == 1 else "messages of it are"
    note = (
        f"{done.conversations:,} {were} read; {done.messages:,} {are} new. Searches find what was "
        "said, and it stands in the list of conversations."
    )
    if not done.failed:
        return note
    left = "conversation is" if done.failed == 1 else "conversations are"
    return f"{note} {done.failed:,} {left} damaged and could not be read."


def _percent(part: int, whole: int) -> int:
    return 100 * part // max(whole, 1)


def _is(kind: Callable[[Path], bool], path: Path) -> bool:
    """Whether a file is of a kind; one that cannot be opened is none, and its reader says why.

    A channel is not even opened: that waits until something is written into it.
    """
    try:
        return path.is_file() and kind(path)
    except _BROKEN:
        return False


def _told(members: _Members, title: str) -> ImportOutcome:
    """What became of the files of an archive, in a sentence.

    Raises:
        DocumentLocked: Files of it are locked.
        DocumentError: Not one of them could be read.
    """
    locked = next((e for e in members.failed if isinstance(e, DocumentLocked)), None)
    if locked is not None:
        raise locked
    read = tuple(members.read)
    if not read:
        first = members.failed[0] if members.failed else None
        reason = f" {first}" if first else ""
        raise DocumentError(
            f"{title} has no file in it that can be read.{reason}", hint=first.hint if first else ""
        )
    parts = [f"{len(read):,} of {members.count:,} files in it were read."]
    parts += [str(error) for error in members.failed[:3]]
    if len(members.failed) > 3:
        parts.append(f"And {len(members.failed) - 3:,} more could not be read.")
    parts += members.partly[:3]
    return ImportOutcome(read, already_there=not members.came, note=" ".join(parts))
