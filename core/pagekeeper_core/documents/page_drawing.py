"""Draws a page of a PDF and finds a passage on it: a process of its own, started by `page_picture`.

A file that is made to fell PDFium fells this process, and the window only says so.

It reads one line of JSON (path, page, passage, password) and writes one line of JSON, an error's
sentence and hint or the picture's figures, with the pixels behind that.
"""

import json
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pypdfium2
from pypdfium2 import raw

from pagekeeper_core.documents.page_picture import Mark, PagePicture
from pagekeeper_core.errors import DocumentError

__all__ = ["draw", "main"]

WIDEST = 1400
"""Pixels of the wider side of a picture at most, so that a poster takes no gigabyte."""

SHORTEST_PIECE = 12
"""Letters from which on a line of a passage is looked for by itself."""

_LETTERS = re.compile(r"[\W_]+", re.UNICODE)


def draw(path: Path, page: int, passage: str, *, password: str = "") -> PagePicture:
    """Draw a page and find the passage on it.

    Args:
        path: The PDF.
        page: Its page, from 1.
        passage: The text to be marked.
        password: What opens the file.

    Raises:
        DocumentError: The file or this page of it cannot be shown, and why.
    """
    try:
        with path.open("rb") as file:
            document = pypdfium2.PdfDocument(file, password=password or None)
            try:
                return _draw(document, page, passage)
            finally:
                document.close()
    except OSError as error:
        raise DocumentError(
            f"{path.name} is not where it was, so its page cannot be shown.",
            hint="The text of the passage is kept here. Put the file back to see the page.",
        ) from error
    except pypdfium2.PdfiumError as error:
        raise _unshowable(path, error) from error


def _draw(document: pypdfium2.PdfDocument, number: int, passage: str) -> PagePicture:
    count = len(document)
    if not 1 <= number <= count:
        raise DocumentError(
            f"The file has other pages now: there is no page {number}.",
            hint="It was changed since it was read. Read it again in the library.",
        )
    page = document[number - 1]
    width, height = page.get_size()
    scale = WIDEST / max(width, height, 1.0)
    bitmap = page.render(scale=scale, may_draw_forms=False, prefer_bgrx=True, fill_color=_WHITE)
    textpage = page.get_textpage()
    marks = tuple(_marks(page, textpage, bitmap, passage))
    row = bitmap.width * 4
    rows = bytes(bitmap.buffer)
    if bitmap.stride != row:
        starts = range(0, bitmap.stride * bitmap.height, bitmap.stride)
        rows = b"".join(rows[start : start + row] for start in starts)
    return PagePicture(bitmap.width, bitmap.height, rows, marks, number, count)


_WHITE = (255, 255, 255, 255)


def _marks(
    page: pypdfium2.PdfPage,
    textpage: pypdfium2.PdfTextPage,
    bitmap: pypdfium2.PdfBitmap,
    passage: str,
) -> Iterator[Mark]:
    convert = bitmap.get_posconv(page)
    for start, end in _spans(textpage, passage):
        for index in range(textpage.count_rects(start, end - start)):
            left, bottom, right, top = textpage.get_rect(index)
            (x0, y0), (x1, y1) = convert.to_bitmap(left, top), convert.to_bitmap(right, bottom)
            across, down = (
                sorted((x0 / bitmap.width, x1 / bitmap.width)),
                sorted((y0 / bitmap.height, y1 / bitmap.height)),
            )
            yield across[0], down[0], across[1], down[1]


def _spans(textpage: pypdfium2.PdfTextPage, passage: str) -> list[tuple[int, int]]:
    """First character and the one behind the last of each stretch that holds the passage."""
    letters, places = _letters(textpage)
    whole = _span(letters, places, passage)
    if whole:
        return [whole]
    pieces = (line for line in passage.splitlines() if len(_bare(line)) >= SHORTEST_PIECE)
    return [span for line in pieces if (span := _span(letters, places, line))]


def _span(letters: str, places: list[int], wanted: str) -> tuple[int, int] | None:
    bare = _bare(wanted)
    start = letters.find(bare) if bare else -1
    return None if start < 0 else (places[start], places[start + len(bare) - 1] + 1)


def _letters(textpage: pypdfium2.PdfTextPage) -> tuple[str, list[int]]:
    """The page's letters and figures alone, and the number of the character that each comes from.

    White space, hyphens and the like stand otherwise in a passage than on the page.
    """
    letters: list[str] = []
    places: list[int] = []
    for index in range(textpage.count_chars()):
        for letter in _bare(chr(raw.FPDFText_GetUnicode(textpage, index))):
            letters.append(letter)
            places.append(index)
    return "".join(letters), places


def _bare(text: str) -> str:
    return _LETTERS.sub("", text).casefold()


def _unshowable(path: Path, error: pypdfium2.PdfiumError) -> DocumentError:
    if error.err_code in {raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY}:
        return DocumentError(
            f"{path.name} is locked, so its page cannot be shown.",
            hint="The text of the passage is kept here.",
        )
    return DocumentError(
        f"{path.name} cannot be opened as a PDF any more.",
        hint="The text of the passage is kept here. Get the file again to see the page.",
    )


def main() -> None:
    """Draw what standard input asks for, and end."""
    order = json.loads(sys.stdin.buffer.readline())
    # What a library prints must not come between.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        picture = draw(
            Path(order["path"]), order["page"], order["passage"], password=order["password"]
        )
    except DocumentError as error:
        out.write(json.dumps({"error": str(error), "hint": error.hint}).encode() + b"\n")
    else:
        figures = asdict(picture) | {"pixels": len(picture.pixels)}
        out.write(json.dumps(figures).encode() + b"\n")
        out.write(picture.pixels)
    out.flush()


if __name__ == "__main__":
    main()
