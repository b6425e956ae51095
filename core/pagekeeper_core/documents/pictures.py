"""Pictures of text: photographs, screenshots, scans."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from pagekeeper_core.documents.ocr import LONGEST_SIDE, RapidRecognizer, TextRecognizer
from pagekeeper_core.documents.reading import PageText, SourceFile
from pagekeeper_core.errors import DocumentError

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["PictureReader"]

_SIGNATURES = (
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff",
    b"II*\0",
    b"MM\0*",
    b"II+\0",
    b"MM\0+",
)
_FORMATS = ("PNG", "JPEG", "TIFF", "WEBP")

MOST_PIXELS = 120_000_000
"""Unpacked, that is 360 MB: a sheet of A2 at 300 dpi is 35 million."""

_MOST_FRAMES = 5_000

_HINT = "Pictures are searched by the text that is in them; a sharper or larger copy may help."


class PictureReader:
    """Reads the text in PNG, JPEG, TIFF (all pages) and WebP."""

    kind = "picture"

    def __init__(self, recognizer: TextRecognizer | None = None) -> None:
        """Recognise by `recognizer`, by default with the models that come along."""
        self._recognizer = recognizer or RapidRecognizer()

    def accepts(self, head: bytes, source: SourceFile) -> bool:  # noqa: ARG002 - the content decides
        """Whether it begins like one of these pictures."""
        return head.startswith(_SIGNATURES) or (head[:4] == b"RIFF" and head[8:12] == b"WEBP")

    def read(self, source: SourceFile) -> Iterator[PageText]:
        """The text of the picture, or of each page of a TIFF.

        Raises:
            DocumentError: It is damaged, too large, or has no text that could be recognised.
            OSError: It vanished or may not be read.
        """
        any_text = False
        with source.path.open("rb") as file, _picture_faults(source):
            from PIL import Image  # noqa: PLC0415 - for pictures alone

            Image.MAX_IMAGE_PIXELS = MOST_PIXELS
            with Image.open(file, formats=_FORMATS) as picture:
                frames = _frame_count(picture, source)
                for number in range(frames):
                    picture.seek(number)
                    text = self._recognizer.text(_upright(picture, source))
                    any_text = any_text or bool(text.strip())
                    yield _page(text, number + 1, frames)
        if not any_text:
            raise DocumentError(
                f"No text could be recognised in {source.name}.",
                hint=_HINT,
            )


def _page(text: str, number: int, frames: int) -> PageText:
    return PageText(text, page=number, pages=frames) if frames > 1 else PageText(text)


def _frame_count(picture: "Image", source: SourceFile) -> int:
    """The pages of a TIFF; of anything that moves, the first picture."""
    frames = int(getattr(picture, "n_frames", 1)) if picture.format == "TIFF" else 1
    if frames > _MOST_FRAMES:
        raise DocumentError(
            f"{source.name} has {frames:,} pages, more than are recognised at once.",
            hint="Part it into several files and try again.",
        )
    return frames


def _upright(picture: "Image", source: SourceFile) -> "Image":
    """The picture in RGB, as its camera was held, and no larger than is looked at."""
    from PIL import ImageOps  # noqa: PLC0415 - for pictures alone

    if picture.width * picture.height > MOST_PIXELS:
        raise _too_large(source)
    picture.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
    shown = ImageOps.exif_transpose(_in_eight_bits(picture))
    shown.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    return _on_white(shown)


def _in_eight_bits(picture: "Image") -> "Image":
    if not picture.mode.startswith(("I", "F")):
        return picture
    low, high = cast("tuple[float, float]", picture.getextrema())
    span = (high - low) or 1
    return picture.convert("F").point(lambda value: (value - low) * 255 / span).convert("L")


def _on_white(picture: "Image") -> "Image":
    """What shows through is white: black text on nothing must not become black on black."""
    from PIL import Image  # noqa: PLC0415 - for pictures alone

    if not picture.has_transparency_data:
        return picture.convert("RGB")
    ground = Image.new("RGBA", picture.size, "white")
    return Image.alpha_composite(ground, picture.convert("RGBA")).convert("RGB")


@contextmanager
def _picture_faults(source: SourceFile) -> Iterator[None]:
    """Turn what the library raises about a broken picture into a sentence about it."""
    from PIL import Image  # noqa: PLC0415 - for pictures alone

    logging.getLogger("PIL").setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            yield
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise _too_large(source) from error
    except (OSError, SyntaxError, ValueError, EOFError, TypeError, OverflowError) as error:
        # The library says "truncated file" by an OSError without a number of the system's.
        if isinstance(error, OSError) and error.errno:
            raise
        raise DocumentError(
            f"{source.name} is damaged: it begins like a picture and cannot be opened as one.",
            hint="Get the file again from where it came from.",
        ) from error


def _too_large(source: SourceFile) -> DocumentError:
    return DocumentError(
        f"{source.name} is larger than any page: over {MOST_PIXELS // 1_000_000} million pixels.",
        hint="Save it in a smaller size, or cut it into several pictures, and try again.",
    )
