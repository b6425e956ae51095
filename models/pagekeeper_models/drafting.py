"""Prompt-lookup drafting: what the model quotes stands in its context already.

After three tokens that occurred before, the tokens that followed them then are a good guess of
what follows now: a name, a key, a quoted line. The guess is verified in one batch, which costs the
processor little more than one token does (Saxena, prompt lookup decoding, 2023; a special case of
speculative decoding, Leviathan and others, arXiv 2211.17192).
"""

from collections.abc import Iterable, Sequence

__all__ = ["PromptLookup"]

_MATCHED = 3
"""Tokens that must be the same before a guess is made."""

_LENGTHS = (2, 8, 16)
"""Tokens of a guess: the first two are a cheap trial, and a right guess is followed by a longer."""


class PromptLookup:
    """Guesses how a text goes on, from what stands before it.

    Attributes:
        guessed: Tokens proposed so far.
        accepted: Those of them that were right.
    """

    def __init__(self, context: Iterable[int]) -> None:
        """Look things up in `context`, and in what `extend` adds behind it."""
        self.guessed = 0
        self.accepted = 0
        self._tokens: list[int] = []
        self._ends: dict[tuple[int, ...], int] = {}
        self._rung = 0
        self.extend(context)

    def extend(self, tokens: Iterable[int]) -> None:
        """Note tokens that follow; the three newest can only be looked up from then on."""
        for token in tokens:
            # The newest three are entered when a fourth comes, or they would find themselves.
            if len(self._tokens) >= _MATCHED:
                self._ends[tuple(self._tokens[-_MATCHED:])] = len(self._tokens)
            self._tokens.append(token)

    def propose(self, most: int) -> Sequence[int]:
        """At most `most` tokens that may follow; none where nothing alike stands before."""
        end = self._ends.get(tuple(self._tokens[-_MATCHED:]))
        return [] if end is None else self._tokens[end : end + min(most, _LENGTHS[self._rung])]

    def learn(self, guessed: int, accepted: int) -> None:
        """Take in how a guess of `guessed` tokens went."""
        self.guessed += guessed
        self.accepted += accepted
        self._rung = min(self._rung + 1, len(_LENGTHS) - 1) if accepted == guessed else 0
