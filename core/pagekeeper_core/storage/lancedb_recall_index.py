"""The index of recall storage by meaning, on LanceDB: made from what DuckDB holds, never the truth.

One row for each message that was said, with the message that it answers before it: a reply such as
"In Porto" means nothing alone. A message too long for the embedder has several rows. A batch is
written whole or not at all, so a kill leaves an index that knows less, not a wrong one; one that is
damaged, or was made by another embedder or in another form, is emptied, and idle work fills it.
"""

import logging
import shutil
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pagekeeper_core.errors import ModelError, StoreError
from pagekeeper_core.messages import Message
from pagekeeper_core.protocols import Embedder
from pagekeeper_core.records import IndexEntry, RecallFilter
from pagekeeper_core.storage.faults import ARCHIVE_ERRORS, archive_error

if TYPE_CHECKING:
    from lancedb.table import Table

__all__ = ["LanceDBRecallIndex"]

# Cosine below which a message is not near in meaning: 73 % of the messages of LoCoMo lie there
# for a question, and 23 % of the right ones, which meaning then never finds.
_LEAST_SIMILARITY = 0.2

_log = logging.getLogger(__name__)


class LanceDBRecallIndex:
    """Vectors of what was said, in a LanceDB folder. Callable from any thread.

    Making one touches no file and loads nothing. A fault never reaches a search: it is logged, and
    words alone find until idle work has made the index anew.
    """

    def __init__(self, path: Path, embedder: Embedder) -> None:
        self._path = path
        self._embedder = embedder
        self._lock = threading.RLock()
        self._table: Table | None = None
        self._is_damaged = False

    @property
    def is_ready(self) -> bool:
        """Whether a search by meaning would find at once, with nothing left to load."""
        return self._table is not None and self._embedder.is_loaded

    def make_ready(self) -> None:
        """Open the table and load the embedder: seconds, the first time in a process.

        Raises:
            StoreError: The table cannot be opened or made anew.
            ModelError: The embedder is missing or failed.
        """
        from pagekeeper_core.storage.lancedb_recall_table import (  # noqa: PLC0415 - slow import
            open_table,
        )

        self._embedder.embed(["ready"])
        name, dimension = self._embedder.name, self._embedder.dimension
        with self._lock, self._faults():
            if self._is_damaged:
                self._remove()
            if self._table is None:
                self._table = open_table(self._path, name, dimension)

    def close(self) -> None:
        """Let go of the table."""
        with self._lock:
            self._table = None

    def newest(self) -> tuple[int, datetime | None]:
        """Number and time of the newest message that it has read; 0 and None while it is empty.

        Raises:
            StoreError: The table cannot be read.
        """
        with self._opened() as table:
            numbers = table.search().select(["seq"]).to_arrow()["seq"].to_numpy()
            if not len(numbers):
                return 0, None
            newest = int(numbers.max())
            (row,) = table.search().where(f"seq = {newest}").limit(1).to_list()
        return newest, row["created_at"].astimezone(UTC)

    def add(self, entries: Sequence[IndexEntry]) -> None:
        """Embed the entries and store them, all or none.

        Raises:
            StoreError: They could not be written.
            ModelError: The embedder failed.
        """
        if not entries:
            return
        vectors = self._embedder.embed([entry.text for entry in entries])
        rows = [_row(e.message, vector) for e, vector in zip(entries, vectors, strict=True)]
        with self._opened() as table:
            table.add(rows)

    def tidy(self) -> None:
        """Index the vectors and merge small pieces of the table, when that is worth the while.

        Searches go on while the vectors are indexed for the first time.
        """
        from pagekeeper_core.storage.lancedb_tables import tidy_table  # noqa: PLC0415 - slow import
        from pagekeeper_core.storage.lancedb_vectors import (  # noqa: PLC0415 - slow import
            index_vectors,
        )

        with self._opened() as table:
            growing = table
        with self._faults():
            index_vectors(growing, self._path)
        with self._opened() as table:
            tidy_table(table, self._path)

    def clear(self) -> None:
        """Empty the index, to be filled anew.

        Raises:
            StoreError: The folder cannot be removed or made.
        """
        with self._lock, self._faults():
            self._remove()
        self.make_ready()

    def nearest(self, query: str, where: RecallFilter, count: int) -> list[int]:
        """Numbers of the messages that `where` admits and that are near in meaning, nearest first.

        Empty where it is not ready or cannot be read.
        """
        if not self.is_ready:
            return []
        try:
            (vector,) = self._embedder.embed([query])
            with self._opened() as table:
                return _nearest(table, vector, where, count)
        except ModelError as error:
            _log.warning("Words alone find what was said: %s", error)
        except StoreError as error:
            _log.warning("Words alone find what was said, until it is indexed anew: %s", error)
            with self._lock:
                self._table = None
                self._is_damaged = True
        return []

    def _remove(self) -> None:
        self._table = None
        if self._path.exists():
            shutil.rmtree(self._path)
        self._is_damaged = False

    @contextmanager
    def _opened(self) -> Iterator["Table"]:
        with self._lock, self._faults():
            if self._table is None:
                raise StoreError(f"The index in {self._path} is not open.")
            yield self._table

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """What LanceDB raises becomes a StoreError."""
        try:
            yield
        except ARCHIVE_ERRORS as error:
            raise archive_error(self._path, error, "read or written") from error


def _nearest(table: "Table", vector: Sequence[float], where: RecallFilter, count: int) -> list[int]:
    """Numbers of the nearest messages that the filter admits.

    Most searches leave out what the model has before it and what is forgotten: few messages of all.
    Looking through twice as many rows for them spares reading the columns of the whole table.
    """
    if _may_leave_out_few(where):
        rows = _rows(table, vector, "", 2 * count)
        admitted = [row for row in rows if not _is_left_out(row, where)]
        if len(admitted) >= count or len(rows) < 2 * count:
            return _numbers(admitted[:count])
    return _numbers(_rows(table, vector, _condition(where), count))


def _rows(
    table: "Table", vector: Sequence[float], condition: str, count: int
) -> list[Mapping[str, Any]]:
    from pagekeeper_core.storage.lancedb_vectors import (  # noqa: PLC0415 - slow import
        nearest_vectors,
    )

    search = nearest_vectors(table, vector, count, condition)
    rows: list[Mapping[str, Any]]
    rows = search.select(["seq", "thread_id", "_distance"]).to_list()
    return rows


def _numbers(rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Those that are near, each once: a long message has several rows."""
    near = (row["seq"] for row in rows if 1 - row["_distance"] >= _LEAST_SIMILARITY)
    return list(dict.fromkeys(near))


def _may_leave_out_few(where: RecallFilter) -> bool:
    left_out = RecallFilter(before_seq=where.before_seq, seen=where.seen, hidden=where.hidden)
    return where == left_out


def _is_left_out(row: Mapping[str, Any], where: RecallFilter) -> bool:
    seq, thread = row["seq"], row["thread_id"]
    is_seen = where.seen is not None and thread == where.seen[0] and seq >= where.seen[1]
    is_later = where.before_seq is not None and seq >= where.before_seq
    return is_seen or is_later or seq in where.hidden


def _condition(where: RecallFilter) -> str:
    """A filter in LanceDB's language; empty when it admits all."""
    wanted: list[str] = []
    if where.speaker is not None:
        wanted.append(f"kind = '{where.speaker.value}'")
    if where.start is not None:
        wanted.append(f"created_at >= {_moment(where.start)}")
    if where.end is not None:
        wanted.append(f"created_at < {_moment(where.end)}")
    if where.outside is not None:
        start, end = map(_moment, where.outside)
        wanted.append(f"(created_at < {start} OR created_at >= {end})")
    if where.thread_id is not None:
        wanted.append(f"thread_id = {where.thread_id}")
    if where.before_seq is not None:
        wanted.append(f"seq < {where.before_seq}")
    if where.seen is not None:
        thread, first = where.seen
        wanted.append(f"(thread_id <> {thread} OR seq < {first})")
    if where.hidden:
        wanted.append(f"seq NOT IN ({', '.join(map(str, sorted(where.hidden)))})")
    return " AND ".join(wanted)


def _moment(at: datetime) -> str:
    return f"timestamp '{at.astimezone(UTC).replace(tzinfo=None).isoformat(sep=' ')}'"


def _row(message: Message, vector: Sequence[float]) -> Mapping[str, Any]:
    return {
        "seq": message.seq,
        "kind": message.kind.value,
        "thread_id": message.thread_id,
        "created_at": message.created_at,
        "vector": list(vector),
    }
