"""Presentations: PresentationML by ECMA-376 part 1, 19, slide by slide."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from pagekeeper_core.documents.drawing_text import (
    alternative_text,
    chart_blocks,
    descendants,
    drawn_paragraphs,
    drawn_rows,
)
from pagekeeper_core.documents.office_container import OfficeContainer, Relation, open_container
from pagekeeper_core.documents.office_kinds import office_kind
from pagekeeper_core.documents.reading import PageText, SourceFile
from pagekeeper_core.documents.sections import Block, Paragraph, section_pages
from pagekeeper_core.documents.xml_events import attribute, child, children, local

__all__ = ["PptxReader"]

_TITLES = frozenset({"title", "ctrTitle"})
_SAME_ON_EACH = frozenset({"sldNum", "dt", "ftr", "hdr"})


class PptxReader:
    """Reads slides in the order in which they are shown, the hidden ones too, and their notes."""

    kind = "pptx"

    def accepts(self, head: bytes, source: SourceFile) -> bool:
        """Whether its main part is a presentation, whatever the file's name."""
        return office_kind(head, source) == "pptx"

    def read(self, source: SourceFile) -> Iterator[PageText]:
        """Each slide, then what the speaker notes and what others comment on it.

        Raises:
            DocumentLocked: A password is needed, or was wrong.
            DocumentError: It is damaged or made to fill the memory.
            OSError: It vanished or may not be read.
        """
        with open_container(source) as container:
            parts = list(_slides(container))
            for number, part in enumerate(parts, start=1):
                slide = _Slide(container, part)
                place = f"slide {number}{' (hidden)' if slide.hidden else ''}"
                for blocks, where in slide.texts(place):
                    for page in section_pages(blocks, word="", place=where):
                        yield PageText(page.text, page=number, pages=len(parts), place=where)


def _slides(container: OfficeContainer) -> Iterator[str]:
    main = container.main_part()
    relations = container.relations(main)
    for entry in children(child(container.tree(main), "sldIdLst"), "sldId"):
        # There is a plain "id" too, which is no reference.
        reference = next((v for k, v in entry.attrib.items() if k.endswith("}id")), "")
        relation = relations.get(reference)
        if relation and container.has(relation.target):
            yield relation.target


class _Slide:
    """One slide and what it refers to.

    Attributes:
        hidden: Whether it is passed over when the presentation is shown.
    """

    def __init__(self, container: OfficeContainer, part: str) -> None:
        self._container = container
        self._relations = container.relations(part)
        self._tree = container.tree(part)
        self.hidden = self._tree is not None and attribute(self._tree, "show") in {"0", "false"}

    def texts(self, place: str) -> Iterator[tuple[Iterator[Block], str]]:
        """What is to be read of it, and where each of that stands."""
        yield self._shapes(self._tree), place
        for relation in self._relations.values():
            if relation.kind == "notesSlide":
                yield self._shapes(self._part(relation)), f"{place}, speaker notes"
            elif relation.kind == "comments":
                yield _comments(self._part(relation)), f"{place}, comments"

    def _part(self, relation: Relation | None) -> Element | None:
        return self._container.tree(relation.target) if relation else None

    def _shapes(self, tree: Element | None) -> Iterator[Block]:
        """What is on it: the title first, wherever it lies, then the others in their order."""
        shapes = list(_leaves(child(tree, "cSld", "spTree")))
        for shape in sorted(shapes, key=lambda each: _placeholder(each) not in _TITLES):
            if _placeholder(shape) not in _SAME_ON_EACH:
                yield from self._shape(shape)

    def _shape(self, shape: Element) -> Iterator[Block]:
        texts = [block for body in children(shape, "txBody") for block in drawn_paragraphs(body)]
        yield from texts
        properties = next((child(below, "cNvPr") for below in shape if len(below)), None)
        picture = alternative_text(properties)
        if picture and not texts:
            yield Paragraph(picture)
        if local(shape) == "graphicFrame":
            yield from self._graphic(shape)

    def _graphic(self, frame: Element) -> Iterator[Block]:
        """A table, a chart, or a diagram (SmartArt)."""
        for table in descendants(frame, "tbl"):
            yield from drawn_rows(table)
        for chart in descendants(frame, "chart"):
            tree = self._part(self._relations.get(attribute(chart, "id")))
            if tree is not None:
                yield from chart_blocks(tree)
        for diagram in descendants(frame, "relIds"):
            tree = self._part(self._relations.get(attribute(diagram, "dm")))
            if tree is not None:
                for body in descendants(tree, "t"):
                    yield from drawn_paragraphs(body)


def _leaves(tree: Element | None) -> Iterator[Element]:
    """Shapes and pictures, also those in groups; of two variants of one shape the first."""
    for shape in tree if tree is not None else ():
        name = local(shape)
        if name == "grpSp":
            yield from _leaves(shape)
        elif name == "AlternateContent":
            choice = child(shape, "Choice")
            yield from _leaves(child(shape, "Fallback") if choice is None else choice)
        elif name in {"sp", "pic", "graphicFrame", "cxnSp"}:
            yield shape


def _placeholder(shape: Element) -> str:
    """What the shape holds the place of: "title", "body"; empty if it is a shape of its own."""
    found = child(shape, "nvSpPr", "nvPr", "ph")
    return "" if found is None else attribute(found, "type", "obj")


def _comments(tree: Element | None) -> Iterator[Block]:
    for comment in descendants(tree, "cm") if tree is not None else ():
        text = child(comment, "text")
        if text is not None and text.text:
            yield Paragraph(text.text)
        for body in children(comment, "txBody"):
            yield from drawn_paragraphs(body)
