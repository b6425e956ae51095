"""Conversations that were held with another assistant, on DuckDB."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC

import duckdb

from pagekeeper_core.imported_conversations import ImportedConversation
from pagekeeper_core.messages import Message, MessageKind, storable_text
from pagekeeper_core.records import QueueCheckpoint
from pagekeeper_core.storage.duckdb_database import Database, next_number
from pagekeeper_core.storage.duckdb_recall import insert_messages, message_terms, storable
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
        prepared = [(storable(each.message), each.identifier) for each in conversation.messages]
        with self._database.transaction() as connection:
            there = _thread_of(connection, conversation)
            known = _known(connection, there)
            new = [(m, name) for m, name in prepared if storable_text(name) not in known]
            if new:
                is_untouched = _is_untouched(connection, there)
                thread_id = there or _new_thread(connection, conversation)
                messages = _numbered(connection, [message for message, _ in new], thread_id)
                insert_messages(connection, messages, [*map(message_terms, messages)])
                _note(connection, thread_id, messages, [name for _, name in new])
                if is_untouched:
                    _show_the_end(connection, conversation.origin, messages, is_all=not there)
        return len(new)


def _thread_of(connection: duckdb.DuckDBPyConnection, conversation: ImportedConversation) -> int:
    """The thread that it became; 0 before its first import."""
    row = connection.execute(
        "SELECT thread_id FROM imported_threads WHERE origin = ? AND identifier = ?",
        [conversation.origin, storable_text(conversation.identifier)],
    ).fetchone()
    return int(row[0]) if row else 0


def _known(connection: duckdb.DuckDBPyConnection, thread_id: int) -> set[str]:
    """What the export calls those messages that are there."""
    rows = connection.execute(
        "SELECT identifier FROM imported_messages WHERE thread_id = ?", [thread_id]
    ).fetchall()
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
