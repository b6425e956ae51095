"""Core memory: facts that stand in working context are read, and corrected (Letta's evaluations).

Data: core_memory/read.jsonl and update.jsonl of letta-evals, Apache-2.0,
github.com/letta-ai/letta-evals. Read: the question is asked. Update: a fact that contradicts one of
them is told first; the question is asked in a new conversation, where it is no longer in the
window. Score: the answer, normalised, in the reply; and whether it was written.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from evals.desk import Asked, Desk, Stores
from evals.dialogues import read_lines
from evals.filling import write_block
from evals.scoring import contains_answer
from evals.trials import Outcome, Published, Trial

__all__ = ["CoreMemory"]

BLOCK = "human"

BASELINE = "Answer the question from the facts, as shortly as you can."


class CoreMemory:
    """Asks for facts in the block, as they were and corrected."""

    name = "core-memory"
    window = 8192
    rows = 150
    main_score = "right"
    published: Published = MappingProxyType(
        {
            "Llama-3.1-8B": {"read": 0.057, "update": 0.013},
            "Llama-3.3-70B": {"read": 0.97, "update": 0.44},
            "GPT-4o-mini": {"read": 0.997, "update": 0.707},
            "Claude Sonnet 4": {"read": 1.0, "update": 0.837},
        }
    )

    def trials(self, data: Path, rows: Sequence[int]) -> Iterator[Trial]:
        """Row by row: read, update, and the bare model with the facts in its window."""
        folder = data / "core_memory"
        files = {group: read_lines(folder / f"{group}.jsonl") for group in ("read", "update")}
        for row in rows:
            for way in ("memory", "facts in the window"):
                for group, lines in files.items():
                    if row < len(lines):
                        yield _trial(row, way, group, lines[row])

    def attempt(self, trial: Trial, desk: Desk) -> Outcome:
        """Ask about the facts; for an update tell the new one first."""
        facts: list[str] = trial.source["facts"]
        told = trial.source["contradicting_fact"].strip('"') if trial.group == "update" else ""
        if trial.way != "memory":
            text = "\n".join([*facts, *([f"Newer: {told}"] if told else [])])
            answer = desk.answer(BASELINE, text, trial.question, bound=160)
            return Outcome(answer, {"right": float(contains_answer(answer, trial.accept))})
        # The block differs from question to question only as the facts do.
        with desk.borrow("\n".join(facts), lambda stores: _fill(stores, facts)) as stores:
            return self._with_memory(trial, told, stores, desk)

    def aim(self, way: str, group: str, score: str) -> float | None:
        """95% read, 75% updated."""
        aims = {"read": 0.95, "update": 0.75}
        return aims.get(group) if (way, score) == ("memory", "right") else None

    def _with_memory(self, trial: Trial, told: str, stores: Stores, desk: Desk) -> Outcome:
        agent, first, scores = desk.agent(stores), Asked(""), {}
        if told:
            first = desk.ask(agent, told)
            block = "\n".join(b.text for b in agent.working_context.blocks if b.name == BLOCK)
            changed = "\n".join(
                line for line in block.splitlines() if line not in trial.source["facts"]
            )
            scores["written"] = float(contains_answer(changed, trial.accept))
            desk.open_new_conversation(agent)
        asked = desk.ask(agent, trial.question)
        scores["right"] = float(contains_answer(asked.answer, trial.accept))
        return Outcome(asked.answer, scores, (*first.calls, *asked.calls), first.note or asked.note)


def _trial(row: int, way: str, group: str, fields: dict[str, Any]) -> Trial:
    source = fields["agent_args"]["extra"]
    return Trial(row, way, group, fields["input"], (fields["ground_truth"],), source)


def _fill(stores: Stores, facts: Sequence[str]) -> None:
    write_block(stores, BLOCK, "\n".join(facts))
