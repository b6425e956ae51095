"""Word documents: WordprocessingML by ECMA-376 part 1, 17, read while it is unpacked."""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from pagekeeper_core.documents.docx_numbering import ListMarks
from pagekeeper_core.documents.docx_text import RowReader, paragraph_text, plain_text
from pagekeeper_core.documents.office_container import OfficeContainer, open_container
from pagekeeper_core.documents.office_kinds import office_kind
from pagekeeper_core.documents.reading import PageText, SourceFile
from pagekeeper_core.documents.sections import Block, Heading, Paragraph, Row, section_pages
from pagekeeper_core.documents.xml_events import attribute, child, children, local, pieces

__all__ = ["DocxReader"]

_LONGEST_HEADING = 300
_BODY_LEVEL = 9  # of outline levels: the one that is no heading

_HEADING_NAME = re.compile(r"(?:heading [1-9]|title)$", re.IGNORECASE)

_NOTE_NAMES = {"footnote": "Footnote", "endnote": "Endnote", "comment": "Comment"}


class DocxReader:
    """Reads what a Word document says, with all tracked changes accepted; macros are left alone."""

    kind = "docx"

    def accepts(self, head: bytes, source: SourceFile) -> bool:
        """Whether its main part is a text, whatever the file's name."""
        return office_kind(head, source) == "docx"

    def read(self, source: SourceFile) -> Iterator[PageText]:
        """The text below each heading, then page headers and footers, each text of them once.

        Raises:
            DocumentLocked: A password is needed, or was wrong.
            DocumentError: It is damaged or made to fill the memory.
            OSError: It vanished or may not be read.
        """
        with open_container(source) as container:
            document = _Document(container)
            yield from section_pages(document.blocks())
            yield from document.headers_and_footers()


class _Document:
    """The main part and what it refers to."""

    def __init__(self, container: OfficeContainer) -> None:
        self._container = container
        self._main = container.main_part()
        self._relations = container.relations(self._main)
        styles = self._tree("styles")
        self._levels = _heading_levels(styles)
        self._style_lists = _lists_of_styles(styles)
        self._marks = ListMarks(self._tree("numbering"))
        self._notes = dict(self._all_notes())

    def blocks(self) -> Iterator[Block]:
        """The document in reading order; notes and comments follow what refers to them."""
        rows, begins_table = RowReader(), False
        with self._container.open(self._main) as file:
            for event, element in pieces(file, frozenset({"p", "tr"}), frozenset({"tbl"})):
                if event == "open":
                    rows, begins_table = RowReader(), True
                elif event == "whole" and local(element) == "p":
                    yield from self._paragraph(element)
                elif event == "whole":
                    cells = rows.cells(element)
                    if cells:
                        yield Row(cells, begins_table)
                        begins_table = False
                    yield from self._noted(rows.taken_notes())

    def headers_and_footers(self) -> Iterator[PageText]:
        """Once each; a page number alone says nothing."""
        seen: set[str] = set()
        for relation in self._relations.values():
            tree = None
            if relation.kind in {"header", "footer"}:
                tree = self._container.tree(relation.target)
            text = "" if tree is None else plain_text(tree)
            if text not in seen and any(sign.isalpha() for sign in text):
                seen.add(text)
                yield PageText(text, place=f"page {relation.kind}")

    def _paragraph(self, element: Element) -> Iterator[Block]:
        paragraph = paragraph_text(element)
        text = paragraph.text.strip()
        if text:
            properties = child(element, "pPr")
            mark = self._mark(properties)
            if self._is_heading(properties) and len(text) <= _LONGEST_HEADING:
                yield Heading(f"{mark} {text}".strip())
            else:
                yield Paragraph(f"{mark} {text}".lstrip(), item=bool(mark))
        for box in paragraph.boxes:
            yield Paragraph(box)
        yield from self._noted(paragraph.notes)

    def _noted(self, notes: list[tuple[str, str]]) -> Iterator[Paragraph]:
        for note in notes:
            if self._notes.get(note):
                yield Paragraph(self._notes[note], item=True)

    def _is_heading(self, properties: Element | None) -> bool:
        own = _value(child(properties, "outlineLvl"))
        level = int(own) if own.isdecimal() else self._levels.get(_style(properties), _BODY_LEVEL)
        return level < _BODY_LEVEL

    def _mark(self, properties: Element | None) -> str:
        own = child(properties, "numPr")
        list_id, level = self._style_lists.get(_style(properties), ("", "0"))
        list_id = _value(child(own, "numId")) or list_id
        level = _value(child(own, "ilvl")) or level
        return self._marks.next_mark(list_id, int(level) if level.isdecimal() else 0)

    def _all_notes(self) -> Iterator[tuple[tuple[str, str], str]]:
        for kind in _NOTE_NAMES:
            notes = self._tree(f"{kind}s")
            for element in children(notes, kind):
                text = plain_text(element)
                if text and not attribute(element, "type").endswith(("eparator", "Notice")):
                    yield (
                        (kind, attribute(element, "id")),
                        f"{_introduction(kind, element)}: {text}",
                    )

    def _tree(self, kind: str) -> Element | None:
        for relation in self._relations.values():
            if relation.kind == kind:
                return self._container.tree(relation.target)
        return None


def _introduction(kind: str, note: Element) -> str:
    author = attribute(note, "author").strip()
    return f"{_NOTE_NAMES[kind]} by {author}" if author else _NOTE_NAMES[kind]


def _heading_levels(styles: Element | None) -> dict[str, int]:
    """The outline level of each style that has one, its own or that of the style it builds on."""
    own: dict[str, int] = {}
    parents: dict[str, str] = {}
    for style in children(styles, "style"):
        name = attribute(style, "styleId")
        parents[name] = _value(child(style, "basedOn"))
        level = _value(child(style, "pPr", "outlineLvl"))
        if level.isdecimal():
            own[name] = int(level)
        elif _HEADING_NAME.match(_value(child(style, "name"))):
            own[name] = 0
    return {name: _inherited(name, own, parents) for name in parents}


def _inherited(name: str, own: dict[str, int], parents: dict[str, str]) -> int:
    seen: set[str] = set()
    while name and name not in seen:
        if name in own:
            return own[name]
        seen.add(name)
        name = parents.get(name, "")
    return _BODY_LEVEL


def _lists_of_styles(styles: Element | None) -> dict[str, tuple[str, str]]:
    """The list and its level that a paragraph is in by its style alone."""
    lists = {}
    for style in children(styles, "style"):
        numbering = child(style, "pPr", "numPr")
        if numbering is not None:
            level = _value(child(numbering, "ilvl")) or "0"
            lists[attribute(style, "styleId")] = (_value(child(numbering, "numId")), level)
    return lists


def _style(properties: Element | None) -> str:
    return _value(child(properties, "pStyle"))


def _value(element: Element | None) -> str:
    return "" if element is None else attribute(element, "val")
