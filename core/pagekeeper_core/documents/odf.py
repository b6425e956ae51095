"""OpenDocument texts, spreadsheets and presentations (OASIS OpenDocument 1.3, part 3)."""

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from xml.etree.ElementTree import Element

from pagekeeper_core.documents.delimited import table_pages
from pagekeeper_core.documents.odf_text import ListNumbers, odf_cells, odf_paragraph, odf_text
from pagekeeper_core.documents.office_container import OfficeContainer, damaged, open_container
from pagekeeper_core.documents.office_kinds import office_kind
from pagekeeper_core.documents.reading import PageText, SourceFile
from pagekeeper_core.documents.sections import Block, Heading, Paragraph, Row, section_pages
from pagekeeper_core.documents.table_rows import row_text
from pagekeeper_core.documents.xml_events import (
    XmlPiece,
    attribute,
    child,
    children,
    local,
    pieces,
)
from pagekeeper_core.errors import DocumentError

__all__ = ["OdfReader"]

_CONTENT = "content.xml"
_WHOLE = frozenset(
    {"p", "h", "table-row", "annotation", "notes", "title", "desc", "tracked-changes",
     "automatic-styles", "forms"}
)  # fmt: skip
_AROUND = frozenset({"table", "list", "list-item", "page", "text", "spreadsheet"})
_TITLES = frozenset({"Title", "Subtitle"})

# A row that stands for many equal ones is given as often as this.
_MOST_REPEATED = 1000


class OdfReader:
    """Reads what LibreOffice and others write; what was deleted under tracking is left out."""

    kind = "odf"

    def accepts(self, head: bytes, source: SourceFile) -> bool:
        """Whether it says of itself that it is one, whatever the file's name."""
        return office_kind(head, source) == "odf"

    def read(self, source: SourceFile) -> Iterator[PageText]:
        """A text by its headings, a spreadsheet by its rows, a presentation by its slides.

        Raises:
            DocumentError: It is locked, damaged or made to fill the memory.
            OSError: It vanished or may not be read.
        """
        with open_container(source) as container:
            if b"encryption-data" in container.read("META-INF/manifest.xml"):
                raise DocumentError(
                    f"{source.name} is locked with a password in a way that cannot be opened here.",
                    hint="Open it in LibreOffice, save it without the password, and try again.",
                )
            if not container.has(_CONTENT):
                raise damaged(source)
            if b"spreadsheet" in container.read("mimetype"):
                yield from _Spreadsheet(container).pages()
            else:
                yield from _Flow(container).pages()
                yield from _headers_and_footers(container)


class _Flow:
    """A text or a presentation: what is in it comes in reading order."""

    def __init__(self, container: OfficeContainer) -> None:
        self._container = container
        self._lists = ListNumbers()
        self._lists.learn(child(container.tree("styles.xml"), "styles"))
        self._begins_table = False
        self._mark = ""
        self._slide = 0
        self._notes: list[str] = []

    def pages(self) -> Iterator[PageText]:
        """The text below each heading, or of each slide."""
        with self._container.open(_CONTENT) as file:
            found = pieces(file, _WHOLE, _AROUND)
            yield from section_pages(self._blocks_before_slides(found))
            while self._slide:
                yield from self._slide_pages(found)

    def _blocks_before_slides(self, found: Iterable[XmlPiece]) -> Iterator[Block]:
        for event, element in found:
            if event == "open" and local(element) == "page":
                self._slide = 1
                return
            yield from self._blocks(event, element)

    def _slide_pages(self, found: Iterable[XmlPiece]) -> Iterator[PageText]:
        number, self._slide = self._slide, 0
        blocks = self._blocks_of_slide(found, number)
        yield from _numbered(section_pages(blocks, word="", place=f"slide {number}"), number)
        notes = [Paragraph(text) for text in self._notes if text]
        self._notes = []
        place = f"slide {number}, speaker notes"
        yield from _numbered(section_pages(notes, word="", place=place), number)

    def _blocks_of_slide(self, found: Iterable[XmlPiece], number: int) -> Iterator[Block]:
        for event, element in found:
            if event == "open" and local(element) == "page":
                self._slide = number + 1
                return
            yield from self._blocks(event, element)

    def _blocks(self, event: str, element: Element) -> Iterator[Block]:
        name = local(element)
        if event == "whole":
            yield from self._whole(name, element)
        elif name == "list":
            self._lists.begin(element) if event == "open" else self._lists.end()
        elif name == "list-item":
            self._mark = self._lists.next_mark() if event == "open" else ""
        elif name == "table":
            self._begins_table = event == "open"

    def _whole(self, name: str, element: Element) -> Iterator[Block]:
        if name in {"p", "h"}:
            yield from self._paragraph(name, element)
        elif name == "table-row":
            cells = odf_cells(element)
            if cells:
                yield Row(cells, self._begins_table)
                self._begins_table = False
        elif name == "automatic-styles":
            self._lists.learn(element)
        elif name == "notes":
            self._notes.append(odf_text(element))
        elif name in {"title", "desc"} and (element.text or "").strip():
            yield Paragraph(f"[picture: {(element.text or '').strip()}]")
        elif name == "annotation":
            yield Paragraph(f"Comment: {odf_text(element)}")

    def _paragraph(self, name: str, element: Element) -> Iterator[Block]:
        paragraph = odf_paragraph(element)
        mark, self._mark = self._mark, ""
        if name == "h" or attribute(element, "style-name") in _TITLES:
            if paragraph.text:
                yield Heading(paragraph.text)
        elif paragraph.text:
            yield Paragraph(mark + paragraph.text, item=bool(mark))
        for text in paragraph.after:
            yield Paragraph(text, item=True)


def _numbered(pages: Iterable[PageText], number: int) -> Iterator[PageText]:
    return (PageText(page.text, page=number, place=page.place) for page in pages)


class _Spreadsheet:
    """A spreadsheet: a sheet after the other, each row by row."""

    def __init__(self, container: OfficeContainer) -> None:
        self._container = container
        self._hidden: set[str] = set()
        self._sheet = ""

    def pages(self) -> Iterator[PageText]:
        """The rows of each sheet in blocks below its header."""
        with self._container.open(_CONTENT) as file:
            found = pieces(file, _WHOLE, _AROUND)
            self._find_sheet(found)
            while self._sheet:
                where, self._sheet = self._sheet, ""
                rows = self._rows(found)
                first = list(islice(rows, 1))
                header = row_text(first[0][1]) if first and len(first[0][1]) > 1 else ""
                lines = ((number, row_text(cells)) for number, cells in chain(first, rows))
                yield from table_pages(lines, header=header, where=where)
                if not self._sheet:
                    self._find_sheet(found)

    def _find_sheet(self, found: Iterable[XmlPiece]) -> None:
        for event, element in found:
            if event == "whole" and local(element) == "automatic-styles":
                self._hidden |= set(_hidden_styles(element))
            elif event == "open" and local(element) == "table":
                hidden = attribute(element, "style-name") in self._hidden
                self._sheet = f"sheet {attribute(element, 'name')}{' (hidden)' if hidden else ''}"
                return

    def _rows(self, found: Iterable[XmlPiece]) -> Iterator[tuple[int, tuple[str, ...]]]:
        number = 1
        for event, element in found:
            if event == "close" and local(element) == "table":
                return
            if event == "whole" and local(element) == "table-row":
                cells = odf_cells(element)
                text = attribute(element, "number-rows-repeated", "1")
                times = int(text) if text.isdecimal() and len(text) < 8 else 1
                if any(cells):
                    yield from ((number + n, cells) for n in range(min(times, _MOST_REPEATED)))
                number += times


def _hidden_styles(styles: Element) -> Iterator[str]:
    for style in children(styles, "style"):
        properties = child(style, "table-properties")
        if properties is not None and attribute(properties, "display") == "false":
            yield attribute(style, "name")


def _headers_and_footers(container: OfficeContainer) -> Iterator[PageText]:
    """What stands on each page, each text once; a page number alone says nothing."""
    seen: set[str] = set()
    for page in children(child(container.tree("styles.xml"), "master-styles"), "master-page"):
        for part in page:
            kind = local(part).partition("-")[0]
            text = odf_text(part) if kind in {"header", "footer"} else ""
            if text not in seen and any(sign.isalpha() for sign in text):
                seen.add(text)
                yield PageText(text, place=f"page {kind}")
