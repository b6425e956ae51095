"""Reads a file's content with the reader that the program would choose."""

from pathlib import Path

from pagekeeper_core.documents.formats import READERS
from pagekeeper_core.documents.reading import HEAD_BYTES, DocumentReader, PageText, SourceFile


def chosen(path: Path) -> DocumentReader:
    """The reader that accepts a file first."""
    source = SourceFile(path, path.name)
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    return next(reader for reader in READERS if reader.accepts(head, source))


def pages_of(path: Path, content: bytes | str) -> list[PageText]:
    """What is read of a file with this content."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(chosen(path).read(SourceFile(path, path.name)))
