"""Whether a question is one that the user's documents may answer.

A small model answers from what stands before it, or makes something up, where it should search. So
the program looks first: where a passage has to do with a question, the chain begins with a search.
"""

import logging

from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.notes import Notes
from pagekeeper_core.relevance import is_relevant
from pagekeeper_core.wording import told_in

__all__ = ["DOCUMENT_FUNCTIONS", "asks_documents"]

log = logging.getLogger(__name__)

DOCUMENT_FUNCTIONS = ("archival_memory_search",)

LOOKED_AT = 3
"""Passages, the best ones."""


def asks_documents(text: str, notes: Notes) -> bool:
    """Whether a message asks something, and a passage of a document has to do with it."""
    if told_in(text) == text.strip():
        return False
    try:
        found = notes.search([text], page=1, page_size=LOOKED_AT)
    except PagekeeperError:
        # The search that the model asks for says what is wrong.
        log.warning("The archive was not looked through for a question", exc_info=True)
        return False
    return any(hit.document_id and is_relevant(hit, [text]) for hit in found.hits)
