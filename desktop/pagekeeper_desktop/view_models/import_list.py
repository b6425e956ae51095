"""The files of this session's imports: rows of the transcript that follow the import thread."""

import threading
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.events import DocumentImported
from pagekeeper_core.records import DocumentInfo
from pagekeeper_desktop.assistant_parts import ImporterPart, ImportResult, ImportStage
from pagekeeper_desktop.import_worker import ImportJob, ImportWorker
from pagekeeper_desktop.view_models.formatting import counted, thousands
from pagekeeper_desktop.view_models.transcript_items import ImportItem, ImportState
from pagekeeper_desktop.view_models.transcript_model import RowId, TranscriptModel

__all__ = ["ImportList"]

UNITS = {"reading": "page", "indexing": "passage"}
"""What an importer counts at which stage."""


class ImportList(QObject):
    """Gives files to the import thread and shows what becomes of them.

    Signals:
        imported (DocumentImported): The agent is to hear of this document.
        finished: The import thread has ended.
    """

    imported = Signal(object)
    finished = Signal()

    def __init__(self, transcript: TranscriptModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._transcript = transcript
        self._rows: dict[int, RowId] = {}
        self._worker = ImportWorker()
        self._worker.started.connect(self._started)
        self._worker.progress.connect(self._progressed)
        self._worker.done.connect(self._done)
        self._worker.failed.connect(self._failed)
        self._worker.cancelled.connect(self._cancelled)
        self._worker.finished.connect(self.finished)

    def use(self, importer: ImporterPart) -> None:
        """Begin to read."""
        self._worker.use(importer)

    def add(self, paths: Sequence[Path]) -> None:
        """Read these files, one after another."""
        for path in paths:
            import_id = len(self._rows) + 1
            item = ImportItem(import_id, path.name or str(path), message="Waiting to be read")
            self._rows[import_id] = self._transcript.append(item)
            self._worker.add(ImportJob(import_id, path, threading.Event()))

    def cancel(self, import_id: int) -> None:
        """Stop one file."""
        self._worker.cancel(import_id)

    def end(self) -> None:
        """Stop all files; `finished` follows."""
        self._worker.end()

    def join(self, seconds: float | None = None) -> bool:
        """Wait for the import thread's end."""
        return self._worker.join(seconds)

    def _edit(self, import_id: int, state: ImportState, message: str, **fields: object) -> None:
        self._transcript.edit(self._rows[import_id], state=state, message=message, **fields)

    def _started(self, import_id: int) -> None:
        self._edit(import_id, ImportState.RUNNING, "Reading")

    def _progressed(self, import_id: int, value: object) -> None:
        if isinstance(value, ImportStage):
            words = _stage_words(value)
            self._edit(import_id, ImportState.RUNNING, words, done=value.done, total=value.total)

    def _done(self, import_id: int, value: object) -> None:
        if not isinstance(value, ImportResult):
            return
        info = value.info
        if value.already_there:
            self._edit(import_id, ImportState.DONE, f"In the archive already: {_extent(info)}")
            return
        self._edit(import_id, ImportState.DONE, f"Read {_extent(info)}")
        record = info.record
        self.imported.emit(DocumentImported(record.title, info.passages, record.pages))

    def _failed(self, import_id: int, error: PagekeeperError) -> None:
        self._edit(import_id, ImportState.FAILED, str(error), hint=error.hint)

    def _cancelled(self, import_id: int) -> None:
        self._edit(import_id, ImportState.CANCELLED, "Not read: you stopped it")


def _stage_words(stage: ImportStage) -> str:
    """What goes on in a file, in words: "Reading page 3 of 12"."""
    unit = UNITS.get(stage.stage)
    if unit is None or not stage.total:
        return stage.stage.capitalize()
    done = min(stage.done + 1, stage.total)
    return f"{stage.stage.capitalize()} {unit} {thousands(done)} of {thousands(stage.total)}"


def _extent(info: DocumentInfo) -> str:
    passages = counted(info.passages, "passage")
    return f"{counted(info.record.pages, 'page')}, {passages}" if info.record.pages else passages
