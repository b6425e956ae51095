"""Text of OpenDocument 1.3: paragraphs with what hangs on them, lists, cells."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from pagekeeper_core.documents.xml_events import attribute, child, children, local

__all__ = ["ListNumbers", "OdfParagraph", "odf_cells", "odf_paragraph", "odf_text"]

_MOST_SPACES = 100
_MOST_COLUMNS = 1024
_MOST_EMPTY_COLUMNS = 16_384
_LEFT_OUT = frozenset(
    {"ruby-text", "tracked-changes", "note-citation", "event-listeners", "notes", "forms"}
)


@dataclass(slots=True)
class OdfParagraph:
    """A paragraph or heading as it is read.

    Attributes:
        text: Its own text.
        after: What hangs on it, to be read after it: notes, comments, text boxes.
    """

    text: str = ""
    after: list[str] = field(default_factory=list)


def odf_paragraph(element: Element) -> OdfParagraph:
    """The text of `text:p` or `text:h`."""
    result = OdfParagraph()
    result.text = "".join(_inline(element, result)).strip()
    return result


def odf_text(element: Element) -> str:
    """All paragraphs in an element, a line each, with what hangs on them."""
    lines: list[str] = []
    for below in element:
        if local(below) in {"p", "h"}:
            paragraph = odf_paragraph(below)
            lines += [paragraph.text, *paragraph.after]
        elif local(below) == "annotation":
            lines.append(_comment(below))
        elif local(below) == "table-row":
            lines.append(" | ".join(odf_cells(below)))
        elif local(below) not in _LEFT_OUT:
            lines.append(odf_text(below))
    return "\n".join(line for line in lines if line.strip())


def _inline(element: Element, result: OdfParagraph) -> Iterator[str]:
    yield _plain(element.text)
    for below in element:
        yield from _piece(below, result)
        yield _plain(below.tail)


def _piece(element: Element, result: OdfParagraph) -> Iterator[str]:
    name = local(element)
    if name == "s":
        yield " " * min(_number(element, "c"), _MOST_SPACES)
    elif name == "tab":
        yield "\t"
    elif name == "line-break":
        yield "\n"
    elif name == "note":
        body = child(element, "note-body")
        kind = attribute(element, "note-class", "footnote").capitalize()
        result.after.append(f"{kind}: {odf_text(body)}" if body is not None else "")
    elif name == "annotation":
        result.after.append(_comment(element))
    elif name in {"title", "desc"} and "svg" in element.tag:  # a field has the name too
        text = "".join(element.itertext()).strip()
        yield f" [picture: {text}] " if text else ""
    elif name in {"text-box", "table"}:
        result.after.append(odf_text(element))
    elif name not in _LEFT_OUT:
        yield from _inline(element, result)


def _comment(annotation: Element) -> str:
    creator = child(annotation, "creator")
    author = "" if creator is None else (creator.text or "").strip()
    return f"Comment{f' by {author}' if author else ''}: {odf_text(annotation)}"


def _plain(text: str | None) -> str:
    """White space counts as one space (6.1.2); more stands in elements of its own."""
    if not text:
        return ""
    begin = " " if text[0].isspace() else ""
    end = " " if text[-1].isspace() else ""
    return f"{begin}{' '.join(text.split())}{end}" if text.strip() else " "


def odf_cells(row: Element) -> tuple[str, ...]:
    """The cells of a row in their columns; a date is written as 2026-05-03."""
    cells: list[str] = []
    empty = 0
    for cell in row:
        if local(cell) not in {"table-cell", "covered-table-cell"}:
            continue
        text = _cell_text(cell)
        times = min(_number(cell, "number-columns-repeated"), _MOST_EMPTY_COLUMNS)
        if not text:
            empty += times
            continue
        cells += [""] * min(empty, _MOST_COLUMNS)
        cells += [text] * min(times, _MOST_COLUMNS)
        empty = 0
    return tuple(cells)


def _cell_text(cell: Element) -> str:
    text = odf_text(cell)
    if attribute(cell, "value-type") == "date":
        shown, _, more = text.partition("\n")
        date = attribute(cell, "date-value").removesuffix("T00:00:00").replace("T", " ")
        return f"{date or shown}\n{more}" if more else date or shown
    return text


def _number(element: Element, name: str) -> int:
    text = attribute(element, name, "1")
    return int(text) if text.isdecimal() and len(text) < 8 else 1


class ListNumbers:
    """The marks of nested lists; which lists are numbered their styles say."""

    def __init__(self) -> None:
        self._numbered: dict[str, set[int]] = {}
        self._open: list[tuple[str, int]] = []

    def learn(self, styles: Element | None) -> None:
        """Take the list styles that are in `styles`."""
        for style in children(styles, "list-style"):
            levels = {
                _number(level, "level")
                for level in children(style, "list-level-style-number")
                if attribute(level, "num-format")
            }
            self._numbered[attribute(style, "name")] = levels

    def begin(self, element: Element) -> None:
        """A list begins; one without a style of its own has that of the list that it is in."""
        outer = self._open[-1][0] if self._open else ""
        self._open.append((attribute(element, "style-name") or outer, 0))

    def end(self) -> None:
        """The innermost list ends."""
        if self._open:
            self._open.pop()

    def next_mark(self) -> str:
        """The mark of the next item of the innermost list; empty outside of lists."""
        if not self._open:
            return ""
        style, count = self._open[-1]
        self._open[-1] = (style, count + 1)
        return f"{count + 1}. " if len(self._open) in self._numbered.get(style, ()) else "• "
