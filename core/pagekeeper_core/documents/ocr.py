"""Text in pictures, recognised by RapidOCR with the Chinese and English models in its wheel."""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pagekeeper_core.documents.ocr_layout import Line, in_reading_order

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["LONGEST_SIDE", "RapidRecognizer", "TextRecognizer"]

LONGEST_SIDE = 2400
"""Pixels of a picture's longer side that are looked at: A4 at 200 dpi."""

_CONFIDENCE = 0.6
"""Lines that the model is less sure of are mostly not text at all."""

_THREADS = 2
_TALL = 1.5
_DOUBT = 0.7


class TextRecognizer(Protocol):
    """Finds the text in a picture."""

    def text(self, picture: "Image") -> str:
        """The text in reading order, a line a line, paragraphs parted by blank lines.

        Args:
            picture: In RGB, upright, `LONGEST_SIDE` pixels long at most.
        """
        ...


@dataclass(frozen=True, slots=True)
class _Found:
    """What was found on a picture as it lies, lines that are hardly text among it."""

    lines: tuple[Line, ...]

    @property
    def sure_letters(self) -> float:
        """How much text was read, and how surely: text on its head is read badly."""
        return sum(line.confidence**2 * len(line.text) for line in self.lines)

    @property
    def on_its_side(self) -> bool:
        """Whether most of the text runs up or down: lines of one or two signs tell nothing."""
        told = [line for line in self.lines if len(line.text) > 2]
        tall = sum(line.height > _TALL * line.width for line in told)
        return len(told) >= 2 and tall > len(told) / 2

    @property
    def doubtful(self) -> bool:
        """Whether it is read so badly that it may stand on its head."""
        return self.sure_letters < _DOUBT * sum(len(line.text) for line in self.lines)

    @property
    def text(self) -> str:
        return in_reading_order([line for line in self.lines if line.confidence >= _CONFIDENCE])


class RapidRecognizer:
    """PP-OCR over onnxruntime; loaded when the first picture comes, from the wheel alone."""

    def __init__(self) -> None:
        """Load nothing yet."""
        self._engine: Any = None

    def text(self, picture: "Image") -> str:
        """The text in reading order; a picture that lies on its side or its head is turned."""
        found = self._found(picture)
        if found.on_its_side:
            turned = [self._found(picture.rotate(angle, expand=True)) for angle in (90, 270)]
            found = max(turned, key=lambda each: each.sure_letters)
        elif found.doubtful:
            turned = [self._found(picture.rotate(180))]
            found = max(found, *turned, key=lambda each: each.sure_letters)
        return found.text

    def _found(self, picture: "Image") -> _Found:
        import numpy as np  # noqa: PLC0415 - with the engine

        if self._engine is None:
            self._engine = _engine()
        # The models were trained on pictures as OpenCV holds them: blue, green, red.
        result = self._engine(np.ascontiguousarray(np.asarray(picture)[:, :, ::-1]))
        if result.txts is None or result.boxes is None:
            return _Found(())
        read = zip(result.txts, result.boxes, result.scores, strict=True)
        return _Found(tuple(_line(text, box, score) for text, box, score in read))


def _engine() -> Any:  # noqa: ANN401 - the library has no types
    import rapidocr  # noqa: PLC0415 - heavy, and for pictures alone

    models = Path(rapidocr.__file__).parent / "models"
    params = {
        "Global.log_level": "error",
        "Global.text_score": 0.0,
        # It turns lines one by one; a page on its head would keep the order of its lines.
        "Global.use_cls": False,
        "Global.max_side_len": LONGEST_SIDE,
        "EngineConfig.onnxruntime.intra_op_num_threads": _THREADS,
        "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        # With a path it looks for no newer model, here or elsewhere.
        "Det.model_path": str(next(models.glob("*_det_*.onnx"))),
        "Rec.model_path": str(next(models.glob("*_rec_*.onnx"))),
    }
    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    return rapidocr.RapidOCR(params=params)


def _line(text: str, box: Any, score: float) -> Line:  # noqa: ANN401 - four corners, x and y
    across, down = [float(x) for x, _ in box], [float(y) for _, y in box]
    return Line(text, min(across), min(down), max(across), max(down), float(score))
