"""Which documents the assistant has still to speak of, on DuckDB."""

from collections.abc import Sequence
from datetime import UTC, datetime

from pagekeeper_core.records import DocumentInfo
from pagekeeper_core.storage.duckdb_database import Database

__all__ = ["DuckDBDocumentNews"]


class DuckDBDocumentNews:
    """A row a document, with the moment at which it was spoken of.

    The row without an identifier says since when this is kept: what was imported before is no news.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, document_id: str, at: datetime, *, pending: bool) -> None:
        """A document came in. A second time changes nothing.

        Raises:
            StoreError: It could not be written.
        """
        moment = at.astimezone(UTC)
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO document_news VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                [document_id, moment, None if pending else moment],
            )

    def pending(self) -> list[str]:
        """Identifiers of those that are to be spoken of, in the order in which they came."""
        query = "SELECT document_id FROM document_news WHERE told_at IS NULL ORDER BY came_at"
        return [document_id for (document_id,) in self._database.rows(query)]

    def told(self, document_ids: Sequence[str], at: datetime) -> None:
        """These were spoken of, or are not to be any more.

        Raises:
            StoreError: It could not be written.
        """
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE document_news SET told_at = ? WHERE document_id IN "
                "(SELECT unnest(?::VARCHAR[])) AND told_at IS NULL",
                [at.astimezone(UTC), list(document_ids)],
            )

    def missed(self, documents: Sequence[DocumentInfo]) -> list[DocumentInfo]:
        """Those of which the program was killed before it could add them, oldest first."""
        rows = dict(self._database.rows("SELECT document_id, came_at FROM document_news"))
        since = rows.pop("", datetime.min.replace(tzinfo=UTC))
        new = [d for d in documents if d.document_id not in rows and d.created_at > since]
        return sorted(new, key=lambda document: document.created_at)
