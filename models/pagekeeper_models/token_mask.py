"""Which tokens a grammar admits next: a bit each, as llguidance gives them.

With 150,000 tokens to a vocabulary, a list of those that are admitted costs more than all the rest
of a step. Mostly the likeliest of all tokens is admitted, and then no list is needed.
"""

import numpy as np
import numpy.typing as npt
from llguidance import LLMatcher

__all__ = ["TokenMask", "Tokens"]

Tokens = npt.NDArray[np.intp]


class TokenMask:
    """The tokens that are admitted where a matcher stands.

    Attributes:
        size: How many they are.
    """

    def __init__(self, matcher: LLMatcher) -> None:
        self._words = np.frombuffer(matcher.compute_bitmask(), dtype="<u4")
        self.size = int(np.bitwise_count(self._words).sum())

    def __contains__(self, token: int) -> bool:
        word, bit = divmod(token, 32)
        return word < self._words.size and bool(int(self._words[word]) >> bit & 1)

    def tokens(self) -> Tokens:
        """All of them, in ascending order."""
        return np.flatnonzero(np.unpackbits(self._words.view(np.uint8), bitorder="little"))

    def best(self, scores: npt.NDArray[np.float32]) -> int:
        """The admitted token of the highest score; the lowest number among equals."""
        first = int(scores.argmax())
        if first in self:
            return first
        tokens = self.tokens()
        return int(tokens[scores[tokens].argmax()])
