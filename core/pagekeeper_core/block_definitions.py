"""The blocks that the person makes: their names and bounds, checked before they are stored."""

import re
from datetime import datetime

from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.messages import storable_text
from pagekeeper_core.records import BlockDefinition

__all__ = ["BUILT_IN", "block_definition"]

BUILT_IN = ("persona", "human")
"""The names of the blocks that the program brings along."""

LEAST_LIMIT = 20
"""Tokens below which a block holds no fact."""

LONGEST_DESCRIPTION = 120
"""Characters; the description stands in every prompt."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,23}")


def block_definition(name: str, description: str, limit: int, at: datetime) -> BlockDefinition:
    """A block that may be stored.

    Args:
        name: A letter, then letters, digits and underscores, at most 24; small letters.
        description: What belongs in it, in one line; the model sees this.
        limit: Its bound, in tokens.
        at: When it is made; aware.

    Raises:
        PagekeeperError: The name, description or limit will not do; the hint says what will.
    """
    name = name.strip().lower()
    about = " ".join(storable_text(description).replace('"', "'").split())
    if not _NAME.fullmatch(name):
        raise PagekeeperError(
            f"'{name[:40]}' cannot be the name of a block.",
            hint="Take a letter a to z, then letters, digits or _, at most 24: for example, work.",
        )
    if name in BUILT_IN:
        raise PagekeeperError(
            f"The block '{name}' comes with the program.", hint="Choose another name."
        )
    if not about or len(about) > LONGEST_DESCRIPTION:
        raise PagekeeperError(
            f"A block needs a description of 1 to {LONGEST_DESCRIPTION} characters.",
            hint="Say what belongs in it: for example, what the user's projects are.",
        )
    if limit < LEAST_LIMIT:
        raise PagekeeperError(
            f"A block of {limit} tokens holds nothing.", hint=f"Give it {LEAST_LIMIT} or more."
        )
    return BlockDefinition(name, about, limit, at)
