"""The LanceDB tables of archival storage: their columns, opening, checking and tidying.

LanceDB takes over a second to import: import this module where the tables are first needed.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import lancedb
import pyarrow as pa
from lancedb.index import FTS
from lancedb.table import Table

from pagekeeper_core.errors import StoreError, StoreVersionError
from pagekeeper_core.storage.faults import ARCHIVE_ERRORS, archive_error, disk_is_full
from pagekeeper_core.storage.lancedb_repair import (
    document_rows_from_passages,
    drop_documents_without_passages,
)
from pagekeeper_core.storage.lancedb_rows import quoted
from pagekeeper_core.storage.lancedb_vectors import has_many_beside_index

__all__ = ["OLD", "SMALL_FRAGMENTS", "ArchiveTables", "open_tables", "tidy_table"]

_log = logging.getLogger(__name__)
_VERSION = 1
SMALL_FRAGMENTS = 32

# Old versions hold deleted text and fill the disk. One process holds the folder and all its work is
# done under one lock, so nobody reads them any more. (At zero LanceDB warns.)
OLD = timedelta(milliseconds=1)

# The terms are made by `search_terms`; the index only has to take them apart again.
_TERMS_INDEX = FTS(
    base_tokenizer="whitespace",
    lower_case=False,
    stem=False,
    remove_stop_words=False,
    ascii_folding=False,
    max_token_length=None,
)


@dataclass(frozen=True, slots=True)
class ArchiveTables:
    """The open tables.

    A row of `documents` is the mark that its passages are all there: it is written last.

    Attributes:
        path: The folder that holds them.
        passages: Text, where it is from, its search terms and its vector; notes have no document.
        documents: One row a document.
    """

    path: Path
    passages: Table
    documents: Table

    def remove_unfinished(self) -> None:
        """Take out the passages of documents whose import a kill or an error ended half-way."""
        ids = self.documents.search().select(["document_id"]).to_arrow()["document_id"].to_pylist()
        unfinished = f"document_id NOT IN ({', '.join(map(quoted, ['', *ids]))})"
        count = self.passages.count_rows(unfinished)
        if count:
            _log.info("Removing %d passages of a document that was not imported whole", count)
            self.passages.delete(unfinished)

    def index_words(self) -> None:
        """Make the index of search terms, or make it anew."""
        self.passages.create_index("terms", config=_TERMS_INDEX, replace=True)

    def tidy(self) -> None:
        """Tidy both tables, see `tidy_table`."""
        for table in (self.passages, self.documents):
            tidy_table(table, self.path)


def tidy_table(table: Table, path: Path) -> None:
    """Merge small fragments and bring the indices up to date, when that is worth the while.

    Nothing depends on it, so a failure goes to the log only; with a full disk it is not tried.
    """
    try:
        fragments = table.stats()["fragment_stats"]["num_small_fragments"]
        is_due = fragments > SMALL_FRAGMENTS or has_many_beside_index(table)
        if is_due and not disk_is_full(path):
            table.optimize(cleanup_older_than=OLD)
    except ARCHIVE_ERRORS as error:
        _log.warning("The tables in %s were not tidied: %s", path, error)


def open_tables(
    path: Path, embedder: str, dimension: int, notice: Callable[[str], None]
) -> ArchiveTables:
    """Open the archive, or create it for vectors of this embedder; unfinished imports are removed.

    Where one of the tables was lost, the other is brought in line and `notice` is told.

    Raises:
        StoreVersionError: A newer Pagekeeper wrote it.
        StoreError: It cannot be read or created, or holds another embedder's vectors.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = lancedb.connect(path)
        passages = _open(connection, "passages", path)
        if passages is None:
            passages = _create_passages(connection, embedder, dimension)
        _check(passages.schema.metadata or {}, path, embedder, dimension)
        tables = ArchiveTables(path, passages, _documents(connection, passages, path, notice))
        tables.remove_unfinished()
    except ARCHIVE_ERRORS as error:
        raise archive_error(path, error) from error
    return tables


def _documents(
    connection: lancedb.DBConnection, passages: Table, path: Path, notice: Callable[[str], None]
) -> Table:
    """The table of documents, which says the same as the passages.

    A lost one is written anew in one step: an empty one would condemn all passages as unfinished.
    """
    documents = _open(connection, "documents", path)
    if documents is not None:
        _add_new_columns(documents)
        drop_documents_without_passages(passages, documents, notice)
        return documents
    schema = _document_columns()
    rows = pa.Table.from_pylist(document_rows_from_passages(passages, notice), schema)
    return connection.create_table("documents", rows, schema=schema, exist_ok=True)


def _add_new_columns(documents: Table) -> None:
    """Give a table of version 1 what has been added; older programs go on with it as it is then."""
    there = set(documents.schema.names)
    missing = [field for field in _document_columns() if field.name not in there]
    if missing:
        documents.add_columns(missing)


def _open(connection: lancedb.DBConnection, name: str, path: Path) -> Table | None:
    try:
        return connection.open_table(name)
    except ValueError:
        # Not there; or a kill while it was created left a folder without a version in it.
        return None
    except (OSError, RuntimeError) as error:
        raise archive_error(path, error) from error


def _create_passages(connection: lancedb.DBConnection, embedder: str, dimension: int) -> Table:
    about = {"version": str(_VERSION), "embedder": embedder, "dimension": str(dimension)}
    schema = _passage_columns(dimension).with_metadata(about)
    table = connection.create_table("passages", schema=schema, exist_ok=True)
    table.create_index("terms", config=_TERMS_INDEX)
    return table


def _check(metadata: dict[bytes, bytes], path: Path, embedder: str, dimension: int) -> None:
    about = {key.decode(): value.decode() for key, value in metadata.items()}
    if int(about.get("version", "0")) > _VERSION:
        raise StoreVersionError(
            f"{path} was written by a newer version of Pagekeeper.",
            hint="Install the newest version. Nothing in the archive was changed.",
        )
    written_by = about.get("embedder", "an unknown one")
    if (written_by, about.get("dimension")) != (embedder, str(dimension)):
        raise StoreError(
            f"{path} was written with the embedding model {written_by} and cannot be searched "
            f"with {embedder}.",
            hint=f"Choose {written_by} again, or move the folder away and import anew.",
        )


def _passage_columns(dimension: int) -> pa.Schema:
    return _columns(
        passage_id=pa.string(),
        document_id=pa.string(),
        position=pa.int32(),
        text=pa.string(),
        location=pa.string(),
        source=pa.string(),
        created_at=pa.timestamp("us", "UTC"),
        fingerprint=pa.string(),
        terms=pa.string(),
        vector=pa.list_(pa.float32(), dimension),
    )


def _document_columns() -> pa.Schema:
    columns = _columns(
        document_id=pa.string(),
        title=pa.string(),
        kind=pa.string(),
        sha256=pa.string(),
        path=pa.string(),
        pages=pa.int32(),
        passages=pa.int32(),
        created_at=pa.timestamp("us", "UTC"),
    )
    # Version 2. What was added later may be missing, so that an older program can add rows.
    for name, kind in (("size", pa.int64()), ("modified", pa.timestamp("us", "UTC"))):
        columns = columns.append(pa.field(name, kind))
    return columns


def _columns(**types: pa.DataType) -> pa.Schema:
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in types.items()])
