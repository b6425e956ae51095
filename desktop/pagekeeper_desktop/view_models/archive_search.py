"""Search across documents and notes: passages that hold the words, or mean the same."""

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.protocols import ArchivalStore
from pagekeeper_core.records import ArchivalHit
from pagekeeper_desktop.memory_reader import MemoryReader
from pagekeeper_desktop.view_models.formatting import is_blank

__all__ = ["ArchiveSearch", "FoundPassages"]

MOST_HITS = 8


@dataclass(frozen=True, slots=True)
class FoundPassages:
    """What a search of the archive gave.

    Attributes:
        query: What was looked for.
        hits: Passages, best first.
        weak: Identifiers of those that may be about something else.
        problem: Why nothing could be read; empty when it could.
        is_over: Whether the search has ended.
    """

    query: str
    hits: tuple[ArchivalHit, ...] = ()
    weak: frozenset[str] = frozenset()
    problem: str = ""
    is_over: bool = True


class ArchiveSearch(QObject):
    """Looks for what the person types; an answer that is outdated by then is dropped.

    Signals:
        found (FoundPassages): Show this; before the end of a search once without hits.
    """

    found = Signal(object)

    def __init__(self, reader: MemoryReader, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._query = ""
        self._reader = reader
        self._archival: ArchivalStore | None = None

    def use(self, archival: ArchivalStore) -> None:
        """Search this store."""
        self._archival = archival

    def look_for(self, query: str) -> None:
        """Search, or stop searching when there is nothing to look for."""
        self._query = wanted = "" if is_blank(query) else query.strip()
        archival = self._archival
        if not wanted or archival is None:
            return
        self.found.emit(FoundPassages(wanted, is_over=False))
        self._reader.ask(
            lambda: self._hits(archival, wanted),
            self._take,
            lambda error: self._failed(wanted, error),
        )

    def _hits(self, archival: ArchivalStore, query: str) -> FoundPassages:
        """What a search gives; nothing, and at no cost, when something else is wanted by now."""
        from pagekeeper_core.relevance import is_relevant  # noqa: PLC0415 - it loads the storage

        if query != self._query:
            return FoundPassages(query)
        hits = archival.search([query], page_size=MOST_HITS).hits
        weak = frozenset(hit.passage_id for hit in hits if not is_relevant(hit, [query]))
        return FoundPassages(query, hits, weak)

    def _take(self, found: FoundPassages) -> None:
        if found.query == self._query:
            self.found.emit(found)

    def _failed(self, query: str, error: PagekeeperError) -> None:
        self._take(FoundPassages(query, problem=error.with_hint))
