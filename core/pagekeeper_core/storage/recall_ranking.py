"""The ranking of recall storage: BM25 with the messages beside, and fusion of several rankings.

BM25 (k1 = 1.2, b = 0.75) for each query by itself. Half of what the messages beside it in its
conversation score is added, calls and results between them not counted: the question says what an
answer is about. Then weighted reciprocal rank fusion with the rankings by meaning, in which a
message near in meaning lends half of its worth to those beside it that are near too.

On LoCoMo, by the same formulas outside the store: messages found of those that hold an answer, at 5
and 10, on two of five dialogues (377 questions): each message by its own words .497 / .576, with
those beside it .564 / .640, with meaning .565 / .643. These two were seen while the weights were
chosen on the other three, so the figures may flatter.

Constant, weight and what is lent were chosen on the even rows of LoCoMo and of DMR (460 questions,
`tests/evals`): .607 / .697 and .863 / .938, against .595 / .668 and .812 / .887 with a constant of
10, a weight of 0.3 and nothing lent. A higher weight helps DMR and hurts LoCoMo.

All is reckoned on whole arrays: a common word stands in tens of thousands of messages.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pagekeeper_core.storage.recall_postings import Postings

__all__ = ["Ranking", "Said", "by_meaning", "by_words", "fused"]

_FUSION_CONSTANT = 5
_MEANING_WEIGHT = 0.5

# Numbers from a message to the one beside it: a call and its result may stand between them.
_BESIDE = 3

# Scores are rounded so that equal texts tie, whatever the order of the sums.
_DECIMALS = 9

_Numbers = npt.NDArray[np.uint64]
_Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Said:
    """All that was said: how many messages, and their mean number of terms."""

    size: int
    mean_length: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """Messages and what their places in one ranking are worth in the fused one."""

    seqs: _Numbers
    worths: _Scores


def by_words(postings: Sequence[Postings], said: Said) -> Ranking:
    """The messages that hold any of a query's terms; equal scores share a place."""
    parts = [part for part in postings if len(part)]
    if not parts:
        return Ranking(np.empty(0, np.uint64), np.empty(0))
    scores = np.concatenate([_bm25(part, said) for part in parts])
    places = np.concatenate([_place_in_conversation(part) for part in parts])
    places, scores = _summed(places, scores)
    scores = _with_those_beside(places, scores)
    worths = 1 / (_FUSION_CONSTANT + _ranks(scores))
    return Ranking(places & np.uint64(0xFFFFFFFF), worths)


def by_meaning(near: Iterable[tuple[int, int, int]]) -> Ranking:
    """Messages near in meaning, each with its conversation and its place in the ranking."""
    seqs, threads, ranks = np.array(list(near), np.uint64).reshape(-1, 3).T
    worths = _MEANING_WEIGHT / (_FUSION_CONSTANT + ranks.astype(np.float64))
    places, worths = _summed((threads << np.uint64(32)) | seqs, worths)
    return Ranking(places & np.uint64(0xFFFFFFFF), _with_those_beside(places, worths))


def fused(
    rankings: Sequence[Ranking], first: int, count: int
) -> tuple[list[tuple[int, float]], int]:
    """The messages from place `first` on (from 0) with their scores, and how many there are.

    Best first, newer first among equals.
    """
    seqs, scores = _summed(
        np.concatenate([ranking.seqs for ranking in rankings]),
        np.concatenate([ranking.worths for ranking in rankings]),
    )
    total = len(seqs)
    scores = np.round(scores, _DECIMALS)
    if first + count < total:
        best = scores >= np.partition(scores, total - first - count)[total - first - count]
        seqs, scores = seqs[best], scores[best]
    order = np.lexsort((-seqs.astype(np.int64), -scores))[first : first + count]
    return list(zip(seqs[order].tolist(), scores[order].tolist(), strict=True)), total


def _bm25(postings: Postings, said: Said) -> _Scores:
    found = len(postings)
    rarity = np.log(1 + (said.size - found + 0.5) / (found + 0.5))
    times = postings["times"].astype(np.float64)
    length = postings["length"] / said.mean_length
    scores: _Scores = rarity * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length))
    return scores


def _place_in_conversation(postings: Postings) -> _Numbers:
    """Conversation and number in one, so that messages of one conversation sort together."""
    places: _Numbers = postings["thread"].astype(np.uint64) << np.uint64(32)
    return places | postings["seq"].astype(np.uint64)


def _summed(keys: _Numbers, values: _Scores) -> tuple[_Numbers, _Scores]:
    """Each key once, in order, with the sum of its values."""
    if not len(keys):
        return keys, values
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    return keys[starts], np.add.reduceat(values[order], starts)


def _with_those_beside(places: _Numbers, scores: _Scores) -> _Scores:
    beside = places[1:] - places[:-1] <= _BESIDE
    before, after = np.zeros_like(scores), np.zeros_like(scores)
    before[1:] = np.where(beside, scores[:-1] / 2, 0)
    after[:-1] = np.where(beside, scores[1:] / 2, 0)
    return np.round(scores + before + after, _DECIMALS)


def _ranks(scores: _Scores) -> npt.NDArray[np.int64]:
    """Places from 1, the highest score first; equal scores share the first of theirs."""
    order = np.argsort(-scores)
    ordered = scores[order]
    is_new = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    shared = np.maximum.accumulate(np.where(is_new, np.arange(1, len(scores) + 1), 0))
    ranks = np.empty(len(scores), np.int64)
    ranks[order] = shared
    return ranks
