"""The import thread: reads files into the archive one after another, beside the agent thread.

It waits for its importer, which comes with the loaded assistant; files that were dropped before
wait with it. One bad file never stops the rest.
"""

import logging
import queue
import threading
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from pagekeeper_core.errors import Cancelled, DocumentError, PagekeeperError
from pagekeeper_desktop.assistant_parts import ImporterPart
from pagekeeper_desktop.relay import Relay

__all__ = ["ImportJob", "ImportWorker"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class ImportJob:
    """One file to read.

    Attributes:
        import_id: Its number in this session.
        path: The file.
        cancel: Set it to stop this file, running or waiting.
    """

    import_id: int
    path: Path
    cancel: threading.Event


class ImportWorker(QObject):
    """The thread and its queue. All signals are emitted in the thread that made the worker.

    Signals:
        started (int): The file is being read.
        progress (int, object): Its newest progress value (stage, done, total).
        done (int, object): It stands in the archive; the value has `info` and `already_there`.
        failed (int, PagekeeperError): Why it does not.
        cancelled (int): The person stopped it.
        finished: The thread has ended, or was never needed.
    """

    started = Signal(int)
    progress = Signal(int, object)
    done = Signal(int, object)
    failed = Signal(int, object)
    cancelled = Signal(int)
    finished = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._relay = Relay(self)
        self._jobs: queue.Queue[ImportJob | None] = queue.Queue()
        self._waiting: list[ImportJob] = []
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None

    def use(self, importer: ImporterPart) -> None:
        """Begin to read what was added and what will be."""
        self._thread = threading.Thread(target=self._run, args=(importer,), name="import")
        self._thread.start()

    def add(self, job: ImportJob) -> None:
        """Read this file after those before it."""
        self._waiting.append(job)
        self._jobs.put(job)

    def cancel(self, import_id: int) -> None:
        """Stop one file; returns at once."""
        for job in self._waiting:
            if job.import_id == import_id:
                job.cancel.set()
                if self._thread is None:
                    self._relay.post(self.cancelled, import_id)

    def end(self) -> None:
        """Stop all files and end the thread; `finished` follows."""
        self._ending.set()
        for job in self._waiting:
            job.cancel.set()
        self._jobs.put(None)
        if self._thread is None:
            self._relay.post(self.finished)

    def join(self, seconds: float | None = None) -> bool:
        """Wait for the thread's end; False when it still runs."""
        if self._thread is not None:
            self._thread.join(seconds)
        return self._thread is None or not self._thread.is_alive()

    def _run(self, importer: ImporterPart) -> None:
        while (job := self._jobs.get()) is not None:
            if self._ending.is_set() or job.cancel.is_set():
                self._relay.post(self.cancelled, job.import_id)
            else:
                self._import(importer, job)
        self._relay.post(self.finished)

    def _import(self, importer: ImporterPart, job: ImportJob) -> None:
        """Read one file: a boundary where every error becomes the file's own."""
        self._relay.post(self.started, job.import_id)
        latest: object = None
        try:
            for latest in importer.import_file(job.path, job.cancel):
                self._relay.post(self.progress, job.import_id, latest)
        except Cancelled:
            self._relay.post(self.cancelled, job.import_id)
        except PagekeeperError as error:
            self._relay.post(self.failed, job.import_id, error)
        except Exception:
            log.exception("A file could not be read")
            self._relay.post(self.failed, job.import_id, _unexpected(job.path))
        else:
            self._relay.post(self.done, job.import_id, latest)


def _unexpected(path: Path) -> DocumentError:
    return DocumentError(
        f"{path.name} could not be read.",
        hint="The log file says more; other files are not touched.",
    )
