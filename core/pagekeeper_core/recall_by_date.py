"""Recall by date: what was said at a time that is told in words, and searches that prefer it."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, time

from pagekeeper_core.dates import DateRange, find_range
from pagekeeper_core.protocols import Clock, RecallStore
from pagekeeper_core.records import RecallFilter, RecallHit, SearchPage

__all__ = ["range_in_words", "range_of", "search_with_date"]

_LETTER = re.compile(r"[^\W\d_]")


def range_of(dates: str, question: str, clock: Clock) -> DateRange | None:
    """The range that the model's phrase means; None if it means none.

    The user's own words hold where the model gives figures for them: it cannot reckon.
    """
    now = clock.to_local(clock.now())
    asked = find_range(question, now)
    given = find_range(dates, now)
    is_reckoned = not _LETTER.search(dates.casefold().replace("to", ""))
    return asked if asked and (given is None or is_reckoned) else given


def range_in_words(when: DateRange) -> str:
    """The range as a result says it: "on Tuesday, 2026-11-24"."""
    start, end = when.start, when.end
    if start.year < 1972:
        return f"before {end:%Y-%m-%d}"
    days = (end.date() - start.date()).days
    if start.time() == end.time() == time.min:
        last = datetime.fromordinal(end.toordinal() - 1)
        is_day = days == 1
        return f"on {start:%A, %Y-%m-%d}" if is_day else f"from {start:%Y-%m-%d} to {last:%Y-%m-%d}"
    until = "24:00" if end.time() == time.min else f"{end:%H:%M}"
    return f"on {start:%A, %Y-%m-%d} from {start:%H:%M} to {until}"


def search_with_date(
    recall: RecallStore,
    queries: Sequence[str],
    when: DateRange,
    *,
    where: RecallFilter,
    page: int,
    page_size: int,
) -> SearchPage[RecallHit]:
    """A search in which what was said at that time comes first; the rest follows.

    Where none of that time has the words, it begins with one page of what was said then: a
    question such as "what did we talk about last Tuesday?" has no other words.
    """
    then = replace(where, start=when.start, end=when.end)
    shown = page * page_size
    first = recall.search(_without(when.phrase, queries), where=then, page_size=shown)
    of_then = first.total
    if of_then == 0:
        first = recall.search([], where=then, page_size=page_size)
        of_then = len(first.hits)
    rest = recall.search(
        queries, where=replace(where, outside=(when.start, when.end)), page_size=shown
    )
    hits = (*first.hits, *rest.hits)
    total = of_then + rest.total
    pages = max(-(-total // page_size), 1)
    return SearchPage(hits[shown - page_size : shown], page, pages, total)


def _without(phrase: str, queries: Sequence[str]) -> list[str]:
    """The queries without the words of the date, which are no words of what was said then."""
    return [re.sub(re.escape(phrase), " ", query, flags=re.IGNORECASE) for query in queries]
