"""Prompt-lookup drafting: what the model copies stands in its context already.

A name, a key, a quoted line: where the last few tokens stood before, the tokens that followed them
then are a good guess of what follows now. The guess is evaluated together with the last token that
was chosen, which costs less than one evaluation each, and then only confirmed or dropped (Saxena,
"Prompt lookup decoding", 2023; a special case of speculative decoding, arXiv 2211.17192).

Nothing of it may be seen in what is written, and it pays on some machines and models only:

- A batch counts if it gives the very scores that its tokens get alone. Whether it does depends on
  the processor, the cache's type and the length of the context: behind 256 tokens, llama.cpp
  computes attention to a 16-bit cache in another way for one token than for two; to an 8-bit cache,
  alike. `Drafting` tries it out once for each batch size and length of context. One score that
  differs in a bit, and there are no more such batches. The program's cache has 16 bits, and so the
  runtime does without drafting; an 8-bit cache makes long prompts slower.
- Whether a batch of two or three pays is learnt from the times of the evaluations and from how
  often guesses were right, both taken from what is written anyway (`Pace`).
"""

import statistics
import threading
import time
from collections import deque
from collections.abc import Iterable, Sequence

import numpy as np

from pagekeeper_models.kv_cache import KvCache

__all__ = ["Drafting", "Pace", "PromptLookup"]

_LONGEST_DRAFT = 2
"""Tokens guessed at once. Batches of four and more go through llama.cpp's kernels for prompts."""
_MATCHED = (3, 2)
"""Tokens that must stand before as they do now; the longer match is preferred."""

_REMEMBERED_TIMES = 9
"""Of each batch size; their median counts."""
_TRIALS = 3
"""Times until which `_HOPE` stands for them."""
_HOPE = 0.3
"""What each further token of a batch costs, against one alone, until it has been measured."""
_LONG_MATCH = 8
"""Matches of so many tokens and more are as good as each other."""
_FIRST_ODDS = 0.5
"""How often guesses are right until that is known."""
_LEARNING = 0.05
"""Weight of the newest guess: the last twenty or so count."""


class PromptLookup:
    """Guesses how a text goes on, from what stands before it.

    Attributes:
        matched: Tokens before the guess that stood before in the same order; 0 without a guess.
    """

    def __init__(self, context: Sequence[int]) -> None:
        """Look things up in `context`, and in what `extend` adds behind it."""
        self.matched = 0
        self._tokens = list(context)
        self._source = 0
        self._ends: dict[tuple[int, ...], int] = {}
        for length in _MATCHED:
            groups = zip(*(self._tokens[start:] for start in range(length)), strict=False)
            self._ends.update(zip(groups, range(length, len(self._tokens)), strict=False))
        self._find()

    def guess(self, most: int) -> list[int]:
        """At most `most` tokens that may follow; none where nothing alike stands before."""
        return self._tokens[self._source : self._source + most] if self.matched else []

    def extend(self, tokens: Iterable[int]) -> None:
        """Note the tokens that follow."""
        for token in tokens:
            goes_on = self.guess(1) == [token]
            self._append(token)
            if goes_on:
                self.matched += 1
                self._source += 1
            else:
                self._find()

    def _append(self, token: int) -> None:
        # What the newest tokens end is entered when another comes, or they would find themselves.
        for length in _MATCHED:
            if len(self._tokens) >= length:
                self._ends[tuple(self._tokens[-length:])] = len(self._tokens)
        self._tokens.append(token)

    def _find(self) -> None:
        """Look for the longest of the matches, and there for the newest."""
        self.matched = 0
        for length in _MATCHED:
            source = self._ends.get(tuple(self._tokens[-length:]))
            if source is not None:
                self.matched, self._source = length, source
                return


class Pace:
    """Says how many tokens to guess, from what evaluations cost and how often guesses are right."""

    def __init__(self) -> None:
        self._alone: deque[float] = deque(maxlen=_REMEMBERED_TIMES)
        self._cost: dict[int, deque[float]] = {}
        self._right: dict[int, float] = {}

    def took(self, batch: int, seconds: float) -> None:
        """Learn what the evaluation of a batch cost."""
        if batch == 1:
            self._alone.append(seconds)
        elif self._alone:
            costs = self._cost.setdefault(batch, deque(maxlen=_REMEMBERED_TIMES))
            costs.append(seconds / statistics.median(self._alone))

    def was(self, *, right: bool, matched: int) -> None:
        """Learn whether a guess after so many matched tokens was right, evaluated or not."""
        kind = min(matched, _LONG_MATCH)
        known = self._right.get(kind, _FIRST_ODDS)
        self._right[kind] = known + _LEARNING * (right - known)

    def best(self, matched: int, most: int) -> int:
        """How many tokens to guess after so many matched ones, at most `most`."""
        best, best_rate = 0, 1.0
        expected = chance = 1.0
        for count in range(1, most + 1):
            chance *= self._odds(matched + count - 1)
            expected += chance
            rate = expected / self._batch_cost(count + 1)
            if rate > best_rate:
                best, best_rate = count, rate
        return best

    def _odds(self, matched: int) -> float:
        return self._right.get(min(matched, _LONG_MATCH), _FIRST_ODDS)

    def _batch_cost(self, batch: int) -> float:
        """Evaluations of one token that one of the batch costs; a hopeful value until measured."""
        costs = self._cost.get(batch, ())
        return statistics.median(costs) if len(costs) >= _TRIALS else 1 + _HOPE * (batch - 1)


class Drafting:
    """Evaluates tokens with guesses behind them; made once for a KV cache."""

    def __init__(self, cache: KvCache, pace: Pace | None = None) -> None:
        self._cache = cache
        self._pace = pace or Pace()
        self._longest = _LONGEST_DRAFT if cache.can_step_back else 0
        self._tried: set[tuple[int, int]] = set()

    def guess(self, lookup: PromptLookup, most: int) -> list[int]:
        """At most `most` tokens to evaluate behind the last one; none where it would not pay."""
        longest = self._longest if self._kind(2) in self._tried else min(self._longest, 1)
        most = min(most, longest)
        return lookup.guess(self._pace.best(lookup.matched, most)) if lookup.matched else []

    def compare(self, lookup: PromptLookup, token: int) -> None:
        """Learn from a token that was chosen whether the guess is right, evaluated or not."""
        if lookup.matched:
            self._pace.was(right=lookup.guess(1) == [token], matched=lookup.matched)

    def evaluate(self, token: int, draft: Sequence[int], cancel: threading.Event) -> list[int]:
        """Evaluate a token, and the draft behind it if that changes no score.

        Returns:
            What was evaluated of the draft. There are scores after the token and each of them.

        Raises:
            Cancelled: `cancel` was set.
            ModelError: llama.cpp failed.
        """
        batch = [token, *draft]
        if draft and self._kind(len(batch)) not in self._tried:
            return batch[1:] if self._try_out(batch, cancel) else []
        start = time.perf_counter()
        self._cache.append(batch, cancel, scored=len(batch))
        self._pace.took(len(batch), time.perf_counter() - start)
        return batch[1:]

    def _kind(self, batch: int) -> tuple[int, int]:
        """Batches that are computed alike: of one size, at about one length of context."""
        return batch, (len(self._cache.tokens) + batch - 1).bit_length()

    def _try_out(self, batch: Sequence[int], cancel: threading.Event) -> bool:
        """Evaluate a batch's tokens one by one, then together, and compare all scores.

        What is not the same once is not tried again, nor anything longer.
        """
        held, kind = len(self._cache.tokens), self._kind(len(batch))
        alone = []
        for token in batch:
            self._cache.append([token], cancel)
            alone.append(self._cache.logits().copy())
        self._cache.keep(held)
        self._cache.append(batch, cancel, scored=len(batch))
        self._tried.add(kind)
        if all(
            np.array_equal(scores, self._cache.logits(back=back))
            for back, scores in enumerate(reversed(alone))
        ):
            return True
        self._longest = len(batch) - 2
        self._cache.keep(held)
        self._cache.append(batch[:1], cancel)
        return False
