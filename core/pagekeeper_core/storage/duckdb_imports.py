"""Conversations that were held with another assistant, on DuckDB."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC

import duckdb

from pagekeeper_core.imported_conversations import ImportedConversation
from pagekeeper_core.messages import Message, MessageKind, storable_text
from pagekeeper_core.records import QueueCheckpoint
from pagekeeper_core.storage.duckdb_database import Database, next_number
from pagekeeper_core.storage.duckdb_recall import (
    message_row,
    message_terms,
    posting_rows,
    storable,
)
from pagekeeper_core.storage.duckdb_state import insert_checkpoint

__all__ = ["DuckDBImportedConversations"]

# Characters of the end of a conversation that stand in the queue when it is opened. All of a long
# one would have to be evaluated and summarised first: minutes, in which the person waits.
_SHOWN = 6000

_SUMMARY = (
    "This conversation was held with {origin} and imported. What was said before the messages "
    "that follow is found with conversation_search."
)


class DuckDBImportedConversations:
    """Stands in the same file as the conversations that were held here."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, conversation: ImportedConversation) -> int:
        """Store what is new of a conversation in one transaction; gives how many messages.

        Raises:
            StoreError: It could not be written; nothing of it was.
        """
        there = self._thread_of(conversation)
        known = self._known(there)
        new = [m for m in conversation.messages if storable_text(m.identifier) not in known]
        if not new:
            return 0
        # Finding the words takes most of the time: nobody else need wait for it.
        prepared = [storable(each.message) for each in new]
        terms = [*map(message_terms, prepared)]
        with self._database.transaction() as connection:
            is_untouched = _is_untouched(connection, there)
            thread_id = there or _new_thread(connection, conversation)
            messages = _numbered(connection, prepared, thread_id)
            _insert(connection, messages, terms)
            _note(connection, thread_id, messages, [each.identifier for each in new])
            if is_untouched:
                _show_the_end(connection, conversation.origin, messages, is_all=not there)
        return len(new)

    def _thread_of(self, conversation: ImportedConversation) -> int:
        """The thread that it became; 0 before its first import."""
        rows = self._database.rows(
            "SELECT thread_id FROM imported_threads WHERE origin = ? AND identifier = ?",
            [conversation.origin, storable_text(conversation.identifier)],
        )
        return int(rows[0][0]) if rows else 0

    def _known(self, thread_id: int) -> set[str]:
        """What the export calls those messages that are there."""
        rows = self._database.rows(
            "SELECT identifier FROM imported_messages WHERE thread_id = ?", [thread_id]
        )
        return {identifier for (identifier,) in rows}


def _new_thread(connection: duckdb.DuckDBPyConnection, conversation: ImportedConversation) -> int:
    thread_id = next_number(connection, "threads", "thread_id")
    title = " ".join(storable_text(conversation.title).split())
    connection.execute(
        "INSERT INTO threads VALUES (?, ?, ?, false)",
        [thread_id, title or conversation.origin, conversation.created_at.astimezone(UTC)],
    )
    connection.execute(
        "INSERT INTO imported_threads VALUES (?, ?, ?)",
        [conversation.origin, storable_text(conversation.identifier), thread_id],
    )
    return thread_id


def _numbered(
    connection: duckdb.DuckDBPyConnection, messages: Sequence[Message], thread_id: int
) -> list[Message]:
    first = next_number(connection, "messages", "seq")
    return [
        replace(message, seq=seq, thread_id=thread_id)
        for seq, message in enumerate(messages, start=first)
    ]


def _insert(
    connection: duckdb.DuckDBPyConnection,
    messages: Sequence[Message],
    terms: Sequence[Counter[str]],
) -> None:
    """Write numbered messages and their search terms, all at once: a fifth of the time."""
    pairs = list(zip(messages, terms, strict=True))
    _insert_rows(connection, "messages", [message_row(*pair) for pair in pairs])
    _insert_rows(connection, "new_postings", [row for pair in pairs for row in posting_rows(*pair)])


def _insert_rows(
    connection: duckdb.DuckDBPyConnection, table: str, rows: Sequence[tuple[object, ...]]
) -> None:
    import pyarrow as pa  # noqa: PLC0415 - slow import

    columns = [_column(values) for values in zip(*rows, strict=True)]
    if columns:
        named = pa.table({f"column{number}": column for number, column in enumerate(columns)})
        # A result that is not read to its end keeps the connection busy.
        connection.fetchall()
        connection.register("imported_rows", named)
        connection.execute(f"INSERT INTO {table} SELECT * FROM imported_rows")  # noqa: S608 - our own name
        connection.unregister("imported_rows")


def _column(values: Sequence[object]) -> object:
    """As an array; the numbers of terms need all 64 bits."""
    import pyarrow as pa  # noqa: PLC0415 - slow import

    is_number = isinstance(values[0], int) and not isinstance(values[0], bool)
    return pa.array(values, pa.uint64() if is_number else None)


def _note(
    connection: duckdb.DuckDBPyConnection,
    thread_id: int,
    messages: Sequence[Message],
    identifiers: Sequence[str],
) -> None:
    connection.execute(
        "INSERT INTO imported_messages SELECT ?, unnest(?::VARCHAR[]), unnest(?::UBIGINT[])",
        [thread_id, [*map(storable_text, identifiers)], [message.seq for message in messages]],
    )


def _is_untouched(connection: duckdb.DuckDBPyConnection, thread_id: int) -> bool:
    """Whether nothing was said in the thread but what was imported."""
    row = connection.execute(
        "SELECT count(*) FROM messages WHERE thread_id = $thread AND seq NOT IN "
        "(SELECT seq FROM imported_messages WHERE thread_id = $thread)",
        {"thread": thread_id},
    ).fetchone()
    return row is not None and row[0] == 0


def _show_the_end(
    connection: duckdb.DuckDBPyConnection,
    origin: str,
    messages: Sequence[Message],
    *,
    is_all: bool,
) -> None:
    """Let the queue begin near the end of a conversation; a short one stands in it whole."""
    first = _first_shown(messages)
    if is_all and first == messages[0].seq:
        return
    insert_checkpoint(
        connection,
        QueueCheckpoint(
            first_seq=first,
            summary=_SUMMARY.format(origin=origin),
            working_context="",
            at=messages[-1].created_at,
            thread_id=messages[0].thread_id,
            flushed_after=first - 1,
        ),
    )


def _first_shown(messages: Sequence[Message]) -> int:
    """The number of the message with which the queue begins: the user's, where there is one."""
    room = _SHOWN
    first = messages[-1].seq
    for message in reversed(messages):
        room -= len(message.prompt_text)
        if room < 0:
            break
        if message.kind is MessageKind.USER:
            first = message.seq
    return first
