"""What a message about reminders brings with it: the moment that it names, and what is set already.

A small model neither reckons nor looks up what is set: it answers "I'll remind you" and sets
nothing. A short note behind the user's words makes the choice plain. Where they give the order and
the moment, the first call is about reminders; its words stay the model's own.
"""

import re
from datetime import datetime

from pagekeeper_core import prompts
from pagekeeper_core.dates import Schedule, find_schedule
from pagekeeper_core.protocols import Clock
from pagekeeper_core.recurrence_words import recurrence_in_words
from pagekeeper_core.schedule import Reminders

__all__ = ["asks_to_set", "request_note", "speaks_of_reminders"]

MOST_LISTED = 5
"""Reminders that the note names; `list_reminders` gives the others."""

_REMINDERS = re.compile(
    r"\b(remind|erinner|rappel|recuérda|recordator|recordar|ricord|promemoria|lembr|lembrete"
    r"|herinner|напомни|напомин)|提醒|リマインド|알림|알려 ?줘",
    re.IGNORECASE,
)
"""Beginnings of the words for reminding, in the languages whose dates are understood."""

_ORDER = re.compile(
    r"\b(remind (me|us)|erinner\w* (mich|uns)|rappel\w*[- ](moi|nous)|recuérda(me|nos)"
    r"|ricorda(mi|ci)|(me|nos) lembr\w*|lembr\w*-(me|nos)|herinner\w* (me|mij|ons)"
    r"|напомни(те)? (мне|нам))\b"
    r"|提醒我|リマインドして|알려 ?줘",
    re.IGNORECASE,
)
"""The order itself: whoever speaks of a reminder may also mean one that is there already."""

_TELL_ME_THEN = re.compile(
    r"\b(tell me|let me know|wake me|alert me|ask me|sag mir|dis-moi|dime|avísame|dimmi|avise)\b"
    r"|叫我|告诉我|告訴我|通知我|教えて",
    re.IGNORECASE,
)
"""Orders that mean a reminder when they come with a moment that lies ahead."""


def asks_to_set(text: str, clock: Clock) -> bool:
    """Whether a message gives the order to remind, and a moment that lies ahead."""
    now = clock.to_local(clock.now())
    return bool(_ORDER.search(text)) and _ahead(text, now) is not None


def speaks_of_reminders(text: str) -> bool:
    """Whether a message is about reminders, or gives an order that may mean one."""
    return bool(_REMINDERS.search(text) or _TELL_ME_THEN.search(text))


def request_note(text: str, reminders: Reminders, clock: Clock) -> str:
    """The note for a message; empty for one that is not about reminders."""
    asks = bool(_REMINDERS.search(text))
    if not asks and not _TELL_ME_THEN.search(text):
        return ""
    now = clock.to_local(clock.now())
    schedule = _ahead(text, now)
    if schedule is None and not asks:
        return ""
    moment = ""
    if schedule is not None:
        moment = prompts.moment_in_words(schedule.due_at)
        if schedule.recurrence:
            moment = f"{recurrence_in_words(schedule.recurrence)}, first {moment}"
    return prompts.reminder_request(moment, reminders.coming()[:MOST_LISTED] if asks else [])


def _ahead(text: str, now: datetime) -> Schedule | None:
    """What the text says of when, if that still comes."""
    schedule = find_schedule(text, now)
    return schedule if schedule is not None and schedule.due_at > now else None
