"""Plain text, in blocks of whole lines."""

from collections.abc import Iterator

from pagekeeper_core.documents.reading import PageText, SourceFile
from pagekeeper_core.documents.text_encoding import looks_like_text, open_text

__all__ = ["PlainTextReader", "line_blocks"]

# Characters. A block ends at a blank line once it is long enough, at any line when it is longer.
_BLOCK = 16_000
_LONGEST_BLOCK = 32_000

# RTF and PostScript: text by their bytes, and nothing that anyone would want to search.
_MARKUP_OF_PRINTERS = (b"{\\rtf", b"%!PS")


class PlainTextReader:
    """Reads text of any encoding and size; what is not text it does not accept."""

    kind = "text"

    def accepts(self, head: bytes, source: SourceFile) -> bool:  # noqa: ARG002 - the content decides
        """Whether it looks like text that people wrote to be read as it is."""
        return looks_like_text(head) and not head.startswith(_MARKUP_OF_PRINTERS)

    def read(self, source: SourceFile) -> Iterator[PageText]:
        """The text in blocks, each with the number of its first line.

        Raises:
            DocumentError: Its encoding is unknown.
            OSError: It vanished or may not be read.
        """
        yield from line_blocks(source)


def line_blocks(source: SourceFile) -> Iterator[PageText]:
    """A text as it stands, in blocks of whole lines that end at blank lines where there are any.

    Raises:
        DocumentError: Its encoding is unknown.
        OSError: It vanished or may not be read.
    """
    first_line = 1
    for block in _blocks(source):
        yield PageText(block, first_line=first_line)
        first_line += block.count("\n")


def _blocks(source: SourceFile) -> Iterator[str]:
    lines: list[str] = []
    length = 0
    with open_text(source.path) as file:
        while line := file.readline(_LONGEST_BLOCK):
            lines.append(line)
            length += len(line)
            if length >= _LONGEST_BLOCK or (length >= _BLOCK and not line.strip()):
                yield "".join(lines)
                lines, length = [], 0
    if lines:
        yield "".join(lines)
