"""Documents in the archive's tables: found, read in order, put in place, taken out."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from pagekeeper_core.records import ArchivalHit, DocumentInfo, SearchPage
from pagekeeper_core.storage.faults import ARCHIVE_ERRORS
from pagekeeper_core.storage.lancedb_rows import SHOWN, document_of, document_row, hit_of, quoted
from pagekeeper_core.storage.paging import page_offset, page_with

if TYPE_CHECKING:
    from pagekeeper_core.storage.lancedb_tables import ArchiveTables

__all__ = [
    "around",
    "delete_document",
    "document_with",
    "documents_in",
    "passages_in_order",
    "put_document",
]

_log = logging.getLogger(__name__)


def document_with(tables: "ArchiveTables", column: str, value: str) -> DocumentInfo | None:
    """The document whose column has that value."""
    rows = tables.documents.search().where(f"{column} = {quoted(value)}").limit(1).to_list()
    return document_of(rows[0]) if rows else None


def documents_in(tables: "ArchiveTables", where: str = "true") -> list[DocumentInfo]:
    """The documents that `where` admits, newest first."""
    rows = tables.documents.search().where(where).to_list()
    return sorted(map(document_of, rows), key=lambda info: info.created_at, reverse=True)


def passages_in_order(
    tables: "ArchiveTables", info: DocumentInfo, page: int, page_size: int
) -> SearchPage[ArchivalHit]:
    """One page of a document's passages, in reading order."""
    first = page_offset(page, page_size)
    hits = _between(tables, info.document_id, first, first + page_size)
    return page_with(hits, page, page_size, info.passages)


def around(tables: "ArchiveTables", hit: ArchivalHit, before: int, after: int) -> list[ArchivalHit]:
    """The passage with its neighbours, in reading order; a note alone."""
    if not hit.document_id:
        return [hit]
    first, last = hit.position - max(before, 0), hit.position + max(after, 0)
    return _between(tables, hit.document_id, first, last + 1)


def put_document(
    tables: "ArchiveTables", info: DocumentInfo, passages: Path, replaces: str
) -> None:
    """Put in a document, whose passages lie in an Arrow stream file, and take out what it replaces.

    Its row makes it whole; the same commit takes out the row of the older one.
    """
    from pagekeeper_core.storage.lancedb_erasure import (  # noqa: PLC0415 - slow import
        add_from_file,
        erase_document,
        replace_row,
    )

    if info.passages:
        add_from_file(tables, passages)
    if not replaces:
        tables.documents.add([document_row(info)])
        return
    replace_row(tables, document_row(info), replaces)
    try:
        erase_document(tables, replaces)
    except ARCHIVE_ERRORS as error:
        # The new one stands, and the next opening erases what is left of the older one.
        _log.warning("The older version of a document is not erased yet: %s", error)


def delete_document(tables: "ArchiveTables", document_id: str) -> None:
    """Take a document out, first its row, and erase its text from the files."""
    from pagekeeper_core.storage.lancedb_erasure import erase_document  # noqa: PLC0415 - as above

    erase_document(tables, document_id)


def _between(tables: "ArchiveTables", document_id: str, first: int, end: int) -> list[ArchivalHit]:
    wanted = f"document_id = {quoted(document_id)} AND position >= {first} AND position < {end}"
    rows = tables.passages.search().where(wanted).select(SHOWN).to_list()
    return sorted((hit_of(row, 1.0) for row in rows), key=lambda hit: hit.position)
