"""`pagekeeper reminders`: what the assistant is to bring up when, without loading the model."""

from pagekeeper_core.clock import SystemClock
from pagekeeper_core.events import ReminderCancelled, ReminderSet
from pagekeeper_core.messages import storable_text
from pagekeeper_core.records import Reminder
from pagekeeper_core.schedule import Reminders
from pagekeeper_desktop.cli.console import Console
from pagekeeper_desktop.cli.invocation import Invocation, UsageError
from pagekeeper_desktop.cli.session import open_memory
from pagekeeper_desktop.composition import Memory
from pagekeeper_desktop.view_models.formatting import is_blank, one_line

__all__ = ["add", "cancel", "newest", "reminder_line", "reminder_lines", "show"]

_LONGEST = 160


def show(invocation: Invocation, console: Console) -> int:
    """List what will come, the next one first."""
    with open_memory(invocation.options, console) as memory:
        active = memory.reminders.active()
        lines = reminder_lines(memory)
    if invocation.json:
        console.emit({"reminders": [_fields(reminder) for reminder in active]})
        return 0
    for line in lines:
        console.line(line)
    if not lines:
        console.note('No reminders. `pagekeeper reminders add "on Friday at nine" TEXT` sets one.')
    return 0


def add(invocation: Invocation, console: Console) -> int:
    """Set a reminder.

    Raises:
        UsageError: The text is blank.
        FunctionError: The moment was not understood or is past, or the reminder is there already.
    """
    text = storable_text(" ".join(invocation.arguments.text))
    if is_blank(text):
        raise UsageError("the reminder says nothing: the text is empty")
    wanted = ReminderSet(text, storable_text(invocation.arguments.when))
    with open_memory(invocation.options, console) as memory:
        for _ in _reminders(memory).carry_out(wanted):
            pass
        reminder = newest(memory)
        line = reminder_line(memory, reminder)
    if invocation.json:
        console.emit(_fields(reminder))
    else:
        console.line(line)
    return 0


def cancel(invocation: Invocation, console: Console) -> int:
    """End a reminder.

    Raises:
        StoreError: There is none of that number.
    """
    number = invocation.arguments.number
    with open_memory(invocation.options, console) as memory:
        for _ in _reminders(memory).carry_out(ReminderCancelled(number)):
            pass
    if invocation.json:
        console.emit({"id": number, "cancelled": True})
    else:
        console.line(f"Reminder {number} will not come any more.")
    return 0


def newest(memory: Memory) -> Reminder:
    """The reminder that was set last."""
    return max(memory.reminders.active(), key=lambda reminder: reminder.reminder_id)


def reminder_lines(memory: Memory) -> list[str]:
    """One line a reminder, the next one first."""
    return [reminder_line(memory, reminder) for reminder in memory.reminders.active()]


def reminder_line(memory: Memory, reminder: Reminder) -> str:
    """Its number, when it comes, what it is about."""
    text = one_line(reminder.text, _LONGEST)
    return f"{reminder.reminder_id:>3}  {_reminders(memory).in_words(reminder)}: {text}"


def _reminders(memory: Memory) -> Reminders:
    return Reminders(memory.reminders, SystemClock())


def _fields(reminder: Reminder) -> dict[str, object]:
    return {
        "id": reminder.reminder_id,
        "text": reminder.text,
        "due_at": reminder.due_at.isoformat(),
        "recurrence": reminder.recurrence or None,
        "by": reminder.actor,
        "created_at": reminder.created_at.isoformat(),
        "cause_seq": reminder.cause_seq or None,
    }
