"""The files of this session's imports: rows of the transcript that follow the import thread."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.events import DocumentImported
from pagekeeper_core.import_queue import ImportQueue, ImportUpdate
from pagekeeper_core.records import DocumentInfo, ImportJob, JobState
from pagekeeper_core.watched_folders import FoldersSeen, WatchedFolders
from pagekeeper_desktop.import_worker import ImportWorker
from pagekeeper_desktop.view_models.formatting import about, counted, thousands
from pagekeeper_desktop.view_models.transcript_items import BatchItem, ImportItem, ImportState
from pagekeeper_desktop.view_models.transcript_model import RowId, TranscriptModel

__all__ = ["ImportList"]


class ImportList(QObject):
    """Gives files to the import thread and shows what becomes of them.

    What a watched folder brings gets no row: it was not asked for now.

    Attributes:
        worker: The import thread: to pause, go on, stop, try again.

    Signals:
        imported (DocumentImported): The agent is to hear of this document.
        arrived: Something stands in the archive now that did not.
        looked (FoldersSeen): What the watched folders hold now.
        told (str): A sentence for the person.
        changed (ImportItem): How far this file is now.
        finished: The import thread has ended.
    """

    imported = Signal(object)
    arrived = Signal()
    looked = Signal(object)
    told = Signal(str)
    changed = Signal(object)
    finished = Signal()

    def __init__(self, transcript: TranscriptModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._transcript = transcript
        self._rows: dict[int, RowId] = {}
        self._batches: dict[RowId, dict[int, ImportItem]] = {}
        self.worker = worker = ImportWorker()
        worker.added.connect(self._added)
        worker.started.connect(self._started)
        worker.progress.connect(self._progressed)
        worker.done.connect(self._done)
        worker.failed.connect(self._failed)
        worker.locked.connect(self._locked)
        worker.cancelled.connect(self._cancelled)
        worker.paused.connect(self._paused)
        worker.waiting.connect(self._waits)
        worker.refused.connect(lambda error: self.told.emit(error.with_hint))
        worker.looked.connect(self._looked)
        worker.finished.connect(self.finished)

    def use(self, queue: ImportQueue, watched: WatchedFolders) -> None:
        """Show what the last run left; nothing is read before `begin`."""
        self.worker.use(queue, watched)

    def begin(self) -> None:
        """Begin to read."""
        self.worker.begin()

    def add(self, paths: Sequence[Path]) -> None:
        """Read these files, and all files below these folders, one after another."""
        self.worker.add(paths)

    def add_text(self, text: str) -> None:
        """Read a text that was pasted, by the name of this moment."""
        now = datetime.now().astimezone()
        title = f"Pasted text of {now.day} {now:%B %Y, %H:%M}"
        self.worker.add_text(title, text)

    def cancel(self, import_id: int) -> None:
        """Stop one file."""
        self.worker.cancel(import_id)

    def rest(self, import_id: int, rests: bool) -> None:  # noqa: FBT001 - a signal's value
        """Let one file rest, or go on with it."""
        if rests:
            self.worker.pause(import_id)
        else:
            self.worker.resume(import_id)

    def retry(self, import_id: int, password: str = "") -> None:
        """Read a file again; the password is handed on and kept nowhere."""
        self.worker.retry(import_id, password)

    def end(self) -> None:
        """End the import thread; `finished` follows."""
        self.worker.end()

    def join(self, seconds: float | None = None) -> bool:
        """Wait for the import thread's end."""
        return self.worker.join(seconds)

    def _added(self, jobs: Sequence[ImportJob]) -> None:
        """One row for one file, and one for all of a drop of several."""
        batches: dict[int, list[ImportItem]] = {}
        for job in jobs:
            if not job.watched:
                batches.setdefault(job.batch, []).append(_item(job))
        for files in batches.values():
            for item in files:
                self.changed.emit(item)
            if len(files) == 1:
                self._rows[files[0].import_id] = self._transcript.append(files[0])
                continue
            row = self._transcript.append(BatchItem(tuple(files)))
            self._batches[row] = {item.import_id: item for item in files}
            self._rows |= dict.fromkeys(self._batches[row], row)

    def _edit(self, import_id: int, state: ImportState, message: str, **fields: object) -> None:
        row = self._rows.get(import_id)
        if row is None:
            return
        change: dict[str, Any] = {"state": state, "message": message, "hint": "", **fields}
        left = change.pop("batch_seconds_left", None)
        files = self._batches.get(row)
        if files is None:
            self._transcript.edit(row, **change)
            item = self._transcript.get(row)
            self.changed.emit(item)
        else:
            files[import_id] = replace(files[import_id], **change)
            self._transcript.set(row, BatchItem(tuple(files.values()), left))
            self.changed.emit(files[import_id])

    def _started(self, import_id: int) -> None:
        self._edit(import_id, ImportState.RUNNING, "Reading")

    def _progressed(self, import_id: int, update: ImportUpdate) -> None:
        job = update.job
        self._edit(
            import_id,
            ImportState.RUNNING,
            _stage_words(update),
            done=job.done,
            total=job.total,
            batch_seconds_left=update.batch_seconds_left,
        )

    def _done(self, import_id: int, update: ImportUpdate) -> None:
        self._edit(import_id, ImportState.DONE, _result_words(update))
        if update.already_there:
            return
        self.arrived.emit()
        for info in update.documents:
            record, quiet = info.record, update.job.watched
            self.imported.emit(
                DocumentImported(record.title, info.passages, record.pages, info.document_id, quiet)
            )

    def _failed(self, import_id: int, error: PagekeeperError) -> None:
        self._edit(import_id, ImportState.FAILED, str(error), hint=error.hint)

    def _locked(self, import_id: int, error: PagekeeperError) -> None:
        self._edit(import_id, ImportState.LOCKED, str(error), hint=error.hint)

    def _cancelled(self, import_id: int) -> None:
        self._edit(import_id, ImportState.CANCELLED, "Not read: you stopped it")

    def _paused(self, import_id: int) -> None:
        self._edit(import_id, ImportState.PAUSED, "Paused")

    def _waits(self, import_id: int) -> None:
        self._edit(import_id, ImportState.WAITING, "Waiting to be read")

    def _looked(self, seen: FoldersSeen) -> None:
        self.looked.emit(seen)
        for folder in seen.vanished:
            self.told.emit(
                f"The watched folder {folder} is not there any more. What was read of it stays; "
                "new files in it are read when it is back."
            )


def _item(job: ImportJob) -> ImportItem:
    """A job as a row: what the last run left may rest, or need its password."""
    states = {
        JobState.PAUSED: (ImportState.PAUSED, "Paused"),
        JobState.LOCKED: (ImportState.LOCKED, job.note or "It needs its password"),
    }
    state, message = states.get(job.state, (ImportState.WAITING, "Waiting to be read"))
    return ImportItem(job.job_id, job.title, state, message, hint=job.hint)


def _stage_words(update: ImportUpdate) -> str:
    """What goes on in a file: "Reading page 3 of 12, 40 passages, about 2 minutes left"."""
    job = update.job
    if update.stage != "reading":
        return update.stage.capitalize()
    where = ""
    if job.total:
        done = min(job.done + 1, job.total)
        where = f" page {thousands(done)} of {thousands(job.total)}"
    passages = counted(job.passages, "passage") if job.passages else ""
    left = "" if update.seconds_left is None else f"{about(update.seconds_left)} left"
    return ", ".join(filter(None, [f"Reading{where}", passages, left]))


def _result_words(update: ImportUpdate) -> str:
    if not update.documents:
        return update.job.note
    extent = ", ".join(
        [_extent(info) for info in update.documents]
        if len(update.documents) == 1
        else [counted(len(update.documents), "document"), counted(update.job.passages, "passage")]
    )
    if update.already_there:
        return f"In the archive already: {extent}"
    return f"Read {extent}. {update.job.note}" if update.job.note else f"Read {extent}"


def _extent(info: DocumentInfo) -> str:
    passages = counted(info.passages, "passage")
    return f"{counted(info.record.pages, 'page')}, {passages}" if info.record.pages else passages
