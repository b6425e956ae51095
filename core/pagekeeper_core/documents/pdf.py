"""PDF by PDFium: the text layer, page by page."""

import logging
import re
import threading
from collections.abc import Iterator

import pypdfium2
from pypdfium2 import raw

from pagekeeper_core.documents.reading import PageText, SourceFile
from pagekeeper_core.errors import DocumentError

__all__ = ["PdfReader"]

_log = logging.getLogger(__name__)

# PDFium must be used by one thread at a time, whatever the document.
_pdfium = threading.Lock()

# How PDFium shows a word that is hyphenated at the end of a line.
_HYPHENATION = re.compile("[\x02\ufffe]\n?")


class PdfReader:
    """Reads what a PDF holds as text; pictures of text are not read."""

    kind = "pdf"

    def accepts(self, head: bytes, source: SourceFile) -> bool:  # noqa: ARG002 - the content decides
        """Whether the mark of a PDF stands in the first kilobyte, as the format allows."""
        return b"%PDF-" in head[:1024]

    def read(self, source: SourceFile) -> Iterator[PageText]:
        """The text of each page; pages without text are left out.

        Raises:
            DocumentError: It is locked, damaged, or a scan without a single page of text.
            OSError: It vanished or may not be read.
        """
        with source.path.open("rb") as file:
            document = _open(file, source)
            try:
                yield from _pages(document, source)
            finally:
                with _pdfium:
                    document.close()


def _open(file: object, source: SourceFile) -> pypdfium2.PdfDocument:
    try:
        with _pdfium:
            return pypdfium2.PdfDocument(file)
    except pypdfium2.PdfiumError as error:
        if error.err_code in {raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY}:
            raise DocumentError(
                f"{source.name} is locked with a password.",
                hint="Open it in a PDF viewer, save it without the password, and try again.",
            ) from error
        raise _damaged(source) from error


def _pages(document: pypdfium2.PdfDocument, source: SourceFile) -> Iterator[PageText]:
    with _pdfium:
        count = len(document)
    if count == 0:
        raise _damaged(source)
    any_text = False
    for number in range(1, count + 1):
        text = _text(document, number, source)
        if text.strip():
            any_text = True
            yield PageText(text, page=number, pages=count)
    if not any_text:
        raise DocumentError(
            f"{source.name} is a scan: its {count} {'page is' if count == 1 else 'pages are'} "
            "pictures, with no text to search yet.",
            hint="A copy with a text layer, made by a text recognition program, can be read.",
        )


def _text(document: pypdfium2.PdfDocument, number: int, source: SourceFile) -> str:
    try:
        with _pdfium:
            page = document[number - 1]
            text = str(page.get_textpage().get_text_range())
            page.close()
    except pypdfium2.PdfiumError as error:
        _log.warning("Page %d of %s was left out: %s", number, source.name, error)
        return ""
    return _HYPHENATION.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def _damaged(source: SourceFile) -> DocumentError:
    return DocumentError(
        f"{source.name} is damaged: it begins like a PDF and cannot be opened as one.",
        hint="Get the file again from where it came from.",
    )
