"""Document question answering over 1,300 passages of Wikipedia (paper, 3.2.1).

Data: nq_open_oracle.jsonl.gz of Liu and others, "Lost in the Middle" (2023), from
NaturalQuestions-Open: each question with its gold passage. All gold passages are the archive.
Score: any gold answer, normalised, in the reply. Baseline: the first K passages that the archive's
search finds for the question, as many of them as fit the window. Memory pages through the archive
by itself and so does not depend on K: its one value stands beside every K.
"""

import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from evals.desk import Desk, Stores
from evals.filling import write_block
from evals.scoring import contains_answer
from evals.trials import Outcome, Published, Trial
from pagekeeper_core.records import DocumentRecord, Passage, Retrieval

__all__ = ["DocumentQuestions"]

DEPTHS = (1, 5, 10, 20, 50, 100)

PERSONA = """\
I answer questions from the user's encyclopedia, which lies in the archive: I search it with \
archival_memory_search first, read the lines, and give the answer in one short sentence."""

BASELINE = """\
Answer the question from the passages, as shortly as you can: a name, a date, a number."""

SEARCHES = {f"search by {way}": way for way in Retrieval}
TOP = {f"top {depth}": depth for depth in DEPTHS}


class DocumentQuestions:
    """Asks what one of the passages says."""

    name = "doc-qa"
    window = 8192
    rows = 50
    main_score = "right"
    published: Published = MappingProxyType({})

    def __init__(self) -> None:
        self._data: list[dict[str, Any]] = []

    def trials(self, data: Path, rows: Sequence[int]) -> Iterator[Trial]:
        """The questions of these rows: all ways of searching, then memory, then every K."""
        path = data / "nq" / "nq_open_oracle.jsonl.gz"
        with gzip.open(path, "rt", encoding="utf-8") as file:
            self._data = [json.loads(line) for line in file]
        for row in rows:
            if row >= len(self._data):
                return
            fields = self._data[row]
            for way in (*SEARCHES, "memory", *TOP):
                answers = tuple(fields["answers"])
                yield Trial(row, way, "questions", fields["question"], answers, fields)

    def attempt(self, trial: Trial, desk: Desk) -> Outcome:
        """Search, ask the agent, or ask the bare model about the first K."""
        if trial.way in SEARCHES:
            return self._search(trial, desk)
        if trial.way == "memory":
            return self._with_memory(trial, desk)
        stores = desk.look("passages", self._fill, desk.settings.retrieval)
        found = stores.archival.search([trial.question], page_size=TOP[trial.way]).hits
        text = "\n".join(f"{n}. {hit.passage.text}" for n, hit in enumerate(found, 1))
        answer = desk.answer(BASELINE, text, trial.question, bound=120)
        return Outcome(answer, {"right": float(contains_answer(answer, trial.accept))})

    def aim(self, way: str, group: str, score: str) -> float | None:
        """The gold passage among the first five in nine of ten."""
        return 0.9 if (way, score) == ("search by hybrid", "R@5") else None

    def _search(self, trial: Trial, desk: Desk) -> Outcome:
        stores = desk.look("passages", self._fill, SEARCHES[trial.way])
        found = stores.archival.search([trial.question], page_size=max(DEPTHS)).hits
        texts = [hit.passage.text for hit in found]
        gold = _text(trial.source)
        return Outcome("", {f"R@{depth}": float(gold in texts[:depth]) for depth in DEPTHS})

    def _with_memory(self, trial: Trial, desk: Desk) -> Outcome:
        with desk.borrow("passages", self._fill) as stores:
            asked = desk.ask(desk.agent(stores), trial.question)
        begins = " ".join(_text(trial.source).split())[:60]
        scores = {
            "right": float(contains_answer(asked.answer, trial.accept)),
            "evidence read": float(begins in " ".join(asked.results().split())),
        }
        return Outcome(asked.answer, scores, asked.calls, asked.note)

    def _fill(self, stores: Stores) -> None:
        """One document of all gold passages; two questions may share one."""
        texts = list(dict.fromkeys(_text(fields) for fields in self._data))
        passages = [Passage(text) for text in texts]
        stores.archival.add_document(DocumentRecord("Encyclopedia", "text", "nq"), passages)
        write_block(stores, "persona", PERSONA)


def _text(fields: dict[str, Any]) -> str:
    (passage,) = (ctx for ctx in fields["ctxs"] if ctx["isgold"])
    return f"{passage['title']}: {passage['text']}"
