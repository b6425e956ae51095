"""Builds an agent over a model and stores: the same for the window, the terminal and the tests."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pagekeeper_core import prompts
from pagekeeper_core.agent import Agent
from pagekeeper_core.config import ContextBudget, MemoryPolicy
from pagekeeper_core.consolidation import Consolidation
from pagekeeper_core.conversations import Conversations
from pagekeeper_core.document_news import DocumentNews, DocumentUpkeep
from pagekeeper_core.document_summaries import DocumentSummaries
from pagekeeper_core.document_talk import DocumentTalk
from pagekeeper_core.functions import FunctionSet
from pagekeeper_core.intake import Intake
from pagekeeper_core.main_context import MainContext
from pagekeeper_core.memory_functions import MemoryFunctions
from pagekeeper_core.memory_history import MemoryHistory
from pagekeeper_core.message_queue import MessageQueue
from pagekeeper_core.messages import PromptMessage, PromptRole
from pagekeeper_core.notes import Notes
from pagekeeper_core.proposing import Proposer
from pagekeeper_core.protocols import (
    ArchivalStore,
    Clock,
    DocumentNewsStore,
    DocumentSummaryStore,
    IdleJob,
    LanguageModel,
    ProposalStore,
    RecallStore,
    ReminderStore,
    StateStore,
    ThreadStore,
    TokenCounter,
)
from pagekeeper_core.provenance import Provenance
from pagekeeper_core.queue_manager import QueueManager
from pagekeeper_core.read_ahead import ReadAhead
from pagekeeper_core.reminder_functions import ReminderFunctions
from pagekeeper_core.schedule import Reminders
from pagekeeper_core.steps import Steps
from pagekeeper_core.summarizer import Summarizer
from pagekeeper_core.token_estimate import TokenEstimate
from pagekeeper_core.user_actions import Notice, UserActions
from pagekeeper_core.visible_recall import VisibleRecall
from pagekeeper_core.word_left import WordLeft
from pagekeeper_core.worked_conversation import worked_conversation
from pagekeeper_core.working_context import Block, WorkingContext

__all__ = [
    "AgentStores",
    "assemble_agent",
    "assemble_user_actions",
    "working_context_blocks",
]

EXAMPLE_SHARE = 0.2
"""Largest share of the window that the worked conversation may take."""

BLOCKS_SHARE = 0.25
"""Share of the usable window that all blocks may take, where the instructions are not counted."""


def working_context_blocks(budget: ContextBudget) -> tuple[Block, ...]:
    """The blocks that every agent starts with."""
    return (
        Block("persona", prompts.PERSONA_DESCRIPTION, budget.persona, prompts.PERSONA),
        Block("human", prompts.HUMAN_DESCRIPTION, budget.human),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStores:
    """Where an agent keeps what it knows.

    Attributes:
        recall: Every message.
        state: Working-context history and queue checkpoints.
        archival: Documents and notes.
        threads: The conversations.
        reminders: What is to be brought up when.
        proposals: What idle work found worth changing.
        summaries: Summaries of documents.
        news: Documents that the assistant has still to speak of.
    """

    recall: RecallStore
    state: StateStore
    archival: ArchivalStore
    threads: ThreadStore
    reminders: ReminderStore
    proposals: ProposalStore
    summaries: DocumentSummaryStore
    news: DocumentNewsStore


def assemble_agent(
    *,
    model: LanguageModel,
    stores: AgentStores,
    clock: Clock,
    archive_text: Callable[[str, threading.Event], None],
    is_reading: Callable[[], bool] = lambda: False,
    policy: MemoryPolicy | None = None,
    idle_jobs: Sequence[IdleJob] = (),
    last_idle_jobs: Sequence[IdleJob] = (),
) -> Agent:
    """An agent whose main context stands as the last run left it.

    Args:
        model: Writes the calls.
        stores: What it knows.
        clock: The time.
        archive_text: Puts a message that is too long for the window into the archive.
        is_reading: Whether files are being read or wait for it; called from any thread.
        policy: Thresholds; the paper's when left out.
        idle_jobs: Work for the time in which nobody waits, in this order, before consolidation.
        last_idle_jobs: Work for when all else is done.

    Raises:
        ContextWindowError: The model's window is too small for the instructions.
        StoreError: The stores cannot be read.
    """
    assembly = _Assembly(model, stores, clock, policy or MemoryPolicy())
    return assembly.agent(archive_text, is_reading, idle_jobs, last_idle_jobs)


def assemble_user_actions(
    *,
    context_window: int,
    recall: RecallStore,
    state: StateStore,
    archival: ArchivalStore,
    proposals: ProposalStore,
    clock: Clock,
    leave_word: Callable[[str], None],
) -> UserActions:
    """What the person does to memory by hand while no model is loaded.

    Tokens are estimated then. Nothing else may write to the stores meanwhile.

    Args:
        context_window: The window that the next start would use, in tokens.
        recall: Every message.
        state: The history of memory.
        archival: Documents and notes.
        proposals: What idle work found worth changing.
        clock: The time.
        leave_word: Puts a message for the model where the next start finds it.

    Raises:
        StoreError: The stores cannot be read.
    """
    budget, counter = ContextBudget.for_window(context_window), TokenEstimate()
    history = MemoryHistory(state, clock)
    blocks = WorkingContext(working_context_blocks(budget), history=history, counter=counter)
    blocks.room = int(budget.usable * BLOCKS_SHARE)
    return UserActions(
        working_context=blocks,
        history=history,
        provenance=Provenance(state=state, recall=recall, archival=archival, history=history),
        proposals=proposals,
        notes=Notes(archival, history),
        notice=WordLeft(leave_word, counter, budget.result),
        clock=clock,
    )


class _Assembly:
    """The parts that several others need, each made once; and the making of those others."""

    def __init__(
        self, model: LanguageModel, stores: AgentStores, clock: Clock, policy: MemoryPolicy
    ) -> None:
        self._model = model
        self._stores = stores
        self._clock = clock
        self._policy = policy
        self._budget = budget = ContextBudget.for_window(model.context_window)
        self._history = history = MemoryHistory(stores.state, clock)
        self._blocks = WorkingContext(
            working_context_blocks(budget), history=history, counter=model
        )
        self._reminders = Reminders(stores.reminders, clock)
        self._recall = VisibleRecall(stores.recall, history)
        self._notes = Notes(stores.archival, history)
        self._functions = self._function_set()
        self._context = MainContext(
            instructions=_instructions(self._functions, budget, policy, model),
            working_context=self._blocks.render(),
            queue=MessageQueue(),
            budget=budget,
            policy=policy,
            counter=model,
        )
        self._context.check_window()
        self._blocks.room = self._context.room_for_blocks()
        self._queue_manager = self._queue()

    def agent(
        self,
        archive_text: Callable[[str, threading.Event], None],
        is_reading: Callable[[], bool],
        idle_jobs: Sequence[IdleJob],
        last_idle_jobs: Sequence[IdleJob],
    ) -> Agent:
        """The agent, with its conversation restored."""
        conversations = Conversations(self._stores.threads, self._queue_manager, self._clock)
        conversations.restore()
        intake, steps = self._intake(archive_text), self._steps()
        return Agent(
            model=self._model,
            context=self._context,
            queue_manager=self._queue_manager,
            working_context=self._blocks,
            intake=intake,
            user_actions=self._user_actions(intake),
            conversations=conversations,
            reminders=self._reminders,
            documents=self._document_talk(intake, steps, is_reading),
            functions=self._functions,
            steps=steps,
            idle_jobs=(
                *idle_jobs,
                self._document_upkeep(),
                self._consolidation(),
                *last_idle_jobs,
            ),
        )

    def _function_set(self) -> FunctionSet:
        memory = MemoryFunctions(
            working_context=self._blocks,
            recall=self._recall,
            notes=self._notes,
            history=self._history,
            clock=self._clock,
            counter=self._model,
            result_tokens=self._budget.result,
            queries=self._policy.queries,
        )
        return FunctionSet.of(memory, ReminderFunctions(self._reminders))

    def _queue(self) -> QueueManager:
        return QueueManager(
            self._context,
            working_context=self._blocks,
            summarizer=Summarizer(self._model, limit=self._budget.summary),
            recall=self._recall,
            state=self._stores.state,
            history=self._history,
            clock=self._clock,
        )

    def _steps(self) -> Steps:
        return Steps(
            model=self._model,
            context=self._context,
            queue_manager=self._queue_manager,
            history=self._history,
            reminders=self._reminders,
            functions=self._functions,
            clock=self._clock,
        )

    def _intake(self, archive_text: Callable[[str, threading.Event], None]) -> Intake:
        read_ahead = ReadAhead(
            self._context,
            working_context=self._blocks,
            recall=self._recall,
            counter=self._model,
            clock=self._clock,
        )
        return Intake(
            self._context,
            self._queue_manager,
            read_ahead=read_ahead,
            recall=self._recall,
            counter=self._model,
            clock=self._clock,
            archive_text=archive_text,
            reminders=self._reminders,
            notes=self._notes,
        )

    def _document_talk(
        self, intake: Intake, steps: Steps, is_reading: Callable[[], bool]
    ) -> DocumentTalk:
        news = DocumentNews(
            model=self._model,
            context=self._context,
            archival=self._stores.archival,
            store=self._stores.news,
            clock=self._clock,
            is_reading=is_reading,
        )
        summaries = DocumentSummaries(
            model=self._model,
            context=self._context,
            archival=self._stores.archival,
            store=self._stores.summaries,
            history=self._history,
            clock=self._clock,
        )
        return DocumentTalk(
            news=news,
            summaries=summaries,
            archival=self._stores.archival,
            context=self._context,
            queue_manager=self._queue_manager,
            intake=intake,
            steps=steps,
        )

    def _document_upkeep(self) -> DocumentUpkeep:
        return DocumentUpkeep(
            archival=self._stores.archival,
            news=self._stores.news,
            summaries=self._stores.summaries,
            clock=self._clock,
            offers=self._context.policy.document_offers,
        )

    def _user_actions(self, notice: Notice) -> UserActions:
        provenance = Provenance(
            state=self._stores.state,
            recall=self._stores.recall,
            archival=self._stores.archival,
            history=self._history,
            fits=self._blocks.fits,
        )
        return UserActions(
            working_context=self._blocks,
            history=self._history,
            provenance=provenance,
            proposals=self._stores.proposals,
            notes=self._notes,
            notice=notice,
            clock=self._clock,
        )

    def _consolidation(self) -> Consolidation:
        proposer = Proposer(
            working_context=self._blocks,
            history=self._history,
            proposals=self._stores.proposals,
            clock=self._clock,
        )
        return Consolidation(
            model=self._model,
            context=self._context,
            proposer=proposer,
            history=self._history,
            recall=self._stores.recall,
            proposals=self._stores.proposals,
            clock=self._clock,
        )


def _instructions(
    functions: FunctionSet, budget: ContextBudget, policy: MemoryPolicy, counter: TokenCounter
) -> list[PromptMessage]:
    thinks = policy.thoughts > 0
    example = worked_conversation(int(budget.window * EXAMPLE_SHARE), counter, thoughts=thinks)
    system = prompts.system_instructions(
        functions.prompt_text(), example_follows=bool(example), thoughts=thinks
    )
    return [PromptMessage(PromptRole.SYSTEM, system), *example]
