"""Taking text out of the archive so that no file on disk holds it any more.

LanceDB marks rows as deleted and lets them lie: a piece of the table is rewritten only when a tenth
of it is deleted, and an index of words keeps the words. So the pieces that held a deleted row are
rewritten here, the index of words is made anew, and the old versions are removed.

Imported where it is needed: LanceDB takes over a second to import.
"""

import logging
from collections.abc import Collection, Iterator
from pathlib import Path

import pyarrow as pa
from lancedb.table import Table

from pagekeeper_core.storage.lancedb_rows import Row, quoted
from pagekeeper_core.storage.lancedb_tables import OLD, ArchiveTables

__all__ = ["add_from_file", "erase_document", "finish_erasing", "replace_row"]

_log = logging.getLogger(__name__)

# A row's identifier is its piece's number, then its place in it.
_PIECE = 32


def add_from_file(tables: ArchiveTables, path: Path) -> None:
    """Add the rows of an Arrow stream file in one commit, never all of them in memory."""
    with pa.OSFile(str(path), "rb") as source:
        tables.passages.add(pa.ipc.open_stream(source))


def replace_row(tables: ArchiveTables, row: Row, document_id: str) -> None:
    """Put in the row of a document and take out another's, in one commit."""
    rows = pa.Table.from_pylist([row], tables.documents.schema)
    (
        tables.documents.merge_insert("document_id")
        .when_not_matched_insert_all()
        .when_not_matched_by_source_delete(f"document_id = {quoted(document_id)}")
        .execute(rows)
    )


def erase_document(tables: ArchiveTables, document_id: str) -> None:
    """Delete a document's row and passages, and their text from the files.

    A kill in the midst leaves a mark, by which the next opening goes on: see `finish_erasing`.
    """
    wanted = f"document_id = {quoted(document_id)}"
    mark = _mark(tables)
    mark.touch()
    for table in (tables.documents, tables.passages):
        pieces = _pieces(table, wanted)
        table.delete(wanted)
        _rewrite(table, pieces)
    _clean(tables)
    mark.unlink(missing_ok=True)


def finish_erasing(tables: ArchiveTables) -> None:
    """Erase what a kill or an error left of deleted documents; nothing to do where none did."""
    mark = _mark(tables)
    if not mark.exists():
        return
    _log.info("Erasing what is left of deleted documents")
    for table in (tables.documents, tables.passages):
        _rewrite(table, _pieces(table, "true"))
    _clean(tables)
    mark.unlink(missing_ok=True)


def _mark(tables: ArchiveTables) -> Path:
    return tables.path / "erasing"


def _pieces(table: Table, where: str) -> Collection[int]:
    """Numbers of the pieces that hold such rows."""
    rows = table.search().where(where).select([table.schema.names[0]]).with_row_id(with_row_id=True)
    return {row >> _PIECE for row in rows.to_arrow()["_rowid"].to_pylist()}


def _rewrite(table: Table, pieces: Collection[int]) -> None:
    """Write what is left in these pieces into new ones."""
    column = table.schema.names[0]
    for first, end in _runs(pieces):
        rows = f"_rowid >= {first << _PIECE} AND _rowid < {end << _PIECE}"
        table.update(where=rows, values_sql={column: column})


def _runs(numbers: Collection[int]) -> Iterator[tuple[int, int]]:
    """Runs of consecutive numbers: the first, and the one behind the last."""
    ordered = sorted(numbers)
    starts = [number for number in ordered if number - 1 not in numbers]
    ends = [number + 1 for number in ordered if number + 1 not in numbers]
    return zip(starts, ends, strict=True)


def _clean(tables: ArchiveTables) -> None:
    tables.index_words()
    for table in (tables.passages, tables.documents):
        table.optimize(cleanup_older_than=OLD)
