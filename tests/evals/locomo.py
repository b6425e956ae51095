"""LoCoMo: whether the turns that hold an answer are found in long conversations; F1 of answers.

Data: locomo/locomo_first5.json, the first five of locomo10.json (Maharana and others, 2024),
github.com/snap-research/locomo. Categories 1 multi-hop, 2 temporal, 3 open, 4 single-hop; the
adversarial ones (5) have no evidence to find. Ways with "answers" ask the agent, minutes each: only
where they are named.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from evals.desk import Desk, Stores
from evals.filling import Said, say
from evals.scoring import f1, recall_at
from evals.trials import Outcome, Published, Trial
from pagekeeper_core.messages import MessageKind
from pagekeeper_core.records import Retrieval

__all__ = ["LongConversations"]

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop"}

SEARCHES = {f"search by {way}": way for way in Retrieval}


class LongConversations:
    """Searches recall for the evidence of each question."""

    name = "locomo"
    window = 8192
    rows = 10_000
    main_score = "R@5"
    published: Published = MappingProxyType(
        {
            "BM25": {"all": 0.53},
            "vectors": {"all": 0.41},
            "plain reciprocal rank fusion": {"all": 0.50},
        }
    )

    def trials(self, data: Path, rows: Sequence[int]) -> Iterator[Trial]:
        """The questions of these rows, dialogue by dialogue, one way of searching after another."""
        wanted, row = set(rows), 0
        for sample in json.loads((data / "locomo" / "locomo_first5.json").read_text("utf-8")):
            numbers = _numbers(sample["conversation"])
            found: list[tuple[int, Mapping[str, Any], frozenset[int]]] = []
            for asked in sample["qa"]:
                evidence = _evidence(asked["evidence"], numbers)
                if asked["category"] in CATEGORIES and evidence:
                    found.append((row, asked, evidence))
                    row += 1
            for way in (*SEARCHES, "memory"):
                for place, asked, evidence in found:
                    if place in wanted:
                        yield _trial(place, way, asked, (sample, evidence))

    def attempt(self, trial: Trial, desk: Desk) -> Outcome:
        """Search, or ask the agent."""
        sample, evidence = trial.source
        name = sample["sample_id"]

        def fill(stores: Stores) -> None:
            say(stores, _sessions(sample["conversation"]))

        if trial.way in SEARCHES:
            stores = desk.look(name, fill, SEARCHES[trial.way])
            hits = stores.recall.search([trial.question], page_size=10).hits
            seqs = [hit.message.seq for hit in hits]
            return Outcome(
                "", {f"R@{depth}": recall_at(seqs, evidence, depth) for depth in (5, 10)}
            )
        with desk.borrow(name, fill) as stores:
            agent = desk.agent(stores)
            desk.open_new_conversation(agent)
            asked = desk.ask(agent, trial.question)
        return Outcome(asked.answer, {"F1": f1(asked.answer, trial.accept[0])}, asked.calls)

    def aim(self, way: str, group: str, score: str) -> float | None:
        """Over all categories."""
        aims = {"R@5": 0.65, "R@10": 0.75}
        return aims.get(score) if (way, group) == ("search by hybrid", "all") else None


def _trial(row: int, way: str, asked: Mapping[str, Any], source: object) -> Trial:
    answer = (str(asked["answer"]),)
    return Trial(row, way, CATEGORIES[asked["category"]], asked["question"], answer, source)


def _turns(talk: Mapping[str, Any]) -> list[list[Mapping[str, Any]]]:
    names = [name for name in talk if re.fullmatch(r"session_\d+", name)]
    return [talk[name] for name in sorted(names, key=lambda name: int(name.rpartition("_")[2]))]


def _sessions(talk: Mapping[str, Any]) -> list[list[Said]]:
    kinds = {talk["speaker_a"]: MessageKind.USER, talk["speaker_b"]: MessageKind.ASSISTANT}
    return [[(kinds[t["speaker"]], t["text"].strip()) for t in turns] for turns in _turns(talk)]


def _numbers(talk: Mapping[str, Any]) -> dict[str, int]:
    turns = [turn for session in _turns(talk) for turn in session]
    return {turn["dia_id"]: number for number, turn in enumerate(turns, 1)}


def _evidence(named: Sequence[str], numbers: Mapping[str, int]) -> frozenset[int]:
    identifiers = " ".join(named).replace(";", " ").split()
    return frozenset(numbers[name] for name in identifiers if name in numbers)
