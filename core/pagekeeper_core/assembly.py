"""Builds an agent over a model and stores: the same for the window, the terminal and the tests."""

import threading
from collections.abc import Callable

from pagekeeper_core import prompts
from pagekeeper_core.agent import Agent
from pagekeeper_core.config import ContextBudget, MemoryPolicy
from pagekeeper_core.functions import FunctionSet, MemoryFunctions
from pagekeeper_core.main_context import MainContext
from pagekeeper_core.message_queue import MessageQueue
from pagekeeper_core.protocols import ArchivalStore, Clock, LanguageModel, RecallStore, StateStore
from pagekeeper_core.queue_manager import QueueManager
from pagekeeper_core.read_ahead import ReadAhead
from pagekeeper_core.summarizer import Summarizer
from pagekeeper_core.working_context import Block, WorkingContext

__all__ = ["assemble_agent", "working_context_blocks"]

EXAMPLE_SHARE = 0.2
"""Largest share of the window that the worked conversation may take."""


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
    clock: Clock,
    archive_text: Callable[[str, threading.Event], None],
    policy: MemoryPolicy | None = None,
) -> Agent:
    """An agent whose main context stands as the last run left it.

    Args:
        model: Writes the calls.
        recall: Every message.
        state: Working-context history and queue checkpoints.
        archival: Documents and notes.
        clock: The time.
        archive_text: Puts a message that is too long for the window into the archive.
        policy: Thresholds; the paper's when left out.

    Raises:
        ContextWindowError: The model's window is too small for the instructions.
        StoreError: The stores cannot be read.
    """
    budget = ContextBudget.for_window(model.context_window)
    working_context = WorkingContext(
        working_context_blocks(budget), store=state, counter=model, clock=clock
    )
    functions = FunctionSet.of(
        MemoryFunctions(
            working_context=working_context,
            recall=recall,
            archival=archival,
            clock=clock,
            counter=model,
            result_tokens=budget.result,
        )
    )
    context = MainContext(
        instructions=prompts.instructions(
            functions.prompt_text(),
            limit=int(budget.window * EXAMPLE_SHARE),
            counter=model,
        ),
        working_context=working_context.render(),
        queue=MessageQueue(),
        budget=budget,
        policy=policy or MemoryPolicy(),
        counter=model,
    )
    context.check_window()
    queue_manager = QueueManager(
        context,
        working_context=working_context,
        summarizer=Summarizer(model, limit=budget.summary),
        recall=recall,
        state=state,
        clock=clock,
    )
    queue_manager.restore()
    read_ahead = ReadAhead(
        context, working_context=working_context, recall=recall, counter=model, clock=clock
    )
    return Agent(
        model=model,
        context=context,
        queue_manager=queue_manager,
        working_context=working_context,
        read_ahead=read_ahead,
        functions=functions,
        recall=recall,
        clock=clock,
        archive_text=archive_text,
    )
