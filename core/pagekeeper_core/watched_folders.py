"""Folders whose files are imported by themselves: what is new in them, what changed, what is gone.

They are looked through from time to time; no watcher of the system is needed, and a folder on a
network disk or a stick is treated like any other.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pagekeeper_core.documents.files_below import files_below, last_change
from pagekeeper_core.records import DocumentInfo, ImportJob

__all__ = ["FoldersSeen", "WatchedFolders", "is_away"]

_Look = tuple[int, datetime | None]


@dataclass(frozen=True, slots=True)
class FoldersSeen:
    """What a look through the folders found.

    Attributes:
        changed: Files that are new or changed, and have stopped growing.
        growing: Whether some have not; look again soon.
        vanished: Folders that are not there any more, each told once.
        away: Identifiers of documents whose files are not in their folder any more.
    """

    changed: tuple[Path, ...] = ()
    growing: bool = False
    vanished: tuple[Path, ...] = ()
    away: frozenset[str] = frozenset()


class WatchedFolders:
    """Remembers what it saw at the last look, and asks the history for what was imported before.

    Attributes:
        folders: The folders, with all that is below them.
    """

    def __init__(
        self,
        folders: Sequence[Path],
        *,
        but: Path,
        history: Callable[[], Mapping[str, ImportJob]],
        documents: Callable[[], Sequence[DocumentInfo]],
    ) -> None:
        """Watch `folders`.

        Args:
            folders: The folders.
            but: The data folder, which is never looked into.
            history: Gives the newest import of each file.
            documents: Gives the documents in the archive.
        """
        self.folders = tuple(folders)
        self._but = but
        self._history = history
        self._documents = documents
        self._last: dict[str, _Look] = {}
        self._vanished: set[Path] = set()

    def look(self) -> FoldersSeen:
        """Look through all folders.

        A file counts as complete when two looks find the same size and date. One that was imported
        with that size and date before is left alone, even if the person deleted the document.

        Raises:
            StoreError: The history or the archive cannot be read.
        """
        if not self.folders:
            return FoldersSeen()
        there = [folder for folder in self.folders if folder.is_dir()]
        seen = _looked_at(there, self._but)
        known = self._history()
        new = {path: look for path, look in seen.items() if not _is_known(known.get(path), look)}
        changed = tuple(Path(path) for path, look in new.items() if self._last.get(path) == look)
        self._last = new
        away = {info.document_id for info in self._documents() if is_away(info, self.folders)}
        return FoldersSeen(
            changed, len(changed) < len(new), self._newly_vanished(there), frozenset(away)
        )

    def _newly_vanished(self, there: Sequence[Path]) -> tuple[Path, ...]:
        missing = {folder for folder in self.folders if folder not in there}
        told = missing - self._vanished
        self._vanished = missing
        return tuple(sorted(told))


def is_away(info: DocumentInfo, folders: Sequence[Path]) -> bool:
    """Whether a document's file has gone from its watched folder, while the folder is there."""
    path = Path(info.record.path)
    own = (folder for folder in folders if folder in path.parents and folder.is_dir())
    return any(own) and not os.path.lexists(path)


def _looked_at(folders: Sequence[Path], but: Path) -> dict[str, _Look]:
    """Size and date of each file; those that vanish meanwhile are left out."""
    seen: dict[str, _Look] = {}
    for path in files_below(folders, but=but):
        try:
            about = path.stat()
        except OSError:
            continue
        seen[str(path)] = (about.st_size, last_change(about))
    return seen


def _is_known(job: ImportJob | None, look: _Look) -> bool:
    """Whether this very state of the file was imported, or is going to be."""
    return job is not None and (job.size, job.modified) == look
