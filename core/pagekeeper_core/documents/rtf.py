"""RTF documents (specification 1.9.1), as they stream in."""

import re
from collections.abc import Iterator

from pagekeeper_core.documents.reading import PageText, SourceFile
from pagekeeper_core.documents.rtf_text import RtfText
from pagekeeper_core.documents.rtf_tokens import rtf_tokens
from pagekeeper_core.documents.sections import section_pages

__all__ = ["RtfReader"]

_BEGINNING = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{\\rtf", re.IGNORECASE)


class RtfReader:
    """Reads what WordPad, TextEdit and Word write as RTF; pictures and objects are left out."""

    kind = "rtf"

    def accepts(self, head: bytes, source: SourceFile) -> bool:  # noqa: ARG002 - the content decides
        """Whether it begins as RTF does."""
        return _BEGINNING.match(head) is not None

    def read(self, source: SourceFile) -> Iterator[PageText]:
        """The text below each heading, then page headers and footers, each text of them once.

        Raises:
            DocumentError: Its groups are nested without end.
            OSError: It vanished or may not be read.
        """
        text = RtfText(source)
        with source.path.open("rb") as file:
            yield from section_pages(text.blocks(rtf_tokens(file)))
        for place, words in text.beside_the_text():
            yield PageText(words, place=place)
