"""What is to be brought up when: read at the start, then as the agent tells."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from PySide6.QtCore import QObject, Signal

from pagekeeper_core.events import Event, ReminderCancelled, ReminderSet
from pagekeeper_core.messages import storable_text
from pagekeeper_core.protocols import ReminderStore
from pagekeeper_core.records import Reminder
from pagekeeper_core.recurrence_words import recurrence_in_words
from pagekeeper_desktop.memory_reader import MemoryReader
from pagekeeper_desktop.view_models.formatting import clock_time

__all__ = ["ReminderList", "due_words", "origin_words"]


class ReminderList(QObject):
    """The reminders that will fire.

    Attributes:
        reminders: The next one first.

    Signals:
        changed: There are others now.
    """

    changed = Signal()

    def __init__(
        self,
        post: Callable[[Event], None],
        reader: MemoryReader,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.reminders: tuple[Reminder, ...] = ()
        self._post = post
        self._reader = reader

    def use(self, store: ReminderStore) -> None:
        """Show what this store holds."""
        self._reader.ask(store.active, self.told, self._reader.unreadable.emit)

    def told(self, reminders: Sequence[Reminder]) -> None:
        """These will fire."""
        self.reminders = tuple(reminders)
        self.changed.emit()

    def set(self, text: str, when: str) -> None:
        """Have a reminder set; the agent answers whether it understood when."""
        self._post(ReminderSet(storable_text(text).strip(), storable_text(when).strip()))

    def cancel(self, reminder_id: int) -> None:
        """End a reminder."""
        self._post(ReminderCancelled(reminder_id))


def due_words(reminder: Reminder, now: datetime) -> str:
    """When it comes, and how often: "Tomorrow, 09:00 · every day"."""
    due, today = reminder.due_at.astimezone(), now.astimezone().date()
    day = due.date()
    if day <= today:
        name = "Today" if day == today else "Overdue"
    elif day == today + timedelta(days=1):
        name = "Tomorrow"
    else:
        year = "" if day.year == today.year else f" {day.year}"
        name = f"{day:%A}, {day.day} {day:%B}{year}"
    often = recurrence_in_words(reminder.recurrence)
    return " · ".join(filter(None, [f"{name}, {clock_time(due)}", often]))


def origin_words(reminder: Reminder) -> str:
    """Who set it."""
    return "Set by you" if reminder.actor == "user" else "Set by the assistant"
