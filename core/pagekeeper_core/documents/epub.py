"""E-books: EPUB 2 and 3 (W3C EPUB 3.3), chapter by chapter in the order of the spine."""

import posixpath
from collections.abc import Iterator
from urllib.parse import unquote
from xml.etree.ElementTree import Element, ParseError

from pagekeeper_core.documents.html import declared_encoding
from pagekeeper_core.documents.html_text import html_blocks
from pagekeeper_core.documents.office_container import OfficeContainer, damaged, open_container
from pagekeeper_core.documents.office_kinds import office_kind
from pagekeeper_core.documents.reading import PageText, SourceFile
from pagekeeper_core.documents.sections import Block, Heading, place_named, section_pages
from pagekeeper_core.documents.xml_events import attribute, child, children, local
from pagekeeper_core.errors import DocumentError

__all__ = ["EpubReader"]

# Fonts may be disguised without a key; all else that is encrypted is locked to a shop.
_DISGUISES = frozenset({"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"})

_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})


class EpubReader:
    """Reads books that are not locked to a shop or a device."""

    kind = "epub"

    def accepts(self, head: bytes, source: SourceFile) -> bool:
        """Whether it says of itself that it is one, whatever the file's name."""
        return office_kind(head, source) == "epub"

    def read(self, source: SourceFile) -> Iterator[PageText]:
        """The text of each chapter, by the name that the table of contents gives it.

        Raises:
            DocumentError: It is locked, damaged or made to fill the memory.
            OSError: It vanished or may not be read.
        """
        with open_container(source) as container:
            _check_lock(container, source)
            book = _Book(container, source)
            for number, part in enumerate(book.chapters, start=1):
                yield from book.chapter(part, number)


def _check_lock(container: OfficeContainer, source: SourceFile) -> None:
    locks = container.tree("META-INF/encryption.xml")
    methods = () if locks is None else locks.iter()
    algorithms = {attribute(m, "Algorithm") for m in methods if local(m) == "EncryptionMethod"}
    if algorithms - _DISGUISES:
        raise DocumentError(
            f"{source.name} is locked by the shop that it is from (DRM), so its text cannot be "
            "read.",
            hint="A copy without that lock can be read.",
        )


class _Book:
    """The package document and what it lists.

    Attributes:
        chapters: The parts of the spine that are text.
    """

    def __init__(self, container: OfficeContainer, source: SourceFile) -> None:
        self._container = container
        package = _package_part(container, source)
        self._folder = posixpath.dirname(package)
        tree = container.tree(package)
        self._items = {
            attribute(item, "id"): item for item in children(child(tree, "manifest"), "item")
        }
        spine = child(tree, "spine")
        listed = (self._items.get(attribute(ref, "idref")) for ref in children(spine, "itemref"))
        self.chapters = [
            self._part(item)
            for item in listed
            if item is not None and attribute(item, "media-type") in _PAGES
        ]
        self._titles = dict(self._contents(spine))
        if not self.chapters:
            raise damaged(source)

    def chapter(self, part: str, number: int) -> Iterator[PageText]:
        """The text of a chapter; nothing if it is listed and not there."""
        blocks = list(self._blocks(part))
        title = self._titles.get(part) or next(
            (block.text for block in blocks if isinstance(block, Heading)), ""
        )
        place = place_named("chapter", title or str(number))
        for page in section_pages(blocks, word="", place=place):
            yield PageText(page.text, page=number, pages=len(self.chapters), place=place)

    def _blocks(self, part: str) -> Iterator[Block]:
        data = self._container.read(part)
        encoding = declared_encoding(data[:1024]) or "utf-8"
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            encoding = "utf-16"
        blocks = html_blocks([data.decode(encoding, errors="replace").lstrip("\ufeff")])
        # The title of the file stands in its head; what people see as a title is in the text.
        head = _title_of(data)
        first = next(blocks, None)
        if first is not None and not (isinstance(first, Heading) and head):
            yield first
        yield from blocks

    def _part(self, item: Element) -> str:
        return posixpath.normpath(posixpath.join(self._folder, unquote(attribute(item, "href"))))

    def _contents(self, spine: Element | None) -> Iterator[tuple[str, str]]:
        """The part and the name of each chapter: of EPUB 3, else of EPUB 2."""
        ncx = self._items.get("" if spine is None else attribute(spine, "toc"))
        pages = [i for i in self._items.values() if "nav" in attribute(i, "properties").split()]
        for item in [*([] if ncx is None else [ncx]), *pages]:
            part = self._part(item)
            for link, name in _links(self._tree(part)):
                target = unquote(link.partition("#")[0])
                yield posixpath.normpath(posixpath.join(posixpath.dirname(part), target)), name

    def _tree(self, part: str) -> Element | None:
        try:
            return self._container.tree(part)
        except ParseError:  # without its table of contents a book can be read all the same
            return None


def _links(contents: Element | None) -> Iterator[tuple[str, str]]:
    """Of several links into one part the last in reverse order wins: the first stands last."""
    found = list(contents.iter()) if contents is not None else []
    for element in reversed(found):
        if local(element) == "a":
            yield attribute(element, "href"), " ".join("".join(element.itertext()).split())
        elif local(element) == "navPoint":
            target, name = child(element, "content"), child(element, "navLabel", "text")
            if target is not None and name is not None:
                yield attribute(target, "src"), " ".join((name.text or "").split())


def _title_of(data: bytes) -> bool:
    begin = data.find(b"<title")
    end = data.find(b"</title>", begin)
    return begin >= 0 and bool(data[data.find(b">", begin) + 1 : end].strip())


def _package_part(container: OfficeContainer, source: SourceFile) -> str:
    tree = container.tree("META-INF/container.xml")
    for root in children(child(tree, "rootfiles"), "rootfile"):
        if container.has(attribute(root, "full-path")):
            return attribute(root, "full-path")
    raise damaged(source)
