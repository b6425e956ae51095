"""What idle work proposes for memory, with the messages that say so."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.events import Event, ProposalDecided
from pagekeeper_core.messages import Message
from pagekeeper_core.protocols import ProposalStore, RecallStore
from pagekeeper_core.records import Proposal
from pagekeeper_desktop.memory_reader import MemoryReader

__all__ = ["ProposalList"]


class ProposalList(QObject):
    """The proposals that wait for the person.

    Attributes:
        proposals: Oldest first.

    Signals:
        changed: There are others now, or more is known of their sources.
        refused (int, str): The decision about this one was not carried out, and why.
    """

    changed = Signal()
    refused = Signal(int, str)

    def __init__(
        self,
        post: Callable[[Event], None],
        reader: MemoryReader,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.proposals: tuple[Proposal, ...] = ()
        self._sources: dict[int, Message] = {}
        self._post = post
        self._reader = reader
        self._recall: RecallStore | None = None

    def use(self, store: ProposalStore, recall: RecallStore) -> None:
        """Show what this store holds; the sources are in that one."""
        self._recall = recall
        self._reader.ask(store.proposals, self.told, self._reader.unreadable.emit)

    def told(self, proposals: Sequence[Proposal]) -> None:
        """These wait for the person."""
        self.proposals = tuple(proposals)
        self.changed.emit()
        self._read_sources()

    def sources_of(self, proposal: Proposal) -> list[Message]:
        """The messages that say so, as far as they are read."""
        return [self._sources[seq] for seq in proposal.sources if seq in self._sources]

    def decide(self, proposal_id: int, *, accepted: bool) -> None:
        """Have a proposal carried out, or put away."""
        self._post(ProposalDecided(proposal_id, accepted))

    def event_refused(self, event: Event, error: PagekeeperError) -> None:
        """The agent could not carry out a decision."""
        if isinstance(event, ProposalDecided):
            self.refused.emit(event.proposal_id, error.with_hint)

    def _read_sources(self) -> None:
        recall = self._recall
        wanted = {seq for proposal in self.proposals for seq in proposal.sources}
        missing = sorted(wanted - self._sources.keys())
        if recall is not None and missing:
            self._reader.ask(
                lambda: _read(recall, missing), self._take_sources, self._reader.unreadable.emit
            )

    def _take_sources(self, messages: list[Message]) -> None:
        self._sources |= {message.seq: message for message in messages}
        if messages:
            self.changed.emit()


def _read(recall: RecallStore, numbers: Sequence[int]) -> list[Message]:
    return [message for seq in numbers for message in recall.read(seq, seq)]
