"""Paints the list of conversations: headings, titles, what a search found; edits titles."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from pagekeeper_desktop.theme import colours_of
from pagekeeper_desktop.view_models.conversation_list import NEW, title_of
from pagekeeper_desktop.view_models.conversation_rows import (
    ConversationRows,
    Heading,
    HitRow,
    PassageRow,
    Row,
    ThreadRow,
)
from pagekeeper_desktop.view_models.formatting import is_right_to_left
from pagekeeper_desktop.widgets.icons import draw_icon

__all__ = ["ConversationDelegate", "menu_place"]

SIDE, INSET = 8, 10
"""Pixels between the list's edge and a row's ground, and from there to its words."""

MENU = 24
"""Pixels of the sign that opens a row's menu."""

ABOVE_HEADING = 12
SNIPPET_LINES = 2

WRAPPED = int(Qt.TextFlag.TextWordWrap)

Index = QModelIndex | QPersistentModelIndex
Option = QStyleOptionViewItem


class ConversationDelegate(QStyledItemDelegate):
    """The look of one row."""

    def sizeHint(self, option: Option, index: Index) -> QSize:  # noqa: N802 - Qt's name
        """A heading, a line, or a found message of four lines."""
        row = _row(index)
        line = option.fontMetrics.lineSpacing()
        small = QFontMetrics(_small(option.font))
        if isinstance(row, Heading):
            width = option.widget.width() - 2 * (SIDE + INSET) if option.widget else 200
            words = small.boundingRect(QRect(0, 0, max(80, width), 1000), WRAPPED, row.text)
            return QSize(80, words.height() + ABOVE_HEADING + 4)
        if isinstance(row, HitRow | PassageRow):
            return QSize(80, line + (SNIPPET_LINES + 1) * small.lineSpacing() + 20)
        return QSize(80, line + 14)

    def paint(self, painter: QPainter, option: Option, index: Index) -> None:
        """Ground, mark of the open one, words."""
        row = _row(index)
        if row is None:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _Picture(painter, option).paint(row)
        painter.restore()

    def createEditor(  # noqa: N802 - Qt's name
        self,
        parent: QWidget,
        option: Option,  # noqa: ARG002 - Qt's signature
        index: Index,  # noqa: ARG002 - Qt's signature
    ) -> QWidget:
        """A line to write the title in."""
        editor = QLineEdit(parent)
        editor.setProperty("role", "rename")
        editor.setAccessibleName("Title of the conversation")
        editor.setMaxLength(200)
        return editor

    def updateEditorGeometry(  # noqa: N802 - Qt's name
        self,
        editor: QWidget,
        option: Option,
        index: Index,  # noqa: ARG002 - Qt's signature
    ) -> None:
        """Over the row's ground."""
        editor.setGeometry(option.rect.adjusted(SIDE, 1, -SIDE, -1))


class _Picture:
    """One row on one painter."""

    def __init__(self, painter: QPainter, option: Option) -> None:
        self._painter = painter
        self._font = option.font
        self._row = option.rect
        self._place = option.rect.adjusted(SIDE, 1, -SIDE, -1)
        self._colours = colours_of(option.palette)
        self._is_lit = bool(option.state & QStyle.StateFlag.State_MouseOver)
        self._is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        self._has_focus = bool(option.state & QStyle.StateFlag.State_HasFocus)

    def paint(self, row: Row) -> None:
        match row:
            case Heading(text):
                self._painter.setFont(_small(self._font))
                self._painter.setPen(QColor(self._colours.muted))
                words = self._place.adjusted(INSET, ABOVE_HEADING - 2, -INSET, 0)
                self._painter.drawText(words, WRAPPED, text)
            case ThreadRow():
                self._ground(is_open=row.is_shown)
                self._thread(row)
            case HitRow():
                self._ground(is_open=False)
                self._hit(row.title, row.when, row.snippet)
            case PassageRow():
                self._ground(is_open=False)
                self._hit(row.title, row.place, row.snippet)

    def _ground(self, *, is_open: bool) -> None:
        painter, colours = self._painter, self._colours
        focus = QPen(QColor(colours.accent), 1.5) if self._has_focus else Qt.PenStyle.NoPen
        painter.setPen(focus)
        lit = is_open or self._is_lit
        painter.setBrush(QColor(colours.raised) if lit else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(self._place).adjusted(0.75, 0.75, -0.75, -0.75), 7, 7)
        if is_open:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colours.accent))
            bar = self._place.adjusted(1, 8, 0, -8)
            painter.drawRoundedRect(QRectF(bar.left(), bar.top(), 3, bar.height()), 1.5, 1.5)

    def _thread(self, row: ThreadRow) -> None:
        words = self._place.adjusted(INSET, 0, -INSET, 0)
        if row.thread.thread_id != NEW and (self._is_lit or self._is_chosen):
            sign = menu_place(self._row)
            place = QRectF(sign).adjusted(3, 3, -3, -3)
            draw_icon(self._painter, "more", self._colours.muted, place)
            words.setRight(sign.left() - 2)
        font = QFont(self._font)
        font.setWeight(QFont.Weight.DemiBold if row.is_shown else QFont.Weight.Normal)
        font.setItalic(row.is_wanted)
        quiet = row.thread.archived or not row.thread.title
        ink = self._colours.muted if quiet else self._colours.text
        title = title_of(row.thread)
        self._line(f"{title} …" if row.is_wanted else title, words, font, ink)

    def _hit(self, title: str, where: str, snippet: str) -> None:
        small = _small(self._font)
        line, less = QFontMetrics(self._font).lineSpacing(), QFontMetrics(small).lineSpacing()
        words = self._place.adjusted(INSET, 6, -INSET, -6)
        top = QRect(words.left(), words.top(), words.width(), line)
        below = QRect(words.left(), top.bottom() + 1, words.width(), less)
        body = QRect(words.left(), below.bottom() + 3, words.width(), SNIPPET_LINES * less + 2)
        self._line(title, top, self._font, self._colours.text)
        self._line(where, below, small, self._colours.muted)
        self._painter.setFont(small)
        self._painter.setPen(QColor(self._colours.text))
        self._painter.drawText(body, WRAPPED | _side(snippet), snippet)

    def _line(self, text: str, place: QRect, font: QFont, ink: str) -> None:
        self._painter.setFont(font)
        self._painter.setPen(QColor(ink))
        shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, place.width())
        middle = Qt.AlignmentFlag.AlignVCenter.value
        self._painter.drawText(place, middle | _side(text), shown)


def menu_place(row: QRect) -> QRect:
    """Where the sign that opens a conversation's menu stands."""
    top = row.top() + (row.height() - MENU) // 2
    return QRect(row.right() - SIDE - MENU - 4, top, MENU, MENU)


def _row(index: Index) -> Row | None:
    model = index.model()
    return model.row_at(index) if isinstance(model, ConversationRows) else None


def _small(font: QFont) -> QFont:
    small = QFont(font)
    small.setPixelSize(max(11, font.pixelSize() - 2))
    return small


def _side(text: str) -> int:
    flag = Qt.AlignmentFlag
    side = flag.AlignRight if is_right_to_left(text) else flag.AlignLeft
    return (side | flag.AlignAbsolute).value
