"""Word left for a model that is not loaded now: the next start finds it in the conversation."""

from collections.abc import Callable, Iterator

from pagekeeper_core.protocols import TokenCounter
from pagekeeper_core.results import cut_to_tokens, newest_lines
from pagekeeper_core.updates import Update

__all__ = ["WordLeft"]


class WordLeft:
    """Implements `Notice` of the user actions.

    Its notes have the same bound as those in a loaded agent's queue.
    """

    def __init__(self, leave: Callable[[str], None], counter: TokenCounter, limit: int) -> None:
        self._leave = leave
        self._counter = counter
        self._limit = limit

    def newest_lines(self, text: str) -> str:
        """As many of the last lines of a block as a note of what changed in it shows."""
        return newest_lines(text, self._limit // 2, self._counter)

    def note(self, text: str) -> Iterator[Update]:
        """Leave word; there is nobody yet to be told of a message."""
        self._leave(cut_to_tokens(text, self._limit, self._counter))
        yield from ()
