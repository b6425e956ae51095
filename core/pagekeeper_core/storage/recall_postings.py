"""Where the words of recall storage stand: postings in DuckDB, a term's together.

A posting says that a message holds a term. Those of a new message are plain rows, so that it is
found at once; a search scans them. Idle time packs the oldest of them, one row for a term in a few
thousand messages, so that a search among a million messages scans a twentieth of the rows and reads
few besides the postings that it wants.

numpy takes a while to import: import this module where postings are first read.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pagekeeper_core.messages import MessageKind
from pagekeeper_core.records import RecallFilter
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.search_terms import term_number

__all__ = ["POSTING", "Postings", "admission", "find_postings", "pack_postings"]

POSTING = np.dtype(
    [("seq", "<u4"), ("times", "<u4"), ("length", "<u4"), ("thread", "<u4"), ("by_user", "u1")]
)
"""A posting as it is packed: the message, how often it has the term, its terms in all, its
conversation, and whether the user said it."""

PACKED_AT_ONCE = 8192
"""Numbers of messages whose postings are packed together: a fraction of a second."""

Postings = npt.NDArray[np.void]


def find_postings(database: Database, terms: Sequence[str]) -> dict[str, Postings]:
    """The postings of each term that is there.

    Raises:
        StoreError: The database cannot be read.
    """
    if not terms:
        return {}
    names = {term_number(term): term for term in terms}
    wanted = f"WHERE term IN ({', '.join(map(str, names))})"
    # In this order: what is packed between both is found twice, never missed.
    new = _new_postings(database, wanted)
    packed = database.rows(f"SELECT term, packed FROM packed_postings {wanted}")  # noqa: S608 - numbers of our own
    parts: dict[int, list[bytes]] = {number: [] for number in names}
    for number, part in packed:
        parts[number].append(part)
    found = {number: _unpacked(parts[number]) for number in names}
    newest = max((int(part["seq"].max()) for part in found.values() if len(part)), default=0)
    for number, part in _split(new, newest):
        found[number] = _unpacked([*parts[number], part.tobytes()])
    return {names[number]: part for number, part in found.items() if len(part)}


def _unpacked(parts: Iterable[bytes]) -> Postings:
    return np.frombuffer(b"".join(parts), POSTING)


def admission(
    where: RecallFilter,
    *,
    in_dates: npt.NDArray[np.uint64] | None = None,
    in_gap: npt.NDArray[np.uint64] | None = None,
) -> Callable[[Postings], Postings]:
    """Takes out of postings those of messages that a filter does not admit.

    Args:
        where: The filter.
        in_dates: The messages that its start and end admit; None where it has neither.
        in_gap: The messages that its `outside` does not admit.
    """
    is_in_dates = None if in_dates is None else _membership(in_dates)
    is_in_gap = None if in_gap is None else _membership(in_gap)

    def admitted(postings: Postings) -> Postings:
        keep = np.ones(len(postings), np.bool_)
        seqs, threads = postings["seq"], postings["thread"]
        if where.speaker is not None:
            keep &= postings["by_user"] == (where.speaker is MessageKind.USER)
        if where.thread_id is not None:
            keep &= threads == where.thread_id
        if where.before_seq is not None:
            keep &= seqs < max(where.before_seq, 0)
        if where.seen is not None:
            keep &= (threads != where.seen[0]) | (seqs < where.seen[1])
        if where.hidden:
            keep &= ~np.isin(seqs, list(where.hidden))
        if is_in_dates is not None:
            keep &= is_in_dates(seqs)
        if is_in_gap is not None:
            keep &= ~is_in_gap(seqs)
        return postings if keep.all() else postings[keep]

    return admitted


def _membership(
    members: npt.NDArray[np.uint64],
) -> Callable[[npt.NDArray[np.uint32]], npt.NDArray[np.bool_]]:
    """Tells of each number whether it is among the members."""
    is_member = np.zeros(int(members.max(initial=0)) + 2, np.bool_)
    is_member[members] = True
    return lambda seqs: is_member[np.minimum(seqs, len(is_member) - 1)]


def pack_postings(database: Database) -> bool:
    """Pack the oldest new postings, if there are enough; False when that is done.

    Raises:
        StoreError: The database cannot be read or written; nothing was.
    """
    (oldest, newest) = database.rows("SELECT min(seq), max(seq) FROM new_postings")[0]
    if oldest is None or newest - oldest < PACKED_AT_ONCE:
        return False
    chosen = f"WHERE seq < {oldest + PACKED_AT_ONCE}"
    numbers, parts = zip(*_split(_new_postings(database, chosen), 0), strict=True)
    packed = pa.table(
        {"term": pa.array(numbers, pa.uint64()), "packed": [part.tobytes() for part in parts]}
    )
    with database.transaction() as connection:
        connection.register("newly_packed", packed)
        connection.execute("INSERT INTO packed_postings SELECT term, packed FROM newly_packed")
        connection.unregister("newly_packed")
        connection.execute(f"DELETE FROM new_postings {chosen}")  # noqa: S608 - numbers of our own
    return True


def _new_postings(database: Database, condition: str) -> dict[str, npt.NDArray[np.generic]]:
    return database.columns(
        f"SELECT term, seq, times, length, thread, by_user FROM new_postings {condition}"  # noqa: S608 - numbers of our own
    )


def _split(columns: dict[str, npt.NDArray[np.generic]], after: int) -> list[tuple[int, Postings]]:
    """Rows as postings by term, each in the order of the messages; those up to `after` left out."""
    postings = np.empty(len(columns["seq"]), POSTING)
    for name in POSTING.names or ():
        postings[name] = columns[name]
    order = np.lexsort((postings["seq"], columns["term"]))
    order = order[postings["seq"][order] > after]
    numbers, postings = columns["term"][order], postings[order]
    if not len(numbers):
        return []
    borders = np.flatnonzero(numbers[1:] != numbers[:-1]) + 1
    firsts = numbers[[0, *borders]].tolist()
    return list(zip(firsts, np.split(postings, borders), strict=True))
