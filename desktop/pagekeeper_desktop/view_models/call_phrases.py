"""Function calls in plain words: "Searched chats: “vet”"."""

import json
from collections.abc import Mapping

from pagekeeper_core.messages import FunctionCall
from pagekeeper_core.updates import SummaryProgress
from pagekeeper_desktop.view_models.formatting import counted, one_line

__all__ = ["argument_lines", "block_title", "call_phrase", "summary_phrase"]

BLOCK_TITLES = {"human": "About you", "persona": "About me"}

PHRASES = {
    "core_memory_append": "Noted: {text}",
    "core_memory_replace": "Corrected: {new}",
    "conversation_search": "Searched chats: {queries}",
    "conversation_search_date": "Searched chats: {dates}",
    "archival_memory_insert": "Kept a note: {text}",
    "archival_memory_search": "Searched documents: {queries}",
    "set_reminder": "Set a reminder: {text}",
    "list_reminders": "Looked at the reminders",
    "cancel_reminder": "Ended a reminder: {text}",
    "wait_for_user": "Finished tidying up",
}

LONGEST_VALUE = 60


def block_title(name: str) -> str:
    """What the person calls a block of working context."""
    return BLOCK_TITLES.get(name) or name.replace("_", " ").capitalize()


def call_phrase(call: FunctionCall) -> str:
    """What the assistant does with this call, on one line.

    Arguments that the phrase needs and the call lacks leave the bare name of the function.
    """
    phrase = PHRASES.get(call.name, "")
    try:
        return phrase.format_map(_values(call.arguments)) or _plain_name(call.name)
    except KeyError:
        return _plain_name(call.name)


def summary_phrase(progress: SummaryProgress) -> str:
    """How far a summary is: "Reading part 3 of 17 of report.pdf, about 4 minutes left"."""
    title = one_line(progress.title, LONGEST_VALUE)
    if progress.joining:
        return f"Putting the parts of {title} together"
    if progress.parts == 1:
        return f"Reading {title}"
    reading = f"Reading part {progress.part} of {progress.parts} of {title}"
    if progress.seconds_left is None:
        return reading
    minutes = round(progress.seconds_left / 60)
    left = f"about {counted(minutes, 'minute')}" if minutes else "less than a minute"
    return f"{reading}, {left} left"


def argument_lines(call: FunctionCall) -> str:
    """All arguments, one `name: value` a line."""
    return "\n".join(f"{name}: {_value(value)}" for name, value in call.arguments.items())


def _values(arguments: Mapping[str, object]) -> dict[str, str]:
    values = {name: one_line(_value(value), LONGEST_VALUE) for name, value in arguments.items()}
    if not values.get("new", "x"):
        values["new"] = "a line taken out"
    return values


def _value(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        return ", ".join(f"“{entry}”" for entry in value)
    return json.dumps(value, ensure_ascii=False, default=str)


def _plain_name(name: str) -> str:
    return name.replace("_", " ").capitalize()
