"""What a run leaves on disk: a line a trial while it goes on, then the result, table and plot.

The lines (JSONL) are what an interrupted run goes on from; the result is made from them anew.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from evals.figures import Row
from evals.trials import Outcome, Trial

__all__ = ["Records"]


class Records:
    """The outcomes of one run, by the trial's name."""

    def __init__(self, path: Path) -> None:
        """Read what an earlier run of the same settings left beside `path`, the result."""
        self.path = path
        self.lines = path.with_suffix(".jsonl")
        self._seconds: list[float] = []
        self._done: dict[str, tuple[str, Outcome]] = {}
        if self.lines.exists():
            for line in self.lines.read_text(encoding="utf-8").splitlines():
                self._take(line)

    @property
    def seconds(self) -> Sequence[float]:
        """How long each trial of earlier runs took."""
        return self._seconds

    def outcome(self, trial: Trial) -> Outcome | None:
        """What came of a trial; None where it was not done, or the question was another one."""
        question, outcome = self._done.get(trial.name, ("", None))
        return outcome if question == trial.question else None

    def add(self, trial: Trial, outcome: Outcome, seconds: float) -> None:
        """Keep an outcome at once: an interruption loses only the trial that it meets."""
        fields = {
            "trial": trial.name,
            "question": trial.question,
            "accept": trial.accept,
            "answer": outcome.answer,
            "scores": dict(outcome.scores),
            "calls": outcome.calls,
            "note": outcome.note,
            "seconds": round(seconds, 1),
        }
        self.lines.parent.mkdir(parents=True, exist_ok=True)
        with self.lines.open("a", encoding="utf-8") as file:
            file.write(json.dumps(fields, ensure_ascii=False) + "\n")
        self._done[trial.name] = (trial.question, outcome)

    def write(self, rows: Sequence[Row], done: Sequence[tuple[Trial, Outcome]]) -> None:
        """Write the result."""
        found = {
            "rows": [row.as_json() for row in rows],
            "questions": [_question(trial, outcome) for trial, outcome in done],
        }
        text = json.dumps(found, ensure_ascii=False, indent=1)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(text + "\n", encoding="utf-8")

    def _take(self, line: str) -> None:
        """A line that a kill cut off is left out, and its trial done again."""
        try:
            fields = json.loads(line)
        except ValueError:
            return
        outcome = Outcome(
            fields["answer"], fields["scores"], tuple(fields["calls"]), fields["note"]
        )
        self._done[fields["trial"]] = (fields["question"], outcome)
        self._seconds.append(fields["seconds"])


def _question(trial: Trial, outcome: Outcome) -> Mapping[str, object]:
    return {
        "name": trial.name,
        "question": trial.question,
        "accept": trial.accept,
        "calls": outcome.calls,
        "answer": outcome.answer,
        "verdict": dict(outcome.scores),
        "note": outcome.note,
    }
