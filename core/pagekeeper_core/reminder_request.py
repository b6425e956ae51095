"""What a message about reminders brings with it: the moment that it names, and what is set already.

A small model neither reckons nor looks up what is set: it answers "I'll remind you" and sets
nothing. A short note behind the user's words makes the choice plain, and the call stays its own.
"""

import re

from pagekeeper_core import prompts
from pagekeeper_core.dates import find_schedule
from pagekeeper_core.protocols import Clock
from pagekeeper_core.recurrence_words import recurrence_in_words
from pagekeeper_core.schedule import Reminders

__all__ = ["request_note"]

MOST_LISTED = 5
"""Reminders that the note names; `list_reminders` gives the others."""

_REMINDERS = re.compile(
    r"\b(remind|erinner|rappel|recuérda|recordator|recordar|ricord|promemoria|lembr|lembrete"
    r"|herinner|напомни|напомин)|提醒|リマインド|알림|알려 ?줘",
    re.IGNORECASE,
)
"""Beginnings of the words for reminding, in the languages whose dates are understood."""

_TELL_ME_THEN = re.compile(
    r"\b(tell me|let me know|wake me|alert me|ask me|sag mir|dis-moi|dime|avísame|dimmi|avise)\b"
    r"|叫我|告诉我|告訴我|通知我|教えて",
    re.IGNORECASE,
)
"""Orders that mean a reminder when they come with a moment that lies ahead."""


def request_note(text: str, reminders: Reminders, clock: Clock) -> str:
    """The note for a message; empty for one that is not about reminders."""
    asks = bool(_REMINDERS.search(text))
    if not asks and not _TELL_ME_THEN.search(text):
        return ""
    now = clock.to_local(clock.now())
    schedule = find_schedule(text, now)
    if schedule is not None and schedule.due_at <= now:
        schedule = None
    if schedule is None and not asks:
        return ""
    moment = ""
    if schedule is not None:
        moment = prompts.moment_in_words(schedule.due_at)
        if schedule.recurrence:
            moment = f"{recurrence_in_words(schedule.recurrence)}, first {moment}"
    return prompts.reminder_request(moment, reminders.coming()[:MOST_LISTED] if asks else [])
