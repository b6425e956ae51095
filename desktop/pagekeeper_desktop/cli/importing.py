"""`pagekeeper import`: files and folders into the archive, without loading the language model."""

import logging
import os
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from pagekeeper_core.errors import DocumentError, PagekeeperError
from pagekeeper_core.records import DocumentInfo
from pagekeeper_desktop import composition
from pagekeeper_desktop.cli.agent_thread import AgentThread
from pagekeeper_desktop.cli.console import Console
from pagekeeper_desktop.cli.interrupts import Interrupts
from pagekeeper_desktop.cli.invocation import Invocation
from pagekeeper_desktop.cli.progress import follow
from pagekeeper_desktop.cli.session import tell_notices
from pagekeeper_desktop.view_models.formatting import counted

__all__ = ["files_in", "run"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of one file.

    Attributes:
        path: The file.
        info: The document that now stands in the archive; None if it could not be read.
        already_there: Whether the archive had it before.
        error: Why it could not be read.
    """

    path: Path
    info: DocumentInfo | None = None
    already_there: bool = False
    error: PagekeeperError | None = None


def run(invocation: Invocation, console: Console) -> int:
    """Import what the paths name; the exit code is 1 when any file could not be read.

    Raises:
        Cancelled: Ctrl+C was pressed; the files until then are archived, the one at hand is not.
        PagekeeperError: Not one file is at fault but memory or embedder: no other could be read.
    """
    outcomes: list[_Outcome] = []
    interrupts = Interrupts()
    with AgentThread() as thread, ExitStack() as closing:
        memory = thread.call(composition.open_memory, invocation.options)
        closing.callback(thread.call, memory.close)
        closing.callback(lambda: tell_notices(memory, console))
        if invocation.json:
            closing.callback(lambda: console.emit(_fields(outcomes)))
        closing.enter_context(interrupts)
        for given in invocation.arguments.paths:
            before = len(outcomes)
            for path in files_in([given], but=invocation.options.data_dir):
                work = _import_file(memory, path, interrupts)
                outcomes.append(follow(thread.stream(work), console))
                _tell(outcomes[-1], console, as_json=invocation.json)
            if len(outcomes) == before:
                console.note(f"There is nothing to read in {given}.")
    return 1 if any(outcome.error for outcome in outcomes) else 0


def files_in(paths: Iterable[Path], *, but: Path) -> Iterator[Path]:
    """The files that the paths name: a folder stands for all files below it but hidden ones.

    Links to folders are not followed, so the walk always ends; nor is the folder `but`, which is
    Pagekeeper's own.
    """
    for path in paths:
        if not os.path.isdir(path):  # noqa: PTH112 - Path.is_dir fails where a name is too long
            yield path
            continue
        for folder, subfolders, names in os.walk(path):
            shown = sorted(name for name in subfolders if not name.startswith("."))
            subfolders[:] = (name for name in shown if Path(folder, name).absolute() != but)
            yield from (Path(folder, n) for n in sorted(names) if not n.startswith("."))


def _import_file(
    memory: composition.Memory, path: Path, interrupts: Interrupts
) -> Generator[composition.LoadStage, None, _Outcome]:
    """The boundary of one file: whatever is wrong with it, the next one is read all the same."""
    try:
        _require_something(path)
        finished = yield from composition.import_file(memory, path, interrupts.cancel)
    except DocumentError as error:
        return _Outcome(path, error=error)
    except (PagekeeperError, MemoryError):
        raise
    except Exception:
        log.exception("A file could not be imported")
        return _Outcome(path, error=_own_error(path))
    return _Outcome(path, finished.info, finished.already_there)


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


def _own_error(path: Path) -> DocumentError:
    return DocumentError(
        f"{path.name} could not be read because of an error in Pagekeeper.",
        hint="The log says more; the other files are not touched by it.",
    )


def _tell(outcome: _Outcome, console: Console, *, as_json: bool) -> None:
    if outcome.error:
        console.error(outcome.error)
    elif outcome.info and not as_json:
        console.line(f"{outcome.path}: {_sentence(outcome.info, outcome.already_there)}")


def _sentence(info: DocumentInfo, already_there: bool) -> str:  # noqa: FBT001 - a private phrase
    if already_there:
        return f"already in the archive as {info.record.title}"
    pages = f"{counted(info.record.pages, 'page')}, " if info.record.pages else ""
    return f"read, {pages}{counted(info.passages, 'passage')}"


def _fields(outcomes: Iterable[_Outcome]) -> dict[str, object]:
    files = [_outcome_fields(outcome) for outcome in outcomes]
    return {"files": files, "failed": sum(1 for file in files if file["status"] == "failed")}


def _outcome_fields(outcome: _Outcome) -> dict[str, object]:
    fields: dict[str, object] = {"path": str(outcome.path)}
    if outcome.error:
        return fields | {
            "status": "failed",
            "error": {"message": str(outcome.error), "hint": outcome.error.hint},
        }
    if outcome.info:
        fields |= {
            "title": outcome.info.record.title,
            "pages": outcome.info.record.pages,
            "passages": outcome.info.passages,
        }
    return fields | {"status": "already there" if outcome.already_there else "imported"}
