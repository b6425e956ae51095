"""Passages and documents as rows of the archive's tables, and back."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from pagekeeper_core.messages import storable_text
from pagekeeper_core.records import ArchivalHit, DocumentInfo, DocumentRecord, Passage
from pagekeeper_core.storage.search_terms import index_terms

__all__ = [
    "SHOWN",
    "Row",
    "document_of",
    "document_row",
    "hit_of",
    "passage_row",
    "quoted",
    "storable_record",
    "stored_path",
]

Row = Mapping[str, Any]

SHOWN = ["passage_id", "document_id", "text", "location", "source", "created_at", "position"]
"""The columns of which `hit_of` makes a hit."""

_BYTES = "bytes:"
"""No path begins so: they are known from the root on."""


def quoted(text: str) -> str:
    """The text as a literal of LanceDB's filter language."""
    return "'" + text.replace("'", "''") + "'"


def hit_of(row: Row, score: float, similarity: float = 1.0) -> ArchivalHit:
    """A row of a search as a hit with its score."""
    passage = Passage(row["text"], row["location"])
    created_at = row["created_at"].astimezone(UTC)
    return ArchivalHit(
        passage,
        row["source"],
        created_at,
        score,
        row["passage_id"],
        document_id=row["document_id"],
        position=row["position"],
        similarity=similarity,
    )


def passage_row(
    passage: Passage,
    vector: Sequence[float],
    *,
    info: DocumentInfo | None = None,
    position: int = 0,
    known: str = "",
    passage_id: str = "",
) -> Row:
    """A passage with its vector as a row; without `info` it is a note."""
    return {
        "passage_id": passage_id or uuid4().hex,
        "document_id": info.document_id if info else "",
        "position": position,
        "text": passage.text,
        "location": passage.location,
        "source": info.record.title if info else "note",
        "created_at": info.created_at if info else datetime.now(UTC),
        "fingerprint": known,
        "terms": " ".join(index_terms(passage.text)),
        "vector": list(vector),
    }


def stored_path(path: str) -> str:
    """A path as its column holds it: that of a name that is no text by its bytes.

    So two such names are never taken for one, and the file is found again.
    """
    if storable_text(path) == path:
        return path
    try:
        return f"{_BYTES}{os.fsencode(path).hex()}"
    except UnicodeEncodeError:
        return storable_text(path)


def _path_of(stored: str) -> str:
    if not stored.startswith(_BYTES):
        return stored
    return os.fsdecode(bytes.fromhex(stored.removeprefix(_BYTES)))


def document_row(info: DocumentInfo) -> Row:
    """A document as a row."""
    record = info.record
    return {
        "document_id": info.document_id,
        "title": record.title,
        "kind": record.kind,
        "sha256": record.sha256,
        "path": stored_path(record.path),
        "pages": record.pages,
        "passages": info.passages,
        "created_at": info.created_at,
        "size": record.size,
        "modified": record.modified,
    }


def document_of(row: Row) -> DocumentInfo:
    """A row as the document that it stands for."""
    modified = row["modified"]
    record = DocumentRecord(
        row["title"],
        row["kind"],
        row["sha256"],
        _path_of(row["path"]),
        row["pages"],
        row["size"] or 0,
        modified.astimezone(UTC) if modified else None,
    )
    created_at = row["created_at"].astimezone(UTC)
    return DocumentInfo(row["document_id"], record, row["passages"], created_at)


def storable_record(record: DocumentRecord) -> DocumentRecord:
    """A record without what a table cannot hold."""
    return replace(
        record,
        title=storable_text(record.title),
        modified=record.modified.astimezone(UTC) if record.modified else None,
    )
