"""The proposals above the blocks: there only when something is proposed."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from pagekeeper_desktop.view_models.proposal_list import ProposalList
from pagekeeper_desktop.widgets.proposal_card import ProposalCard

__all__ = ["ProposalSection"]


class ProposalSection(QWidget):
    """A card a proposal; cards that stay keep their buttons' state.

    Signals:
        cause_requested (int): Show the message of this number.
    """

    cause_requested = Signal(int)

    def __init__(self, proposals: ProposalList, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._proposals = proposals
        self.cards: dict[int, ProposalCard] = {}
        title = QLabel("Proposed for memory", self)
        title.setProperty("role", "muted")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self._column.addWidget(title)
        proposals.changed.connect(self._show)
        proposals.refused.connect(self._refused)
        self._show()

    def _show(self) -> None:
        listed = {proposal.proposal_id: proposal for proposal in self._proposals.proposals}
        for number in self.cards.keys() - listed.keys():
            card = self.cards.pop(number)
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        for number, proposal in listed.items():
            if number not in self.cards:
                self.cards[number] = self._new_card(number)
            self.cards[number].show_sources(self._proposals.sources_of(proposal))
        self.setVisible(bool(self.cards))

    def _new_card(self, number: int) -> ProposalCard:
        listed = (p for p in self._proposals.proposals if p.proposal_id == number)
        card = ProposalCard(next(listed), self)
        card.decided.connect(lambda accepted: self._proposals.decide(number, accepted=accepted))
        card.cause_requested.connect(self.cause_requested)
        self._column.addWidget(card)
        return card

    def _refused(self, number: int, words: str) -> None:
        if number in self.cards:
            self.cards[number].refuse(words)
