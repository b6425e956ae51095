"""The tables of the conversation database: one function per version, in the order of their age.

A released migration is never changed; a change of the tables is a new function at the end.
"""

from collections.abc import Callable
from datetime import UTC, datetime

import duckdb

__all__ = ["MIGRATIONS", "migrate", "stored_version"]


def _create_first_tables(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("CREATE TABLE commits (number UBIGINT NOT NULL)")
    connection.execute("INSERT INTO commits VALUES (0)")
    connection.execute(
        """CREATE TABLE messages (
            seq UBIGINT PRIMARY KEY,
            kind VARCHAR NOT NULL,
            text VARCHAR NOT NULL,
            prompt_text VARCHAR NOT NULL,
            created_at TIMESTAMPTZ NOT NULL,
            call JSON,
            term_count UINTEGER NOT NULL)"""
    )
    # No index on `term`: scanning the column is as fast for common words, and half the size.
    connection.execute(
        "CREATE TABLE terms (term VARCHAR NOT NULL, seq UBIGINT NOT NULL, times UINTEGER NOT NULL)"
    )
    connection.execute(
        """CREATE TABLE block_edits (
            edit_id UBIGINT PRIMARY KEY,
            block VARCHAR NOT NULL,
            before VARCHAR NOT NULL,
            after VARCHAR NOT NULL,
            made_at TIMESTAMPTZ NOT NULL,
            actor VARCHAR NOT NULL,
            cause_seq UBIGINT NOT NULL)"""
    )
    connection.execute(
        """CREATE TABLE checkpoints (
            checkpoint_id UBIGINT PRIMARY KEY,
            first_seq UBIGINT NOT NULL,
            summary VARCHAR NOT NULL,
            working_context VARCHAR NOT NULL,
            made_at TIMESTAMPTZ NOT NULL)"""
    )


def _add_threads_history_reminders_proposals(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("ALTER TABLE messages ADD COLUMN thread_id UBIGINT DEFAULT 1")
    connection.execute("ALTER TABLE checkpoints ADD COLUMN thread_id UBIGINT DEFAULT 1")
    connection.execute(
        """CREATE TABLE threads (
            thread_id UBIGINT PRIMARY KEY,
            title VARCHAR NOT NULL,
            created_at TIMESTAMPTZ NOT NULL,
            archived BOOLEAN NOT NULL)"""
    )
    connection.execute(
        "INSERT INTO threads SELECT 1, '', coalesce(min(created_at), now()), false FROM messages"
    )
    connection.execute(
        """CREATE TABLE changes (
            change_id UBIGINT PRIMARY KEY,
            target_kind VARCHAR NOT NULL,
            target_name VARCHAR NOT NULL,
            action VARCHAR NOT NULL,
            before VARCHAR NOT NULL,
            after VARCHAR NOT NULL,
            made_at TIMESTAMPTZ NOT NULL,
            actor VARCHAR NOT NULL,
            cause_seq UBIGINT NOT NULL,
            undoes UBIGINT NOT NULL,
            successor VARCHAR NOT NULL)"""
    )
    connection.execute(
        "INSERT INTO changes SELECT edit_id, 'block', block, 'edit', before, after, made_at, "
        "actor, cause_seq, 0, '' FROM block_edits"
    )
    connection.execute("DROP TABLE block_edits")
    connection.execute(
        """CREATE TABLE blocks (
            name VARCHAR PRIMARY KEY,
            description VARCHAR NOT NULL,
            token_limit UINTEGER NOT NULL,
            made_at TIMESTAMPTZ NOT NULL)"""
    )
    connection.execute(
        """CREATE TABLE reminders (
            reminder_id UBIGINT PRIMARY KEY,
            text VARCHAR NOT NULL,
            first_due_at TIMESTAMPTZ NOT NULL,
            recurrence VARCHAR NOT NULL,
            made_at TIMESTAMPTZ NOT NULL,
            actor VARCHAR NOT NULL,
            cause_seq UBIGINT NOT NULL)"""
    )
    # The newest row of a reminder says when it is due next; NULL: never again.
    connection.execute(
        """CREATE TABLE reminder_changes (
            change_id UBIGINT PRIMARY KEY,
            reminder_id UBIGINT NOT NULL,
            action VARCHAR NOT NULL,
            made_at TIMESTAMPTZ NOT NULL,
            actor VARCHAR NOT NULL,
            next_due_at TIMESTAMPTZ)"""
    )
    connection.execute(
        """CREATE TABLE proposals (
            proposal_id UBIGINT PRIMARY KEY,
            target_kind VARCHAR NOT NULL,
            target_name VARCHAR NOT NULL,
            before VARCHAR NOT NULL,
            after VARCHAR NOT NULL,
            reason VARCHAR NOT NULL,
            sources UBIGINT[] NOT NULL,
            made_at TIMESTAMPTZ NOT NULL,
            successor VARCHAR NOT NULL)"""
    )
    connection.execute(
        """CREATE TABLE proposal_decisions (
            proposal_id UBIGINT NOT NULL,
            state VARCHAR NOT NULL,
            made_at TIMESTAMPTZ NOT NULL)"""
    )
    connection.execute(
        "CREATE TABLE consolidations (read_until UBIGINT NOT NULL, made_at TIMESTAMPTZ NOT NULL)"
    )


def _let_queues_keep_older_messages(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("ALTER TABLE checkpoints ADD COLUMN kept UBIGINT[] DEFAULT []")
    connection.execute("ALTER TABLE checkpoints ADD COLUMN flushed_after UBIGINT DEFAULT 0")
    # A checkpoint without a summary is no flush's, but the beginning of a conversation.
    connection.execute(
        "UPDATE checkpoints SET flushed_after = coalesce("
        "(SELECT max(seq) FROM messages WHERE created_at <= made_at), 0) WHERE summary <> ''"
    )


def _pack_postings(connection: duckdb.DuckDBPyConnection) -> None:
    """Terms as numbers, with what a search reads beside them; see `recall_postings`."""
    connection.execute(
        """CREATE TABLE new_postings (
            term UBIGINT NOT NULL,
            seq UINTEGER NOT NULL,
            times UINTEGER NOT NULL,
            length UINTEGER NOT NULL,
            thread UINTEGER NOT NULL,
            by_user BOOLEAN NOT NULL)"""
    )
    connection.execute("CREATE TABLE packed_postings (term UBIGINT NOT NULL, packed BLOB NOT NULL)")
    connection.execute("CREATE INDEX packed_terms ON packed_postings (term)")
    connection.execute(
        "INSERT INTO new_postings "
        "SELECT md5_number_lower(term), seq, times, term_count, thread_id, kind = 'user' "
        "FROM terms JOIN messages USING (seq) ORDER BY seq"
    )
    connection.execute("DROP TABLE terms")


def _add_document_news(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute(
        """CREATE TABLE document_news (
            document_id VARCHAR PRIMARY KEY,
            came_at TIMESTAMPTZ NOT NULL,
            told_at TIMESTAMPTZ)"""
    )
    # Documents that were there before are no news.
    connection.execute("INSERT INTO document_news VALUES ('', now(), now())")


def _keep_where_conversations_came_from(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute(
        """CREATE TABLE imported_threads (
            origin VARCHAR NOT NULL,
            identifier VARCHAR NOT NULL,
            thread_id UBIGINT NOT NULL)"""
    )
    connection.execute(
        """CREATE TABLE imported_messages (
            thread_id UBIGINT NOT NULL,
            identifier VARCHAR NOT NULL,
            seq UBIGINT NOT NULL)"""
    )


def _keep_citations(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("ALTER TABLE messages ADD COLUMN citations JSON")


def _add_import_jobs(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute(
        """CREATE TABLE import_jobs (
            job_id UBIGINT PRIMARY KEY,
            batch UBIGINT NOT NULL,
            path BLOB NOT NULL,
            title VARCHAR NOT NULL,
            added_at TIMESTAMPTZ NOT NULL,
            pasted BOOLEAN NOT NULL,
            watched BOOLEAN NOT NULL,
            size UBIGINT NOT NULL,
            modified TIMESTAMPTZ,
            state VARCHAR NOT NULL,
            done UINTEGER NOT NULL,
            total UINTEGER NOT NULL,
            passages UINTEGER NOT NULL,
            document_id VARCHAR NOT NULL,
            replaces VARCHAR NOT NULL,
            note VARCHAR NOT NULL,
            hint VARCHAR NOT NULL)"""
    )


MIGRATIONS: tuple[Callable[[duckdb.DuckDBPyConnection], None], ...] = (
    _create_first_tables,
    _add_threads_history_reminders_proposals,
    _let_queues_keep_older_messages,
    _pack_postings,
    _add_document_news,
    _keep_where_conversations_came_from,
    _keep_citations,
    _add_import_jobs,
)


def stored_version(connection: duckdb.DuckDBPyConnection) -> int:
    """How many migrations this database has had; 0 for a new one."""
    # Asking the catalogue whether the table is there takes ten times as long, at every start.
    try:
        newest = connection.execute("SELECT max(version) FROM schema_version").fetchone()
    except duckdb.CatalogException:
        return 0
    return int(newest[0] or 0) if newest else 0


def migrate(connection: duckdb.DuckDBPyConnection) -> None:
    """Bring the tables to the version of this program, each migration in its own transaction."""
    done = stored_version(connection)
    for version, migration in enumerate(MIGRATIONS[done:], start=done + 1):
        connection.begin()
        try:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS schema_version "
                "(version UINTEGER PRIMARY KEY, applied_at TIMESTAMPTZ NOT NULL)"
            )
            migration(connection)
            connection.execute(
                "INSERT INTO schema_version VALUES (?, ?)", [version, datetime.now(UTC)]
            )
        except BaseException:
            connection.rollback()
            raise
        connection.commit()
