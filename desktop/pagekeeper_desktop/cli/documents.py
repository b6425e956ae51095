"""`pagekeeper documents`: what is in the library, and which folders feed it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pagekeeper_core.documents.files_below import known_path
from pagekeeper_core.documents.reading import title_of
from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.records import DocumentInfo, ImportJob
from pagekeeper_core.watched_folders import is_away
from pagekeeper_desktop import composition
from pagekeeper_desktop.cli.console import Console
from pagekeeper_desktop.cli.importing import import_all
from pagekeeper_desktop.cli.invocation import Invocation
from pagekeeper_desktop.cli.moments import day
from pagekeeper_desktop.cli.session import open_memory
from pagekeeper_desktop.settings import load_settings, save_settings
from pagekeeper_desktop.view_models.formatting import byte_size, counted

__all__ = ["found_document", "reimport", "remove", "show", "unwatch", "watch"]

_SHORT = 8
"""Characters of an identifier that are shown."""

_LEAST = 4
"""Characters of it that name a document: one or two are soon those of another."""


def show(invocation: Invocation, console: Console) -> int:
    """List the documents, the files that are on their way, and the watched folders."""
    with open_memory(invocation.options, console) as memory:
        documents = memory.archival.documents()
        under_way = memory.imports.open_jobs()
        folders = memory.watched.folders
    if invocation.json:
        console.emit(
            {
                "documents": [_fields(info, folders) for info in documents],
                "under_way": [_job_fields(job) for job in under_way],
                "watched": [str(folder) for folder in folders],
            }
        )
        return 0
    for info in documents:
        console.line(_line(info, folders))
    if not documents:
        console.note("There are no documents yet: `pagekeeper import PATH` reads some.")
    for job in under_way:
        console.line(f"{job.state}: {job.title}{f' ({job.note})' if job.note else ''}")
    for folder in folders:
        console.line(f"watched: {folder}")
    return 0


def remove(invocation: Invocation, console: Console) -> int:
    """Delete a document with all that was made of it.

    Raises:
        PagekeeperError: There is none of that name, or several.
    """
    with open_memory(invocation.options, console) as memory:
        info = found_document(memory, invocation.arguments.name)
        memory.archival.delete_document(info.document_id)
    if invocation.json:
        console.emit({"removed": info.document_id, "title": info.record.title})
    else:
        console.line(
            f"{info.record.title} and its {counted(info.passages, 'passage')} are gone. "
            "What was said of it in conversations stays."
        )
    return 0


def reimport(invocation: Invocation, console: Console) -> int:
    """Read a document's file again, even if it has not changed.

    Raises:
        PagekeeperError: There is none of that name, or several; or it was pasted.
    """

    def wanted(memory: composition.Memory) -> Sequence[ImportJob]:
        return [memory.imports.reimport(found_document(memory, invocation.arguments.name))]

    return import_all(invocation, console, wanted)


def watch(invocation: Invocation, console: Console) -> int:
    """Import by itself what a folder holds and will hold, while Pagekeeper is open.

    Raises:
        PagekeeperError: It is no folder.
    """
    folder = known_path(Path(invocation.arguments.folder))
    if not folder.is_dir():
        raise PagekeeperError(f"{folder} is not a folder.", hint="Check how it is spelled.")
    _choose(invocation, console, add=folder)
    console.note(f"{folder} is watched: the window reads what is in it, and what comes into it.")
    return 0


def unwatch(invocation: Invocation, console: Console) -> int:
    """Watch a folder no longer; what was read of it stays.

    Raises:
        PagekeeperError: It is not watched.
    """
    folder = known_path(Path(invocation.arguments.folder))
    _choose(invocation, console, drop=folder)
    console.note(f"{folder} is not watched any more. What was read of it stays.")
    return 0


def _choose(
    invocation: Invocation, console: Console, *, add: Path | None = None, drop: Path | None = None
) -> None:
    """Change the setting, while no other Pagekeeper has the data folder open."""
    root = invocation.options.data_dir
    with open_memory(invocation.options, console):
        settings = load_settings(root)
        names = [name for name in settings.watched_folders if name not in {str(add), str(drop)}]
        if drop is not None and len(names) == len(settings.watched_folders):
            raise PagekeeperError(
                f"{drop} is not watched.", hint="`pagekeeper documents` names those that are."
            )
        names += [str(add)] if add else []
        save_settings(root, replace(settings, watched_folders=tuple(names)))


def found_document(memory: composition.Memory, name: str) -> DocumentInfo:
    """The document of that identifier, its beginning, or its title; never one by a mere chance."""
    found = [
        info
        for info in memory.archival.documents()
        if name == info.document_id
        or info.record.title == title_of(name)
        or (len(name) >= _LEAST and info.document_id.startswith(name))
    ]
    if len(found) == 1:
        return found[0]
    if not found:
        raise PagekeeperError(
            f"There is no document {name}.", hint="`pagekeeper documents` lists them."
        )
    ids = ", ".join(info.document_id[:_SHORT] for info in found)
    raise PagekeeperError(f"{name} may be {len(found)} documents.", hint=f"Say which: {ids}.")


def _state(info: DocumentInfo, folders: Sequence[Path]) -> str:
    return "no longer in its folder" if is_away(info, folders) else "ready"


def _line(info: DocumentInfo, folders: Sequence[Path]) -> str:
    record = info.record
    parts = [
        record.kind,
        byte_size(record.size) if record.size else "",
        counted(record.pages, "page") if record.pages else "",
        counted(info.passages, "passage"),
        day(info.created_at),
        _state(info, folders) if is_away(info, folders) else "",
    ]
    about = ", ".join(part for part in parts if part)
    return f"{info.document_id[:_SHORT]}  {record.title}  ({about})"


def _fields(info: DocumentInfo, folders: Sequence[Path]) -> dict[str, object]:
    record = info.record
    return {
        "id": info.document_id,
        "title": record.title,
        "kind": record.kind,
        "size": record.size,
        "pages": record.pages,
        "passages": info.passages,
        "imported": info.created_at.isoformat(),
        "modified": record.modified.isoformat() if record.modified else None,
        "path": record.path,
        "state": _state(info, folders),
    }


def _job_fields(job: ImportJob) -> dict[str, object]:
    return {
        "path": job.path,
        "title": job.title,
        "state": job.state.value,
        "note": job.note,
        "hint": job.hint,
    }
