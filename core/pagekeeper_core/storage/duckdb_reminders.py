"""Timed events on DuckDB."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from pagekeeper_core.errors import StoreError
from pagekeeper_core.messages import storable_text
from pagekeeper_core.records import Reminder
from pagekeeper_core.storage.duckdb_database import Database, next_number

__all__ = ["DuckDBReminderStore"]

# The newest change of a reminder says when it is due next, and NULL there that it never is again.
_ACTIVE = """
SELECT text, if(change_id IS NULL, first_due_at, next_due_at) AS due_at, recurrence, r.made_at,
    r.actor, cause_seq, r.reminder_id
FROM reminders AS r
LEFT JOIN (
    SELECT reminder_id, change_id, next_due_at FROM reminder_changes
    QUALIFY row_number() OVER (PARTITION BY reminder_id ORDER BY change_id DESC) = 1
) AS newest USING (reminder_id)
WHERE if(change_id IS NULL, first_due_at, next_due_at) IS NOT NULL
ORDER BY due_at, r.reminder_id
"""


class DuckDBReminderStore:
    """Appended to and never changed; stands in the same file as the conversation."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, reminder: Reminder) -> Reminder:
        """Store a reminder durably; gives it back as it is stored, with its number.

        Raises:
            StoreError: It could not be written; nothing was.
        """
        with self._database.transaction() as connection:
            stored = replace(
                reminder,
                text=storable_text(reminder.text),
                due_at=reminder.due_at.astimezone(UTC),
                created_at=reminder.created_at.astimezone(UTC),
                reminder_id=next_number(connection, "reminders", "reminder_id"),
            )
            connection.execute(
                "INSERT INTO reminders VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    stored.reminder_id,
                    stored.text,
                    stored.due_at,
                    stored.recurrence,
                    stored.created_at,
                    stored.actor,
                    stored.cause_seq,
                ],
            )
        return stored

    def active(self) -> list[Reminder]:
        """Those that will still fire, the next one first."""
        return [_reminder(row) for row in self._database.rows(_ACTIVE)]

    def fired(self, reminder_id: int, at: datetime, next_due: datetime | None) -> None:
        """Note that it fired; it is due again at `next_due`, or never again.

        Raises:
            StoreError: There is none of that number that will fire, or it could not be written.
        """
        self._append("fired", reminder_id, at, "program", next_due)

    def cancel(self, reminder_id: int, at: datetime, actor: str) -> None:
        """End a reminder; it stays in the history.

        Raises:
            StoreError: There is none of that number that will fire, or it could not be written.
        """
        self._append("cancelled", reminder_id, at, actor, None)

    def _append(
        self, action: str, reminder_id: int, at: datetime, actor: str, next_due: datetime | None
    ) -> None:
        if all(reminder.reminder_id != reminder_id for reminder in self.active()):
            raise StoreError(
                f"There is no reminder {reminder_id} that will still fire.",
                hint="Choose one from the list.",
            )
        due = next_due.astimezone(UTC) if next_due else None
        with self._database.transaction() as connection:
            number = next_number(connection, "reminder_changes", "change_id")
            connection.execute(
                "INSERT INTO reminder_changes VALUES (?, ?, ?, ?, ?, ?)",
                [number, reminder_id, action, at.astimezone(UTC), actor, due],
            )


def _reminder(row: tuple[Any, ...]) -> Reminder:
    text, due_at, recurrence, made_at, actor, cause_seq, reminder_id = row
    return Reminder(
        text,
        due_at.astimezone(UTC),
        recurrence,
        made_at.astimezone(UTC),
        actor,
        cause_seq=cause_seq,
        reminder_id=reminder_id,
    )
