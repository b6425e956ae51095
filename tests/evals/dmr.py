"""Deep memory retrieval: a question about earlier sessions, in a new one (paper, 3.1.1).

Score: any accepted string in the reply, and ROUGE-L recall of the answer; apart from that whether
the message that holds the answer is found, by the bare question in recall (R@5), and among what the
model read. Baselines: all sessions in the window, and the product's own summary of them alone.
"""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import MappingProxyType

from evals.desk import Desk
from evals.dialogues import Dialogue, read_dialogues, read_lines, transcript
from evals.filling import say
from evals.scoring import contains_string, recall_at, rouge_l_recall
from evals.trials import Outcome, Published, Trial
from helpers.assistants import result
from pagekeeper_core.config import ContextBudget
from pagekeeper_core.records import Retrieval
from pagekeeper_core.summarizer import Summarizer

__all__ = ["DeepMemoryRetrieval"]

BASELINE = """\
You are a friend of the user. You read what both of you said in earlier sessions; lines that begin \
with You are your own. Answer the user's question in one short sentence."""

SEARCHES = {f"search by {way}": way for way in Retrieval}

SHOWN = 60
"""Characters by which a message is known again in a result that shortens it."""


class DeepMemoryRetrieval:
    """Asks what the assistant said in one of four earlier sessions."""

    name = "dmr"
    window = 8192
    rows = 80
    main_score = "right"
    published: Published = MappingProxyType(
        {
            "MemGPT + GPT-3.5": {"questions": 0.669},
            "MemGPT + GPT-4": {"questions": 0.925},
            "MemGPT + GPT-4 Turbo": {"questions": 0.934},
            "GPT-4, summary only": {"questions": 0.321},
        }
    )

    def __init__(self) -> None:
        self._summaries: dict[str, str] = {}

    def trials(self, data: Path, rows: Sequence[int]) -> Iterator[Trial]:
        """These rows of the questions; every way of searching, then memory, then the baselines."""
        dialogues = {dialogue.name: dialogue for dialogue in read_dialogues(data)}
        asked = read_lines(data / "dmr" / "questions.jsonl")
        for row in rows:
            if row >= len(asked):
                return
            fields = asked[row]
            source = (dialogues[fields["id"]], fields["evidence"])
            accept = (fields["answer"], *fields["accept"])
            for way in (*SEARCHES, "memory", "full context", "summary only"):
                yield Trial(row, way, "questions", fields["question"], accept, source)

    def attempt(self, trial: Trial, desk: Desk) -> Outcome:
        """Search, ask the agent, or ask the bare model."""
        dialogue, evidence = trial.source
        if trial.way in SEARCHES:
            return self._search(trial, dialogue, evidence, desk)
        if trial.way == "memory":
            return self._with_memory(trial, dialogue, evidence, desk)
        text = transcript(dialogue.sessions)
        if trial.way == "summary only":
            text = self._summary(dialogue, desk)
        answer = desk.answer(BASELINE, text, trial.question)
        return Outcome(answer, _scores(trial, answer))

    def aim(self, way: str, group: str, score: str) -> float | None:
        """90% right, and the evidence found in 98 of 100."""
        aims = {("memory", "right"): 0.9, ("search by hybrid", "R@5"): 0.98}
        return aims.get((way, score))

    def _search(self, trial: Trial, dialogue: Dialogue, evidence: str, desk: Desk) -> Outcome:
        stores = desk.look(
            dialogue.name, lambda stores: say(stores, dialogue.sessions), SEARCHES[trial.way]
        )
        found = stores.recall.search([trial.question], page_size=10).hits
        seqs = [hit.message.seq for hit in found]
        wanted = frozenset[object](dialogue.numbers_of(evidence))
        scores = {f"R@{depth}": float(recall_at(seqs, wanted, depth) > 0) for depth in (5, 10)}
        return Outcome("", scores)

    def _with_memory(self, trial: Trial, dialogue: Dialogue, evidence: str, desk: Desk) -> Outcome:
        with desk.borrow(dialogue.name, lambda stores: say(stores, dialogue.sessions)) as stores:
            agent = desk.agent(stores)
            desk.open_new_conversation(agent)
            asked = desk.ask(agent, trial.question)
        read = " ".join((asked.results() + asked.reminders).split())
        begins = " ".join(evidence.split())[:SHOWN]
        scores = {**_scores(trial, asked.answer), "evidence read": float(begins in read)}
        return Outcome(asked.answer, scores, asked.calls, asked.note)

    def _summary(self, dialogue: Dialogue, desk: Desk) -> str:
        """What a flush of all four sessions would leave in the window."""
        if dialogue.name not in self._summaries:
            with desk.borrow(
                dialogue.name, lambda stores: say(stores, dialogue.sessions)
            ) as stores:
                context = desk.agent(stores)._context
                limit = ContextBudget.for_window(desk.window).summary
                writing = Summarizer(desk.model, limit=limit).summarize(
                    context.queue.entries, "", context.prompt_of, threading.Event()
                )
                self._summaries[dialogue.name] = result(writing)
        return f"Summary of the earlier sessions:\n{self._summaries[dialogue.name]}"


def _scores(trial: Trial, answer: str) -> dict[str, float]:
    right = contains_string(answer, trial.accept)
    return {"right": float(right), "ROUGE-L recall": rouge_l_recall(answer, trial.accept[0])}
