"""Figures, sizes, times and writing directions as a person reads them."""

import unicodedata
from datetime import date, datetime, timedelta

__all__ = [
    "about",
    "byte_size",
    "clock_time",
    "counted",
    "day_name",
    "is_blank",
    "is_right_to_left",
    "one_line",
    "thousands",
]


def thousands(number: int) -> str:
    """4812 as 4,812."""
    return f"{number:,}"


def counted(number: int, one: str, many: str = "") -> str:
    """1 page, 12 pages."""
    return f"{thousands(number)} {one if number == 1 else many or one + 's'}"


def byte_size(size: int) -> str:
    """Bytes in the unit that fits: 512 B, 98 MB, 1.1 GB (powers of ten, as file managers show)."""
    if size < 1000:
        return f"{size} B"
    value = float(size)
    for unit in ("kB", "MB"):
        value /= 1000
        if value < 999.5:
            return f"{value:.0f} {unit}"
    return f"{value / 1000:.1f} GB"


def about(seconds: float) -> str:
    """A span of time as precise as an estimate is: "about 4 minutes"."""
    if seconds < 50:
        return f"about {max(10, round(seconds / 10) * 10)} seconds"
    if seconds < 55 * 60:
        return f"about {counted(round(seconds / 60), 'minute')}"
    return f"about {counted(round(seconds / 3600), 'hour')}"


def clock_time(moment: datetime) -> str:
    """The local time of an aware moment: 10:42."""
    return f"{moment.astimezone():%H:%M}"


def day_name(day: date, today: date) -> str:
    """Today, Yesterday, Monday, 3 May or 3 May 2025, whichever is shortest and clear."""
    if day == today:
        return "Today"
    if day == today - timedelta(days=1):
        return "Yesterday"
    if timedelta(0) < today - day < timedelta(days=7):
        return f"{day:%A}"
    return f"{day.day} {day:%B}" if day.year == today.year else f"{day.day} {day:%B} {day.year}"


def is_blank(text: str) -> bool:
    """Whether a text shows nothing: only white space, controls and invisible characters."""
    return all(c.isspace() or unicodedata.category(c) in {"Cc", "Cf", "Cs"} for c in text)


def is_right_to_left(text: str) -> bool:
    """Whether the first strong character is Hebrew, Arabic or the like (Unicode annex 9, P2)."""
    for character in text:
        kind = unicodedata.bidirectional(character)
        if kind == "L":
            return False
        if kind in {"R", "AL"}:
            return True
    return False


def one_line(text: str, longest: int) -> str:
    """The text on one line, with an ellipsis where it is cut, at most `longest` characters."""
    line = " ".join(text[: longest * 4].split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"
