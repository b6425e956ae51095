"""Means by way, group and score, with their intervals and aims: what a run reports."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evals.scoring import Mean, mean_with_interval
from evals.trials import Experiment, Outcome, Trial

__all__ = ["ALL", "Row", "figures", "table"]

ALL = "all"
"""The group of all groups."""


@dataclass(frozen=True, slots=True)
class Row:
    """One mean.

    Attributes:
        way: Who answered.
        group: Of which questions.
        score: Of which score.
        mean: The value, its 95% interval, and of how many trials.
        aim: What it should reach; None where it is only reported.
    """

    way: str
    group: str
    score: str
    mean: Mean
    aim: float | None

    @property
    def name(self) -> str:
        """The figure in words."""
        return f"{self.way}, {self.group}: {self.score}"

    @property
    def ok(self) -> bool:
        """Whether the aim is reached; true where there is none."""
        return self.aim is None or self.mean.value >= self.aim

    def as_json(self) -> dict[str, object]:
        """The row of the result's file."""
        mean = self.mean
        return {
            "name": self.name,
            "value": round(mean.value, 4),
            "low": round(mean.low, 4),
            "high": round(mean.high, 4),
            "n": mean.n,
            "aim": self.aim,
            "ok": self.ok,
        }


def figures(experiment: Experiment, done: Iterable[tuple[Trial, Outcome]]) -> list[Row]:
    """A row for each way, group and score; for each way also of all its groups, if several."""
    values: dict[tuple[str, str, str], list[float]] = {}
    groups: dict[str, set[str]] = {}
    for trial, outcome in done:
        groups.setdefault(trial.way, set()).add(trial.group)
        for score, value in outcome.scores.items():
            for group in (trial.group, ALL):
                values.setdefault((trial.way, group, score), []).append(value)
    return [
        Row(way, group, score, mean_with_interval(found), experiment.aim(way, group, score))
        for (way, group, score), found in _in_order(values).items()
        if group != ALL or len(groups[way]) > 1
    ]


def _in_order(
    values: Mapping[tuple[str, str, str], list[float]],
) -> dict[tuple[str, str, str], list[float]]:
    """By way, then group, as they came first; the mean of all groups last."""
    ways = list(dict.fromkeys(way for way, _, _ in values))
    groups = [*(group for _, group, _ in values if group != ALL), ALL]
    place = {group: number for number, group in reversed(list(enumerate(groups)))}
    return dict(
        sorted(values.items(), key=lambda item: (ways.index(item[0][0]), place[item[0][1]]))
    )


def table(rows: Sequence[Row]) -> str:
    """The rows as lines of text, those that miss their aim marked."""
    width = max((len(row.name) for row in rows), default=0)
    return "\n".join(_line(row, width) for row in rows)


def _line(row: Row, width: int) -> str:
    mean = row.mean
    aim = "" if row.aim is None else f"aim {row.aim:.2f} {'reached' if row.ok else 'MISSED'}"
    interval = f"[{mean.low:.3f} to {mean.high:.3f}]"
    return f"{row.name:{width}}  {mean.value:.3f} {interval}  n = {mean.n:<4} {aim}".rstrip()
