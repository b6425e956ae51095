"""The history of memory and queue checkpoints on DuckDB."""

from dataclasses import replace
from datetime import UTC, datetime

import duckdb

from pagekeeper_core.messages import storable_text
from pagekeeper_core.records import (
    BlockDefinition,
    ChangeAction,
    MemoryChange,
    QueueCheckpoint,
    Target,
    TargetKind,
)
from pagekeeper_core.storage.duckdb_database import Database, next_number

__all__ = ["DuckDBStateStore", "insert_checkpoint"]

_CHANGES = (
    "SELECT target_kind, target_name, action, before, after, made_at, actor, cause_seq, undoes, "
    "successor, change_id FROM changes"
)


class DuckDBStateStore:
    """Appended to and never changed; stands in the same file as the conversation."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def append_change(self, change: MemoryChange) -> MemoryChange:
        """Store a change durably; gives it back as it is stored, with its number.

        Raises:
            StoreError: It could not be written; nothing was.
        """
        with self._database.transaction() as connection:
            stored = replace(
                change,
                before=storable_text(change.before),
                after=storable_text(change.after),
                at=change.at.astimezone(UTC),
                change_id=next_number(connection, "changes", "change_id"),
            )
            _insert(connection, stored)
        return stored

    def changes(self, target: Target | None = None) -> list[MemoryChange]:
        """All changes (of one target), oldest first."""
        rows = self._database.rows(
            f"{_CHANGES} WHERE $kind IS NULL OR (target_kind = $kind AND target_name = $name) "
            "ORDER BY change_id",
            {
                "kind": None if target is None else target.kind.value,
                "name": "" if target is None else target.name,
            },
        )
        return [_change(*row) for row in rows]

    def newest_changes(self, kind: TargetKind) -> dict[str, MemoryChange]:
        """The newest change of every target of this kind, by the target's name."""
        rows = self._database.rows(
            f"{_CHANGES} WHERE target_kind = $kind "
            "QUALIFY row_number() OVER (PARTITION BY target_name ORDER BY change_id DESC) = 1 "
            "ORDER BY change_id",
            {"kind": kind.value},
        )
        return {change.target.name: change for change in (_change(*row) for row in rows)}

    def current_blocks(self) -> dict[str, str]:
        """Every block's text as its newest edit left it, in the order of their first edits."""
        rows = self._database.rows(
            "SELECT target_name, arg_max(after, change_id) FROM changes "
            "WHERE target_kind = 'block' GROUP BY target_name ORDER BY min(change_id)"
        )
        return dict(rows)

    def append_block(self, block: BlockDefinition) -> None:
        """Store a block that the person made. A second one of that name takes its place.

        Raises:
            StoreError: It could not be written; nothing was.
        """
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?)",
                [
                    block.name,
                    storable_text(block.description),
                    block.limit,
                    block.at.astimezone(UTC),
                ],
            )

    def made_blocks(self) -> list[BlockDefinition]:
        """The blocks that the person made, oldest first."""
        rows = self._database.rows(
            "SELECT name, description, token_limit, made_at FROM blocks ORDER BY made_at, name"
        )
        return [
            BlockDefinition(name, description, limit, made_at.astimezone(UTC))
            for name, description, limit, made_at in rows
        ]

    def append_checkpoint(self, checkpoint: QueueCheckpoint) -> None:
        """Store a checkpoint durably, in one transaction.

        Raises:
            StoreError: It could not be written; nothing was.
        """
        with self._database.transaction() as connection:
            insert_checkpoint(connection, checkpoint)

    def latest_checkpoint(self, thread_id: int = 1) -> QueueCheckpoint | None:
        """The newest checkpoint of a conversation, or None before the first."""
        rows = self._database.rows(
            "SELECT first_seq, summary, working_context, made_at, thread_id, kept, flushed_after "
            "FROM checkpoints WHERE thread_id = ? ORDER BY checkpoint_id DESC LIMIT 1",
            [thread_id],
        )
        for first_seq, summary, working_context, made_at, thread, kept, flushed_after in rows:
            at = made_at.astimezone(UTC)
            return QueueCheckpoint(
                first_seq, summary, working_context, at, thread, tuple(kept), flushed_after
            )
        return None


def insert_checkpoint(connection: duckdb.DuckDBPyConnection, checkpoint: QueueCheckpoint) -> None:
    """Write a checkpoint within a transaction."""
    connection.execute(
        "INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            next_number(connection, "checkpoints", "checkpoint_id"),
            checkpoint.first_seq,
            storable_text(checkpoint.summary),
            storable_text(checkpoint.working_context),
            checkpoint.at.astimezone(UTC),
            checkpoint.thread_id,
            list(checkpoint.kept),
            checkpoint.flushed_after,
        ],
    )


def _insert(connection: duckdb.DuckDBPyConnection, change: MemoryChange) -> None:
    connection.execute(
        "INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            change.change_id,
            change.target.kind.value,
            change.target.name,
            change.action.value,
            change.before,
            change.after,
            change.at,
            change.actor,
            change.cause_seq,
            change.undoes,
            change.successor,
        ],
    )


def _change(
    kind: str, name: str, action: str, before: str, after: str, made_at: datetime, *rest: object
) -> MemoryChange:
    actor, cause_seq, undoes, successor, change_id = rest
    return MemoryChange(
        Target(TargetKind(kind), name),
        ChangeAction(action),
        before,
        after,
        made_at.astimezone(UTC),
        actor=str(actor),
        cause_seq=int(str(cause_seq)),
        undoes=int(str(undoes)),
        successor=str(successor),
        change_id=int(str(change_id)),
    )
