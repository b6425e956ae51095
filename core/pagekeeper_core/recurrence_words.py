"""How often a reminder comes, in words: for the model, the window and the terminal."""

__all__ = ["recurrence_in_words"]

_UNITS = {
    "MINUTELY": "minute",
    "HOURLY": "hour",
    "DAILY": "day",
    "WEEKLY": "week",
    "MONTHLY": "month",
    "YEARLY": "year",
}
_DAYS = {
    "MO": "Monday",
    "TU": "Tuesday",
    "WE": "Wednesday",
    "TH": "Thursday",
    "FR": "Friday",
    "SA": "Saturday",
    "SU": "Sunday",
}
_PLACES = {"1": "first", "2": "second", "3": "third", "4": "fourth", "-1": "last"}
_WEEKDAYS, _WEEKEND = "MO,TU,WE,TH,FR", "SA,SU"


def recurrence_in_words(recurrence: str) -> str:
    """An RRULE (RFC 5545) as a person says it: "every Monday"; empty for what comes once."""
    rule = recurrence.rpartition(":")[2].upper()
    parts = dict(part.split("=", 1) for part in rule.split(";") if "=" in part)
    unit = _UNITS.get(parts.get("FREQ", ""), "")
    if not unit:
        return "again and again" if recurrence else ""
    interval = parts.get("INTERVAL", "1")
    days = parts.get("BYDAY", "")
    if unit == "week" and interval == "1" and days:
        return "every " + _days_in_words(days)
    often = f"every {unit}" if interval == "1" else f"every {interval} {unit}s"
    if unit == "week" and days:
        return f"{often} on {_days_in_words(days)}"
    if unit != "month":
        return often
    return f"{often} {_which_days(days, parts.get('BYMONTHDAY', ''))}".rstrip()


def _which_days(days: str, month_days: str) -> str:
    if days:
        return f"on {_days_in_words(days)}"
    # "28,29,30,31" with BYSETPOS=-1 is the last of these that the month has.
    day = month_days.rpartition(",")[2]
    return "on the last day" if day == "-1" else f"on day {day}" if day else ""


def _days_in_words(days: str) -> str:
    if days in {_WEEKDAYS, _WEEKEND}:
        return "weekday" if days == _WEEKDAYS else "Saturday and Sunday"
    return " and ".join(_day_in_words(day) for day in days.split(","))


def _day_in_words(day: str) -> str:
    place, name = day[:-2], _DAYS.get(day[-2:], day)
    return f"the {_PLACES.get(place.lstrip('+'), place)} {name}" if place else name
