"""PDF by PDFium: the text layer, page by page; pages that have none are recognised."""

import re
import unicodedata
from collections.abc import Iterator
from contextlib import closing
from typing import IO, TYPE_CHECKING

from pagekeeper_core.documents.ocr import LONGEST_SIDE, RapidRecognizer, TextRecognizer
from pagekeeper_core.documents.reading import PageText, SourceFile
from pagekeeper_core.errors import DocumentError, DocumentLocked

if TYPE_CHECKING:
    import pypdfium2
    from PIL.Image import Image

__all__ = ["PdfReader", "is_garbage"]

# How PDFium shows a word that is hyphenated at the end of a line.
_HYPHENATION = re.compile("[\x02\ufffe]\n?")

_MOST_GARBAGE = 0.2
_UNMAPPED = frozenset({"Co", "Cn", "Cc", "Cs"})

_STAMP = 60
"""Characters: so little text on a page that is one picture is a page number or a stamp."""

_WHOLE_PAGE = 0.5
"""A picture that covers so much of a page is the page."""

_POINTS_PER_INCH = 72
_DOTS_PER_INCH = 200


class PdfReader:
    """Reads what a PDF holds as text, and recognises the pages that are pictures of text."""

    kind = "pdf"

    def __init__(self, recognizer: TextRecognizer | None = None) -> None:
        """Recognise by `recognizer`, by default with the models that come along."""
        self._recognizer = recognizer or RapidRecognizer()

    def accepts(self, head: bytes, source: SourceFile) -> bool:  # noqa: ARG002 - the content decides
        """Whether the mark of a PDF stands in the first kilobyte, as the format allows."""
        return b"%PDF-" in head[:1024]

    def read(self, source: SourceFile) -> Iterator[PageText]:
        """The text of each page; a page that could not be read says so.

        Raises:
            DocumentLocked: It needs a password, or another one.
            DocumentError: It is damaged, or no text was found on any page.
            OSError: It vanished or may not be read.
        """
        with source.path.open("rb") as file, closing(_opened(file, source)) as document:
            count = len(document)
            any_text, any_page = False, False
            for number in range(1, count + 1):
                page = self._page(document, number, count)
                any_text = any_text or bool(page.text.strip())
                any_page = any_page or not page.fault
                yield page
        if not any_page:
            raise _damaged(source)
        if not any_text:
            pages = "its only page" if count == 1 else f"any of its {count} pages"
            raise DocumentError(
                f"{source.name} has no text in it: none could be recognised on {pages}.",
                hint="If it is a scan, a sharper one may help.",
            )

    def _page(self, document: "pypdfium2.PdfDocument", number: int, count: int) -> PageText:
        import pypdfium2  # noqa: PLC0415 - for PDF alone

        try:
            with closing(document[number - 1]) as page:
                return PageText(self._text(page), page=number, pages=count)
        except pypdfium2.PdfiumError:
            return PageText("", page=number, pages=count, fault=f"Page {number} is damaged.")

    def _text(self, page: "pypdfium2.PdfPage") -> str:
        layer = _text_layer(page)
        if not _must_be_recognised(page, layer):
            return layer
        recognised = self._recognizer.text(_drawn(page))
        return layer if len(recognised) < len(layer) and not is_garbage(layer) else recognised


def is_garbage(text: str) -> bool:
    """Whether a text layer is made of signs that mean nothing outside the file's own font."""
    signs = [sign for sign in text if not sign.isspace()]
    return sum(map(_means_nothing, signs)) > _MOST_GARBAGE * len(signs)


def _means_nothing(sign: str) -> bool:
    return sign == "\ufffd" or unicodedata.category(sign) in _UNMAPPED


def _text_layer(page: "pypdfium2.PdfPage") -> str:
    with closing(page.get_textpage()) as layer:
        text = str(layer.get_text_range())
    return _HYPHENATION.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def _must_be_recognised(page: "pypdfium2.PdfPage", layer: str) -> bool:
    from pypdfium2 import raw  # noqa: PLC0415 - for PDF alone

    if is_garbage(layer):
        return True
    signs = len("".join(layer.split()))
    if signs == 0:
        return bool(raw.FPDFPage_CountObjects(page) > 0)  # Else the page is blank.
    return signs < _STAMP and _is_a_picture(page)


def _is_a_picture(page: "pypdfium2.PdfPage") -> bool:
    from pypdfium2 import raw  # noqa: PLC0415 - for PDF alone

    width, height = page.get_size()
    for picture in page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE,), max_depth=3):
        left, bottom, right, top = picture.get_bounds()
        if (right - left) * (top - bottom) > _WHOLE_PAGE * width * height:
            return True
    return False


def _drawn(page: "pypdfium2.PdfPage") -> "Image":
    """The page as it is shown, turned as it says."""
    longest = max(*page.get_size(), 1.0)
    scale = min(_DOTS_PER_INCH / _POINTS_PER_INCH, LONGEST_SIDE / longest)
    with closing(page.render(scale=scale)) as bitmap:
        picture: Image = bitmap.to_pil().convert("RGB")
        return picture


def _opened(file: IO[bytes], source: SourceFile) -> "pypdfium2.PdfDocument":
    import pypdfium2  # noqa: PLC0415 - for PDF alone
    from pypdfium2 import raw  # noqa: PLC0415 - for PDF alone

    try:
        document = pypdfium2.PdfDocument(file, password=source.password or None)
    except pypdfium2.PdfiumError as error:
        if error.err_code in {raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY}:
            raise DocumentLocked(source.name, wrong=bool(source.password)) from error
        raise _damaged(source) from error
    if len(document) == 0:
        document.close()
        raise _damaged(source)
    return document


def _damaged(source: SourceFile) -> DocumentError:
    return DocumentError(
        f"{source.name} is damaged: it begins like a PDF and cannot be opened as one.",
        hint="Get the file again from where it came from.",
    )
