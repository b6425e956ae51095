"""Short names for what memory holds, as the terminal shows them and takes them back.

`c7` is a change of memory, `m12` a message, `p` and the beginning of its identifier a passage. A
block is called by its own name.
"""

import re

from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.protocols import ArchivalStore
from pagekeeper_core.records import Target, TargetKind
from pagekeeper_desktop.cli.invocation import UsageError

__all__ = ["change_id", "change_named", "named_change", "named_target", "target_named"]

_CHANGE = re.compile("c([1-9][0-9]{0,17})")
_MESSAGE = re.compile("m([1-9][0-9]{0,17})")
_PASSAGE = re.compile("p([0-9a-f]{6,32})")
_SHOWN = 8
"""Characters of a passage's identifier, which is random: they name one of thousands."""


def change_named(number: int) -> str:
    """What a change is called: c7."""
    return f"c{number}"


def target_named(target: Target) -> str:
    """What a block, a passage or a message is called."""
    match target.kind:
        case TargetKind.BLOCK:
            return target.name
        case TargetKind.PASSAGE:
            return f"p{target.name[:_SHOWN]}"
        case TargetKind.MESSAGE:
            return f"m{target.name}"


def change_id(word: str) -> int:
    """The number of a change that is called for: "c7" or "7".

    Raises:
        UsageError: It is no such thing.
    """
    found = named_change(word if word.startswith("c") else f"c{word}")
    if found is None:
        raise UsageError(f"'{word}' is no change: they are called c1, c2, c3 …")
    return found


def named_change(word: str) -> int | None:
    """The number of a change, if the word is the name of one."""
    match = _CHANGE.fullmatch(word)
    return int(match[1]) if match else None


def named_target(word: str, archival: ArchivalStore) -> Target | None:
    """The message or passage of that name; None if the word is no name.

    Raises:
        PagekeeperError: It begins the identifiers of several passages, or of none.
        StoreError: The archive cannot be read.
    """
    if match := _MESSAGE.fullmatch(word):
        return Target(TargetKind.MESSAGE, match[1])
    if match := _PASSAGE.fullmatch(word):
        return Target(TargetKind.PASSAGE, _whole(match[1], archival))
    return None


def _whole(beginning: str, archival: ArchivalStore) -> str:
    found = archival.identifiers(beginning)
    if len(found) != 1:
        many = "is the beginning of several passages' names" if found else "names no passage"
        raise PagekeeperError(
            f"p{beginning} {many}.",
            hint="A search shows their names.",
        )
    return found[0]
