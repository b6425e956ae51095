"""What Markdown's defaults leave plain: code, tables, headings, pictures, in a document."""

from collections.abc import Iterator
from functools import cache

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
)

from pagekeeper_desktop.colours import Colours

__all__ = ["code_spans", "polish", "quote_spans", "room_below"]

IS_CODE = QTextFormat.Property.UserProperty.value + 1
"""Property of a block format: the block is a line of code."""

CODE_MARGIN = 12
QUOTE_MARGIN = 14
LARGE_HEADINGS = 2
"""Levels of heading that are larger than the text, by a fifth; deeper ones are only bold."""

LINE_HEIGHT = 110.0
"""Per cent of the font's own, for running text."""

PARAGRAPH_GAP, LIST_GAP = 10, 3
"""Pixels below a paragraph, below a list's entry."""


Spacing = tuple[float, int, int]
"""Line height in per cent, pixels below, and how deep it is quoted."""


def polish(document: QTextDocument, colours: Colours, first: int = 0) -> bool:
    """Give a document the program's look, from the block of number `first` on.

    Says whether there is a link in those.
    """
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    has_links = False
    for block in _blocks(document, first):
        has_links = _polish_block(document, block, colours) or has_links
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            _polish_table(frame, colours)
    cursor.endEditBlock()
    return has_links


def code_spans(document: QTextDocument) -> list[tuple[float, float]]:
    """Top and bottom of each run of code lines, in the document's coordinates."""
    return _spans(document, IS_CODE)


def quote_spans(document: QTextDocument) -> list[tuple[float, float]]:
    """Top and bottom of each run of quoted paragraphs, in the document's coordinates."""
    return _spans(document, QTextFormat.Property.BlockQuoteLevel.value)


def room_below(document: QTextDocument) -> int:
    """Pixels below the last line that the document's own height leaves out: those of code."""
    return CODE_MARGIN if document.lastBlock().blockFormat().property(IS_CODE) else 0


def _spans(document: QTextDocument, marked: int) -> list[tuple[float, float]]:
    """Top and bottom of each run of blocks that have a property."""
    layout = document.documentLayout()
    spans: list[tuple[float, float]] = []
    goes_on = False
    for block in _blocks(document):
        is_marked = bool(block.blockFormat().property(marked))
        if is_marked:
            rect = layout.blockBoundingRect(block)
            top = spans.pop()[0] if goes_on else rect.top()
            spans.append((top, rect.bottom()))
        goes_on = is_marked
    return spans


def _blocks(document: QTextDocument, first: int = 0) -> Iterator[QTextBlock]:
    block = document.findBlockByNumber(first)
    while block.isValid():
        yield block
        block = block.next()


def _polish_block(document: QTextDocument, block: QTextBlock, colours: Colours) -> bool:
    block_format = block.blockFormat()
    if block_format.nonBreakableLines() or block_format.property(IS_CODE):
        _polish_code(block)
        return False
    cursor = QTextCursor(block)
    level = block_format.headingLevel()
    if level:
        _polish_heading(cursor, level)
    cursor.mergeBlockFormat(_format_of(*_spacing(block, block_format, cursor)))
    return _polish_fragments(document, block, colours)


def _spacing(block: QTextBlock, block_format: QTextBlockFormat, cursor: QTextCursor) -> Spacing:
    """Room between lines and below; cells of a table have their own padding."""
    in_table = cursor.currentTable() is not None
    following = block.next()
    below = 0
    if not in_table and following.isValid():
        goes_on = block.textList() is not None and following.textList() is not None
        below = LIST_GAP if goes_on else PARAGRAPH_GAP
    quoted = int(block_format.property(QTextFormat.Property.BlockQuoteLevel) or 0)
    return 100.0 if in_table else LINE_HEIGHT, below, quoted


@cache
def _format_of(height: float, below: int, quoted: int) -> QTextBlockFormat:
    """Made once for all paragraphs that are alike: a long text has a thousand."""
    spacing = QTextBlockFormat()
    spacing.setLineHeight(height, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    spacing.setTopMargin(0)
    spacing.setBottomMargin(below)
    if quoted:
        spacing.setLeftMargin(QUOTE_MARGIN * quoted)
        spacing.setRightMargin(QUOTE_MARGIN * quoted)
    return spacing


def _polish_code(block: QTextBlock) -> None:
    """Lines of code wrap where they must, run from left to right, and stand on a ground."""
    cursor = QTextCursor(block)
    first = not block.previous().blockFormat().property(IS_CODE)
    next_format = block.next().blockFormat()
    last = not (next_format.nonBreakableLines() or next_format.property(IS_CODE))
    code = QTextBlockFormat()
    code.setProperty(IS_CODE, True)  # noqa: FBT003 - a Qt property's value
    code.setNonBreakableLines(False)
    code.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
    code.setLeftMargin(CODE_MARGIN)
    code.setRightMargin(CODE_MARGIN)
    code.setTopMargin(CODE_MARGIN + LIST_GAP if first else 0)
    code.setBottomMargin(CODE_MARGIN + 8 if last else 0)
    cursor.mergeBlockFormat(code)


def _polish_heading(cursor: QTextCursor, level: int) -> None:
    cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
    heading = QTextCharFormat()
    larger = 1 if level <= LARGE_HEADINGS else 0
    heading.setProperty(QTextFormat.Property.FontSizeAdjustment, larger)
    heading.setFontWeight(600)
    cursor.mergeCharFormat(heading)


def _polish_fragments(document: QTextDocument, block: QTextBlock, colours: Colours) -> bool:
    """Colours of links and of code within a line; a picture becomes its own description."""
    has_links = False
    for position, length, char_format in reversed(_special_fragments(block)):
        cursor = QTextCursor(document)
        cursor.setPosition(position)
        cursor.setPosition(position + length, QTextCursor.MoveMode.KeepAnchor)
        change = QTextCharFormat()
        if char_format.isImageFormat():
            described = str(char_format.property(QTextFormat.Property.ImageAltText) or "")
            cursor.insertText(f"[{described or 'picture'}]", change)
            continue
        if char_format.isAnchor():
            has_links = True
            change.setForeground(QBrush(QColor(colours.accent_text)))
        else:
            change.setBackground(QBrush(QColor(colours.code)))
        cursor.mergeCharFormat(change)
    return has_links


def _special_fragments(block: QTextBlock) -> list[tuple[int, int, QTextCharFormat]]:
    """Position, length and format of pictures, links and code; most text is none of these."""
    fragments = []
    at = block.begin()
    while not at.atEnd():
        fragment = at.fragment()
        kind = fragment.charFormat()
        if kind.isImageFormat() or kind.isAnchor() or kind.fontFixedPitch():
            fragments.append((fragment.position(), fragment.length(), kind))
        at += 1
    return fragments


def _polish_table(table: QTextTable, colours: Colours) -> None:
    table_format = table.format()
    table_format.setCellPadding(6)
    table_format.setTopMargin(LIST_GAP)
    table_format.setBottomMargin(LIST_GAP)
    table_format.setCellSpacing(0)
    table_format.setBorder(1)
    table_format.setBorderCollapse(True)
    table_format.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    table_format.setBorderBrush(QBrush(QColor(colours.border)))
    table_format.setWidth(QTextLength())
    table.setFormat(table_format)
