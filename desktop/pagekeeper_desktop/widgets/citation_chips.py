"""What a reply rests on: numbered chips below it, and its "[1]" made to look like one."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRegularExpression, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QFont, QTextCharFormat, QTextDocument
from PySide6.QtWidgets import QPushButton, QWidget

from pagekeeper_core.messages import Citation
from pagekeeper_desktop.colours import Colours
from pagekeeper_desktop.view_models.formatting import one_line

__all__ = ["SCHEME", "CitationChips", "SourceChip", "described", "mark_numbers"]

SCHEME = "cite"
"""Of the address behind a number in a reply's text: "cite:1"."""

GAP = 6
WIDEST = 320
LONGEST_SOURCE = 60


class CitationChips(QWidget):
    """One chip a citation, in rows as wide as there is room.

    Signals:
        opened (Citation): Show this passage.
        pointed (SourceChip): Tell this chip how its passage begins.
    """

    opened = Signal(object)
    pointed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._citations: tuple[Citation, ...] = ()
        self.chips: list[SourceChip] = []
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

    def _chip(self, citation: Citation) -> "SourceChip":
        chip = SourceChip(citation, self)
        chip.clicked.connect(lambda: self.opened.emit(citation))
        chip.pointed.connect(lambda: self.pointed.emit(chip))
        chip.show()
        return chip


class SourceChip(QPushButton):
    """One citation.

    Attributes:
        citation: Which.

    Signals:
        pointed: It is pointed at, or has the keyboard, for the first time.
    """

    pointed = Signal()

    def __init__(self, citation: Citation, parent: QWidget) -> None:
        words = f"{citation.number}  {one_line(citation.source, LONGEST_SOURCE)}"
        super().__init__(words.replace("&", "&&"), parent)
        self.citation = citation
        self._was_pointed_at = False
        self.setProperty("role", "citation")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(described(citation))
        self.setAccessibleName(f"Source {citation.number}: {citation.source}. Show the passage")

    def tell_beginning(self, words: str) -> None:
        """Say how the passage begins, in the tooltip."""
        self.setToolTip(described(self.citation, words))
        self.setAccessibleDescription(words)

    def event(self, event: QEvent) -> bool:
        """Have the passage's beginning read when it is pointed at."""
        kinds = (QEvent.Type.Enter, QEvent.Type.FocusIn)
        if event.type() in kinds and not self._was_pointed_at:
            self._was_pointed_at = True
            self.pointed.emit()
        return super().event(event)


def described(citation: Citation, beginning: str = "") -> str:
    """What a tooltip says of a citation."""
    last = beginning or "Click to see the passage where it stands."
    return "\n".join(filter(None, [citation.title, citation.location, last]))


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
