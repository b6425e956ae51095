"""Nested key-value retrieval: 140 pairs of UUIDs, some of whose values are keys (paper, 3.2.2).

Data: kv_140_pairs.jsonl.gz of Liu and others, "Lost in the Middle" (2023),
github.com/nelson-liu/lost-in-the-middle, kv_retrieval_data/. In each ordering five pairs are made
into one chain; a question of h hops begins h links before its end.
"""

import gzip
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from evals.desk import Desk, Stores
from evals.filling import write_block
from evals.trials import Outcome, Published, Trial
from pagekeeper_core.records import DocumentRecord, Passage

__all__ = ["NestedKeyValue"]

HOPS = 4
"""The longest chain that is asked for."""

PERSONA = """\
I look up keys in the user's document 'pairs' with archival_memory_search, one key a search. Each \
line says key: value. A value may itself be a key: then I search for that value next, with a \
heartbeat, and go on until no line begins with the value. That last value is my reply."""

BASELINE = """\
Each line says key: value. A value may itself be a key: then look up that key next, and go on \
until the value is no key. Give that last value."""

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class NestedKeyValue:
    """Asks for the end of chains of 0 to 4 hops; baseline: all pairs in the window."""

    name = "nested-kv"
    window = 12288
    rows = 30
    main_score = "right"
    published: Published = MappingProxyType(
        {
            "MemGPT + GPT-4": {f"{hops} hops": 1.0 for hops in range(HOPS + 1)},
            "GPT-4 (falls to 0 by 3)": {"3 hops": 0.0, "4 hops": 0.0},
            "GPT-3.5 (0 from 1 on)": {f"{hops} hops": 0.0 for hops in range(1, HOPS + 1)},
        }
    )

    def trials(self, data: Path, rows: Sequence[int]) -> Iterator[Trial]:
        """The orderings of these rows, each asked at every number of hops, memory first."""
        records = _records(data)
        for row in rows:
            if row >= len(records):
                return
            pairs, chain = nested(records[row], row)
            for way in ("memory", "all pairs"):
                for hops in range(HOPS + 1):
                    question = f"What is the value of {chain[HOPS - hops]}?"
                    yield Trial(row, way, f"{hops} hops", question, (chain[-1],), pairs)

    def attempt(self, trial: Trial, desk: Desk) -> Outcome:
        """Right if the last UUID of the reply is the last value."""
        lines = [f"{key}: {value}" for key, value in trial.source]
        if trial.way == "all pairs":
            answer = desk.answer(BASELINE, "\n".join(lines), trial.question, bound=80)
            return Outcome(answer, {"right": float(_last_uuid(answer) == trial.accept[0])})
        with desk.borrow(f"pairs {trial.row}", lambda stores: _fill(stores, lines)) as stores:
            policy = replace(desk.settings.policy, max_steps=HOPS + 4)
            asked = desk.ask(desk.agent(stores, policy), trial.question)
        scores = {
            "right": float(_last_uuid(asked.answer) == trial.accept[0]),
            "last value read": float(trial.accept[0] in asked.results()),
        }
        return Outcome(asked.answer, scores, asked.calls, asked.note)

    def aim(self, way: str, group: str, score: str) -> float | None:
        """95% at every level."""
        return 0.95 if way == "memory" and score == "right" else None


def nested(record: Sequence[tuple[str, str]], seed: int) -> tuple[list[tuple[str, str]], list[str]]:
    """The pairs with a chain of `HOPS` links among them; the chain's keys, then its last value."""
    picked = random.Random(seed).sample(range(len(record)), HOPS + 1)
    keys = [record[place][0] for place in picked]
    chain = [*keys, record[picked[-1]][1]]
    values = dict(zip(keys, chain[1:], strict=True))
    return [(key, values.get(key, value)) for key, value in record], chain


def _records(data: Path) -> list[list[tuple[str, str]]]:
    path = data / "nested_kv" / "kv_140_pairs.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [[(k, v) for k, v in json.loads(line)["ordered_kv_records"]] for line in file]


def _fill(stores: Stores, lines: Sequence[str]) -> None:
    passages = [Passage(line, f"line {number}") for number, line in enumerate(lines, 1)]
    stores.archival.add_document(DocumentRecord("pairs", "text", "pairs"), passages)
    write_block(stores, "persona", PERSONA)


def _last_uuid(text: str) -> str:
    found = UUID.findall(text.casefold())
    return found[-1] if found else ""
