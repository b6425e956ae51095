"""XML of an untrusted file, piece by piece: no tree of the whole, no entities, no great depth."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Literal
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException

__all__ = ["TooDeepError", "XmlPiece", "attribute", "child", "children", "local", "parse", "pieces"]

# Documents that people made stay below fifty; the readers call themselves once a level.
_MOST_LEVELS = 300

XmlPiece = tuple[Literal["open", "close", "whole"], Element]
"""A container begins or ends, or an element with all that is in it."""


class TooDeepError(ValueError):
    """Elements lie in one another more deeply than in any document that a person made."""


def pieces(
    file: IO[bytes], whole: frozenset[str], around: frozenset[str] = frozenset()
) -> Iterator[XmlPiece]:
    """The outermost elements with a local name in `whole`, each thrown away after it was used.

    Args:
        file: The XML, open for reading.
        whole: Local names of the elements that come with all that is in them.
        around: Local names of elements whose beginning and end are told, where they are not inside
            such an element. At its beginning an element has its attributes and nothing else.

    Raises:
        TooDeepError: It is nested without end.
        xml.etree.ElementTree.ParseError: It is no XML.
        defusedxml.DefusedXmlException: It declares entities or refers to others.
    """
    path: list[Element] = []
    inside = 0
    for event, element in _events(file):
        if event == "start":
            path.append(element)
            _check_depth(len(path))
            if inside or local(element) in whole:
                inside += 1
            elif local(element) in around:
                yield "open", element
            continue
        path.pop()
        if inside:
            inside -= 1
            if inside == 0:
                yield "whole", element
        elif local(element) in around:
            yield "close", element
        if not inside and path:
            path[-1].remove(element)


def _events(file: IO[bytes]) -> Iterator[tuple[str, Element]]:
    from defusedxml.ElementTree import iterparse  # noqa: PLC0415 - loads a second parser

    with _encoding_faults():
        yield from iterparse(file, events=("start", "end"))


@contextmanager
def _encoding_faults() -> Iterator[None]:
    """What the parser raises about an encoding that it does not know is an error of the XML."""
    try:
        yield
    except DefusedXmlException:
        raise
    except (LookupError, ValueError) as error:
        raise ParseError(str(error)) from error


def parse(data: bytes) -> Element:
    """The tree of a small part.

    Raises:
        TooDeepError: It is nested without end.
        xml.etree.ElementTree.ParseError: It is no XML.
        defusedxml.DefusedXmlException: It declares entities or refers to others.
    """
    from defusedxml.ElementTree import fromstring  # noqa: PLC0415 - loads a second parser

    with _encoding_faults():
        root: Element = fromstring(data)
    level = [root]
    for _ in range(_MOST_LEVELS):
        level = [below for element in level for below in element]
        if not level:
            return root
    raise TooDeepError


def _check_depth(depth: int) -> None:
    if depth > _MOST_LEVELS:
        raise TooDeepError


def local(element: Element) -> str:
    """The name without its namespace: the formats have two of them each, old and strict."""
    return element.tag.rpartition("}")[2]


def attribute(element: Element, name: str, default: str = "") -> str:
    """The attribute of that local name, whatever its namespace."""
    for key, value in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return value
    return default


def child(element: Element | None, *names: str) -> Element | None:
    """The first child of the first name, of that the first of the second, and so on."""
    for name in names:
        if element is None:
            return None
        element = next((each for each in element if local(each) == name), None)
    return element


def children(element: Element | None, name: str) -> Iterator[Element]:
    """All children of that name."""
    if element is not None:
        yield from (each for each in element if local(each) == name)
