"""What a session shows of the archive: the library, passages, what a search finds there.

It has readers of its own: the first search loads the embedder, which takes seconds, and nothing
else that is read may wait for that.
"""

from PySide6.QtCore import QObject, Signal

from pagekeeper_desktop.assistant_parts import MemoryPart
from pagekeeper_desktop.memory_reader import MemoryReader
from pagekeeper_desktop.view_models.archive_search import ArchiveSearch
from pagekeeper_desktop.view_models.library import Library
from pagekeeper_desktop.view_models.passage_desk import PassageDesk

__all__ = ["ArchiveDesk"]


class ArchiveDesk(QObject):
    """Everything that is read of the archive.

    Attributes:
        library: The documents.
        passages: A passage in its surroundings.
        search: What documents say of what is looked for.

    Signals:
        ended: After `close`: nothing is being read any more.
    """

    ended = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._readers = [MemoryReader(self) for _ in range(3)]
        reader, searcher, painter = self._readers
        self.library = Library(reader, self)
        self.passages = PassageDesk(reader, painter, self)
        self.search = ArchiveSearch(searcher, self)
        self.library.deleted.connect(self.passages.forget_pictures)
        self._open = len(self._readers)
        for each in self._readers:
            each.ended.connect(self._reader_ended)

    def use(self, memory: MemoryPart) -> None:
        """Show what the archive holds, once somebody looks."""
        self.library.use(memory.archival)
        self.passages.use(memory.archival)
        self.search.use(memory.archival)

    def close(self) -> None:
        """Read nothing more; `ended` follows."""
        for reader in self._readers:
            reader.close()

    def _reader_ended(self) -> None:
        self._open -= 1
        if self._open == 0:
            self.ended.emit()
