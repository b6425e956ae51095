"""Whether a passage that a search found has to do with what was asked: low relevance is said."""

from collections.abc import Sequence

from pagekeeper_core.records import ArchivalHit
from pagekeeper_core.storage.search_terms import index_terms, query_terms
from pagekeeper_core.wording import share_of

__all__ = ["is_relevant"]

# Measured (tests/evals/document_search.py) on questions over 1,296 passages of an encyclopedia: of
# those whose passage is among the results 2 % are called low, of those whose passage was taken out
# 64 %; the others have passages about the same thing.
LEAST_SIMILARITY = 0.45
"""Cosine from which a passage has to do with a query, whatever its words."""

LEAST_WORDS = 0.7
"""Share of a query's words from which it does, however far in meaning: for scripts that the
embedder does not know, names and numbers."""


def is_relevant(hit: ArchivalHit, queries: Sequence[str]) -> bool:
    """Whether a passage may answer one of the queries by which it was found."""
    if hit.similarity >= LEAST_SIMILARITY:
        return True
    words = set(index_terms(hit.passage.text))
    return any(share_of(set(query_terms(query)), words) >= LEAST_WORDS for query in queries)
