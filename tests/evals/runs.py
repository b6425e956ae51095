"""Runs an experiment: what is not done yet, one trial after the other, with an honest estimate."""

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta

from evals.desk import Desk
from evals.records import Records
from evals.trials import Experiment, Outcome, Trial

__all__ = ["estimate", "run"]

NO_ESTIMATE_BELOW = 3
"""Trials of a way from which on something is said about how long the others take."""


def run(
    experiment: Experiment,
    trials: Sequence[Trial],
    desk: Desk,
    records: Records,
    *,
    with_judge: bool = False,
    show: Callable[[str], None] = print,
) -> Iterator[tuple[Trial, Outcome]]:
    """Every trial with its outcome: those of an earlier run as they stand, the others done now."""
    times: dict[str, list[float]] = {}
    open_trials = [trial for trial in trials if records.outcome(trial) is None]
    done = 0
    for trial in trials:
        outcome = records.outcome(trial)
        if outcome is None:
            start = time.monotonic()
            outcome = _attempt(experiment, trial, desk, with_judge=with_judge)
            times.setdefault(trial.way, []).append(time.monotonic() - start)
            records.add(trial, outcome, times[trial.way][-1])
            done += 1
            left = estimate(open_trials[done:], times)
            show(f"[{done}/{len(open_trials)}, {left}] {_told(trial, outcome)}")
        yield trial, outcome


def estimate(left: Sequence[Trial], times: dict[str, list[float]]) -> str:
    """How long the rest takes, from the median of each way; not before all ways have been seen."""
    if not left:
        return "done"
    if any(len(times.get(trial.way, ())) < NO_ESTIMATE_BELOW for trial in left):
        return "time left not known yet"
    typical = {way: statistics.median(seconds) for way, seconds in times.items()}
    seconds = sum(typical[trial.way] for trial in left)
    return f"about {timedelta(seconds=round(seconds))} left"


def _attempt(experiment: Experiment, trial: Trial, desk: Desk, *, with_judge: bool) -> Outcome:
    outcome = experiment.attempt(trial, desk)
    if not with_judge or not outcome.answer:
        return outcome
    scores = {**outcome.scores, "judged right": desk.judge(trial, outcome.answer)}
    return Outcome(outcome.answer, scores, outcome.calls, outcome.note)


def _told(trial: Trial, outcome: Outcome) -> str:
    scores = ", ".join(f"{name} {value:.2f}" for name, value in outcome.scores.items())
    said = f" > {outcome.answer[:80]}" if outcome.answer else ""
    return f"{trial.name}: {scores}{said}{f' ({outcome.note})' if outcome.note else ''}"
