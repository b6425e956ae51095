"""Changes of memory and what explains them, for a person and for a program."""

from collections.abc import Iterator

from pagekeeper_core.line_edits import line_edits, lines_of
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.provenance import Explanation, Standing
from pagekeeper_core.records import ChangeAction, MemoryChange, Target, TargetKind
from pagekeeper_desktop.cli.identifiers import change_named, target_named
from pagekeeper_desktop.cli.moments import minute
from pagekeeper_desktop.view_models.call_phrases import block_title
from pagekeeper_desktop.view_models.formatting import counted, one_line

__all__ = [
    "change_fields",
    "change_lines",
    "change_phrase",
    "explanation_fields",
    "explanation_lines",
    "speaker",
    "target_fields",
]

_LONGEST = 200
"""Characters of a text that are shown on its line."""
_MOST_LINES = 12
"""Lines of one change that are shown."""

_ACTORS = {"user": "you", "assistant": "Keeper", "program": "Pagekeeper"}


def change_lines(change: MemoryChange) -> list[str]:
    """A change: when, by whom, what was done; then the texts, each on a line."""
    takes_back = f" (takes back {change_named(change.undoes)})" if change.undoes else ""
    head = f"{change_named(change.change_id)}  {minute(change.at)}  {change_phrase(change)}"
    shown = list(_differences(change))
    body = [f"    {line}" for line in shown[:_MOST_LINES]]
    if len(shown) > _MOST_LINES:
        body.append(f"    … and {counted(len(shown) - _MOST_LINES, 'more line')}")
    return [head + takes_back, *body]


def change_phrase(change: MemoryChange) -> str:
    """Who did what to which thing, in a few words."""
    actor, what = _ACTORS.get(change.actor, change.actor), target_named(change.target)
    match change.action:
        case ChangeAction.EDIT:
            return f"{actor} changed “{block_title(change.target.name)}”"
        case ChangeAction.INSERT:
            return f"{actor} kept a note, {what}"
        case ChangeAction.FORGET:
            return f"{actor} had {what} forgotten"
        case ChangeAction.RESTORE:
            return f"{actor} put {what} back"
        case ChangeAction.SUPERSEDE:
            successor = target_named(Target(TargetKind.PASSAGE, change.successor))
            return f"{actor} put {successor} in the place of {what}"


def explanation_lines(explained: Explanation) -> list[str]:
    """What it is, then since when, by whom, because of what, and how it ended."""
    return [
        f"{_where(explained)}: {one_line(explained.text, _LONGEST)}",
        *(f"    {line}" for line in _reasons(explained)),
    ]


def speaker(message: Message) -> str:
    """Who wrote a message."""
    return {MessageKind.USER: "You", MessageKind.ASSISTANT: "Keeper"}.get(
        message.kind, "Pagekeeper"
    )


def change_fields(change: MemoryChange) -> dict[str, object]:
    """A change as a JSON object."""
    successor = Target(TargetKind.PASSAGE, change.successor)
    return {
        "id": change_named(change.change_id),
        **target_fields(change.target),
        "action": str(change.action),
        "before": change.before,
        "after": change.after,
        "at": change.at.isoformat(),
        "by": change.actor,
        "cause_seq": change.cause_seq or None,
        "undoes": change_named(change.undoes) if change.undoes else None,
        "successor": target_named(successor) if change.successor else None,
    }


def target_fields(target: Target) -> dict[str, object]:
    """What a change or an explanation is about, as part of a JSON object."""
    return {"kind": str(target.kind), "target": target_named(target)}


def explanation_fields(explained: Explanation) -> dict[str, object]:
    """An explanation as a JSON object."""
    return {
        **target_fields(explained.target),
        "text": explained.text,
        "standing": str(explained.standing),
        "source": explained.source or None,
        "change": change_fields(explained.change) if explained.change else None,
        "cause": _message_fields(explained.cause) if explained.cause else None,
        "replaced": explained.replaced or None,
        "until": explained.until.isoformat() if explained.until else None,
        "ended_by": change_fields(explained.ended_by) if explained.ended_by else None,
        "replaced_by": explained.replaced_by or None,
    }


def _differences(change: MemoryChange) -> Iterator[str]:
    if change.action is not ChangeAction.EDIT:
        yield one_line(change.after or change.before, _LONGEST)
        return
    for edit in line_edits(lines_of(change.before), lines_of(change.after)):
        yield from (f"- {one_line(line, _LONGEST)}" for line in edit.removed)
        yield from (f"+ {one_line(line, _LONGEST)}" for line in edit.added)


def _where(explained: Explanation) -> str:
    name = target_named(explained.target)
    match explained.target.kind:
        case TargetKind.BLOCK:
            return block_title(explained.target.name)
        case TargetKind.PASSAGE:
            return f"{name}  {explained.source}"
        case TargetKind.MESSAGE:
            return f"{name}  {speaker(explained.cause)}" if explained.cause else name


def _reasons(explained: Explanation) -> Iterator[str]:
    if explained.target.kind is TargetKind.MESSAGE:
        if explained.cause:
            thread = explained.cause.thread_id
            yield f"said {minute(explained.cause.created_at)}, in conversation {thread}"
    elif explained.change:
        yield _since(explained.change)
        if explained.cause:
            yield _because(explained.cause)
    elif explained.target.kind is TargetKind.BLOCK:
        yield "there from the start"
    if explained.replaced:
        yield f"in place of: {one_line(explained.replaced, _LONGEST)}"
    if explained.ended_by:
        yield _ended(explained, explained.ended_by)


def _since(change: MemoryChange) -> str:
    return f"since {minute(change.at)}: {change_phrase(change)} ({change_named(change.change_id)})"


def _because(cause: Message) -> str:
    text = one_line(cause.text, _LONGEST)
    return f"because of m{cause.seq}, {minute(cause.created_at)}, {speaker(cause)}: {text}"


def _ended(explained: Explanation, change: MemoryChange) -> str:
    word = "forgotten since" if explained.standing is Standing.FORGOTTEN else "until"
    now = f"; now: {one_line(explained.replaced_by, _LONGEST)}" if explained.replaced_by else ""
    return f"{word} {minute(change.at)} ({change_named(change.change_id)}){now}"


def _message_fields(message: Message) -> dict[str, object]:
    return {
        "seq": message.seq,
        "thread": message.thread_id,
        "by": str(message.kind),
        "at": message.created_at.isoformat(),
        "text": message.text,
    }
