"""What a phrase about time means."""

from dataclasses import dataclass
from datetime import datetime

__all__ = ["DateRange", "Schedule"]


@dataclass(frozen=True, slots=True)
class DateRange:
    """A span of time that a text speaks of.

    Attributes:
        start: Its first moment; aware, in the person's time zone.
        end: The first moment after it.
        phrase: The words of the text that say so.
    """

    start: datetime
    end: datetime
    phrase: str


@dataclass(frozen=True, slots=True)
class Schedule:
    """A moment that a text asks for, once or again and again.

    Attributes:
        due_at: The (next) moment; aware, in the person's time zone. Only words that name a moment
            in the past ("yesterday at nine") give one.
        recurrence: An RRULE (RFC 5545) on the person's wall clock; empty when it is due once.
        phrase: The words of the text that say so.
    """

    due_at: datetime
    recurrence: str
    phrase: str
