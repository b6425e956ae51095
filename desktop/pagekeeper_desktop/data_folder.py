"""The data folder: its layout, its permissions, and the lock that one process holds.

    models/                 model files (or where PAGEKEEPER_MODELS_DIR says)
    memory/recall.duckdb    every message, the memory blocks and their history
    memory/archive.lance/   documents and notes
    memory/summaries/       what was made of documents; made anew when it is missing
    memory/recall_index.lance/   what was said, by meaning; made anew when it is missing
    incoming/               pasted texts and unpacked archives, until they are read
    state/                  the evaluated prompt, the open conversation in it; can be deleted
    logs/pagekeeper.log
    settings.json
    drafts.json             what was typed in the window and not sent
    pagekeeper.lock         held while Pagekeeper runs; holds its process number

Neither database can be shared by two processes, so the lock is taken before either is opened. It
is the operating system's own file lock: a process that dies, by whatever means, lets go of it.
"""

import contextlib
import errno
import os
from dataclasses import dataclass
from pathlib import Path

import filelock

from pagekeeper_core.errors import StoreBusyError, StoreError
from pagekeeper_core.messages import storable_text

__all__ = ["DataFolder", "DataLock"]

_PRIVATE_FOLDER = 0o700
_PRIVATE_FILE = 0o600


@dataclass(frozen=True, slots=True)
class DataFolder:
    """Where everything of one person's memory lies.

    Attributes:
        root: The folder itself.
    """

    root: Path

    @property
    def memory(self) -> Path:
        """The folder of both databases."""
        return self.root / "memory"

    @property
    def recall_file(self) -> Path:
        """The DuckDB file: recall storage and state."""
        return self.memory / "recall.duckdb"

    @property
    def archive(self) -> Path:
        """The LanceDB folder: archival storage."""
        return self.memory / "archive.lance"

    @property
    def summaries(self) -> Path:
        """The folder of the documents' summaries, a file each."""
        return self.memory / "summaries"

    @property
    def recall_index(self) -> Path:
        """The LanceDB folder of what was said by meaning, made from the DuckDB file."""
        return self.memory / "recall_index.lance"

    @property
    def incoming(self) -> Path:
        """The folder of pasted texts and unpacked archives that wait to be read."""
        return self.root / "incoming"

    @property
    def state(self) -> Path:
        """The folder of saved model state."""
        return self.root / "state"

    @property
    def log_file(self) -> Path:
        """The log, beside its rotated predecessors."""
        return self.root / "logs" / "pagekeeper.log"

    @property
    def lock_file(self) -> Path:
        """The lock."""
        return self.root / "pagekeeper.lock"

    def create(self) -> None:
        """Make what is missing of the folders, readable by their owner alone.

        Raises:
            StoreError: It cannot be made or not have this name, or something else stands in its
                place.
        """
        _refuse_name(self.root)
        try:
            for folder in (self.root, self.memory, self.state):
                folder.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
        except OSError as error:
            raise _store_error(self.root, error) from error

    def lock(self) -> "DataLock":
        """Create the folder if need be and become the one process that may open its databases.

        Raises:
            StoreBusyError: Another process has it.
            StoreError: The folder cannot be made or written.
        """
        self.create()
        lock = filelock.FileLock(self.lock_file, timeout=0, mode=_PRIVATE_FILE, thread_local=False)
        try:
            lock.acquire()
        except filelock.Timeout as error:
            raise _busy_error(self) from error
        except NotImplementedError as error:
            raise _no_locks_error(self.root) from error
        except OSError as error:
            raise _store_error(self.root, error) from error
        return DataLock(self, lock)


class DataLock:
    """The right to open the databases of a data folder, until `release` or the process's end."""

    def __init__(self, folder: DataFolder, lock: filelock.BaseFileLock) -> None:
        self._lock = lock
        try:
            # Windows lets nobody write a locked file; the number only makes a message clearer.
            with contextlib.suppress(PermissionError):
                folder.lock_file.write_text(f"{os.getpid()}\n", encoding="ascii")
        except OSError as error:
            lock.release()
            raise _store_error(folder.root, error) from error

    def release(self) -> None:
        """Let go; a second call does nothing."""
        self._lock.release()


def _refuse_name(root: Path) -> None:
    """Refuse the names that DuckDB cannot open: it takes only Unicode, and `?` for parameters."""
    hint = "Choose a folder with a plain name with --data-dir."
    name = storable_text(str(root))
    if name != str(root):
        raise StoreError(f"The name of the data folder {name} is no text in UTF-8.", hint=hint)
    if "?" in name:
        raise StoreError(
            f"The data folder {name} cannot be used: there is a question mark in its path.",
            hint=hint,
        )


def _busy_error(folder: DataFolder) -> StoreBusyError:
    holder = _holder(folder.lock_file)
    process = f" (process {holder})" if holder else ""
    return StoreBusyError(
        f"Pagekeeper is open already{process} and holds the data folder {folder.root}.",
        hint="Use the one that is open, or close it first. "
        "Another folder can be chosen with --data-dir.",
    )


def _holder(lock_file: Path) -> int | None:
    try:
        return int(lock_file.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def _no_locks_error(root: Path) -> StoreError:
    return StoreError(
        f"The data folder {root} lies on a disk that cannot lock files.",
        hint="Choose a folder on a disk of this computer with --data-dir.",
    )


def _obstacle(missing: Path) -> Path:
    """What is in the way of a folder that cannot be made: itself, or the nearest one above it."""
    return next((path for path in (missing, *missing.parents) if os.path.lexists(path)), missing)


def _store_error(root: Path, error: OSError) -> StoreError:
    """Say in a person's words why the data folder cannot be used."""
    elsewhere = "or choose another folder with --data-dir."
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return StoreError(
                f"The disk of the data folder {root} is full.",
                hint=f"Free some space, {elsewhere}",
            )
        case errno.EROFS:
            return StoreError(
                f"The data folder {root} is read-only.",
                hint=f"Make its disk writable, {elsewhere}",
            )
        case errno.EACCES | errno.EPERM:
            return StoreError(
                f"There is no permission to write to the data folder {root}.",
                hint=f"Give yourself permission to write there, {elsewhere}",
            )
        case errno.ENOTDIR | errno.EEXIST:
            obstacle = _obstacle(Path(error.filename or root))
            return StoreError(
                f"The data folder {root} cannot be made: {obstacle} is not a folder.",
                hint=f"Move {obstacle} away, {elsewhere}",
            )
        case errno.EISDIR:
            return StoreError(
                f"The data folder {root} cannot be used: {error.filename} is a folder.",
                hint=f"Move {error.filename} away, {elsewhere}",
            )
        case _:
            return StoreError(
                f"The data folder {root} cannot be used: {error.strerror or error}.",
                hint="Choose another folder with --data-dir.",
            )
