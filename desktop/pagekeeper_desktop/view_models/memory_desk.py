"""What a session shows of memory beside the talk: read from the stores, told by the agent."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.events import Event
from pagekeeper_core.updates import (
    MemoryChanged,
    MessageAdmitted,
    ProposalsChanged,
    RemindersChanged,
    ReplyFinished,
    ThreadsChanged,
    Update,
)
from pagekeeper_desktop.agent_worker import MemoryOpened
from pagekeeper_desktop.memory_reader import MemoryReader
from pagekeeper_desktop.view_models.activity_model import ActivityModel
from pagekeeper_desktop.view_models.archive_desk import ArchiveDesk
from pagekeeper_desktop.view_models.conversation_list import ConversationList
from pagekeeper_desktop.view_models.conversation_search import ConversationSearch
from pagekeeper_desktop.view_models.explanations import Explanations
from pagekeeper_desktop.view_models.history import History
from pagekeeper_desktop.view_models.proposal_list import ProposalList
from pagekeeper_desktop.view_models.reminder_list import ReminderList
from pagekeeper_desktop.view_models.transcript_model import TranscriptModel

__all__ = ["MemoryDesk"]


class MemoryDesk(QObject):
    """Everything that is read on the reader's thread.

    Attributes:
        conversations: Which there are, and which one is shown.
        search: Across all of them.
        history: What was said before in the one that is shown.
        reminders: What is to be brought up when.
        proposals: What idle work proposes.
        explanations: Why memory holds what it holds.
        archive: Documents and notes.

    Signals:
        unreadable (PagekeeperError): The person must hear that something could not be read.
        ended: After `close`: nothing is being read any more.
    """

    unreadable = Signal(object)
    ended = Signal()

    def __init__(
        self,
        transcript: TranscriptModel,
        activity: ActivityModel,
        post: Callable[[Event], None],
        is_free: Callable[[], bool],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._transcript = transcript
        self._activity = activity
        self._reader = MemoryReader(self)
        self.history = History(transcript, self._reader, self)
        self.search = ConversationSearch(self._reader, self)
        self.conversations = ConversationList(post, is_free, self._reader, self)
        self.reminders = ReminderList(post, self._reader, self)
        self.proposals = ProposalList(post, self._reader, self)
        self.explanations = Explanations(post, self._reader, self)
        self._reader.unreadable.connect(self.unreadable)
        self.archive = ArchiveDesk(self)
        self._reader.ended.connect(self.archive.close)
        self.archive.ended.connect(self.ended)
        self.conversations.jumped.connect(self.history.jump)
        self.conversations.numbered.connect(self.history.adopt)

    def use(self, opened: MemoryOpened) -> None:
        """Show what the stores hold."""
        memory = opened.memory
        self.history.use(memory.recall)
        self.search.use(memory.recall)
        self.conversations.use(memory.threads, memory.recall, opened.threads)
        self.reminders.use(memory.reminders)
        self.proposals.use(memory.proposals, memory.recall)
        self.explanations.use(memory.provenance)
        self.archive.use(memory)
        self.history.start(self.conversations.shown, opened.history)

    def told(self, update: Update) -> None:
        """Follow what the agent does."""
        match update:
            case ThreadsChanged():
                self.conversations.told(update)
            case RemindersChanged(reminders):
                self.reminders.told(reminders)
            case ProposalsChanged(proposals):
                self.proposals.told(proposals)
            case MemoryChanged(change):
                self._activity.memory_changed(change)
                self.explanations.changed(change)
            case MessageAdmitted(message) | ReplyFinished(message):
                self.conversations.said(message)
            case _:
                pass

    def renew_days(self) -> None:
        """The day has turned: what is called "Today" is to be called otherwise."""
        self._transcript.renew_days()
        self.conversations.changed.emit()
        self.reminders.changed.emit()

    def answered(self, event: Event) -> None:
        """The agent has carried out an event."""
        self.conversations.answered(event)

    def refused(self, event: Event, error: PagekeeperError) -> None:
        """The agent could not carry out an event."""
        self.conversations.refused(event)
        self.proposals.event_refused(event, error)

    def close(self) -> None:
        """Read nothing more; `ended` follows."""
        self._reader.close()
