"""The queue of imports: files, archives, exports and pasted texts on their way into memory.

Jobs are rows in a store, so that a restart goes on where the last run stopped; a job that was
running then begins anew, which is safe: a document is whole in the archive or not at all. One
thread calls `work`; every other method may be called from any thread and returns at once.
"""

import logging
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from pagekeeper_core.documents.file_faults import unreadable
from pagekeeper_core.documents.files_below import files_below, last_change
from pagekeeper_core.documents.reading import SourceFile, title_of
from pagekeeper_core.documents.zip_archive import sweep_unpacked
from pagekeeper_core.errors import Cancelled, DocumentError, DocumentLocked, PagekeeperError
from pagekeeper_core.import_pace import BatchProgress, Pace
from pagekeeper_core.import_steps import ImportOutcome, ImportSteps
from pagekeeper_core.messages import storable_text
from pagekeeper_core.protocols import Clock, ImportJobStore
from pagekeeper_core.records import DocumentInfo, ImportJob, JobState

if TYPE_CHECKING:
    from pagekeeper_core.documents.importing import ImportProgress

__all__ = ["ImportQueue", "ImportUpdate"]

log = logging.getLogger(__name__)


class _Wish(Enum):
    PAUSE = auto()
    RESUME = auto()
    CANCEL = auto()


@dataclass(frozen=True, slots=True)
class ImportUpdate:
    """How far a job is now.

    Attributes:
        job: The job as it stands.
        stage: "reading" or "saving" while it runs; empty otherwise.
        seconds_left: Until the job is done; None while nobody can tell.
        files_done: How many jobs of its batch are at their end.
        files: How many there are.
        batch_seconds_left: Until the batch is done; None while nobody can tell.
        documents: What stands in the archive, when it is done.
        already_there: Whether nothing of it was new.
        error: Why it failed or is locked.
    """

    job: ImportJob
    stage: str = ""
    seconds_left: int | None = None
    files_done: int = 0
    files: int = 0
    batch_seconds_left: int | None = None
    documents: tuple[DocumentInfo, ...] = ()
    already_there: bool = False
    error: PagekeeperError | None = None


class ImportQueue:
    """Files on their way into memory, one after another.

    Attributes:
        awake: Set when there is something to do; cleared by the thread that works.
    """

    def __init__(
        self,
        store: ImportJobStore,
        steps: ImportSteps,
        folder: Path,
        clock: Clock,
        *,
        own_folder: Path,
    ) -> None:
        """Make the queue; nothing is read before `work`.

        Args:
            store: Keeps the jobs.
            steps: Carries them out.
            folder: Holds pasted texts and unpacked archives meanwhile.
            clock: The time.
            own_folder: The data folder, of which nothing is imported.
        """
        self._store = store
        self._steps = steps
        self._folder = folder
        self._clock = clock
        self._own_folder = own_folder
        self._lock = threading.RLock()
        self._jobs: dict[int, ImportJob] = {}
        self._waiting: dict[int, None] = {}
        self._batches: dict[int, BatchProgress] = {}
        self._wishes: dict[int, _Wish] = {}
        self._passwords: dict[int, str] = {}
        self._cancels: dict[int, threading.Event] = {}
        self._resting: dict[int, Iterator[ImportProgress | ImportOutcome]] = {}
        self._pace = Pace()
        self.awake = threading.Event()

    def restore(self) -> list[ImportJob]:
        """Take up what the last run left, and clear away its pieces; call it once, before `work`.

        Raises:
            StoreError: The jobs cannot be read or written.
        """
        sweep_unpacked(self._folder)
        with self._lock:
            for job in self._store.open_jobs():
                self._keep(_from_the_beginning(job))
            self.awake.set()
            return list(self._jobs.values())

    def add(self, paths: Iterable[Path], *, watched: bool = False) -> list[ImportJob]:
        """Read these files, and all files below these folders, after those that wait already.

        What waits is not noted once more; gives back the new ones alone.

        Raises:
            StoreError: They could not be noted; none was.
        """
        waiting = self._paths_waiting(watched=watched)
        found = files_below(paths, but=self._own_folder)
        new = dict.fromkeys(path for path in found if str(path) not in waiting)
        return self._take([self._job(path, watched=watched) for path in new])

    def add_text(self, title: str, text: str) -> ImportJob:
        """Read a pasted text.

        Raises:
            OSError: It could not be written down.
            StoreError: It could not be noted.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._folder / f"pasted-{uuid4().hex}.txt"
        path.write_text(storable_text(text), encoding="utf-8", newline="")
        (job,) = self._take([replace(self._job(path), title=title, pasted=True)])
        return job

    def reimport(self, info: DocumentInfo) -> ImportJob:
        """Read a document's file again, even if it has not changed.

        Raises:
            DocumentError: It was pasted, and there is no file.
            StoreError: It could not be noted.
        """
        if not info.record.path:
            raise DocumentError(f"{info.record.title} was pasted: there is no file to read again.")
        path = Path(info.record.path)
        replaces = info.document_id if title_of(path.name) == info.record.title else ""
        (job,) = self._take([replace(self._job(path), replaces=replaces)])
        return job

    def pause(self, job_id: int | None = None) -> None:
        """Let a job rest, or all of them."""
        self._wish(job_id, _Wish.PAUSE)

    def resume(self, job_id: int | None = None) -> None:
        """Go on with a job that rests, or with all of them."""
        self._wish(job_id, _Wish.RESUME)

    def retry(self, job_id: int, password: str = "") -> None:
        """Read a file that failed, was stopped or is locked again; the password is never stored."""
        with self._lock:
            if password:
                self._passwords[job_id] = password
        self._wish(job_id, _Wish.RESUME)

    def cancel(self, job_id: int | None = None) -> None:
        """Stop a job, or all of them; nothing of its document stays."""
        self._wish(job_id, _Wish.CANCEL)
        with self._lock:
            for number, event in self._cancels.items():
                if job_id in {None, number}:
                    event.set()

    def stop(self, stopping: threading.Event) -> None:
        """Let `work` end at once; what is under way goes on with the next start."""
        stopping.set()
        with self._lock:
            for event in self._cancels.values():
                event.set()
        self.awake.set()

    def jobs(self) -> list[ImportJob]:
        """The jobs of this run, and those that the last one left, oldest first."""
        with self._lock:
            return list(self._jobs.values())

    @property
    def is_reading(self) -> bool:
        """Whether files are being read or wait for their turn."""
        with self._lock:
            return bool(self._waiting) or any(
                self._jobs[number].state is JobState.RUNNING for number in self._cancels
            )

    def open_jobs(self) -> list[ImportJob]:
        """What the store holds of jobs that may still be read, before or after `restore`.

        One that a kill cut off waits: it is read from its beginning.
        """
        with self._lock:
            return [
                job if job.job_id in self._jobs else _from_the_beginning(job)
                for job in self._store.open_jobs()
            ]

    def history(self) -> dict[str, ImportJob]:
        """The newest job of each file that was ever asked for."""
        return self._store.newest_by_path()

    def work(self, stopping: threading.Event) -> Iterator[ImportUpdate]:
        """Read what waits, one file after another; ends when nothing does, or `stopping` is set.

        Whatever is wrong with a file, the next one is read all the same.

        Raises:
            StoreError: How far a job is could not be stored.
        """
        yield from self.heed()
        while not stopping.is_set() and (job := self._next()) is not None:
            yield from self._run(job, stopping)
            yield from self.heed()

    def heed(self, running: int = 0) -> Iterator[ImportUpdate]:
        """Do what was wished for the jobs that do not run; `work` does so by itself.

        Raises:
            StoreError: How far a job is could not be stored.
        """
        with self._lock:
            wishes = {n: wish for n, wish in self._wishes.items() if n != running}
            for number in wishes:
                del self._wishes[number]
        for number, wish in wishes.items():
            changed = _after(self._jobs[number], wish)
            if changed is None:
                continue
            if changed.state is JobState.CANCELLED:
                self._let_go(changed)
            yield self._changed(changed)

    def _job(self, path: Path, *, watched: bool = False) -> ImportJob:
        size, modified = _about(path)
        return ImportJob(
            str(path),
            title_of(path.name or str(path)),
            self._clock.now(),
            watched=watched,
            size=size,
            modified=modified,
        )

    def _paths_waiting(self, *, watched: bool) -> set[str]:
        """The files that wait and were asked for in this way."""
        with self._lock:
            jobs = [self._jobs[number] for number in self._waiting]
        return {job.path for job in jobs if job.watched is watched and not job.replaces}

    def _take(self, jobs: Sequence[ImportJob]) -> list[ImportJob]:
        stored = self._store.add(jobs)
        for job in stored:
            self._keep(job)
        self.awake.set()
        return stored

    def _wish(self, job_id: int | None, wish: _Wish) -> None:
        with self._lock:
            chosen = (
                [n for n, job in self._jobs.items() if job.is_open] if job_id is None else [job_id]
            )
            self._wishes.update((number, wish) for number in chosen if number in self._jobs)
        self.awake.set()

    def _keep(self, job: ImportJob) -> None:
        """Take note of how a job stands."""
        with self._lock:
            self._jobs[job.job_id] = job
            self._batches.setdefault(job.batch, BatchProgress()).put(job)
            if job.state is JobState.WAITING:
                self._waiting[job.job_id] = None
            else:
                self._waiting.pop(job.job_id, None)

    def _next(self) -> ImportJob | None:
        with self._lock:
            number = next(iter(self._waiting), 0)
            return self._jobs.get(number)

    def _run(self, job: ImportJob, stopping: threading.Event) -> Iterator[ImportUpdate]:
        """One job until it ends, rests or is stopped: the boundary where errors become its own."""
        cancel = threading.Event()
        with self._lock:
            cancel = self._cancels.setdefault(job.job_id, cancel)
        size, modified = (job.size, job.modified) if job.pasted else _about(Path(job.path))
        job = replace(job, state=JobState.RUNNING, size=size, modified=modified, note="", hint="")
        self._pace.restart()
        yield self._changed(job, stage="reading")
        try:
            yield from self._steps_of(job, cancel, stopping)
        except Cancelled:
            state = JobState.WAITING if stopping.is_set() else JobState.CANCELLED
            yield self._ended(replace(self._jobs[job.job_id], state=state))
        except DocumentLocked as error:
            yield self._failed(job, error, JobState.LOCKED)
        except PagekeeperError as error:
            yield self._failed(job, error)
        except OSError as error:
            yield self._failed(job, unreadable(SourceFile(Path(job.path), job.title), error))
        except Exception:
            log.exception("A file could not be imported")
            yield self._failed(job, _own_error(job))

    def _steps_of(
        self, job: ImportJob, cancel: threading.Event, stopping: threading.Event
    ) -> Iterator[ImportUpdate]:
        steps = self._resting.pop(job.job_id, None)
        if steps is None:
            steps = self._steps.of(job, cancel, self._passwords.get(job.job_id, ""))
        for step in steps:
            if isinstance(step, ImportOutcome):
                yield self._done(step, job)
                return
            job = replace(job, done=step.done, total=step.total, passages=step.passages)
            self._keep(job)
            yield self._progress(job, step.stage)
            yield from self.heed(job.job_id)
            if stopping.is_set():
                raise Cancelled
            with self._lock:
                wish = self._wishes.pop(job.job_id, None)
            if wish is _Wish.CANCEL:
                # It came after the other wishes were heeded, and before this job had begun.
                raise Cancelled
            if wish is _Wish.PAUSE:
                self._resting[job.job_id] = steps
                yield self._changed(replace(job, state=JobState.PAUSED))
                return

    def _done(self, outcome: ImportOutcome, job: ImportJob) -> ImportUpdate:
        single = outcome.documents[0] if len(outcome.documents) == 1 else None
        note = outcome.note
        if outcome.already_there and single is not None and not note:
            note = f"It is in the library already, as {single.record.title}."
        passages = sum(info.passages for info in outcome.documents)
        done = replace(
            job,
            state=JobState.DONE,
            document_id=single.document_id if single else "",
            passages=passages,
            note=note,
        )
        update = self._ended(done)
        return replace(update, documents=outcome.documents, already_there=outcome.already_there)

    def _failed(
        self, job: ImportJob, error: PagekeeperError, state: JobState = JobState.FAILED
    ) -> ImportUpdate:
        failed = replace(job, state=state, note=str(error), hint=error.hint)
        return replace(self._ended(failed), error=error)

    def _ended(self, job: ImportJob) -> ImportUpdate:
        self._let_go(job)
        return self._changed(job)

    def _let_go(self, job: ImportJob) -> None:
        """Forget what a job held; a pasted text is kept for as long as it may be read."""
        with self._lock:
            self._cancels.pop(job.job_id, None)
            self._passwords.pop(job.job_id, None)
        self._resting.pop(job.job_id, None)
        if job.pasted and job.state in {JobState.DONE, JobState.CANCELLED}:
            Path(job.path).unlink(missing_ok=True)

    def _changed(self, job: ImportJob, stage: str = "") -> ImportUpdate:
        self._store.change(job)
        self._keep(job)
        return self._progress(job, stage)

    def _progress(self, job: ImportJob, stage: str) -> ImportUpdate:
        left = None
        if job.state is JobState.RUNNING and job.total:
            self._pace.note(job.done)
            left = self._pace.seconds_for(job.total - job.done)
        batch = self._batches[job.batch]
        batch_left = batch.seconds_left() if batch.files > 1 else left
        return ImportUpdate(job, stage, left, batch.ended, batch.files, batch_left)


def _after(job: ImportJob, wish: _Wish) -> ImportJob | None:
    """The job after what was wished; None if that changes nothing."""
    match wish:
        case _Wish.PAUSE if job.state is JobState.WAITING:
            return replace(job, state=JobState.PAUSED)
        case _Wish.CANCEL if job.is_open:
            return replace(job, state=JobState.CANCELLED)
        case _Wish.RESUME if job.state not in {JobState.WAITING, JobState.RUNNING, JobState.DONE}:
            return replace(job, state=JobState.WAITING)
        case _:
            return None


def _from_the_beginning(job: ImportJob) -> ImportJob:
    """A job of an earlier run: what was under way then waits."""
    state = JobState.WAITING if job.state is JobState.RUNNING else job.state
    return replace(job, state=state, done=0, total=0, passages=0)


def _about(path: Path) -> tuple[int, datetime | None]:
    """Bytes and last change of a file; nothing of one that is not there."""
    try:
        about = os.stat(path)  # noqa: PTH116 - a name that is too long is an OSError here
    except (OSError, ValueError):
        return 0, None
    return about.st_size, last_change(about)


def _own_error(job: ImportJob) -> DocumentError:
    return DocumentError(
        f"{job.title} could not be read because of an error in Pagekeeper.",
        hint="The log says more; the other files are not touched by it.",
    )
