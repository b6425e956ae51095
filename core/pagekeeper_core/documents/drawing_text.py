"""Text in drawings of Office files: DrawingML by ECMA-376 part 1, 21 (slides, charts, boxes)."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from pagekeeper_core.documents.sections import Block, Paragraph, Row
from pagekeeper_core.documents.xml_events import attribute, child, children, local

__all__ = ["alternative_text", "chart_blocks", "descendants", "drawn_paragraphs", "drawn_rows"]

_BULLET = "• "


def drawn_paragraphs(body: Element | None) -> Iterator[Paragraph]:
    """The paragraphs of a shape's text, with the marks of their lists."""
    counts: dict[str, int] = {}
    for paragraph in children(body, "p"):
        text = "".join(_inline(paragraph)).strip()
        level = child(paragraph, "pPr")
        mark = _mark(level, counts) if text else ""
        if text:
            yield Paragraph(mark + text, item=bool(mark))


def _inline(paragraph: Element) -> Iterator[str]:
    for below in paragraph:
        name = local(below)
        if name == "t":
            yield below.text or ""
        elif name == "br":
            yield "\n"
        elif name == "fld" and attribute(below, "type") == "slidenum":
            continue
        elif name not in {"pPr", "rPr", "endParaRPr", "Fallback"}:
            yield from _inline(below)


def _mark(properties: Element | None, counts: dict[str, int]) -> str:
    depth = "0" if properties is None else attribute(properties, "lvl", "0")
    if child(properties, "buAutoNum") is None:
        counts.pop(depth, None)
        return _BULLET if child(properties, "buChar") is not None else ""
    counts[depth] = counts.get(depth, 0) + 1
    return f"{counts[depth]}. "


def drawn_rows(table: Element) -> Iterator[Row]:
    """The rows of a table; what is merged downwards is repeated."""
    above: dict[int, str] = {}
    for number, row in enumerate(children(table, "tr")):
        cells = []
        for column, cell in enumerate(children(row, "tc")):
            text = "\n".join(block.text for block in drawn_paragraphs(child(cell, "txBody")))
            if attribute(cell, "vMerge") in {"1", "true"}:
                text = above.get(column, "")
            above[column] = text
            cells.append(text)
        yield Row(tuple(cells), begins_table=number == 0)


def chart_blocks(chart: Element) -> Iterator[Block]:
    """The title of a chart and its figures as a table: a row a category, a column a series."""
    title = " ".join(
        block.text
        for rich in descendants(chart, "title")
        for body in descendants(rich, "rich")
        for block in drawn_paragraphs(body)
    )
    if title:
        yield Paragraph(f"Chart: {title}")
    series = list(descendants(chart, "ser"))
    names = [" ".join(_points(child(one, "tx")).values()) for one in series]
    categories: dict[int, str] = {}
    for one in series:
        categories |= _points(_first(one, "cat", "xVal"))
    values = [_points(_first(one, "val", "yVal")) for one in series]
    if not values:
        return
    yield Row(("", *names), begins_table=True)
    for place in sorted(set().union(*values)):
        yield Row((categories.get(place, ""), *(each.get(place, "") for each in values)))


def _first(element: Element, *names: str) -> Element | None:
    return next((found for name in names if (found := child(element, name)) is not None), None)


def _points(element: Element | None) -> dict[int, str]:
    """The cached values of a reference, by their place in it."""
    found: dict[int, str] = {}
    if element is not None:
        for point in descendants(element, "pt"):
            place, value = attribute(point, "idx"), child(point, "v")
            if place.isdecimal() and value is not None and value.text:
                found[int(place)] = value.text
    return found


def alternative_text(properties: Element | None) -> str:
    """What a picture is said to show; empty if nothing is said."""
    text = "" if properties is None else attribute(properties, "descr").strip()
    return f"[picture: {text}]" if text else ""


def descendants(element: Element, name: str) -> Iterator[Element]:
    """All elements of that name in the element, however deep."""
    return (each for each in element.iter() if local(each) == name)
