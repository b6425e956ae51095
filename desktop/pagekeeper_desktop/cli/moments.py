"""Moments as the terminal shows them: in the person's time zone, to be sorted by eye."""

from datetime import datetime

__all__ = ["day", "minute"]


def minute(at: datetime) -> str:
    """An aware moment to the minute: 2026-05-03 10:42."""
    return f"{at.astimezone():%Y-%m-%d %H:%M}"


def day(at: datetime) -> str:
    """The local day of an aware moment: 2026-05-03."""
    return f"{at.astimezone():%Y-%m-%d}"
