"""`pagekeeper import`: files and folders into memory, without loading the language model."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

from pagekeeper_core.documents.files_below import files_below
from pagekeeper_core.errors import Cancelled, DocumentError, DocumentLocked, PagekeeperError
from pagekeeper_core.import_queue import ImportUpdate
from pagekeeper_core.records import ImportJob, JobState
from pagekeeper_desktop import composition
from pagekeeper_desktop.cli.agent_thread import AgentThread
from pagekeeper_desktop.cli.console import Console
from pagekeeper_desktop.cli.interrupts import Interrupts
from pagekeeper_desktop.cli.invocation import Invocation
from pagekeeper_desktop.cli.progress import progress_on
from pagekeeper_desktop.cli.session import tell_notices
from pagekeeper_desktop.model_choice import LoadStage
from pagekeeper_desktop.view_models.formatting import about, counted

__all__ = ["import_all", "run"]

Work = Generator[ImportUpdate, None, None]


@dataclass(slots=True)
class _Report:
    """What became of the files.

    Attributes:
        ended: The last update of each job, in the order in which they ended.
        missing: Paths that lead nowhere, and the sentence about each.
    """

    ended: list[ImportUpdate] = field(default_factory=list)
    missing: list[tuple[Path, PagekeeperError]] = field(default_factory=list)

    @property
    def failed(self) -> int:
        states = {JobState.FAILED, JobState.LOCKED}
        return len(self.missing) + sum(update.job.state in states for update in self.ended)


def run(invocation: Invocation, console: Console) -> int:
    """Import what the paths name; the exit code is 1 when any file could not be read.

    Raises:
        Cancelled: Ctrl+C was pressed; the files until then are archived, the one at hand is not.
        PagekeeperError: Not one file is at fault but memory or embedder: no other could be read.
    """
    return import_all(invocation, console, lambda _: invocation.arguments.paths)


def import_all(
    invocation: Invocation,
    console: Console,
    wanted: Callable[[composition.Memory], Sequence[Path | ImportJob]],
) -> int:
    """Work through the queue with what is wanted at its end; see `run`."""
    report = _Report()
    with AgentThread() as thread, ExitStack() as closing_down:
        memory = thread.call(composition.open_memory, invocation.options)
        closing_down.callback(thread.call, memory.close)
        closing_down.callback(lambda: tell_notices(memory, console))
        if invocation.json:
            closing_down.callback(lambda: console.emit(_fields(report)))
        stopping = Event()
        interrupts = closing_down.enter_context(Interrupts(lambda: memory.imports.stop(stopping)))
        left = thread.call(memory.imports.restore)
        asked = thread.call(wanted, memory)
        waiting = sum(job.state is JobState.WAITING for job in left)
        if waiting:
            console.note(f"{counted(waiting, 'file')} of an earlier import will be read as well.")
        jobs = thread.call(_noted, memory, asked, report, console, interrupts.cancel)
        _follow(thread.stream(_worked(memory, stopping)), console, report, as_json=invocation.json)
        if interrupts.cancel.is_set():
            thread.call(_drop, memory, jobs)
            raise Cancelled
    return 1 if report.failed else 0


def _noted(
    memory: composition.Memory,
    wanted: Sequence[Path | ImportJob],
    report: _Report,
    console: Console,
    cancel: Event,
) -> list[ImportJob]:
    """Put files into the queue; what leads nowhere or holds nothing is told at once.

    Raises:
        Cancelled: `cancel` was set before all files were found; none is in the queue.
    """
    files: list[Path] = []
    jobs: list[ImportJob] = []
    for given in wanted:
        if isinstance(given, ImportJob):
            jobs.append(given)
            continue
        try:
            _require_something(given)
        except DocumentError as error:
            report.missing.append((given, error))
            console.error(error)
            continue
        found: list[Path] = []
        for path in files_below([given], but=memory.folder.root):
            if cancel.is_set():
                raise Cancelled
            found.append(path)
        if not found:
            console.note(f"There is nothing to read in {given}.")
        files += found
    return [*jobs, *memory.imports.add(files)]


def _drop(memory: composition.Memory, jobs: Sequence[ImportJob]) -> None:
    """Take what was asked for out of the queue; what waited there before goes on waiting."""
    for job in jobs:
        memory.imports.cancel(job.job_id)
    for _ in memory.imports.heed():
        pass


def _worked(memory: composition.Memory, stopping: Event) -> Work:
    """Read what waits, and leave word of it for the assistant.

    Raises:
        PagekeeperError: Memory or the embedder is at fault, so that no other file could be read.
    """
    for update in memory.imports.work(stopping):
        if not update.already_there:
            for info in update.documents:
                memory.note_import(info)
        yield update
        if update.error and not isinstance(update.error, DocumentError):
            raise update.error


def _follow(
    work: Iterator[ImportUpdate], console: Console, report: _Report, *, as_json: bool
) -> None:
    """Show how far it is; a line for each file that is at its end."""
    updates = iter(work)
    while True:
        with closing(progress_on(console)) as progress:
            ended = None
            for update in updates:
                if update.job.state in _AT_REST:
                    ended = _as_a_command_can_help(update)
                    break
                progress.show(_stage(update, estimates=console.err.isatty()))
        if ended is None:
            return
        report.ended.append(ended)
        _tell(ended, console, as_json=as_json)


_AT_REST = {JobState.DONE, JobState.FAILED, JobState.LOCKED}


def _as_a_command_can_help(update: ImportUpdate) -> ImportUpdate:
    """A locked file waits for its password, which is typed in the window."""
    error = update.error
    if not isinstance(error, DocumentLocked):
        return update
    hint = "It waits for its password in the window, which `pagekeeper` opens."
    return replace(update, error=DocumentLocked(error.name, wrong=error.wrong, hint=hint))


def _stage(update: ImportUpdate, *, estimates: bool) -> LoadStage:
    """The state for a display; a bar has room for the estimate, lines would repeat it."""
    job = update.job
    label = f"{job.title}: {update.stage or job.state}"
    if update.files > 1:
        label += f" (file {min(update.files_done + 1, update.files)} of {update.files})"
    left = update.batch_seconds_left if update.files > 1 else update.seconds_left
    if estimates and left is not None:
        label += f", {about(left)} left"
    return LoadStage(label, job.done, job.total)


def _require_something(path: Path) -> None:
    """Check that the path leads to anything at all; whether it can be read is the reader's to say.

    Raises:
        DocumentError: It does not.
    """
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise DocumentError(
            f"There is no file or folder {path}.",
            hint="Check how it is spelled, and whether it was moved or renamed.",
        ) from error
    except OSError:
        return


def _tell(update: ImportUpdate, console: Console, *, as_json: bool) -> None:
    if update.error:
        console.error(update.error)
    elif not as_json:
        console.line(f"{_shown(update.job)}: {_sentence(update)}")


def _shown(job: ImportJob) -> str:
    return job.title if job.pasted else job.path


def _sentence(update: ImportUpdate) -> str:
    documents, note = update.documents, update.job.note
    if not documents:
        return note
    if len(documents) > 1:
        size = f"{counted(len(documents), 'document')}, {counted(update.job.passages, 'passage')}"
        return f"read, {size}. {note}"
    (info,) = documents
    if update.already_there:
        return f"already in the archive as {info.record.title}"
    pages = f"{counted(info.record.pages, 'page')}, " if info.record.pages else ""
    return f"read, {pages}{counted(info.passages, 'passage')}" + (f". {note}" if note else "")


def _fields(report: _Report) -> dict[str, object]:
    files = [_update_fields(update) for update in report.ended]
    files += [_failed_fields(str(path), error) for path, error in report.missing]
    return {"files": files, "failed": report.failed}


def _update_fields(update: ImportUpdate) -> dict[str, object]:
    if update.error:
        return _failed_fields(_shown(update.job), update.error)
    fields: dict[str, object] = {"path": _shown(update.job)}
    if len(update.documents) == 1:
        (info,) = update.documents
        fields |= {
            "id": info.document_id,
            "title": info.record.title,
            "pages": info.record.pages,
            "passages": info.passages,
        }
    fields["note"] = update.job.note
    return fields | {"status": "already there" if update.already_there else "imported"}


def _failed_fields(path: str, error: PagekeeperError) -> dict[str, object]:
    about = {"message": str(error), "hint": error.hint}
    return {"path": path, "status": "failed", "error": about}
