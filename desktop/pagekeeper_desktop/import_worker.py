"""The import thread: works through the queue of imports, beside the agent thread.

The queue comes with the open memory, so that files which are dropped while the model loads are
noted at once; they are read when `begin` is called. A second thread takes files in, because a
folder may hold thousands of them.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from pagekeeper_core.errors import DocumentError, PagekeeperError
from pagekeeper_core.import_queue import ImportQueue, ImportUpdate
from pagekeeper_core.records import DocumentInfo, ImportJob, JobState
from pagekeeper_core.watched_folders import WatchedFolders
from pagekeeper_desktop.relay import Relay

__all__ = ["ImportWorker"]

log = logging.getLogger(__name__)

LOOK_SECONDS = 20.0
"""How often the watched folders are looked through while there is nothing to read."""


GROWING_SECONDS = 2.0
"""How soon a file is looked at again that may still grow."""


class ImportWorker(QObject):
    """The thread and its queue. All signals are emitted in the thread that made the worker.

    Signals:
        added (list[ImportJob]): They wait from now on; those that the last run left, too.
        started (int): The file is being read.
        progress (int, ImportUpdate): How far it is.
        done (int, ImportUpdate): What stands in the archive.
        failed (int, PagekeeperError): Why nothing does.
        locked (int, PagekeeperError): It needs a password, or another one: see `retry`.
        cancelled (int): The person stopped it.
        paused (int): It rests.
        waiting (int): It waits for its turn again.
        refused (PagekeeperError): What was asked for could not be noted.
        looked (FoldersSeen): What the watched folders hold now.
        finished: The thread has ended, or was never needed.
    """

    added = Signal(object)
    started = Signal(int)
    progress = Signal(int, object)
    done = Signal(int, object)
    failed = Signal(int, object)
    locked = Signal(int, object)
    cancelled = Signal(int)
    paused = Signal(int)
    waiting = Signal(int)
    refused = Signal(object)
    looked = Signal(object)
    finished = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._relay = Relay(self)
        self._queue: ImportQueue | None = None
        self._watched: WatchedFolders | None = None
        self._early: list[Callable[[ImportQueue], Sequence[ImportJob]]] = []
        self._intake = ThreadPoolExecutor(max_workers=1, thread_name_prefix="import-intake")
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None

    def use(self, queue: ImportQueue, watched: WatchedFolders | None = None) -> None:
        """Take up what the last run left, and note what was asked for before there was a queue."""
        self._queue = queue
        self._watched = watched
        for work in (lambda queue: queue.restore(), *self._early):
            self._take(work)
        self._early.clear()

    def begin(self) -> None:
        """Read what waits, from now on."""
        if self._queue is not None and self._thread is None and not self._ending.is_set():
            self._thread = threading.Thread(target=self._run, args=(self._queue,), name="import")
            self._thread.start()

    def add(self, paths: Sequence[Path]) -> None:
        """Read these files, and all files below these folders."""
        self._take(lambda queue: queue.add(paths))

    def add_text(self, title: str, text: str) -> None:
        """Read a pasted text."""
        self._take(lambda queue: [queue.add_text(title, text)])

    def reimport(self, info: DocumentInfo) -> None:
        """Read a document's file again."""
        self._take(lambda queue: [queue.reimport(info)])

    def pause(self, job_id: int | None = None) -> None:
        """Let one file rest, or all of them; returns at once, like the others below."""
        self._tell(lambda queue: queue.pause(job_id))

    def resume(self, job_id: int | None = None) -> None:
        """Go on with one file, or with all of them."""
        self._tell(lambda queue: queue.resume(job_id))

    def cancel(self, job_id: int | None = None) -> None:
        """Stop one file, or all of them."""
        self._tell(lambda queue: queue.cancel(job_id))

    def retry(self, job_id: int, password: str = "") -> None:
        """Read a file again that failed, was stopped or is locked."""
        self._tell(lambda queue: queue.retry(job_id, password))

    def watch(self, folders: Sequence[Path]) -> None:
        """Import what these folders hold and will hold, and no other ones."""
        if self._watched is not None:
            self._watched.folders = tuple(folders)
        self._tell(lambda queue: queue.awake.set())

    def end(self) -> None:
        """End the thread; what is under way goes on with the next start. `finished` follows."""
        self._ending.set()
        if self._queue is not None:
            self._queue.stop(self._ending)
        self._intake.shutdown(wait=False, cancel_futures=True)
        if self._thread is None:
            self._relay.post(self.finished)

    def join(self, seconds: float | None = None) -> bool:
        """Wait for the thread's end; False when it still runs."""
        if self._thread is not None:
            self._thread.join(seconds)
        return self._thread is None or not self._thread.is_alive()

    def _take(self, work: Callable[[ImportQueue], Sequence[ImportJob]]) -> None:
        queue = self._queue
        if queue is None:
            self._early.append(work)
        elif not self._ending.is_set():
            self._intake.submit(self._noted, queue, work)

    def _tell(self, wish: Callable[[ImportQueue], None]) -> None:
        """Pass on a wish; before `begin` there is no thread that would heed it."""
        if self._queue is None:
            return
        wish(self._queue)
        if self._thread is None:
            self._intake.submit(self._heed, self._queue)

    def _noted(
        self, queue: ImportQueue, work: Callable[[ImportQueue], Sequence[ImportJob]]
    ) -> None:
        """Note jobs: a boundary where every error is told."""
        try:
            jobs = list(work(queue))
        except (PagekeeperError, OSError) as error:
            log.warning("Files could not be noted: %s", error)
            self._relay.post(self.refused, _as_told(error))
        else:
            if jobs:
                self._relay.post(self.added, jobs)

    def _heed(self, queue: ImportQueue) -> None:
        for update in queue.heed():
            self._post(update)

    def _run(self, queue: ImportQueue) -> None:
        while not self._ending.is_set():
            queue.awake.clear()
            self._work(queue)
            if self._ending.is_set():
                break
            queue.awake.wait(self._look(queue))
        self._relay.post(self.finished)

    def _work(self, queue: ImportQueue) -> None:
        """Read what waits: a boundary, because the thread must outlive a full disk."""
        try:
            for update in queue.work(self._ending):
                self._post(update)
        except PagekeeperError as error:
            log.warning("The queue of imports cannot be kept: %s", error)
            self._relay.post(self.refused, error)

    def _look(self, queue: ImportQueue) -> float:
        """Look through the watched folders; gives the seconds until the next look."""
        if self._watched is None:
            return LOOK_SECONDS
        try:
            seen = self._watched.look()
            jobs = queue.add(seen.changed, watched=True) if seen.changed else []
        except (PagekeeperError, OSError) as error:
            log.warning("The watched folders could not be looked through: %s", error)
            return LOOK_SECONDS
        if jobs:
            self._relay.post(self.added, jobs)
        self._relay.post(self.looked, seen)
        return GROWING_SECONDS if seen.growing else LOOK_SECONDS

    def _post(self, update: ImportUpdate) -> None:
        number = update.job.job_id
        match update.job.state:
            case JobState.RUNNING if not update.job.done:
                self._relay.post(self.started, number)
            case JobState.RUNNING:
                self._relay.post(self.progress, number, update)
            case JobState.DONE:
                self._relay.post(self.done, number, update)
            case JobState.FAILED:
                self._relay.post(self.failed, number, update.error)
            case JobState.LOCKED:
                self._relay.post(self.locked, number, update.error)
            case JobState.CANCELLED:
                self._relay.post(self.cancelled, number)
            case JobState.PAUSED:
                self._relay.post(self.paused, number)
            case JobState.WAITING:
                self._relay.post(self.waiting, number)


def _as_told(error: PagekeeperError | OSError) -> PagekeeperError:
    if isinstance(error, PagekeeperError):
        return error
    return DocumentError(f"The files could not be noted: {error.strerror or error}")
