"""Reads a file by one reader, as an import does."""

from pathlib import Path

from pagekeeper_core.documents.reading import HEAD_BYTES, DocumentReader, PageText, SourceFile

__all__ = ["accepted", "read_pages", "read_text"]


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
