"""Scores that need no model: accepted strings, ROUGE-L recall, normalised answers, F1."""

import math
import re
import statistics
import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = [
    "Mean",
    "contains_answer",
    "contains_string",
    "f1",
    "mean_with_interval",
    "normalised",
    "recall_at",
    "rouge_l_recall",
    "wilson",
]

Z = 1.96
"""Standard deviations of a 95% interval."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean with its 95% interval."""

    value: float
    low: float
    high: float
    n: int


def contains_string(reply: str, accept: Sequence[str]) -> bool:
    """Whether the reply holds any accepted string, in any case, as it is written."""
    said = _plain(reply)
    return any(_plain(text) in said for text in accept)


def contains_answer(reply: str, answers: Sequence[str]) -> bool:
    """Whether the reply holds any answer as whole words, both normalised (SQuAD's rules)."""
    said = f" {normalised(reply)} "
    return any(f" {normalised(answer)} " in said for answer in answers if normalised(answer))


def normalised(text: str) -> str:
    """Lower case, without punctuation and articles, single spaces (SQuAD, NaturalQuestions)."""
    bare = "".join(sign for sign in _plain(text) if sign not in string.punctuation)
    return " ".join(word for word in bare.split() if word not in {"a", "an", "the"})


def rouge_l_recall(reply: str, answer: str) -> float:
    """Share of the answer's words that the reply has in the same order (Lin, 2004)."""
    wanted, said = _words(answer), _words(reply)
    return _longest_common(wanted, said) / len(wanted) if wanted else 0.0


def f1(reply: str, answer: str) -> float:
    """Overlap of normalised words: harmonic mean of precision and recall."""
    said, wanted = normalised(reply).split(), normalised(answer).split()
    shared = (Counter(said) & Counter(wanted)).total()
    return 2 * shared / (len(said) + len(wanted)) if shared else 0.0


def recall_at(found: Sequence[object], evidence: frozenset[object], depth: int) -> float:
    """Share of the evidence among the first `depth` that were found."""
    return len(evidence & set(found[:depth])) / len(evidence)


def wilson(right: int, n: int) -> tuple[float, float]:
    """The 95% interval of a share (Wilson, 1927): honest for few trials and near 0 and 1."""
    if not n:
        return 0.0, 1.0
    share, spread = right / n, Z * Z / n
    centre = (share + spread / 2) / (1 + spread)
    half = Z * math.sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    return max(centre - half, 0.0), min(centre + half, 1.0)


def mean_with_interval(values: Sequence[float]) -> Mean:
    """Wilson's interval where all values are 0 or 1, else the normal one within 0 to 1."""
    n = len(values)
    value = statistics.fmean(values)
    if all(v in (0, 1) for v in values):
        return Mean(value, *wilson(round(sum(values)), n), n)
    half = Z * statistics.stdev(values) / math.sqrt(n) if n > 1 else 1.0
    return Mean(value, max(value - half, 0.0), min(value + half, 1.0), n)


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").split())


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", _plain(text))


def _longest_common(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of the longest common subsequence."""
    row = [0] * (len(second) + 1)
    for word in first:
        before = row
        row = [0]
        for place, other in enumerate(second):
            row.append(before[place] + 1 if word == other else max(before[place + 1], row[place]))
    return row[-1]
