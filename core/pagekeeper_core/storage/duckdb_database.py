"""The DuckDB file that holds recall storage and state: opening, transactions, threads, damage."""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import duckdb

from pagekeeper_core.errors import StoreError
from pagekeeper_core.storage.duckdb_opening import open_database
from pagekeeper_core.storage.faults import disk_is_full, read_error, write_error

__all__ = ["Database", "next_number"]

_log = logging.getLogger(__name__)

_Result = TypeVar("_Result")
_NONE: Mapping[str, object] = {}

# The log is the part of the file that a crash can damage, so it is folded in often. 20 ms each.
_COMMITS_PER_CHECKPOINT = 64

# After a checkpoint that failed, say on a full disk, DuckDB refuses all else until it is opened
# anew; and the connection stays closed when that could not be done at once.
_UNUSABLE = (duckdb.FatalException, duckdb.ConnectionException)


class Database:
    """One DuckDB file, opened by one process.

    Writes go through one connection under a lock, so that numbers stay gapless; every other thread
    reads through a cursor of its own, because a connection that threads share mixes up their rows.

    Attributes:
        path: The file.
        notices: Sentences for the person about what was found damaged and how it was handled.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, or create it and its folder.

        Raises:
            StoreBusyError: Another process has it open.
            StoreVersionError: A newer Pagekeeper wrote it; it is left as it is.
            StoreError: It cannot be read, created or written.
        """
        self.path = path
        self.notices: list[str] = []
        self._write_lock = threading.RLock()
        self._local = threading.local()
        self._openings = 1
        self._closed = False
        self._commits_since_checkpoint = 0
        self._connection, self._mark = open_database(path, self.notice)

    def close(self) -> None:
        """Fold the log into the file and let go of it. Cursors of other threads end too."""
        with self._write_lock:
            if not self._closed:
                self._checkpoint()
                self._let_go()
            self._closed = True

    def notice(self, sentence: str) -> None:
        """Tell the person something about their data: on the screen and in the log file."""
        self.notices.append(sentence)
        _log.warning("%s", sentence)

    def rows(
        self, query: str, parameters: Sequence[object] | Mapping[str, object] = ()
    ) -> list[Any]:
        """All rows of a query, read through this thread's own cursor.

        Raises:
            StoreError: The file could not be read.
        """
        return self._read(lambda cursor: cursor.execute(query, parameters).fetchall())

    def columns(self, query: str, parameters: Mapping[str, object] = _NONE) -> dict[str, Any]:
        """All rows of a query as one numpy array a column, read as by `rows`.

        Raises:
            StoreError: The file could not be read.
        """
        return self._read(lambda cursor: cursor.execute(query, parameters).fetchnumpy())

    def _read(self, query: Callable[[duckdb.DuckDBPyConnection], _Result]) -> _Result:
        opening = self._openings
        try:
            try:
                return query(self._cursor())
            except _UNUSABLE:
                self._open_again(opening)
                return query(self._cursor())
        except duckdb.Error as error:
            raise read_error(self.path, error) from error

    @contextmanager
    def transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """The write connection in a transaction: on disk when the block ends, or not at all.

        Raises:
            StoreError: It could not be written; nothing was.
        """
        with self._write_lock:
            try:
                self._begin()
                yield self._connection
                self._connection.execute("UPDATE commits SET number = number + 1")
                self._connection.commit()
            except BaseException as error:
                self._roll_back()
                if isinstance(error, duckdb.Error):
                    raise write_error(self.path, error) from error
                raise
            self._after_commit()

    def _after_commit(self) -> None:
        self._mark.advance()
        self._commits_since_checkpoint += 1
        if self._commits_since_checkpoint >= _COMMITS_PER_CHECKPOINT:
            self._checkpoint()

    def _checkpoint(self) -> None:
        """Fold the log into the file; when that fails the log stays, and nothing is lost."""
        self._commits_since_checkpoint = 0
        if disk_is_full(self.path):
            return
        try:
            self._connection.execute("CHECKPOINT")
        except duckdb.Error as error:
            _log.warning("The log of %s was not folded in: %s", self.path, error)

    def _begin(self) -> None:
        opening = self._openings
        try:
            self._connection.begin()
        except _UNUSABLE:
            self._open_again(opening)
            self._connection.begin()

    def _open_again(self, opening: int) -> None:
        """Open the file anew, unless another thread has done so since `opening`."""
        with self._write_lock:
            if self._closed:
                raise StoreError(f"{self.path} is closed.")
            if self._openings != opening:
                return
            self._let_go()
            self._connection, self._mark = open_database(self.path, self.notice)
            self._openings += 1

    def _let_go(self) -> None:
        self._connection.close()
        self._mark.close()

    def _roll_back(self) -> None:
        # A commit that failed has ended its transaction already.
        with suppress(duckdb.Error):
            self._connection.rollback()

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        if getattr(self._local, "opening", 0) != self._openings:
            with self._write_lock:
                self._local.cursor = self._connection.cursor()
                self._local.opening = self._openings
        cursor: duckdb.DuckDBPyConnection = self._local.cursor
        return cursor


def next_number(connection: duckdb.DuckDBPyConnection, table: str, column: str) -> int:
    """The number after the newest one in a table, which are counted from 1."""
    newest = connection.execute(f"SELECT max({column}) FROM {table}").fetchone()  # noqa: S608
    return int(newest[0] or 0) + 1 if newest else 1
