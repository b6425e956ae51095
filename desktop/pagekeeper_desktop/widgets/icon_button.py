"""A button that is a drawing: quiet until it is pointed at, with a visible focus."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from pagekeeper_desktop.colours import Colours
from pagekeeper_desktop.theme import colours_of
from pagekeeper_desktop.widgets.icons import draw_icon

__all__ = ["IconButton"]


class IconButton(QAbstractButton):
    """An icon with a name that tooltips and screen readers say.

    Args:
        icon: The drawing.
        name: What the button does.
        size: Width and height, in pixels.
        filled: Whether it stands on the accent colour, as the window's main button.
    """

    def __init__(
        self,
        icon: str,
        name: str,
        parent: QWidget | None = None,
        *,
        size: int = 32,
        filled: bool = False,
    ) -> None:
        super().__init__(parent)
        self._icon = icon
        self._size = size
        self._filled = filled
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFixedSize(size, size)
        self.set_icon(icon, name)

    def set_icon(self, icon: str, name: str) -> None:
        """Show another drawing, because the button does something else now."""
        self._icon = icon
        self.setAccessibleName(name.partition(" (")[0])
        self.setToolTip(name)
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Its fixed size."""
        return QSize(self._size, self._size)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802, ARG002 - Qt's name and signature
        """Ground, drawing, focus ring."""
        colours = colours_of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.setPen(QPen(QColor(colours.accent), 1.5) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(
            QColor(self._ground(colours)) if self._ground(colours) else Qt.BrushStyle.NoBrush
        )
        radius = ground.width() / 2 if self._filled else 7
        painter.drawRoundedRect(ground, radius, radius)
        side = self._size * 0.56
        place = QRectF(0, 0, side, side)
        place.moveCenter(ground.center())
        draw_icon(painter, self._icon, self._ink(colours), place)

    def _ground(self, colours: Colours) -> str:
        if self._filled:
            return colours.accent if self.isEnabled() else colours.raised
        lit = self.isEnabled() and (self.underMouse() or self.isDown() or self.isChecked())
        return colours.raised if lit else "transparent"

    def _ink(self, colours: Colours) -> str:
        if not self.isEnabled():
            return colours.muted
        if self._filled:
            return colours.on_accent
        return colours.text if self.underMouse() or self.isChecked() else colours.muted
