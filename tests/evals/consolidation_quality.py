"""What consolidation proposes after conversations with a real model, set against a reader's.

    .venv/bin/python tests/evals/consolidation_quality.py [--model NAME] [--only loose]

Prints every proposal with what it is: right (a reader would make it too), or unlooked for, which
a person must judge as wrong or junk; then what was missed. Writes build/consolidation_quality.json.
The prompt in front is short (no functions, no worked conversation), which changes the time only.
"""

import argparse
import json
import sys
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from helpers.consolidation_conversations import CONVERSATIONS, Conversation, Wanted
from helpers.fixed_clock import FixedClock
from helpers.generation import finish, model_path
from helpers.memory_stores import MemoryProposalStore, MemoryRecallStore, MemoryStateStore
from pagekeeper_core import prompts
from pagekeeper_core.assembly import working_context_blocks
from pagekeeper_core.config import ContextBudget, MemoryPolicy
from pagekeeper_core.consolidation import MOST_WAITING, Consolidation
from pagekeeper_core.main_context import MainContext
from pagekeeper_core.memory_history import MemoryHistory
from pagekeeper_core.message_queue import MessageQueue
from pagekeeper_core.messages import Message, MessageKind, PromptMessage, PromptRole
from pagekeeper_core.proposing import Proposer
from pagekeeper_core.protocols import LanguageModel
from pagekeeper_core.records import Proposal
from pagekeeper_core.working_context import WorkingContext
from pagekeeper_models.llama_runtime import LlamaRuntime

RESULT = Path("build/consolidation_quality.json")
WINDOW = 4096
SAME_FOR_ALL = "<human>\n(nothing yet)\n</human>"
"""What the prompt shows as the block, so that its evaluation serves all conversations."""


@dataclass
class Tally:
    """What became of one conversation."""

    name: str
    right: list[str] = field(default_factory=list)
    unlooked_for: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    seconds: float = 0.0
    evaluated_after: int = 0


class Desk:
    """A consolidation over stores in memory and a real model."""

    def __init__(self, model: LanguageModel, conversation: Conversation) -> None:
        self.model = model
        self.clock = FixedClock()
        self.recall = MemoryRecallStore()
        self.proposals = MemoryProposalStore()
        history = MemoryHistory(MemoryStateStore(), self.clock)
        budget = ContextBudget.for_window(WINDOW)
        blocks = WorkingContext(working_context_blocks(budget), history=history, counter=model)
        blocks.rewrite("human", "\n".join(conversation.block), actor="assistant")
        self.clock.advance(days=90)
        for text in conversation.said:
            message = Message(MessageKind.USER, text, text, self.clock.now())
            self.recall.append(message)
            self.clock.advance(hours=5)
        instructions = prompts.system_instructions("", example_follows=False)
        self.context = MainContext(
            instructions=[PromptMessage(PromptRole.SYSTEM, instructions)],
            working_context=SAME_FOR_ALL,
            queue=MessageQueue(),
            budget=budget,
            policy=MemoryPolicy(),
            counter=model,
        )
        self.job = Consolidation(
            model=model,
            context=self.context,
            proposer=Proposer(
                working_context=blocks, history=history, proposals=self.proposals, clock=self.clock
            ),
            history=history,
            recall=self.recall,
            proposals=self.proposals,
            clock=self.clock,
        )


def run(model: LanguageModel, conversation: Conversation) -> Tally:
    desk = Desk(model, conversation)
    never = threading.Event()
    finish(model.evaluate(desk.context.prompt(), cancel=never))
    start = time.perf_counter()
    while desk.proposals.read_until() < len(conversation.said):
        for _ in desk.job.work(never):
            pass
        if len(desk.proposals.proposals()) >= MOST_WAITING:
            break
    tally = _judged(conversation, desk.proposals.proposals())
    tally.seconds = time.perf_counter() - start
    tally.evaluated_after = finish(
        model.evaluate(desk.context.prompt(), cancel=never)
    ).usage.evaluated_tokens
    return tally


def _judged(conversation: Conversation, proposals: Iterable[Proposal]) -> Tally:
    tally = Tally(conversation.name)
    open_wishes = list(conversation.wanted)
    for proposal in proposals:
        line = f"{proposal.before or '+'} -> {proposal.after or '(out)'}"
        wish = next((w for w in open_wishes if _meets(proposal, w)), None)
        if wish is None:
            tally.unlooked_for.append(f"{line}   [{proposal.reason}]")
        else:
            open_wishes.remove(wish)
            tally.right.append(line)
    tally.missed = [f"{w.before or '+'} -> {' '.join(w.words) or '(out)'}" for w in open_wishes]
    return tally


def _meets(proposal: Proposal, wanted: Wanted) -> bool:
    told = all(any(word in proposal.after for word in w.split("|")) for w in wanted.words)
    return (
        told
        and bool(wanted.words) == bool(proposal.after)
        and (proposal.before in wanted.before.split("|"))
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="qwen2.5-coder-1.5b")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    model = LlamaRuntime.load(model_path(arguments.model), context_window=WINDOW)
    chosen = [c for c in CONVERSATIONS if arguments.only in c.name]
    figures: list[dict[str, Any]] = []
    for conversation in chosen:
        tally = run(model, conversation)
        _show(tally)
        figures.append({"model": arguments.model, **vars(tally)})
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(figures, ensure_ascii=False, indent=1))


def _show(tally: Tally) -> None:
    print(
        f"== {tally.name}: {len(tally.right)} right, {len(tally.unlooked_for)} unlooked for, "
        f"{len(tally.missed)} missed; {tally.seconds:.0f} s; "
        f"{tally.evaluated_after} tokens to evaluate before the next reply"
    )
    for label, lines in (
        ("right", tally.right),
        ("unlooked for", tally.unlooked_for),
        ("missed", tally.missed),
    ):
        for line in lines:
            print(f"  {label:12} {line}", flush=True)


if __name__ == "__main__":
    main()
