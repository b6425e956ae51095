"""Working-context history and queue checkpoints on DuckDB."""

from dataclasses import replace
from datetime import UTC, datetime

import duckdb

from pagekeeper_core.messages import storable_text
from pagekeeper_core.records import BlockEdit, QueueCheckpoint
from pagekeeper_core.storage.duckdb_database import Database

__all__ = ["DuckDBStateStore"]

_EDITS = "SELECT block, before, after, made_at, actor, cause_seq, edit_id FROM block_edits"


class DuckDBStateStore:
    """Appended to and never changed; stands in the same file as the conversation."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def append_block_edit(self, edit: BlockEdit) -> BlockEdit:
        """Store an edit durably; gives it back as it is stored, with its number.

        Raises:
            StoreError: It could not be written; nothing was.
        """
        with self._database.transaction() as connection:
            stored = replace(
                edit,
                before=storable_text(edit.before),
                after=storable_text(edit.after),
                at=edit.at.astimezone(UTC),
                edit_id=_next(connection, "SELECT max(edit_id) FROM block_edits"),
            )
            connection.execute(
                "INSERT INTO block_edits VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    stored.edit_id,
                    stored.block,
                    stored.before,
                    stored.after,
                    stored.at,
                    stored.actor,
                    stored.cause_seq,
                ],
            )
        return stored

    def block_edits(self, block: str | None = None) -> list[BlockEdit]:
        """All edits (of one block), oldest first."""
        rows = self._database.rows(
            f"{_EDITS} WHERE $block IS NULL OR block = $block ORDER BY edit_id",
            {"block": block},
        )
        return [_edit(*row) for row in rows]

    def current_blocks(self) -> dict[str, str]:
        """Every block's text as its newest edit left it, in the order of their first edits."""
        rows = self._database.rows(
            "SELECT block, arg_max(after, edit_id) FROM block_edits GROUP BY block "
            "ORDER BY min(edit_id)"
        )
        return dict(rows)

    def append_checkpoint(self, checkpoint: QueueCheckpoint) -> None:
        """Store a checkpoint durably, in one transaction.

        Raises:
            StoreError: It could not be written; nothing was.
        """
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?)",
                [
                    _next(connection, "SELECT max(checkpoint_id) FROM checkpoints"),
                    checkpoint.first_seq,
                    storable_text(checkpoint.summary),
                    storable_text(checkpoint.working_context),
                    checkpoint.at.astimezone(UTC),
                ],
            )

    def latest_checkpoint(self) -> QueueCheckpoint | None:
        """The newest checkpoint, or None before the first."""
        rows = self._database.rows(
            "SELECT first_seq, summary, working_context, made_at FROM checkpoints "
            "ORDER BY checkpoint_id DESC LIMIT 1"
        )
        for first_seq, summary, working_context, made_at in rows:
            return QueueCheckpoint(first_seq, summary, working_context, made_at.astimezone(UTC))
        return None


def _next(connection: duckdb.DuckDBPyConnection, newest: str) -> int:
    row = connection.execute(newest).fetchone()
    return int(row[0] or 0) + 1 if row else 1


def _edit(
    block: str, before: str, after: str, made_at: datetime, actor: str, cause_seq: int, edit_id: int
) -> BlockEdit:
    return BlockEdit(block, before, after, made_at.astimezone(UTC), actor, cause_seq, edit_id)
