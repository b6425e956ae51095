"""A page as it looks, as wide as there is room, with the passage marked on it."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPen, QPixmap, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from pagekeeper_core.documents.page_picture import PagePicture
from pagekeeper_desktop.theme import colours_of

__all__ = ["PageView"]

WIDEST = 1000
ABOVE_MARK = 80
"""Pixels of the page that are shown above what is marked."""


class PageView(QScrollArea):
    """Shows one picture; the first mark is scrolled to."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sheet = _Sheet()
        self.setWidget(self._sheet)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.verticalScrollBar().setSingleStep(32)

    def show_picture(self, picture: PagePicture) -> None:
        """Show a page."""
        marked = "the passage is marked" if picture.marks else "nothing is marked"
        self.setAccessibleName(f"Page {picture.page} of {picture.pages}, {marked}")
        self._sheet.show_picture(picture)
        self._fit()
        top = min((mark[1] for mark in picture.marks), default=0.0) * self._sheet.height()
        self.verticalScrollBar().setValue(max(0, int(top) - ABOVE_MARK))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """As wide as there is room."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self._sheet.fit(min(WIDEST, self.viewport().width()))


class _Sheet(QWidget):
    """The page itself."""

    def __init__(self) -> None:
        super().__init__()
        self._picture: PagePicture | None = None
        self._image = QImage()
        self._scaled = QPixmap()

    def show_picture(self, picture: PagePicture) -> None:
        row = picture.width * 4
        self._image = QImage(
            picture.pixels, picture.width, picture.height, row, QImage.Format.Format_RGB32
        ).copy()
        self._picture = picture
        self._scaled = QPixmap()

    def fit(self, width: int) -> None:
        if self._picture is not None and width > 0:
            self.resize(width, round(width * self._picture.height / self._picture.width))

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return self.size()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802, ARG002 - Qt's name and signature
        if self._picture is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawPixmap(0, 0, self._page())
        accent = QColor(colours_of(self.palette()).accent)
        ground = QColor(accent)
        ground.setAlphaF(0.22)
        painter.setBrush(ground)
        accent.setAlphaF(0.55)
        painter.setPen(QPen(accent, 1))
        for left, top, right, bottom in self._picture.marks:
            place = QRectF(
                left * self.width(),
                top * self.height(),
                (right - left) * self.width(),
                (bottom - top) * self.height(),
            )
            painter.drawRoundedRect(place.adjusted(-3, -2, 3, 2), 3, 3)

    def _page(self) -> QPixmap:
        """The picture at this size and on this screen, made once."""
        ratio = self.devicePixelRatioF()
        wanted = self.size() * ratio
        if self._scaled.size() != wanted:
            aspect, smooth = Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode
            image = self._image.scaled(wanted, aspect, smooth.SmoothTransformation)
            self._scaled = QPixmap.fromImage(image)
            self._scaled.setDevicePixelRatio(ratio)
        return self._scaled
