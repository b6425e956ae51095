"""The panel beside the conversation: what the assistant keeps in mind, and what it does."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.events import BlockMade, Event, MemoryEdited
from pagekeeper_core.provenance import Explanation
from pagekeeper_core.records import MemoryChange
from pagekeeper_desktop.agent_worker import BlockView
from pagekeeper_desktop.view_models.activity_model import ActivityModel
from pagekeeper_desktop.view_models.explanations import LineAsked
from pagekeeper_desktop.view_models.proposal_list import ProposalList
from pagekeeper_desktop.widgets.activity_list import ActivityList
from pagekeeper_desktop.widgets.block_card import BlockCard
from pagekeeper_desktop.widgets.block_form import BlockForm
from pagekeeper_desktop.widgets.memory_line import MemoryLine
from pagekeeper_desktop.widgets.proposal_section import ProposalSection

__all__ = ["MemoryPanel"]

FIRST_BLOCK = "human"
"""What the assistant knows of the person stands above what it knows of itself."""

LEAST_WIDTH = 248


class MemoryPanel(QWidget):
    """Blocks above, activity below.

    Signals:
        block_made (BlockMade): The person wants a block of their own.
        edit_requested (str, str): The person gave the block of this name this text.
        history_requested (str): The person asks what this block was before.
        why_requested (LineAsked): The person asks why a line stands there.
        line_undo_requested (LineAsked): The person takes back what brought a line.
        undo_requested (int): The person takes the change of this number back.
        cause_requested (int): Show the message of this number.
    """

    block_made = Signal(object)
    edit_requested = Signal(str, str)
    history_requested = Signal(str)
    why_requested = Signal(object)
    line_undo_requested = Signal(object)
    undo_requested = Signal(int)
    cause_requested = Signal(int)

    def __init__(
        self, activity: ActivityModel, proposals: ProposalList, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(LEAST_WIDTH)
        self._cards: dict[str, BlockCard] = {}
        self._waiting = QLabel("Shown as soon as the model is loaded.")
        self._waiting.setProperty("role", "muted")
        self._waiting.setWordWrap(True)
        self.proposals = ProposalSection(proposals)
        self.proposals.cause_requested.connect(self.cause_requested)
        self.block_form = BlockForm()
        self.block_form.made.connect(self.block_made)
        self.block_form.hide()
        self._blocks = QVBoxLayout()
        self._blocks.setSpacing(12)
        for widget in (self.proposals, self._waiting, self.block_form):
            self._blocks.addWidget(widget)
        self.activity = ActivityList(activity)
        self.activity.undo_requested.connect(self.undo_requested)
        self.rows = QSplitter(Qt.Orientation.Vertical, self)
        self.rows.setChildrenCollapsible(False)
        self.rows.setHandleWidth(1)
        self.rows.addWidget(_section("Memory", self._blocks_content()))
        self.rows.addWidget(_section("Activity", self.activity))
        self.rows.setSizes([360, 240])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.rows)

    @property
    def cards(self) -> dict[str, BlockCard]:
        """The blocks' cards by the blocks' names."""
        return dict(self._cards)

    def show_blocks(self, blocks: Sequence[BlockView]) -> None:
        """Show the working context as it is now."""
        self._waiting.setVisible(not blocks)
        self.block_form.setVisible(bool(blocks))
        for block in sorted(blocks, key=lambda b: b.name != FIRST_BLOCK):
            if block.name in self._cards:
                self._cards[block.name].show_block(block)
            else:
                self._add_card(block)

    def event_answered(self, event: Event) -> None:
        """The agent has carried out what the person asked for."""
        if isinstance(event, MemoryEdited) and event.block in self._cards:
            self._cards[event.block].saved()
        elif isinstance(event, BlockMade):
            self.block_form.close_form()

    def event_refused(self, event: Event, error: PagekeeperError) -> None:
        """The agent could not: what was written stays, with the reason."""
        if isinstance(event, MemoryEdited) and event.block in self._cards:
            self._cards[event.block].refused(str(error), error.hint)
        elif isinstance(event, BlockMade):
            self.block_form.refused(error)

    def explain(self, asked: LineAsked, why: Explanation | None) -> None:
        """Say why a line stands in its block."""
        line = self._line(asked)
        if line is not None:
            line.explain(why)

    def say_unclear(self, asked: LineAsked, words: str) -> None:
        """Say why a line cannot be explained or taken back."""
        line = self._line(asked)
        if line is not None:
            line.say(words)

    def ask_about(self, asked: LineAsked, change: MemoryChange) -> None:
        """Say what else the change did that brought a line, before it is taken back."""
        line = self._line(asked)
        if line is not None:
            line.ask_about(change)

    def _line(self, asked: LineAsked) -> MemoryLine | None:
        card = self._cards.get(asked.block)
        return card.line(asked.line) if card else None

    def _add_card(self, block: BlockView) -> None:
        card, name = BlockCard(block), block.name
        card.save_requested.connect(lambda text: self.edit_requested.emit(name, text))
        card.history_requested.connect(lambda: self.history_requested.emit(name))
        card.why_requested.connect(lambda text: self.why_requested.emit(LineAsked(name, text)))
        card.undo_requested.connect(
            lambda text: self.line_undo_requested.emit(LineAsked(name, text))
        )
        card.change_undo_requested.connect(self.undo_requested)
        card.cause_requested.connect(self.cause_requested)
        self._cards[block.name] = card
        self._blocks.insertWidget(self._blocks.indexOf(self.block_form), card)

    def _blocks_content(self) -> QWidget:
        content = QWidget()
        content.setProperty("role", "content")
        content.setLayout(self._blocks)
        self._blocks.setContentsMargins(16, 0, 16, 16)
        self._blocks.addStretch(1)
        return content


def _section(title: str, content: QWidget) -> QWidget:
    """A heading over a scrolling part."""
    section = QWidget()
    heading = QLabel(title)
    heading.setProperty("role", "heading")
    heading.setContentsMargins(16, 12, 16, 4)
    scroll = QScrollArea()
    scroll.setWidgetResizable(True)
    scroll.setFrameShape(QFrame.Shape.NoFrame)
    scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    scroll.setAccessibleName(title)
    scroll.setWidget(content)
    column = QVBoxLayout(section)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(4)
    column.addWidget(heading)
    column.addWidget(scroll, 1)
    return section
