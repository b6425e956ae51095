"""The table behind the index of recall storage: its columns and opening.

LanceDB takes over a second to import: import this module where the table is first needed.
"""

import logging
import shutil
from pathlib import Path

import lancedb
import pyarrow as pa
from lancedb.table import Table

from pagekeeper_core.storage.faults import ARCHIVE_ERRORS

__all__ = ["open_table"]

_log = logging.getLogger(__name__)

# Another number where the rows mean something else: an index of another form is made anew.
_VERSION = 1
_NAME = "said"


def open_table(path: Path, embedder: str, dimension: int) -> Table:
    """The table for vectors of this embedder; an empty one where there is none that can be used.

    Raises:
        OSError, RuntimeError, ValueError: It cannot be made.
    """
    about = {"version": str(_VERSION), "embedder": embedder, "dimension": str(dimension)}
    there = _sound_table(path, about)
    if there is not None:
        return there
    shutil.rmtree(path, ignore_errors=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    schema = _columns(dimension).with_metadata(about)
    return lancedb.connect(path).create_table(_NAME, schema=schema, exist_ok=True)


def _sound_table(path: Path, about: dict[str, str]) -> Table | None:
    """The table as it was left; None where it is missing, damaged, or made otherwise."""
    if not path.exists():
        return None
    try:
        table = lancedb.connect(path).open_table(_NAME)
        metadata = table.schema.metadata or {}
        if {key.decode(): value.decode() for key, value in metadata.items()} != about:
            _log.info("The index in %s was made otherwise, and is made anew", path)
            return None
        table.search().select(["seq", "created_at"]).to_arrow()
    except ARCHIVE_ERRORS as error:
        _log.warning("The index in %s cannot be read, and is made anew: %s", path, error)
        return None
    return table


def _columns(dimension: int) -> pa.Schema:
    types = {
        "seq": pa.int64(),
        "kind": pa.string(),
        "thread_id": pa.int64(),
        "created_at": pa.timestamp("us", "UTC"),
        "vector": pa.list_(pa.float32(), dimension),
    }
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in types.items()])
