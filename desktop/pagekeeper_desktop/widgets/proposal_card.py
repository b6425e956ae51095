"""What idle work proposes: what would change, why, which messages say so, Accept and Dismiss."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from pagekeeper_core.messages import Message
from pagekeeper_core.records import Proposal, TargetKind
from pagekeeper_desktop.view_models.call_phrases import block_title
from pagekeeper_desktop.view_models.formatting import one_line
from pagekeeper_desktop.view_models.memory_words import cause_words, moment

__all__ = ["ProposalCard"]

LONGEST_QUOTE = 200


class ProposalCard(QFrame):
    """One proposal.

    Signals:
        decided (bool): The person accepts it, or dismisses it.
        cause_requested (int): Show the message of this number.
    """

    decided = Signal(bool)
    cause_requested = Signal(int)

    def __init__(self, proposal: Proposal, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        is_block = proposal.target.kind is TargetKind.BLOCK
        where = block_title(proposal.target.name) if is_block else "A note"
        self._sources = QVBoxLayout()
        self._sources.setSpacing(2)
        self.note = _words("", "danger", self)
        self.accept = QPushButton("Accept", self)
        self.accept.setProperty("role", "primary")
        self.dismiss = QPushButton("Dismiss", self)
        gist = one_line(proposal.after or proposal.before, 60)
        self.accept.setAccessibleName(f"Accept “{gist}”")
        self.dismiss.setAccessibleName(f"Dismiss “{gist}”")
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.dismiss)
        buttons.addWidget(self.accept)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 12)
        column.setSpacing(6)
        column.addWidget(_words(where, "heading", self))
        if proposal.before:
            column.addWidget(_words(f"− {proposal.before}", "muted", self))
        if proposal.after:
            column.addWidget(_words(f"+ {proposal.after}", "", self))
        column.addWidget(_words(proposal.reason, "muted", self))
        column.addLayout(self._sources)
        column.addWidget(self.note)
        column.addLayout(buttons)
        self.note.hide()
        self.setAccessibleName(f"Proposal, {where}: {gist}. {proposal.reason}")
        self.accept.clicked.connect(lambda: self._decide(accepted=True))
        self.dismiss.clicked.connect(lambda: self._decide(accepted=False))

    def show_sources(self, messages: Sequence[Message]) -> None:
        """Show the messages that say so, once they are read."""
        if self._sources.count():
            return
        for message in messages:
            seq = message.seq
            quote = one_line(cause_words(message), LONGEST_QUOTE)
            self._sources.addWidget(_words(quote, "muted", self))
            show = QPushButton(f"Show it: {moment(message.created_at)}", self)
            show.setProperty("role", "link")
            show.clicked.connect(lambda _=False, seq=seq: self.cause_requested.emit(seq))
            self._sources.addWidget(show, 0, Qt.AlignmentFlag.AlignLeft)

    def refuse(self, words: str) -> None:
        """Say why the decision was not carried out."""
        self._enable(enabled=True)
        self.note.setText(words)
        self.note.show()

    def _decide(self, *, accepted: bool) -> None:
        self._enable(enabled=False)
        self.decided.emit(accepted)

    def _enable(self, *, enabled: bool) -> None:
        for button in (self.accept, self.dismiss):
            button.setEnabled(enabled)


def _words(text: str, role: str, parent: QWidget) -> QLabel:
    label = QLabel(text, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    if role:
        label.setProperty("role", role)
    return label
