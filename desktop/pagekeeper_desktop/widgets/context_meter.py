"""The context window as a bar: its regions, the marks at which the assistant acts, the figures."""

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QHelpEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from pagekeeper_core.updates import ContextUsage
from pagekeeper_desktop.colours import Colours
from pagekeeper_desktop.theme import colours_of
from pagekeeper_desktop.view_models.context_regions import (
    Region,
    RegionShare,
    figures,
    in_words,
    regions_of,
)
from pagekeeper_desktop.view_models.formatting import thousands

__all__ = ["ContextMeter"]

BAR = 10
LEGEND_GAP = 18
LEGEND_REGIONS = (Region.INSTRUCTIONS, Region.WORKING_CONTEXT, Region.SUMMARY, Region.QUEUE)


class ContextMeter(QWidget):
    """A legend with figures above a stacked bar, with a text alternative."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._usage: ContextUsage | None = None
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._show_words()

    def show_usage(self, usage: ContextUsage) -> None:
        """Show these figures."""
        self._usage = usage
        self._show_words()
        self.update()

    def region_at(self, x: float) -> RegionShare | None:
        """The region at this place of the bar, in pixels from the left."""
        for share, left, right in self._spans():
            if left <= x < right:
                return share
        return None

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Two lines of text and a bar."""
        return QSize(360, 2 * QFontMetrics(self._small_font()).height() + BAR + 10)

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """As high as it is, and narrow enough for a small window."""
        return QSize(200, self.sizeHint().height())

    def event(self, event: QEvent) -> bool:
        """A tooltip that explains the region under the pointer."""
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self._explanation(event.pos().x()), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802, ARG002 - Qt's name and signature
        """Legend, bar, marks."""
        colours = colours_of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._small_font())
        if self.hasFocus():
            painter.setPen(QPen(QColor(colours.accent), 1.5))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.75, 0.75, -0.75, -0.75), 5, 5)
        self._paint_legend(painter, colours)
        self._paint_bar(painter, colours)
        if self._usage is not None:
            self._paint_mark(painter, colours, self._usage.warning_level, "70%")
            self._paint_mark(painter, colours, self._usage.flush_level, "100%")

    def _show_words(self) -> None:
        self.setAccessibleName("Context window")
        self.setAccessibleDescription(in_words(self._usage))

    def _explanation(self, x: float) -> str:
        share = self.region_at(x)
        if share is None:
            return in_words(self._usage)
        return f"<b>{share.region}: {thousands(share.tokens)} tokens</b><br>{share.meaning}"

    def _spans(self) -> list[tuple[RegionShare, float, float]]:
        if self._usage is None:
            return []
        scale = self.width() / max(1, self._usage.window)
        spans, left = [], 0.0
        for share in regions_of(self._usage):
            right = left + share.tokens * scale
            spans.append((share, left, right))
            left = right
        return spans

    def _small_font(self) -> QFont:
        font = self.font()
        font.setPixelSize(max(11, font.pixelSize() - 3))
        return font

    def _bar_rect(self) -> QRectF:
        top = QFontMetrics(self._small_font()).height() + 6
        return QRectF(0, top, self.width(), BAR)

    def _paint_legend(self, painter: QPainter, colours: Colours) -> None:
        metrics = painter.fontMetrics()
        shown = figures(self._usage) if self._usage else "Context window"
        painter.setPen(QColor(colours.text))
        end = self.width() - metrics.horizontalAdvance(shown)
        painter.drawText(QPointF(end, metrics.ascent() + 1), shown)
        x = 0.0
        for share, _, _ in self._spans():
            label = str(share.region)
            after = x + 14 + metrics.horizontalAdvance(label)
            if share.region not in LEGEND_REGIONS or after > end - LEGEND_GAP:
                continue
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(_colour(share.region, colours))
            painter.drawEllipse(QPointF(x + 4, 1 + metrics.height() / 2), 4, 4)
            painter.setPen(QColor(colours.muted))
            painter.drawText(QPointF(x + 14, metrics.ascent() + 1), label)
            x = after + LEGEND_GAP

    def _paint_bar(self, painter: QPainter, colours: Colours) -> None:
        bar = self._bar_rect()
        shape = QPainterPath()
        shape.addRoundedRect(bar, BAR / 2, BAR / 2)
        painter.save()
        painter.setClipPath(shape)
        painter.fillRect(bar, QColor(colours.reserve))
        for share, left, right in self._spans():
            if share.region is not Region.FREE and right > left:
                part = QRectF(left, bar.top(), max(1.0, right - left - 1), BAR)
                painter.fillRect(part, _colour(share.region, colours))
        painter.restore()

    def _paint_mark(self, painter: QPainter, colours: Colours, level: int, label: str) -> None:
        if self._usage is None:
            return
        metrics = painter.fontMetrics()
        bar = self._bar_rect()
        x = min(self.width() - 1.0, level * self.width() / max(1, self._usage.window))
        painter.setPen(QPen(QColor(colours.text), 1.5))
        painter.drawLine(QPointF(x, bar.top() - 2), QPointF(x, bar.bottom() + 3))
        width = metrics.horizontalAdvance(label)
        left = min(self.width() - width, max(0.0, x - width / 2))
        painter.setPen(QColor(colours.muted))
        painter.drawText(QPointF(left, bar.bottom() + 2 + metrics.ascent()), label)


def _colour(region: Region, colours: Colours) -> QColor:
    return QColor(
        {
            Region.INSTRUCTIONS: colours.instructions,
            Region.WORKING_CONTEXT: colours.working_context,
            Region.SUMMARY: colours.summary,
            Region.QUEUE: colours.queue,
            Region.FREE: colours.reserve,
            Region.RESERVE: colours.border,
        }[region]
    )
