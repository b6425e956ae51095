"""An agent over test doubles, and what it said, in one handle."""

import threading
from dataclasses import dataclass, field

from helpers.fixed_clock import FixedClock
from helpers.memory_stores import (
    HashEmbedder,
    MemoryArchivalStore,
    MemoryDocumentNews,
    MemoryProposalStore,
    MemoryRecallStore,
    MemoryReminderStore,
    MemoryStateStore,
    MemorySummaryStore,
    MemoryThreadStore,
)
from helpers.scripted_model import ScriptedModel
from pagekeeper_core.agent import Agent
from pagekeeper_core.assembly import AgentStores, assemble_agent
from pagekeeper_core.config import MemoryPolicy
from pagekeeper_core.events import Event, UserMessage
from pagekeeper_core.messages import FunctionCall, Message, MessageKind
from pagekeeper_core.updates import MessageAdmitted, ReplyFinished, Update


@dataclass
class AgentRig:
    """An agent over `recall`, `state` and `archival`; `restart` builds it anew over them."""

    model: ScriptedModel = field(default_factory=ScriptedModel)
    policy: MemoryPolicy = field(default_factory=MemoryPolicy)
    clock: FixedClock = field(default_factory=FixedClock)
    recall: MemoryRecallStore = field(default_factory=MemoryRecallStore)
    state: MemoryStateStore = field(default_factory=MemoryStateStore)
    archived: list[str] = field(default_factory=list)
    cancel: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.archival = MemoryArchivalStore(HashEmbedder())
        self.threads = MemoryThreadStore(self.recall)
        self.reminders = MemoryReminderStore()
        self.proposals = MemoryProposalStore()
        self.summaries = MemorySummaryStore()
        self.news = MemoryDocumentNews()
        self.is_reading = False
        self.agent = self._assemble()

    def _assemble(self) -> Agent:
        return assemble_agent(
            model=self.model,
            stores=AgentStores(
                recall=self.recall,
                state=self.state,
                archival=self.archival,
                threads=self.threads,
                reminders=self.reminders,
                proposals=self.proposals,
                summaries=self.summaries,
                news=self.news,
            ),
            clock=self.clock,
            archive_text=lambda text, cancel: self.archived.append(text),
            is_reading=lambda: self.is_reading,
            policy=self.policy,
        )

    def restart(self) -> None:
        self.agent = self._assemble()

    def handle(self, event: Event) -> list[Update]:
        return list(self.agent.handle(event, self.cancel))

    def say(self, text: str) -> list[Update]:
        return self.handle(UserMessage(text))

    def idle(self) -> list[Update]:
        return list(self.agent.idle(self.cancel))


def said(rig: AgentRig) -> list[str]:
    """What user and assistant said to each other, as recall has it."""
    kinds = {MessageKind.USER, MessageKind.ASSISTANT}
    return [m.text for m in rig.recall.read(1) if m.kind in kinds and m.text]


def replies(updates: list[Update]) -> list[str]:
    return [u.message.text for u in updates if isinstance(u, ReplyFinished)]


def admitted(updates: list[Update]) -> list[Message]:
    return [u.message for u in updates if isinstance(u, MessageAdmitted)]


def reply(text: str = "Fine.") -> FunctionCall:
    return FunctionCall("send_message", {"message": text}, "I answer.")


def append(text: str, *, heartbeat: bool = True) -> FunctionCall:
    return FunctionCall(
        "core_memory_append",
        {"block": "human", "text": text},
        "I save it.",
        request_heartbeat=heartbeat,
    )


def search(*queries: str, heartbeat: bool = True) -> FunctionCall:
    return FunctionCall(
        "conversation_search", {"queries": list(queries)}, "I look.", request_heartbeat=heartbeat
    )
