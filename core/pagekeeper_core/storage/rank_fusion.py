"""Several rankings into one: weighted reciprocal rank fusion (Cormack and others, SIGIR 2009)."""

from collections.abc import Sequence

__all__ = ["fuse_rankings"]


def fuse_rankings(
    rankings: Sequence[tuple[float, Sequence[str]]], *, constant: int
) -> dict[str, float]:
    """Scores by identifier: for each ranking, its weight over `constant` plus the place in it.

    Args:
        rankings: A weight and the identifiers, best first, for each.
        constant: The higher it is, the less the first places stand out.
    """
    scores: dict[str, float] = {}
    for weight, ranking in rankings:
        for place, identifier in enumerate(ranking, start=1):
            scores[identifier] = scores.get(identifier, 0.0) + weight / (constant + place)
    return scores
