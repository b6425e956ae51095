"""What a reader of one kind of file is."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pagekeeper_core.messages import storable_text

__all__ = ["HEAD_BYTES", "DocumentReader", "PageText", "SourceFile", "title_of"]

HEAD_BYTES = 4096

# Names may hold line ends, commands for terminals, and what turns the direction of writing round.
_NO_TITLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def title_of(name: str) -> str:
    """The title that a document gets of a file's name: one line that any screen can show."""
    return _NO_TITLE.sub("\ufffd", storable_text(name))


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to be read.

    Attributes:
        path: Where it lies.
        name: What the person calls it; what was taken out of an archive lies under another name.
        password: What opens it; empty where none was given.
    """

    path: Path
    name: str
    password: str = ""


@dataclass(frozen=True, slots=True)
class PageText:
    """A stretch of a document's text, in reading order.

    Attributes:
        text: Its text; lines end with a line feed.
        page: The page's number, from 1; 0 where the file has no pages.
        pages: How many pages the document has; 0 where it has none.
        first_line: The number of its first line, from 1; 0 where lines mean nothing.
        place: Where it stands, in words, where neither page nor line tells: "slide 3",
            "sheet Costs, rows 2 to 40", "chapter The Sea".
        fault: What could not be read here, in a sentence for the person; empty where all could.
    """

    text: str
    page: int = 0
    pages: int = 0
    first_line: int = 0
    place: str = ""
    fault: str = ""


class DocumentReader(Protocol):
    """Reads one kind of file, piece by piece, so that a large one never stands in memory whole.

    Attributes:
        kind: What the archive calls this kind: "pdf", "text".
    """

    kind: str

    def accepts(self, head: bytes, source: SourceFile) -> bool:
        """Whether this is a file of its kind, by its first `HEAD_BYTES` bytes, then by its name."""
        ...

    def read(self, source: SourceFile) -> Iterator[PageText]:
        """The text, page by page or block by block.

        Raises:
            DocumentError: The file is damaged, locked, or has no text that could be read.
            OSError: It vanished or may not be read.
        """
        ...
