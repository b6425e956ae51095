"""The conversations on DuckDB."""

from datetime import UTC, datetime
from typing import Any

from pagekeeper_core.errors import StoreError
from pagekeeper_core.messages import storable_text
from pagekeeper_core.records import Thread
from pagekeeper_core.storage.duckdb_database import Database, next_number

__all__ = ["DuckDBThreadStore"]

# A conversation that was imported is one like all others once something was said in it here.
_THREADS = """
SELECT threads.thread_id, title, threads.created_at,
    coalesce(max(messages.created_at), threads.created_at) AS last_at, archived,
    CASE WHEN imported.newest = max(messages.seq) THEN imported.origin ELSE '' END AS held_with
FROM threads LEFT JOIN messages USING (thread_id) LEFT JOIN (
    SELECT thread_id, any_value(origin) AS origin, max(seq) AS newest
    FROM imported_threads JOIN imported_messages USING (thread_id) GROUP BY thread_id
) AS imported USING (thread_id)
"""
_GROUPED = (
    "GROUP BY threads.thread_id, title, threads.created_at, archived, "
    "imported.newest, imported.origin"
)


class DuckDBThreadStore:
    """Threads stand in the same file as their messages; the first one is always there."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, at: datetime, title: str = "") -> Thread:
        """Begin a conversation.

        Raises:
            StoreError: It could not be written; nothing was.
        """
        with self._database.transaction() as connection:
            thread_id = next_number(connection, "threads", "thread_id")
            connection.execute(
                "INSERT INTO threads VALUES (?, ?, ?, false)",
                [thread_id, _title(title), at.astimezone(UTC)],
            )
        return self.get(thread_id)

    def get(self, thread_id: int) -> Thread:
        """The conversation of that number.

        Raises:
            StoreError: There is none.
        """
        rows = self._database.rows(
            f"{_THREADS} WHERE threads.thread_id = ? {_GROUPED}", [thread_id]
        )
        if not rows:
            raise StoreError(
                f"There is no conversation {thread_id}.", hint="Choose one from the list."
            )
        return _thread(rows[0])

    def threads(self, *, archived: bool = False) -> list[Thread]:
        """The conversations (those put away too), the one with the newest message first.

        Those that were imported and not gone on with stand behind all others.
        """
        rows = self._database.rows(
            f"{_THREADS} WHERE $all OR NOT archived {_GROUPED} "
            "ORDER BY held_with <> '', last_at DESC, threads.thread_id DESC",
            {"all": archived},
        )
        return [_thread(row) for row in rows]

    def rename(self, thread_id: int, title: str) -> Thread:
        """Give a conversation another title.

        Raises:
            StoreError: There is none of that number, or it could not be written.
        """
        return self._set("title", _title(title), thread_id)

    def archive(self, thread_id: int, *, archived: bool = True) -> Thread:
        """Put a conversation away, or fetch it back. Its messages stay searchable.

        Raises:
            StoreError: There is none of that number, or it could not be written.
        """
        return self._set("archived", archived, thread_id)

    def _set(self, column: str, value: object, thread_id: int) -> Thread:
        with self._database.transaction() as connection:
            connection.execute(
                f"UPDATE threads SET {column} = ? WHERE thread_id = ?",  # noqa: S608 - our own name
                [value, thread_id],
            )
        return self.get(thread_id)


def _title(text: str) -> str:
    return " ".join(storable_text(text).split())


def _thread(row: tuple[Any, ...]) -> Thread:
    thread_id, title, created_at, last_at, archived, origin = row
    begun, last = created_at.astimezone(UTC), last_at.astimezone(UTC)
    return Thread(thread_id, title, begun, last, archived, origin)
