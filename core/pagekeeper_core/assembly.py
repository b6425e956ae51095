"""Builds an agent over a model and stores: the same for the window, the terminal and the tests."""

import threading
from collections.abc import Callable, Sequence

from pagekeeper_core import prompts
from pagekeeper_core.agent import Agent
from pagekeeper_core.config import ContextBudget, MemoryPolicy
from pagekeeper_core.consolidation import Consolidation
from pagekeeper_core.conversations import Conversations
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
from pagekeeper_core.summarizer import Summarizer
from pagekeeper_core.token_estimate import TokenEstimate
from pagekeeper_core.user_actions import UserActions
from pagekeeper_core.visible_recall import VisibleRecall
from pagekeeper_core.word_left import WordLeft
from pagekeeper_core.worked_conversation import worked_conversation
from pagekeeper_core.working_context import Block, WorkingContext

__all__ = ["assemble_agent", "assemble_user_actions", "working_context_blocks"]

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


def assemble_agent(
    *,
    model: LanguageModel,
    recall: RecallStore,
    state: StateStore,
    archival: ArchivalStore,
    threads: ThreadStore,
    reminders: ReminderStore,
    proposals: ProposalStore,
    clock: Clock,
    archive_text: Callable[[str, threading.Event], None],
    policy: MemoryPolicy | None = None,
    idle_jobs: Sequence[IdleJob] = (),
) -> Agent:
    """An agent whose main context stands as the last run left it.

    Args:
        model: Writes the calls.
        recall: Every message.
        state: Working-context history and queue checkpoints.
        archival: Documents and notes.
        threads: The conversations.
        reminders: What is to be brought up when.
        proposals: What idle work found worth changing.
        clock: The time.
        archive_text: Puts a message that is too long for the window into the archive.
        policy: Thresholds; the paper's when left out.
        idle_jobs: Work for the time in which nobody waits, in this order, before consolidation.

    Raises:
        ContextWindowError: The model's window is too small for the instructions.
        StoreError: The stores cannot be read.
    """
    budget = ContextBudget.for_window(model.context_window)
    history = MemoryHistory(state, clock)
    blocks = WorkingContext(working_context_blocks(budget), history=history, counter=model)
    timed = Reminders(reminders, clock)
    visible = VisibleRecall(recall, history)
    notes = Notes(archival, history)
    functions = FunctionSet.of(
        MemoryFunctions(
            working_context=blocks,
            recall=visible,
            notes=notes,
            history=history,
            clock=clock,
            counter=model,
            result_tokens=budget.result,
        ),
        ReminderFunctions(timed),
    )
    context = MainContext(
        instructions=_instructions(functions, budget, model),
        working_context=blocks.render(),
        queue=MessageQueue(),
        budget=budget,
        policy=policy or MemoryPolicy(),
        counter=model,
    )
    context.check_window()
    blocks.room = context.room_for_blocks()
    queue_manager = QueueManager(
        context,
        working_context=blocks,
        summarizer=Summarizer(model, limit=budget.summary),
        recall=visible,
        state=state,
        history=history,
        clock=clock,
    )
    conversations = Conversations(threads, queue_manager, clock)
    conversations.restore()
    read_ahead = ReadAhead(
        context, working_context=blocks, recall=visible, counter=model, clock=clock
    )
    intake = Intake(
        context,
        queue_manager,
        read_ahead=read_ahead,
        recall=visible,
        counter=model,
        clock=clock,
        archive_text=archive_text,
        reminders=timed,
    )
    provenance = Provenance(
        state=state, recall=recall, archival=archival, history=history, fits=blocks.fits
    )
    consolidation = Consolidation(
        model=model,
        context=context,
        proposer=Proposer(
            working_context=blocks, history=history, proposals=proposals, clock=clock
        ),
        history=history,
        recall=recall,
        proposals=proposals,
        clock=clock,
    )
    return Agent(
        model=model,
        context=context,
        queue_manager=queue_manager,
        working_context=blocks,
        history=history,
        intake=intake,
        user_actions=UserActions(
            working_context=blocks,
            history=history,
            provenance=provenance,
            proposals=proposals,
            notes=notes,
            notice=intake,
            clock=clock,
        ),
        conversations=conversations,
        reminders=timed,
        functions=functions,
        clock=clock,
        idle_jobs=(*idle_jobs, consolidation),
    )


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


def _instructions(
    functions: FunctionSet, budget: ContextBudget, counter: TokenCounter
) -> list[PromptMessage]:
    example = worked_conversation(int(budget.window * EXAMPLE_SHARE), counter)
    system = prompts.system_instructions(functions.prompt_text(), example_follows=bool(example))
    return [PromptMessage(PromptRole.SYSTEM, system), *example]
