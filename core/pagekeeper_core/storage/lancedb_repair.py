"""What is done when one of the archive's two tables was lost, so that nothing else goes with it.

Imported with `lancedb_tables`, where the tables are first needed.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lancedb.table import Table

from pagekeeper_core.storage.lancedb_rows import quoted

__all__ = ["document_rows_from_passages", "drop_documents_without_passages"]


def document_rows_from_passages(
    passages: Table, notice: Callable[[str], None]
) -> list[Mapping[str, Any]]:
    """The rows of a lost `documents` table, as far as the passages tell; none in a new archive.

    Path, pages and SHA-256 are not among the passages, so these rows do not keep the person from
    importing such a document once more.
    """
    wanted = ["document_id", "source", "created_at", "location"]
    found = passages.search().where("document_id != ''").select(wanted).to_list()
    counts = Counter(row["document_id"] for row in found)
    first = {row["document_id"]: row for row in reversed(found)}
    rows = [_document_row(row, counts[identifier]) for identifier, row in first.items()]
    if rows:
        notice(
            "The archive's list of documents was missing. It was made anew from the passages: "
            f"{_titles([row['title'] for row in rows])}."
        )
    return rows


def drop_documents_without_passages(
    passages: Table, documents: Table, notice: Callable[[str], None]
) -> None:
    """Take documents off the list whose passages are lost, so that they can be imported again."""
    columns = ["document_id", "title", "passages"]
    listed = documents.search().where("passages > 0").select(columns).to_list()
    if not listed:
        return
    there = passages.search().where("document_id != ''").select(["document_id"]).to_arrow()
    known = set(there["document_id"].to_pylist())
    lost = [row for row in listed if row["document_id"] not in known]
    if not lost:
        return
    documents.delete(f"document_id IN ({', '.join(quoted(row['document_id']) for row in lost)})")
    notice(
        "The archive lost the text of documents, and perhaps notes. Import again: "
        f"{_titles([row['title'] for row in lost])}."
    )


def _document_row(passage: Mapping[str, Any], count: int) -> Mapping[str, Any]:
    """The kind is a guess: only the passages of a PDF are on pages."""
    return {
        "document_id": passage["document_id"],
        "title": passage["source"],
        "kind": "pdf" if passage["location"].startswith("page") else "text",
        "sha256": "",
        "path": "",
        "pages": 0,
        "passages": count,
        "created_at": passage["created_at"],
        "size": 0,
        "modified": None,
    }


def _titles(titles: Sequence[str]) -> str:
    most = 5
    named = ", ".join(titles[:most])
    return f"{named} and {len(titles) - most} more" if len(titles) > most else named
