"""Opening the DuckDB file: created whole, never of a newer version, its log never thrown away."""

import logging
import shutil
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from pagekeeper_core.errors import StoreBusyError, StoreError, StoreVersionError
from pagekeeper_core.storage.commit_mark import CommitMark
from pagekeeper_core.storage.faults import read_error, write_error
from pagekeeper_core.storage.migrations import MIGRATIONS, migrate, stored_version

__all__ = ["open_database"]

# Extensions would be fetched from the network. The limit is for DuckDB's cache and sorting. A query
# of many words takes thousands of rows by the index of terms, where DuckDB would rather scan.
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "index_scan_max_count": "100000",
    "memory_limit": "512MB",
    "threads": "2",
}

# DuckDB has no codes for what stopped it from replaying a log. For want of memory or by a fault of
# the disk nothing is wrong with the log, and it must stay where it is for the next start.
_REPLAY_FAILED = "Failure while replaying WAL"
_FAULTS_OF_MACHINE = (
    "could not read from file",
    "could not write",
    "cannot open file",
    "no space left",
    "failed to pin block",
    "failed to allocate",
    "could not allocate",
    "out of memory",
)

_log = logging.getLogger(__name__)


def open_database(
    path: Path, notice: Callable[[str], None]
) -> tuple[duckdb.DuckDBPyConnection, CommitMark]:
    """Open the file for writing, creating or migrating it; `notice` hears of what is missing.

    Raises:
        StoreBusyError: Another process has it open.
        StoreVersionError: A newer Pagekeeper wrote it; not a byte of it was changed.
        StoreError: It cannot be read, created or written.
    """
    if not _create_if_missing(path):
        _refuse_newer_version(path)
    aside = path.with_name(f"{path.name}.wal.{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
    connection, log_moved = _connect(path, aside)
    try:
        mark, missing = _compare_mark(path, connection)
    except BaseException as error:
        connection.close()
        if log_moved:
            _put_back(path, aside)
        if isinstance(error, duckdb.Error):
            raise read_error(path, error) from error
        raise
    if missing or log_moved:
        notice(_missing_sentence(path, aside, missing))
    else:
        _forget(aside)
    return connection, mark


def _create_if_missing(path: Path) -> bool:
    """Create the file under another name first: a kill meanwhile must not leave half of one."""
    unfinished = path.with_name(f"{path.name}.new")
    try:
        if path.exists():
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.unlink(missing_ok=True)
        with duckdb.connect(unfinished, config=_CONFIG) as connection:
            migrate(connection)
        unfinished.replace(path)
    except (duckdb.Error, OSError) as error:
        raise write_error(path, error) from error
    return True


def _refuse_newer_version(path: Path) -> None:
    """Look at the version without writing a byte. Damage is left to the opening proper."""
    try:
        with duckdb.connect(path, read_only=True, config=_CONFIG) as connection:
            version = stored_version(connection)
    except duckdb.Error as error:
        if _is_locked(error):
            raise _busy(path) from error
        return
    if version > len(MIGRATIONS):
        raise StoreVersionError(
            f"{path} was written by a newer version of Pagekeeper.",
            hint="Install the newest version. Nothing in the file was changed.",
        )


def _connect(path: Path, aside: Path) -> tuple[duckdb.DuckDBPyConnection, bool]:
    """The connection, and whether the log could not be replayed and was moved to `aside`.

    Otherwise `aside` is a copy of the log, if there was one. After an error all is as before.
    """
    try:
        _copy_log(path, aside)
        return _connect_and_migrate(path), False
    except BaseException as error:
        _forget(aside)
        if not isinstance(error, duckdb.Error):
            raise
        if _is_locked(error):
            raise _busy(path) from error
        if not _is_bad_log(error):
            raise _open_error(path, error) from error
    return _connect_without_log(path, aside), True


def _copy_log(path: Path, aside: Path) -> None:
    """Keep the log that a kill or a crash left, until it is known to be replayed whole."""
    # On a full disk there is no room for a copy; the program must start all the same.
    try:
        shutil.copyfile(_log_of(path), aside)
    except OSError:
        _forget(aside)


def _connect_without_log(path: Path, aside: Path) -> duckdb.DuckDBPyConnection:
    try:
        _log_of(path).replace(aside)
    except OSError as error:
        raise write_error(path, error, "opened") from error
    try:
        return _connect_and_migrate(path)
    except BaseException as error:
        _put_back(path, aside)
        if isinstance(error, duckdb.Error):
            raise _open_error(path, error) from error
        raise


def _put_back(path: Path, aside: Path) -> None:
    """Give the log its name again; where that fails it stays aside, and is not lost."""
    try:
        aside.replace(_log_of(path))
    except OSError as error:
        _log.warning("The log of %s stays at %s: %s", path, aside, error)


def _forget(copy: Path) -> None:
    """Remove a copy of the log; one that stays does no harm."""
    with suppress(OSError):
        copy.unlink(missing_ok=True)


def _connect_and_migrate(path: Path) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(path, config=_CONFIG)
    try:
        migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _compare_mark(path: Path, connection: duckdb.DuckDBPyConnection) -> tuple[CommitMark, int]:
    """The mark, set to what the database holds, and how many commits are missing from it."""
    row = connection.execute("SELECT number FROM commits").fetchone()
    number = int(row[0]) if row else 0
    mark = CommitMark(path.with_name(f"{path.name}.commits"))
    missing = max(mark.number - number, 0)
    mark.set(number)
    return mark, missing


def _missing_sentence(path: Path, aside: Path, missing: int) -> str:
    lost = f"The newest {missing} entries" if missing else "The newest entries"
    if aside.exists():
        return f"{lost} of {path} could not be read; their log is kept as {aside}."
    return f"{lost} of {path} are missing: an older file stands in its place."


def _log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.wal")


def _is_locked(error: duckdb.Error) -> bool:
    # DuckDB gives an IOException for every fault of the file, with no code that tells them apart.
    return isinstance(error, duckdb.IOException) and any(
        sign in str(error) for sign in ("Could not set lock", "being used by another process")
    )


def _is_bad_log(error: duckdb.Error) -> bool:
    return _REPLAY_FAILED in str(error) and not _is_fault_of_machine(error)


def _is_fault_of_machine(error: duckdb.Error) -> bool:
    return any(sign in str(error).casefold() for sign in _FAULTS_OF_MACHINE)


def _open_error(path: Path, error: duckdb.Error) -> StoreError:
    if _is_fault_of_machine(error):
        return write_error(path, error, "opened")
    return read_error(path, error)


def _busy(path: Path) -> StoreBusyError:
    return StoreBusyError(
        f"{path} is in use by another program.",
        hint="Close the other Pagekeeper window or command and try again.",
    )
