"""Reads a file by one reader, given or chosen, as an import does."""

from pathlib import Path

from pagekeeper_core.documents.formats import READERS
from pagekeeper_core.documents.reading import HEAD_BYTES, DocumentReader, PageText, SourceFile

__all__ = ["accepted", "chosen", "pages_of", "read_pages", "read_text"]


def accepted(reader: DocumentReader, path: Path, data: bytes) -> bool:
    """Whether the reader takes a file of these bytes."""
    path.write_bytes(data)
    return reader.accepts(data[:HEAD_BYTES], SourceFile(path, path.name))


def read_pages(
    reader: DocumentReader, path: Path, data: bytes, password: str = ""
) -> list[PageText]:
    """All pages of a file of these bytes, which the reader must accept."""
    assert accepted(reader, path, data)
    return list(reader.read(SourceFile(path, path.name, password)))


def read_text(reader: DocumentReader, path: Path, data: bytes) -> str:
    """The text of all pages."""
    return "\n".join(page.text for page in read_pages(reader, path, data))


def chosen(path: Path) -> DocumentReader:
    """The reader that accepts a file first."""
    source = SourceFile(path, path.name)
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    return next(reader for reader in READERS if reader.accepts(head, source))


def pages_of(path: Path, content: bytes | str) -> list[PageText]:
    """What is read of a file with this content by the reader that is chosen for it."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(chosen(path).read(SourceFile(path, path.name)))
