"""`pagekeeper memory history`, `why`, `undo`, `forget`, `restore`: without loading the model."""

from collections.abc import Sequence

from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.messages import storable_text
from pagekeeper_core.records import MemoryChange, Target, TargetKind
from pagekeeper_desktop.cli.by_hand import ByHand
from pagekeeper_desktop.cli.changes import (
    change_fields,
    change_lines,
    explanation_fields,
    explanation_lines,
)
from pagekeeper_desktop.cli.console import Console
from pagekeeper_desktop.cli.identifiers import change_id, change_named
from pagekeeper_desktop.cli.invocation import Invocation, UsageError
from pagekeeper_desktop.cli.memory_lookup import Found, block_names, explain, to_forget, to_restore
from pagekeeper_desktop.cli.session import open_memory
from pagekeeper_desktop.view_models.formatting import is_blank

__all__ = [
    "forget",
    "restore",
    "show",
    "undo",
    "why",
    "words_of",
    "write_changes",
    "write_explanations",
]

PAGE = 20
"""Changes on a page."""


def show(invocation: Invocation, console: Console) -> int:
    """Write a page of the history of memory, the newest change first.

    Raises:
        PagekeeperError: There is no block of that name.
    """
    name, page = invocation.arguments.block, invocation.arguments.page
    with open_memory(invocation.options, console) as memory:
        if name:
            _refuse_unknown(name, block_names(memory))
        changes = memory.state.changes(Target(TargetKind.BLOCK, name) if name else None)[::-1]
    pages = max(-(-len(changes) // PAGE), 1)
    shown = changes[(page - 1) * PAGE : page * PAGE]
    if invocation.json:
        fields = [change_fields(change) for change in shown]
        console.emit({"page": page, "pages": pages, "total": len(changes), "changes": fields})
        return 0
    write_changes(shown, console)
    if not shown:
        console.note("Nothing has changed yet." if not changes else f"The last page is {pages}.")
    elif pages > 1:
        console.note(f"Page {page} of {pages}; --page {page % pages + 1} shows another.")
    return 0


def why(invocation: Invocation, console: Console) -> int:
    """Write why memory holds something.

    Raises:
        UsageError: There are no words.
        PagekeeperError: It holds nothing of the kind; or the archive cannot be read: what the rest
            of memory holds is written.
    """
    words = words_of(invocation.arguments.text)
    with open_memory(invocation.options, console) as memory:
        found = explain(memory, words)
    if invocation.json:
        console.emit({"found": [explanation_fields(e) for e in found.explanations]})
    else:
        write_explanations(found, console)
    if found.fault:
        raise found.fault
    return 0


def undo(invocation: Invocation, console: Console) -> int:
    """Take a change back.

    Raises:
        UsageError: It is no change's name.
        PagekeeperError: It cannot be taken back; the message says why.
    """
    number = change_id(invocation.arguments.name)
    with open_memory(invocation.options, console) as memory:
        change = ByHand.without_agent(memory, invocation.options).undo(number)
    return _tell(change, invocation, console)


def forget(invocation: Invocation, console: Console) -> int:
    """Hide a passage or a message from the assistant.

    Raises:
        UsageError: There are no words.
        PagekeeperError: It is not there, or there are several.
    """
    words = words_of(invocation.arguments.text)
    with open_memory(invocation.options, console) as memory:
        change = ByHand.without_agent(memory, invocation.options).forget(to_forget(memory, words))
    return _tell(change, invocation, console)


def restore(invocation: Invocation, console: Console) -> int:
    """Let what was forgotten hold again.

    Raises:
        PagekeeperError: It is not there, or was not forgotten.
    """
    with open_memory(invocation.options, console) as memory:
        target = to_restore(memory, invocation.arguments.name)
        change = ByHand.without_agent(memory, invocation.options).restore(target)
    return _tell(change, invocation, console)


def words_of(words: Sequence[str]) -> str:
    """What the person wants looked up.

    Raises:
        UsageError: It is blank.
    """
    text = storable_text(" ".join(words)).strip()
    if is_blank(text):
        raise UsageError("there is nothing to look for: the text is empty")
    return text


def write_changes(changes: Sequence[MemoryChange], console: Console) -> None:
    """Write changes one below the other."""
    for change in changes:
        for line in change_lines(change):
            console.line(line)


def write_explanations(found: Found, console: Console) -> None:
    """Write explanations one below the other."""
    for explained in found.explanations:
        for line in explanation_lines(explained):
            console.line(line)


def _refuse_unknown(name: str, known: Sequence[str]) -> None:
    if name not in known:
        raise PagekeeperError(
            f"There is no block '{storable_text(name)}'.",
            hint=f"The blocks are: {', '.join(known)}.",
        )


def _tell(change: MemoryChange, invocation: Invocation, console: Console) -> int:
    if invocation.json:
        console.emit(change_fields(change))
        return 0
    write_changes([change], console)
    console.note(f"`pagekeeper memory undo {change_named(change.change_id)}` takes this back.")
    return 0
