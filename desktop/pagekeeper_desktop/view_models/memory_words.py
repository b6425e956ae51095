"""Changes of memory in plain words: who did what, when, and because of what."""

from datetime import datetime

from pagekeeper_core.line_edits import line_edits, lines_of
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.provenance import Explanation
from pagekeeper_core.records import ChangeAction, MemoryChange, TargetKind
from pagekeeper_desktop.view_models.call_phrases import block_title
from pagekeeper_desktop.view_models.formatting import clock_time, day_name, one_line

__all__ = [
    "cause_words",
    "change_title",
    "moment",
    "origin_words",
    "removed_and_added",
    "replaced_words",
    "who",
]

LONGEST_QUOTE = 240

ACTORS = {"assistant": "The assistant", "user": "You", "program": "Pagekeeper"}


def who(actor: str) -> str:
    """Who made a change."""
    return ACTORS.get(actor, "Pagekeeper")


def moment(at: datetime) -> str:
    """When it was: "Today, 10:42"."""
    today = datetime.now().astimezone().date()
    return f"{day_name(at.astimezone().date(), today)}, {clock_time(at)}"


def origin_words(why: Explanation) -> str:
    """Who brought it, and when."""
    if why.change is None:
        return "It was there from the beginning."
    did = "brought this back" if why.change.undoes else "wrote this"
    return f"{who(why.change.actor)} {did}. {moment(why.change.at)}."


def cause_words(cause: Message | None) -> str:
    """The message that caused it; empty if none did."""
    if cause is None or not cause.text:
        return ""
    said = "You said" if cause.kind is MessageKind.USER else "It was said"
    return f"{said}: “{one_line(cause.text, LONGEST_QUOTE)}”"


def replaced_words(why: Explanation) -> str:
    """What stood there before; empty if nothing did."""
    return f"In place of: “{one_line(why.replaced, LONGEST_QUOTE)}”" if why.replaced else ""


def removed_and_added(change: MemoryChange) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines that a change took out, and those that it put in."""
    if change.target.kind is not TargetKind.BLOCK:
        taken = (change.before,) if change.before else ()
        put = (change.after,) if change.after else ()
        return taken, put
    edits = line_edits(lines_of(change.before), lines_of(change.after))
    removed = tuple(line for edit in edits for line in edit.removed)
    return removed, tuple(line for edit in edits for line in edit.added)


def change_title(change: MemoryChange) -> str:
    """A change on one line: "You changed “About you”: Dog: Bento"."""
    actor = who(change.actor)
    if change.undoes:
        return f"{actor} took a change back: {_gist(change)}"
    if change.target.kind is TargetKind.BLOCK:
        return f"{actor} changed “{block_title(change.target.name)}”: {_gist(change)}"
    done = {
        ChangeAction.INSERT: "kept a note",
        ChangeAction.FORGET: "hid from the assistant",
        ChangeAction.RESTORE: "showed the assistant again",
        ChangeAction.SUPERSEDE: "marked as no longer so",
        ChangeAction.EDIT: "changed",
    }
    return f"{actor} {done[change.action]}: {_gist(change)}"


def _gist(change: MemoryChange) -> str:
    removed, added = removed_and_added(change)
    if added:
        return one_line(", ".join(added), 120)
    if not removed:
        return "nothing but blanks"
    gone = f"“{one_line(', '.join(removed), 100)}”"
    return f"{gone} went" if change.target.kind is TargetKind.BLOCK else gone
