"""Text of a message: plain or Markdown, as high as its content, that loads nothing from anywhere.

Pictures are neither fetched nor read from disk (a remote one would tell its server what was talked
about); links open only when the person clicks them, after their address was shown.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QRectF, QSize, Qt, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QCursor,
    QDesktopServices,
    QPainter,
    QPaintEvent,
    QTextCursor,
    QTextDocument,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QToolTip, QWidget

from pagekeeper_core.messages import Citation
from pagekeeper_desktop.theme import colours_of
from pagekeeper_desktop.view_models.formatting import is_right_to_left
from pagekeeper_desktop.widgets.citation_chips import SCHEME, described, mark_numbers
from pagekeeper_desktop.widgets.document_polish import code_spans, polish, quote_spans, room_below
from pagekeeper_desktop.widgets.growing_markdown import GrowingMarkdown

if TYPE_CHECKING:
    from pagekeeper_desktop.colours import Colours

__all__ = ["TextView", "is_safe_link"]

MARKDOWN = (
    QTextDocument.MarkdownFeature.MarkdownDialectGitHub
    | QTextDocument.MarkdownFeature.MarkdownNoHTML
)
"""Without MarkdownNoHTML all text after an unclosed tag such as List<String> is lost."""

SAFE_SCHEMES = frozenset({"http", "https", "mailto"})
CODE_PADDING = 8
QUOTE_BAR = 3
INDENT = 22
"""Pixels that a list stands in from the text around it."""


def is_safe_link(url: QUrl) -> bool:
    """Whether a click may hand this address to the browser or the mail program."""
    return url.scheme().lower() in SAFE_SCHEMES


class TextView(QTextBrowser):
    """A read-only text without scroll bars; whoever lays it out asks `height_for`.

    Signals:
        menu_made (QMenu): It opens next; more can be put into it.
        citation_clicked (Citation): Show this passage.
    """

    menu_made = Signal(object)
    citation_clicked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        self._polished_for: Colours | None = None
        self._has_links = False
        self._citations: tuple[Citation, ...] = ()
        super().__init__(parent)
        self._markdown = GrowingMarkdown(self.document(), MARKDOWN)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.setAcceptDrops(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setLineWrapMode(QTextBrowser.LineWrapMode.FixedPixelWidth)
        self.document().setDocumentMargin(0)
        self.document().setIndentWidth(INDENT)
        self.viewport().setAutoFillBackground(False)
        self.anchorClicked.connect(self._open)
        self.highlighted.connect(self._show_address)

    def set_plain(self, text: str) -> None:
        """Show a text exactly as it was written."""
        self._polished_for = None
        self._markdown.reset()
        self.setPlainText(text)
        self._set_direction(text)

    def set_markdown(self, text: str) -> None:
        """Show a text with its Markdown carried out; HTML in it stays text."""
        if not self._markdown.is_grown_by(text):
            self._has_links = False
        self._markdown.show(text, self._polish)
        self._set_direction(text)

    def set_citations(self, citations: Sequence[Citation]) -> None:
        """Make the numbers of these in the text chips, now and whenever it is shown anew."""
        if self._citations != tuple(citations):
            self._citations = tuple(citations)
            self._polish()

    def append_plain(self, text: str) -> None:
        """Add to the end; cheap enough for every piece of a reply."""
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text)

    def height_for(self, width: int) -> int:
        """How high the whole text is at this width, in pixels."""
        if self.lineWrapColumnOrWidth() != width:
            self.setLineWrapColumnOrWidth(width)
        document = self.document()
        return math.ceil(document.size().height() + room_below(document))

    def ideal_width(self, widest: int) -> int:
        """The least width, up to `widest`, at which no more lines break than at `widest`."""
        self.setLineWrapColumnOrWidth(widest)
        return min(widest, math.ceil(self.document().idealWidth()) + 1)

    def loadResource(self, kind: int, name: QUrl | str) -> QByteArray:  # noqa: N802, ARG002 - Qt
        """Refuse: no picture, style or page is ever loaded, from wherever.

        The answer is an empty value, not none: after none QTextDocument itself reads local files.
        """
        return QByteArray()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """As large as it is: the layout decides."""
        return QSize(0, 0)

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """None: the layout decides."""
        return QSize(0, 0)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802 - Qt's name
        """What can be done with the text, and what others add to it."""
        menu = self.createStandardContextMenu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.menu_made.emit(menu)
        menu.popup(event.globalPos())

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        """Let the transcript scroll."""
        event.ignore()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Take the new theme's colours."""
        super().changeEvent(event)
        if self._polished_for not in (None, colours_of(self.palette())):
            self._polish()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Grounds behind blocks of code and bars beside quotations, then the text."""
        code, quotes = code_spans(self.document()), quote_spans(self.document())
        if code or quotes:
            colours = colours_of(self.palette())
            painter = QPainter(self.viewport())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colours.code))
            width = self.viewport().width()
            for top, bottom in code:
                height = bottom - top + 2 * CODE_PADDING
                painter.drawRoundedRect(QRectF(0, top - CODE_PADDING, width, height), 6, 6)
            painter.setBrush(QColor(colours.border))
            left = width - QUOTE_BAR if self._is_right_to_left else 0
            for top, bottom in quotes:
                painter.drawRoundedRect(QRectF(left, top, QUOTE_BAR, bottom - top), 1.5, 1.5)
            painter.end()
        super().paintEvent(event)

    @property
    def _is_right_to_left(self) -> bool:
        direction = self.document().defaultTextOption().textDirection()
        return direction is Qt.LayoutDirection.RightToLeft

    def _polish(self, first: int = 0) -> None:
        self._polished_for = colours_of(self.palette())
        self._has_links = polish(self.document(), self._polished_for, first) or self._has_links
        mark_numbers(self.document(), self._citations, self._polished_for)
        focus = Qt.FocusPolicy.StrongFocus if self._has_links else Qt.FocusPolicy.ClickFocus
        self.setFocusPolicy(focus)

    def _set_direction(self, text: str) -> None:
        """The first strong character decides for the whole message."""
        right = is_right_to_left(text)
        direction = Qt.LayoutDirection.RightToLeft if right else Qt.LayoutDirection.LeftToRight
        option = self.document().defaultTextOption()
        if option.textDirection() is not direction:
            option.setTextDirection(direction)
            self.document().setDefaultTextOption(option)

    def _open(self, url: QUrl) -> None:
        citation = self._citation(url)
        if citation is not None:
            self.citation_clicked.emit(citation)
        elif is_safe_link(url):
            QDesktopServices.openUrl(url)

    def _show_address(self, url: QUrl) -> None:
        citation = self._citation(url)
        address = url.toString() if is_safe_link(url) else ""
        if citation is not None:
            address = described(citation)
        QToolTip.showText(QCursor.pos(), address, self)

    def _citation(self, url: QUrl) -> Citation | None:
        """What a number in the text stands for; None for a link, or a number that cites nothing."""
        if url.scheme() != SCHEME:
            return None
        return next((each for each in self._citations if str(each.number) == url.path()), None)
