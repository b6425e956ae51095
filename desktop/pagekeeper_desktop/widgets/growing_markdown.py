"""Markdown that grows at its end: what stands for good is not laid out again.

To lay out twenty thousand characters takes a twentieth of a second and more, in which the window is
deaf. While a reply is written it would be done again and again, and once more at its end. So the
text is parted where what follows cannot change what stands before: between two paragraphs.
"""

import re
from collections.abc import Callable

from PySide6.QtGui import QTextBlockFormat, QTextCharFormat, QTextCursor, QTextDocument

__all__ = ["GrowingMarkdown", "last_cut"]

TAIL = 2000
"""Characters at the end that are always laid out again."""

_PARAGRAPH = re.compile(r"\n[ \t]*\n(?=[^\W\d_].*)", re.UNICODE)
"""An empty line with plain words behind it: no list, table, quotation, code or heading goes on."""

_UNDERLINE = re.compile(r"[ \t]*[-=|:][-=|: \t]*$")
"""The line below a heading or a table's first row, which makes plain words of another kind: so it
must have been written before they count as a paragraph."""

_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:", re.MULTILINE)


def last_cut(text: str, start: int = 0) -> int:
    """The last place from `start` on where the text can be parted; `start` if there is none.

    Addresses of links that are given elsewhere in the text leave it whole.
    """
    if _REFERENCE.search(text):
        return start
    for found in reversed(list(_PARAGRAPH.finditer(text, start, max(start, len(text) - TAIL)))):
        lines = text[found.end() :].split("\n", 2)
        if len(lines) < 3 or _UNDERLINE.match(lines[1]):
            continue
        if len(_FENCE.findall(text, start, found.end())) % 2 == 0:
            return found.end()
    return start


class GrowingMarkdown:
    """Fills a document with Markdown, from the last place on where it can be parted."""

    def __init__(self, document: QTextDocument, features: QTextDocument.MarkdownFeature) -> None:
        self._document = document
        self._features = features
        self._settled = ""
        self._blocks = 0
        self._end = 0

    def reset(self) -> None:
        """Forget what stands: the document was filled by somebody else."""
        self._settled, self._blocks, self._end = "", 0, 0

    def is_grown_by(self, text: str) -> bool:
        """Whether something stands already that `text` only goes on from."""
        return bool(self._settled) and text.startswith(self._settled)

    def show(self, text: str, polish: Callable[[int], None]) -> None:
        """Show `text`, which mostly begins as the one before it did.

        Args:
            text: The whole Markdown.
            polish: Gives the document its look, from the block of this number on.
        """
        if not self.is_grown_by(text):
            self.reset()
        cut = last_cut(text, len(self._settled))
        if cut > len(self._settled):
            self._put(text[len(self._settled) : cut], polish)
            self._settled = text[:cut]
            self._blocks = self._document.blockCount()
            self._end = self._document.characterCount() - 1
        self._put(text[len(self._settled) :], polish)

    def _put(self, piece: str, polish: Callable[[int], None]) -> None:
        """Put a piece behind what stands for good, in place of all else."""
        if not self._settled:
            self._document.setMarkdown(piece, self._features)
            polish(0)
            return
        cursor = QTextCursor(self._document)
        cursor.setPosition(self._end)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        cursor.insertBlock(QTextBlockFormat(), QTextCharFormat())
        cursor.insertMarkdown(piece, self._features)
        # The last block before the piece was polished as the last of all.
        polish(self._blocks - 1)
