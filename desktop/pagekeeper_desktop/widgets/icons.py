"""The program's line drawings, painted in any colour and sharp at any scale."""

from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

__all__ = ["app_icon", "draw_icon", "icon_pixmap"]

FOLDER = Path(__file__).parent.parent / "icons"

APP_ICON_SIZES = (16, 24, 32, 48, 64, 128, 256)


def draw_icon(painter: QPainter, name: str, colour: QColor | str, place: QRectF) -> None:
    """Paint a drawing into a rectangle."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _renderer(name, QColor(colour).name()).render(painter, place)


def icon_pixmap(name: str, colour: QColor | str, size: int, scale: float) -> QPixmap:
    """A drawing as a picture of `size` logical pixels, for a screen of that scale."""
    pixmap = QPixmap(QSize(round(size * scale), round(size * scale)))
    pixmap.setDevicePixelRatio(scale)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    draw_icon(painter, name, colour, QRectF(0, 0, size, size))
    painter.end()
    return pixmap


def app_icon() -> QIcon:
    """The program's own icon."""
    icon = QIcon()
    for size in APP_ICON_SIZES:
        icon.addPixmap(icon_pixmap("pagekeeper", "#000000", size, 1.0))
    return icon


@lru_cache(maxsize=128)
def _renderer(name: str, colour: str) -> QSvgRenderer:
    drawing = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    return QSvgRenderer(QByteArray(drawing.replace("currentColor", colour).encode()))
