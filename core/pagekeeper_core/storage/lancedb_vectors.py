"""Nearest vectors in a LanceDB table: an exact scan while it is small, an index when it has grown.

The index (IVF with RabitQ) parts the vectors into neighbourhoods and keeps one bit a dimension. A
search reads these codes in the neighbourhoods nearest to it, and compares the best by their real
vectors. The neighbourhoods are learnt once, from few thousand vectors, in a second or two. What
comes later is put into them when the table is tidied; rows that are not in the index yet are
scanned, so that they are found at once.
"""

import logging
import math
from collections.abc import Sequence
from pathlib import Path

from lancedb.index import IvfRq
from lancedb.query import LanceVectorQueryBuilder
from lancedb.table import Table

from pagekeeper_core.storage.faults import ARCHIVE_ERRORS, disk_is_full

__all__ = ["INDEXED_FROM", "has_many_beside_index", "index_vectors", "nearest_vectors"]

INDEXED_FROM = 16_384
"""Rows below which a scan is as fast as an index."""

BESIDE_AT_MOST = 4_096
"""Rows beside an index, of vectors or of words, above which tidying puts them into it."""

_NAME = "vector_idx"
# Measured on 100,000 vectors whose neighbours lie close together, with 200 compared: of the nearest
# 10 and 50, .999 and .98 are found with 48 of 64 neighbourhoods read; .97 and .95 with 16 read, at
# nearly the same cost. A code of one bit alone finds half of the nearest 10.
_READ = 48
_ALL = 4_096
_COMPARED = 400

# Learning from more vectors, or for longer, finds no more.
_INDEX = IvfRq(distance_type="cosine", num_partitions=64, sample_rate=128, max_iterations=10)

_log = logging.getLogger(__name__)


def nearest_vectors(
    table: Table, vector: Sequence[float], count: int, where: str = ""
) -> LanceVectorQueryBuilder:
    """A search for the nearest by cosine among the rows that `where` admits, to be run.

    By the index, as many are compared by their real vectors however few are wanted. All
    neighbourhoods are read for a filter: the few rows that it admits may lie in any.
    """
    search = table.search(vector, vector_column_name="vector").distance_type("cosine").limit(count)
    search = search.refine_factor(max(math.ceil(_COMPARED / max(count, 1)), 2))
    if where:
        return search.where(where, prefilter=True).nprobes(_ALL)
    return search.nprobes(_READ)


def index_vectors(table: Table, path: Path) -> None:
    """Make the index, if the table has grown so large that it needs one and has none.

    Searches and additions go on meanwhile. Nothing depends on it, so a failure goes to the log.
    """
    try:
        if table.count_rows() >= INDEXED_FROM and not (_has_index(table) or disk_is_full(path)):
            table.create_index("vector", config=_INDEX, name=_NAME)
    except ARCHIVE_ERRORS as error:
        _log.warning("The vectors in %s were not indexed: %s", path, error)


def has_many_beside_index(table: Table) -> bool:
    """Whether so many rows are not in an index that tidying is worth the while."""
    stats = (table.index_stats(index.name) for index in table.list_indices())
    return any(about is not None and about.num_unindexed_rows > BESIDE_AT_MOST for about in stats)


def _has_index(table: Table) -> bool:
    return any(index.name == _NAME for index in table.list_indices())
