"""Web pages that were saved: HTML and XHTML in whatever encoding."""

import codecs
import re
from collections.abc import Iterator

from pagekeeper_core.documents.html_text import html_blocks
from pagekeeper_core.documents.reading import PageText, SourceFile
from pagekeeper_core.documents.sections import section_pages
from pagekeeper_core.documents.text_encoding import looks_like_text, text_encoding

__all__ = ["HtmlReader", "declared_encoding"]

_ENDINGS = (".html", ".htm", ".xhtml", ".shtml")
_BEGINNING = re.compile(
    rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*"
    rb"<(?:!doctype\s+html|html|head|body)[\s>]",
    re.IGNORECASE | re.DOTALL,
)
_META = re.compile(rb"""<meta[^>]*?charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_XML = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)""", re.IGNORECASE)

# The encodings that browsers take for what pages say (Encoding Standard, 4.2).
_MEANT = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
_LABELS = {"x-sjis": "cp932", "ks_c_5601-1987": "cp949", "x-gbk": "gb18030", "x-euc-jp": "euc_jp"}
_READ_AT_ONCE = 64 * 1024


class HtmlReader:
    """Reads a page's text, without its programs, its looks, and its navigation where it is told."""

    kind = "html"

    def accepts(self, head: bytes, source: SourceFile) -> bool:
        """Whether it begins as a page does, or is called one and is text."""
        plain = head.replace(b"\0", b"")  # of UTF-16
        if _BEGINNING.match(plain):
            return True
        return source.name.casefold().endswith(_ENDINGS) and looks_like_text(head)

    def read(self, source: SourceFile) -> Iterator[PageText]:
        """The text below each heading.

        Raises:
            DocumentError: Its encoding is unknown.
            OSError: It vanished or may not be read.
        """
        yield from section_pages(html_blocks(_decoded(source)))


def _decoded(source: SourceFile) -> Iterator[str]:
    with source.path.open("rb") as file:
        head = file.read(_READ_AT_ONCE)
    encoding = _encoding(head, source)
    with source.path.open(encoding=encoding, errors="replace") as file:
        while chunk := file.read(_READ_AT_ONCE):
            yield chunk


def _encoding(head: bytes, source: SourceFile) -> str:
    """What the bytes show to be Unicode is that, whatever the page says; else what it says."""
    declared = declared_encoding(head)
    if not declared:
        return text_encoding(source.path)
    is_wide = declared.startswith(("utf-16", "utf-32")) or b"\0" in head
    if is_wide or head.startswith(codecs.BOM_UTF8) or _is_wide_utf8(head):
        return text_encoding(source.path)
    return declared


def declared_encoding(head: bytes) -> str:
    """The Python name of the encoding that a page says it is in; empty if it says none."""
    match = _META.search(head) or _XML.match(head.lstrip())
    if not match:
        return ""
    label = match[1].decode("ascii").casefold()
    try:
        name = codecs.lookup(_LABELS.get(label, label)).name
    except LookupError:
        return ""
    return _MEANT.get(name, name)


def _is_wide_utf8(head: bytes) -> bool:
    """Whether there are characters beyond ASCII, and all are UTF-8."""
    if head.isascii():
        return False
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        decoder.decode(head)
    except UnicodeDecodeError:
        return False
    return True
