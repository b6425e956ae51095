"""The library: which documents there are, and what the person does with them."""

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QObject, Signal

from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.protocols import ArchivalStore
from pagekeeper_core.records import DocumentInfo
from pagekeeper_desktop.memory_reader import MemoryReader
from pagekeeper_desktop.view_models.formatting import counted, one_line
from pagekeeper_desktop.view_models.library_table import DocumentRow, DocumentState, LibraryTable
from pagekeeper_desktop.view_models.transcript_items import ImportItem, ImportState

__all__ = ["Library", "deletion_question"]

LONGEST_NAME = 60

_STATES = {
    ImportState.WAITING: DocumentState.WAITING,
    ImportState.RUNNING: DocumentState.READING,
    ImportState.PAUSED: DocumentState.PAUSED,
    ImportState.LOCKED: DocumentState.LOCKED,
    ImportState.FAILED: DocumentState.FAILED,
}
"""Those of a file that is not in the archive and may get there."""


class Library(QObject):
    """Follows the archive. It is read on the reader's thread, first when it is asked for.

    Attributes:
        table: The documents that are shown.

    Signals:
        changed: The table has other rows now.
        deleted: Documents are gone from the archive.
        told (str): A sentence for the person.
        failed (str): A sentence that says what could not be done.
    """

    changed = Signal()
    deleted = Signal()
    told = Signal(str)
    failed = Signal(str)

    def __init__(self, reader: MemoryReader, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.table = LibraryTable(self)
        self._reader = reader
        self._archival: ArchivalStore | None = None
        self._documents: Sequence[DocumentInfo] = ()
        self._under_way: dict[int, DocumentRow] = {}
        self._away: frozenset[str] = frozenset()
        self._is_wanted = False
        self.is_read = False

    def use(self, archival: ArchivalStore) -> None:
        """Show what this archive holds, once somebody looks."""
        self._archival = archival
        if self._is_wanted:
            self.read()

    def read(self) -> None:
        """Read the archive, now or as soon as it is open."""
        self._is_wanted = True
        archival = self._archival
        if archival is not None:
            self._reader.ask(archival.documents, self._take, self._say_failed)

    def delete(self, rows: Iterable[DocumentRow]) -> None:
        """Delete documents with their passages; what was said of them stays said."""
        archival = self._archival
        chosen = [row for row in rows if row.document_id]
        if archival is None or not chosen:
            return
        self.told.emit(f"Deleting {_named(chosen)} …")
        self._reader.ask(
            _deletion(archival, chosen), lambda _: self._deleted(chosen), self._not_deleted
        )

    def follow(self, file: ImportItem) -> None:
        """A file is on its way into the archive, or has arrived, or did not get there."""
        state = _STATES.get(file.state)
        known = self._under_way.pop(file.import_id, None)
        if state is not None:
            words = " ".join(filter(None, [file.message, file.hint]))
            row = DocumentRow("", file.name, "", state=state, reason=words, job_id=file.import_id)
            self._under_way[file.import_id] = row
        if self.is_read and (known is None or known.state is not state):
            self._arrange()

    def arrived(self) -> None:
        """A document stands in the archive now."""
        if self._is_wanted:
            self.read()

    def show_away(self, document_ids: Iterable[str]) -> None:
        """The files of these documents are no longer where they were."""
        self._away = frozenset(document_ids)
        self._arrange()

    def get(self, document_id: str) -> DocumentInfo | None:
        """The document of that identifier."""
        return next((d for d in self._documents if d.document_id == document_id), None)

    def _take(self, documents: Sequence[DocumentInfo]) -> None:
        self._documents = documents
        self.is_read = True
        self._arrange()

    def _arrange(self) -> None:
        rows = [row_of(info, is_away=info.document_id in self._away) for info in self._documents]
        self.table.show_rows([*self._under_way.values(), *rows])
        self.changed.emit()

    def _deleted(self, rows: Sequence[DocumentRow]) -> None:
        self.told.emit(f"{_named(rows)} {'is' if len(rows) == 1 else 'are'} gone.")
        self.deleted.emit()
        self.read()

    def _not_deleted(self, error: PagekeeperError) -> None:
        self._say_failed(error)
        self.read()

    def _say_failed(self, error: PagekeeperError) -> None:
        self.failed.emit(error.with_hint)


def row_of(info: DocumentInfo, *, is_away: bool = False) -> DocumentRow:
    """A document as the table shows it."""
    record = info.record
    return DocumentRow(
        document_id=info.document_id,
        title=record.title,
        kind=record.kind,
        added=info.created_at,
        size=record.size,
        pages=record.pages,
        passages=info.passages,
        state=DocumentState.AWAY if is_away else DocumentState.READY,
        reason="The file was moved or deleted. What was read of it stays." if is_away else "",
        path=record.path,
    )


def deletion_question(rows: Sequence[DocumentRow]) -> tuple[str, str]:
    """What is asked before documents are deleted, and what it says goes with them."""
    passages = counted(sum(row.passages for row in rows), "passage")
    return (
        f"Delete {_named(rows)} from the library?",
        f"{passages} and everything that was made of them go from this computer: searches and new "
        "replies find nothing of it any more. What was said in conversations stays, and so does "
        "the file itself.",
    )


def _named(rows: Sequence[DocumentRow]) -> str:
    if len(rows) == 1:
        return f"“{one_line(rows[0].title, LONGEST_NAME)}”"
    return counted(len(rows), "document")


def _deletion(archival: ArchivalStore, rows: Sequence[DocumentRow]) -> Callable[[], None]:
    def delete() -> None:
        for row in rows:
            archival.delete_document(row.document_id)

    return delete
