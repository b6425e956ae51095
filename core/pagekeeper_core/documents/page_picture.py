"""A page of a PDF as a picture with a passage marked on it, drawn in a process of its own."""

import json
import logging
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from pagekeeper_core.errors import DocumentError

__all__ = ["Mark", "PagePicture", "draw_page"]

log = logging.getLogger(__name__)

PATIENCE = 20.0
"""Seconds after which the drawing is given up."""

Mark = tuple[float, float, float, float]
"""Left, top, right and bottom, each as a share of the picture's width or height."""


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A page as it looks.

    Attributes:
        width: In pixels.
        height: In pixels.
        pixels: Rows from the top, each pixel in four bytes: blue, green, red, unused.
        marks: Where the passage stands; empty where the page has no text layer that holds it.
        page: Its number, from 1.
        pages: How many there are.
    """

    width: int
    height: int
    pixels: bytes
    marks: tuple[Mark, ...]
    page: int
    pages: int


def draw_page(path: Path, page: int, passage: str, *, password: str = "") -> PagePicture:
    """Draw a page and find the passage on it. It takes up to some seconds: never in the window.

    Args:
        path: The PDF.
        page: Its page, from 1.
        passage: The text to be marked.
        password: What opens the file.

    Raises:
        DocumentError: The file or this page of it cannot be shown, and why.
    """
    order = {"path": str(path), "page": page, "passage": passage, "password": password}
    command = [sys.executable, "-m", "pagekeeper_core.documents.page_drawing"]
    try:
        done = subprocess.run(  # noqa: S603 - our own command line
            command,
            input=json.dumps(order).encode() + b"\n",
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        log.warning("A page could not be drawn: %s", type(error).__name__)
        raise _undrawn(path) from error
    if done.returncode != 0:
        log.warning("A page could not be drawn: %s", done.stderr.decode(errors="replace")[-2000:])
        raise _undrawn(path)
    return _picture(done.stdout)


def _picture(answer: bytes) -> PagePicture:
    line, _, pixels = answer.partition(b"\n")
    figures = json.loads(line)
    if "error" in figures:
        raise DocumentError(figures["error"], hint=figures["hint"])
    marks = tuple(tuple(mark) for mark in figures["marks"])
    return PagePicture(
        figures["width"],
        figures["height"],
        pixels,
        marks,
        figures["page"],
        figures["pages"],
    )


def _undrawn(path: Path) -> DocumentError:
    return DocumentError(
        f"The page of {path.name} could not be drawn.",
        hint="The text of the passage is kept here. Open the document to see the page.",
    )
