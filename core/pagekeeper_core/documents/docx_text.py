"""Paragraphs and rows of WordprocessingML as plain text (ECMA-376 part 1, 17)."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from pagekeeper_core.documents.table_rows import row_text
from pagekeeper_core.documents.xml_events import attribute, child, local

__all__ = ["ParagraphText", "RowReader", "paragraph_text", "plain_text"]

# What was deleted or moved away, what has its text elsewhere too (a picture for programs that know
# no text boxes), what only says how things look, instructions of fields, readings above characters.
_LEFT_OUT = frozenset(
    [
        "pPr",
        "rPr",
        "tblPr",
        "tblGrid",
        "trPr",
        "tcPr",
        "sdtPr",
        "del",
        "moveFrom",
        "Fallback",
        "instrText",
        "delText",
        "rt",
        "pgNum",
        "annotationRef",
        "fldData",
    ]
)
_SIGNS = {
    "tab": "\t",
    "ptab": "\t",
    "br": "\n",
    "cr": "\n",
    "noBreakHyphen": "-",
    "sym": "•",
}
_NOTES = {"footnoteReference": "footnote", "endnoteReference": "endnote"}


@dataclass(slots=True)
class ParagraphText:
    """A paragraph as it is read.

    Attributes:
        text: Its own text.
        notes: The footnotes, endnotes and comments that it refers to: kind and identifier.
        boxes: The paragraphs of the text boxes that hang on it.
    """

    text: str = ""
    notes: list[tuple[str, str]] = field(default_factory=list)
    boxes: list[str] = field(default_factory=list)


def paragraph_text(paragraph: Element) -> ParagraphText:
    """The text as it reads with all changes accepted; text that is hidden is left out."""
    result = ParagraphText()
    result.text = "".join(_inline(paragraph, result))
    return result


def plain_text(element: Element) -> str:
    """All paragraphs in an element, a line each: a footnote, a comment, a text box."""
    lines: list[str] = []
    for below in element:
        if local(below) == "p":
            inside = paragraph_text(below)
            lines += [inside.text, *inside.boxes]
        elif local(below) == "tbl":
            lines += _nested_rows(below)
        elif local(below) not in _LEFT_OUT:
            lines.append(plain_text(below))
    return "\n".join(line for line in lines if line.strip())


def _inline(element: Element, result: ParagraphText) -> Iterator[str]:
    for below in element:
        name = local(below)
        if name == "t":
            yield below.text or ""
        elif name in _SIGNS:
            yield _SIGNS[name]
        elif name in _NOTES:
            result.notes.append((_NOTES[name], attribute(below, "id")))
        elif name == "commentReference":
            result.notes.append(("comment", attribute(below, "id")))
        elif name == "docPr":
            yield _alternative_text(below)
        elif name == "txbxContent":
            result.boxes.append(plain_text(below))
        elif name not in _LEFT_OUT and not _hidden(below, name):
            yield from _inline(below, result)


def _alternative_text(properties: Element) -> str:
    text = attribute(properties, "descr").strip()
    return f" [picture: {text}] " if text else ""


def _hidden(element: Element, name: str) -> bool:
    if name == "sdt":  # the grey words that ask for an entry
        return child(element, "sdtPr", "showingPlcHdr") is not None
    if name != "r":
        return False
    vanish = child(element, "rPr", "vanish")
    return vanish is not None and attribute(vanish, "val", "1") not in {"0", "false", "off"}


def _nested_rows(table: Element) -> Iterator[str]:
    reader = RowReader()
    for row in _below(table, "tr"):
        yield row_text(reader.cells(row))


class RowReader:
    """The cells of one table's rows, in the columns of its grid."""

    def __init__(self) -> None:
        self._above: dict[int, str] = {}
        self.notes: list[tuple[str, str]] = []

    def cells(self, row: Element) -> tuple[str, ...]:
        """The text of each column; none if the row was deleted.

        What is merged downwards is repeated, so that each row can be understood alone; what is
        merged sideways stands in the first of its columns.
        """
        if child(row, "trPr", "del") is not None:
            return ()
        cells = [""] * _number(child(row, "trPr", "gridBefore"), 0)
        for cell in _below(row, "tc"):
            column = len(cells)
            text = self._above.get(column, "") if _goes_on(cell) else self._text(cell)
            self._above[column] = text
            cells.append(text)
            cells += [""] * (_number(child(cell, "tcPr", "gridSpan"), 1) - 1)
        return tuple(cells)

    def _text(self, cell: Element) -> str:
        for paragraph in cell.iter():
            if local(paragraph) in _NOTES:
                self.notes.append((_NOTES[local(paragraph)], attribute(paragraph, "id")))
            elif local(paragraph) == "commentReference":
                self.notes.append(("comment", attribute(paragraph, "id")))
        return plain_text(cell)

    def taken_notes(self) -> list[tuple[str, str]]:
        """What the rows so far refer to, once."""
        notes, self.notes = self.notes, []
        return notes


def _below(element: Element, name: str) -> Iterator[Element]:
    """The rows of a table or the cells of a row, also within content controls."""
    for below in element:
        if local(below) == name:
            yield below
        elif local(below) in {"sdt", "sdtContent", "customXml", "smartTag", "ins"}:
            yield from _below(below, name)


def _goes_on(cell: Element) -> bool:
    merge = child(cell, "tcPr", "vMerge")
    return merge is not None and attribute(merge, "val", "continue") == "continue"


def _number(element: Element | None, default: int) -> int:
    text = "" if element is None else attribute(element, "val")
    return min(int(text), 100) if text.isdecimal() else default
