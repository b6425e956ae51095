"""What a reply rests on: numbered chips below it, and its "[1]" made to look like one."""

from collections.abc import Sequence

from PySide6.QtCore import QRegularExpression, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QFont, QTextCharFormat, QTextDocument
from PySide6.QtWidgets import QPushButton, QWidget

from pagekeeper_core.messages import Citation
from pagekeeper_desktop.colours import Colours
from pagekeeper_desktop.view_models.formatting import one_line

__all__ = ["SCHEME", "CitationChips", "mark_numbers"]

SCHEME = "cite"
"""Of the address behind a number in a reply's text: "cite:1"."""

GAP = 6
WIDEST = 320
LONGEST_SOURCE = 60


class CitationChips(QWidget):
    """One chip a citation, in rows as wide as there is room.

    Signals:
        opened (Citation): Show this passage.
    """

    opened = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._citations: tuple[Citation, ...] = ()
        self.chips: list[QPushButton] = []
        self.hide()

    def show_citations(self, citations: Sequence[Citation]) -> None:
        """Show these."""
        if tuple(citations) == self._citations:
            return
        self._citations = tuple(citations)
        for chip in self.chips:
            chip.hide()
            chip.deleteLater()
        self.chips = [self._chip(citation) for citation in citations]
        self.setAccessibleName("Sources")
        self.setVisible(bool(citations))

    def get(self, number: int) -> Citation | None:
        """The citation of that number."""
        return next((each for each in self._citations if each.number == number), None)

    def height_for(self, width: int) -> int:
        """Lay the chips out for this width; gives their height."""
        x = y = 0
        for chip in self.chips:
            hint = chip.sizeHint()
            wide = min(width, WIDEST, hint.width())
            if x and x + wide > width:
                x, y = 0, y + hint.height() + GAP
            chip.setGeometry(x, y, wide, hint.height())
            x += wide + GAP
        return y + (self.chips[-1].sizeHint().height() if self.chips else 0)

    def _chip(self, citation: Citation) -> QPushButton:
        words = f"{citation.number}  {one_line(citation.source, LONGEST_SOURCE)}"
        chip = QPushButton(words.replace("&", "&&"), self)
        chip.setProperty("role", "citation")
        chip.setCursor(Qt.CursorShape.PointingHandCursor)
        chip.setToolTip(described(citation))
        chip.setAccessibleName(f"Source {citation.number}: {citation.source}. Show the passage")
        chip.clicked.connect(lambda: self.opened.emit(citation))
        chip.show()
        return chip


def described(citation: Citation) -> str:
    """What a tooltip says of a citation."""
    parts = [citation.title, citation.location, "Click to see the passage where it stands."]
    return "\n".join(filter(None, parts))


def mark_numbers(document: QTextDocument, citations: Sequence[Citation], colours: Colours) -> None:
    """Give every number of a citation in a text the look of a chip; code is left alone."""
    for citation in citations:
        wanted = QRegularExpression(rf"\[{citation.number}\]")
        look = QTextCharFormat()
        look.setAnchor(True)
        look.setAnchorHref(f"{SCHEME}:{citation.number}")
        look.setForeground(QBrush(QColor(colours.accent_text)))
        look.setBackground(QBrush(QColor(colours.notice_surface)))
        look.setFontWeight(QFont.Weight.DemiBold)
        look.setFontUnderline(False)
        found = document.find(wanted)
        while not found.isNull():
            if not found.charFormat().fontFixedPitch():
                found.mergeCharFormat(look)
            found = document.find(wanted, found)
