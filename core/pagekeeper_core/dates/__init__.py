"""Dates in words: "last Tuesday", "in March", "every second Monday at 18:30", "上周三".

Parsed here because a small model cannot reckon with dates. A text becomes tokens by the words of
its language (`languages`, `lexicon`, `words/`), and rules over the order of tokens, the same for
all languages, give spans of the calendar (`span_search`, `ranges`) or moments (`schedules`).

dateparser was tried: it knows moments but no spans, takes "sat", "do" and "march on" for dates,
does not know 上周三, and needs a quarter of a second a phrase, ten the first time.
"""

from pagekeeper_core.dates.ranges import find_range
from pagekeeper_core.dates.schedules import find_schedule, next_due
from pagekeeper_core.dates.values import DateRange, Schedule

__all__ = ["DateRange", "Schedule", "find_range", "find_schedule", "next_due"]
