"""The change that takes another one back, or what stands in its way."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.facts import FactLog
from pagekeeper_core.line_edits import line_edits, lines_of, without_edits
from pagekeeper_core.records import ChangeAction, MemoryChange

__all__ = ["Inverse", "inverse_of"]


@dataclass(frozen=True, slots=True)
class Inverse:
    """What is to be recorded to take a change back; fields as in MemoryChange."""

    action: ChangeAction
    before: str
    after: str
    successor: str = ""


def inverse_of(
    change: MemoryChange, history: Sequence[MemoryChange], fits: Callable[[str, str], bool]
) -> Inverse:
    """What takes `change` back as memory stands now.

    Args:
        change: A change of the history.
        history: All changes, oldest first.
        fits: Whether a block may have a text.

    Raises:
        PagekeeperError: It was taken back already, or something newer stands in the way.
    """
    undone_by = _undone_by(change, history)
    if _was_never_stored(change, undone_by):
        raise PagekeeperError(
            f"Change {change.change_id} cannot be taken back: that note could not be stored.",
            hint="Ask the assistant to note it again.",
        )
    if undone_by is not None:
        raise PagekeeperError(
            f"Change {change.change_id} was taken back already, by change {undone_by.change_id}.",
            hint=f"Take back change {undone_by.change_id} to bring it again.",
        )
    own = [other for other in history if other.target == change.target]
    if change.action is ChangeAction.EDIT:
        return _edit_back(change, own, fits)
    return _standing_back(change, own, history)


def _was_never_stored(change: MemoryChange, undone_by: MemoryChange | None) -> bool:
    """Whether the program itself took the note back, because the archive refused it."""
    return any(c.actor == "program" and c.undoes for c in (change, undone_by) if c is not None)


def _undone_by(change: MemoryChange, history: Sequence[MemoryChange]) -> MemoryChange | None:
    """The change that took this one back and was not taken back itself."""
    for other in history:
        if other.undoes == change.change_id and _undone_by(other, history) is None:
            return other
    return None


def _edit_back(
    change: MemoryChange, own: Sequence[MemoryChange], fits: Callable[[str, str], bool]
) -> Inverse:
    name, current = change.target.name, own[-1].after
    edits = line_edits(lines_of(change.before), lines_of(change.after))
    lines, missing = without_edits(lines_of(current), edits)
    if missing:
        raise _in_the_way(change, own, missing[0])
    text = change.before if current == change.after else "\n".join(lines)
    if text == current:
        raise PagekeeperError(
            f"There is nothing to take back: what change {change.change_id} removed stands in the "
            f"block '{name}' again."
        )
    if not fits(name, text):
        raise PagekeeperError(
            f"Without change {change.change_id} the block '{name}' would be over its limit.",
            hint="Take another line out of the block first.",
        )
    return Inverse(ChangeAction.EDIT, current, text)


def _in_the_way(change: MemoryChange, own: Sequence[MemoryChange], line: str) -> PagekeeperError:
    number, name = change.change_id, change.target.name
    ended = [
        fact
        for fact in FactLog(own).facts()
        if fact.text == line and fact.ended_by and fact.ended_by.change_id > number
    ]
    since = ended[-1].ended_by if ended else None
    if since is None:
        return PagekeeperError(f"The line '{line}' is no longer in the block '{name}'.")
    now = f": it says '{ended[-1].replaced_by}' now" if ended[-1].replaced_by else ""
    return PagekeeperError(
        f"Change {number} cannot be taken back: its line '{line}' was changed since, by change "
        f"{since.change_id}{now}.",
        hint=f"Take back change {since.change_id} first, or edit the block.",
    )


def _standing_back(
    change: MemoryChange, own: Sequence[MemoryChange], history: Sequence[MemoryChange]
) -> Inverse:
    """Show, hide or supersede again, whichever it was before the change."""
    later = _later(change, own, history)
    if later is not None:
        raise PagekeeperError(
            f"Change {change.change_id} cannot be taken back: change {later.change_id} "
            f"({later.action}) came after it.",
            hint=f"Take back change {later.change_id} first.",
        )
    text = change.after or change.before
    earlier = [other for other in own if other.change_id < change.change_id]
    if change.action is ChangeAction.INSERT:
        return Inverse(ChangeAction.FORGET, text, "")
    then = earlier[-1] if earlier else None
    if then is None or _effect(then) == _HOLDS:
        return Inverse(ChangeAction.RESTORE, change.after, text)
    after = "" if then.action is ChangeAction.FORGET else text
    return Inverse(then.action, change.after, after, then.successor)


def _later(
    change: MemoryChange, own: Sequence[MemoryChange], history: Sequence[MemoryChange]
) -> MemoryChange | None:
    """The newest change of the same thing that came after this one and was not taken back.

    An insertion is taken back by hiding what holds, whatever was done in between.
    """
    if change.action is ChangeAction.INSERT and _effect(own[-1]) == _HOLDS:
        return None
    for other in reversed(own):
        is_later = other.change_id > change.change_id and not other.undoes
        if is_later and _undone_by(other, history) is None:
            return other
    return None


_HOLDS = (ChangeAction.RESTORE, "")


def _effect(change: MemoryChange) -> tuple[ChangeAction, str]:
    """What a change leaves of a passage or message; an insertion leaves what a restoration does."""
    if change.action is ChangeAction.INSERT:
        return _HOLDS
    return change.action, change.successor
