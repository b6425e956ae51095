"""Plain text, in blocks of whole lines."""

from collections.abc import Iterator

from pagekeeper_core.documents.reading import PageText, SourceFile
from pagekeeper_core.documents.text_encoding import looks_like_text, text_encoding
from pagekeeper_core.errors import DocumentError

__all__ = ["PlainTextReader"]

# Characters. A block ends at a blank line once it is long enough, at any line when it is longer.
_BLOCK = 16_000
_LONGEST_BLOCK = 32_000

# RTF and PostScript: text by their bytes, and nothing that anyone would want to search.
_MARKUP_OF_PRINTERS = (b"{\\rtf", b"%!PS")

_MOST_BYTES = 64 * 1024 * 1024


class PlainTextReader:
    """Reads text of any encoding; what is not text it does not accept."""

    kind = "text"

    def accepts(self, head: bytes, source: SourceFile) -> bool:  # noqa: ARG002 - the content decides
        """Whether it looks like text that people wrote to be read as it is."""
        return looks_like_text(head) and not head.startswith(_MARKUP_OF_PRINTERS)

    def read(self, source: SourceFile) -> Iterator[PageText]:
        """The text in blocks, each with the number of its first line.

        Raises:
            DocumentError: It is too large, or its encoding is unknown.
            OSError: It vanished or may not be read.
        """
        size = source.path.stat().st_size
        if size > _MOST_BYTES:
            raise DocumentError(
                f"{source.name} is too large: {size / 1e6:,.0f} MB of text.",
                hint=f"Split it into files of at most {_MOST_BYTES // 2**20} MB.",
            )
        first_line = 1
        for block in _blocks(source, text_encoding(source.path)):
            yield PageText(block, first_line=first_line)
            first_line += block.count("\n")


def _blocks(source: SourceFile, encoding: str) -> Iterator[str]:
    lines: list[str] = []
    length = 0
    # A byte that is wrong in a file whose encoding is known costs one character, not the file.
    with source.path.open(encoding=encoding, errors="replace") as file:
        while line := file.readline(_LONGEST_BLOCK):
            lines.append(line)
            length += len(line)
            if length >= _LONGEST_BLOCK or (length >= _BLOCK and not line.strip()):
                yield "".join(lines)
                lines, length = [], 0
    if lines:
        yield "".join(lines)
