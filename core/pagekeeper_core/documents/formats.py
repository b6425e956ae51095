"""The kinds of file that can be read, in the order in which they are tried."""

from pagekeeper_core.documents.delimited import DelimitedReader
from pagekeeper_core.documents.markdown import MarkdownReader
from pagekeeper_core.documents.pdf import PdfReader
from pagekeeper_core.documents.plain_text import PlainTextReader
from pagekeeper_core.documents.reading import DocumentReader

__all__ = ["READERS"]

READERS: tuple[DocumentReader, ...] = (
    PdfReader(),
    MarkdownReader(),
    DelimitedReader(),
    # Nearly any file may look like text, so the reader of text comes last.
    PlainTextReader(),
)
"""The first that accepts a file reads it."""
