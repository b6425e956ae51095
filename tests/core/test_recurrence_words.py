"""Recurrences as people say them."""

import pytest

from pagekeeper_core.recurrence_words import recurrence_in_words


@pytest.mark.parametrize(
    ("recurrence", "words"),
    [
        ("", ""),
        ("FREQ=DAILY;BYHOUR=9;BYMINUTE=0", "every day"),
        ("RRULE:FREQ=DAILY;INTERVAL=3", "every 3 days"),
        ("FREQ=WEEKLY;BYDAY=MO", "every Monday"),
        ("FREQ=WEEKLY;BYDAY=MO,TH;BYHOUR=8;BYMINUTE=0", "every Monday and Thursday"),
        ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "every weekday"),
        ("FREQ=WEEKLY;BYDAY=SA,SU", "every Saturday and Sunday"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=18", "every 2 weeks on Monday"),
        ("FREQ=MONTHLY;BYMONTHDAY=1", "every month on day 1"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "every month on the last day"),
        ("FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1", "every month on day 31"),
        ("FREQ=MONTHLY;INTERVAL=3;BYDAY=1MO", "every 3 months on the first Monday"),
        ("FREQ=MONTHLY;BYDAY=-1FR", "every month on the last Friday"),
        ("FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3", "every year"),
        ("FREQ=HOURLY;INTERVAL=2", "every 2 hours"),
        ("FREQ=NEVER", "again and again"),
    ],
)
def test_a_recurrence_is_said_in_words(recurrence: str, words: str) -> None:
    assert recurrence_in_words(recurrence) == words
