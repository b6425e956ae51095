"""Joins the library's page to the session: what is read, read again, summarised, watched."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from pagekeeper_core.events import SummaryAsked
from pagekeeper_desktop.view_models.session import Session
from pagekeeper_desktop.widgets.library_page import LibraryPage

__all__ = ["LibraryControls"]


class LibraryControls(QObject):
    """Carries out what the page asks for.

    Args:
        session: Where it is done.
        page: The library.
        window: The dialogs' parent.
        keep_watched: Keeps the list of watched folders in the settings.
    """

    def __init__(
        self,
        session: Session,
        page: LibraryPage,
        window: QWidget,
        keep_watched: Callable[[tuple[str, ...]], None],
    ) -> None:
        super().__init__(window)
        self._session = session
        self._page = page
        self._window = window
        self._keep_watched = keep_watched
        page.add_requested.connect(self.add_files)
        page.folder_requested.connect(self.add_folder)
        page.reading_requested.connect(self._read_again)
        page.summary_requested.connect(lambda name: session.post(SummaryAsked(name)))
        page.list.retry_wanted.connect(session.imports.retry)
        page.list.stop_wanted.connect(session.imports.cancel)
        page.watched.add_requested.connect(self.watch_folder)
        page.watched.removed.connect(self._watch_no_more)

    def add_files(self) -> None:
        """Let the person choose documents to read."""
        names, _ = QFileDialog.getOpenFileNames(self._window, "Add documents")
        self._session.imports.add([Path(name) for name in names])

    def add_folder(self) -> None:
        """Let the person choose a folder whose documents are read."""
        name = QFileDialog.getExistingDirectory(self._window, "Add a folder of documents")
        if name:
            self._session.imports.add([Path(name)])

    def watch_folder(self) -> None:
        """Let the person choose a folder that is watched from now on."""
        name = QFileDialog.getExistingDirectory(self._window, "Watch a folder")
        if name and name not in self._page.watched.folders:
            self._watch((*self._page.watched.folders, name))

    def _watch_no_more(self, folder: str) -> None:
        self._watch(tuple(name for name in self._page.watched.folders if name != folder))

    def _watch(self, folders: tuple[str, ...]) -> None:
        self._page.watched.show_folders(folders)
        self._keep_watched(folders)
        self._session.imports.worker.watch([Path(name) for name in folders])

    def _read_again(self, document_ids: Sequence[str]) -> None:
        library = self._session.archive.library
        for document_id in document_ids:
            info = library.get(document_id)
            if info is not None:
                self._session.imports.worker.reimport(info)
