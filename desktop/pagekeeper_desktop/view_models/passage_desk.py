"""A passage where it stands: its text among its neighbours, and the page that it is on in a PDF."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from pagekeeper_core.documents.page_picture import PagePicture, draw_page
from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.protocols import ArchivalStore
from pagekeeper_core.records import ArchivalHit, DocumentInfo
from pagekeeper_desktop.memory_reader import MemoryReader
from pagekeeper_desktop.view_models.formatting import one_line

__all__ = ["PassageDesk", "PassageView", "page_of", "with_neighbours"]

AROUND = 3
"""Passages that are shown before and after the one that is meant."""

LONGEST_BEGINNING = 160

MOST_SHARED = 600
"""Characters that two neighbours share at most."""

MOST_PICTURES = 8
"""Pages that are kept in memory, about six megabytes each."""


@dataclass(frozen=True, slots=True)
class PassageView:
    """A passage where it stands.

    Attributes:
        passage_id: The passage that is meant.
        title: What people call its document.
        passages: It and its neighbours in reading order; empty when it is gone.
        document: Its document; None for a note, or when it is gone.
        problem: Why it cannot be shown; empty when it can.
    """

    passage_id: str
    title: str
    passages: tuple[ArchivalHit, ...] = ()
    document: DocumentInfo | None = None
    problem: str = ""

    @property
    def hit(self) -> ArchivalHit | None:
        """The passage itself."""
        return next((hit for hit in self.passages if hit.passage_id == self.passage_id), None)

    @property
    def page(self) -> int:
        """The page of a PDF that it stands on; 0 where there is none to be shown."""
        is_pdf = self.document is not None and self.document.record.kind == "pdf"
        hit = self.hit
        return page_of(hit.passage.location) if is_pdf and hit is not None else 0


class PassageDesk(QObject):
    """Reads passages and draws pages, each on a thread beside the window's.

    Signals:
        shown (PassageView): The passage that was asked for.
        drawn (str, PagePicture): The page of this passage.
        undrawn (str, str): The page of this passage cannot be shown, and why.
    """

    shown = Signal(object)
    drawn = Signal(str, object)
    undrawn = Signal(str, str)

    def __init__(
        self, reader: MemoryReader, painter: MemoryReader, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._reader = reader
        self._painter = painter
        self._archival: ArchivalStore | None = None
        self._wanted = ""
        self._pictures: OrderedDict[str, PagePicture] = OrderedDict()

    def use(self, archival: ArchivalStore) -> None:
        """Read this archive."""
        self._archival = archival

    def show(self, passage_id: str, title: str) -> None:
        """Have a passage read; `shown` follows, unless another one is asked for before."""
        self._wanted = passage_id
        archival = self._archival
        if archival is None:
            self.shown.emit(PassageView(passage_id, title, problem="Your memory is not open yet."))
            return
        self._reader.ask(
            lambda: _read(archival, passage_id, title),
            self._take,
            lambda error: self._take(PassageView(passage_id, title, problem=error.with_hint)),
        )

    def begin(self, passage_id: str, answer: Callable[[str], None]) -> None:
        """Have the first words of a passage read, or that it is gone."""
        archival = self._archival
        if archival is not None:
            self._reader.ask(
                lambda: archival.passage(passage_id),
                lambda hit: answer(_beginning(hit)),
                lambda error: answer(error.with_hint),
            )

    def draw(self, view: PassageView) -> None:
        """Have the page of a passage drawn; `drawn` or `undrawn` follows."""
        key, hit, document, page = view.passage_id, view.hit, view.document, view.page
        known = self._pictures.get(key)
        if known is not None:
            self.drawn.emit(key, known)
        elif hit is not None and document is not None and page:
            path = Path(document.record.path)
            self._painter.ask(
                lambda: draw_page(path, page, hit.passage.text),
                lambda picture: self._keep(key, picture),
                lambda error: self._not_drawn(key, error),
            )

    def forget_pictures(self) -> None:
        """Keep no page in memory: a document was deleted."""
        self._pictures.clear()

    def _take(self, view: PassageView) -> None:
        if view.passage_id == self._wanted:
            self.shown.emit(view)

    def _keep(self, key: str, picture: PagePicture) -> None:
        self._pictures[key] = picture
        while len(self._pictures) > MOST_PICTURES:
            self._pictures.popitem(last=False)
        self.drawn.emit(key, picture)

    def _not_drawn(self, key: str, error: PagekeeperError) -> None:
        self.undrawn.emit(key, error.with_hint)


def page_of(location: str) -> int:
    """The number in a place like "page 12"; 0 where there is none."""
    word, _, number = location.partition(" ")
    digits = number.split(" ")[0].rstrip(",")
    return int(digits) if word == "page" and digits.isascii() and digits.isdigit() else 0


def with_neighbours(view: PassageView) -> list[tuple[ArchivalHit, str]]:
    """The passages with the text of each that is to be shown: what two of them share stands once.

    The passage that is meant is whole; its neighbours lack what they share with the next one to it.
    """
    hits = view.passages
    meant = next((n for n, hit in enumerate(hits) if hit.passage_id == view.passage_id), 0)
    shown: list[tuple[ArchivalHit, str]] = []
    for number, hit in enumerate(hits):
        text = hit.passage.text
        if number < meant:
            text = text[: len(text) - _shared(text, hits[number + 1].passage.text)]
        elif number > meant:
            text = text[_shared(hits[number - 1].passage.text, text) :]
        if text.strip():
            shown.append((hit, text.strip()))
    return shown


def _beginning(hit: ArchivalHit | None) -> str:
    return one_line(hit.passage.text, LONGEST_BEGINNING) if hit else "It was deleted since."


def _shared(earlier: str, later: str) -> int:
    """Characters that end one passage and begin the next."""
    longest = min(len(earlier), len(later), MOST_SHARED)
    return next((n for n in range(longest, 0, -1) if earlier.endswith(later[:n])), 0)


def _read(archival: ArchivalStore, passage_id: str, title: str) -> PassageView:
    passages = tuple(archival.passages_around(passage_id, AROUND, AROUND))
    if not passages:
        return PassageView(
            passage_id,
            title,
            problem="The document was deleted since, or a newer version took its place, so this "
            "passage is no longer in the library.",
        )
    hit = next(hit for hit in passages if hit.passage_id == passage_id)
    document = archival.document(hit.document_id) if hit.document_id else None
    return PassageView(passage_id, document.record.title if document else title, passages, document)
