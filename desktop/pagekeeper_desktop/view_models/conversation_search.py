"""Search across all conversations: what was said that holds the words, and titles that do."""

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.protocols import RecallStore
from pagekeeper_core.records import RecallHit
from pagekeeper_desktop.memory_reader import MemoryReader
from pagekeeper_desktop.view_models.formatting import is_blank

__all__ = ["ConversationSearch", "Found"]

MOST_HITS = 50


@dataclass(frozen=True, slots=True)
class Found:
    """What a search gave.

    Attributes:
        query: What was looked for.
        hits: Messages, best first.
        total: How many there are in all.
        problem: Why nothing could be read; empty when it could.
    """

    query: str
    hits: tuple[RecallHit, ...] = ()
    total: int = 0
    problem: str = ""


class ConversationSearch(QObject):
    """Looks for what the person types; an answer that is outdated by then is dropped.

    Attributes:
        query: What is looked for; empty: nothing.

    Signals:
        found (Found): Show this.
        ended: Show the list of conversations again.
    """

    found = Signal(object)
    ended = Signal()

    def __init__(self, reader: MemoryReader, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.query = ""
        self._reader = reader
        self._recall: RecallStore | None = None

    def use(self, recall: RecallStore) -> None:
        """Search this store."""
        self._recall = recall

    def look_for(self, query: str) -> None:
        """Search, or end the search when there is nothing to look for."""
        self.query = "" if is_blank(query) else query.strip()
        recall, wanted = self._recall, self.query
        if not wanted:
            self.ended.emit()
        elif recall is not None:
            self._reader.ask(
                lambda: recall.search([wanted], page_size=MOST_HITS),
                lambda page: self._take(Found(wanted, page.hits, page.total)),
                lambda error: self._failed(wanted, error),
            )

    def _take(self, found: Found) -> None:
        if found.query == self.query:
            self.found.emit(found)

    def _failed(self, query: str, error: PagekeeperError) -> None:
        self._take(Found(query, problem=error.with_hint))
