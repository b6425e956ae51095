"""The frame of the experiments: resuming, figures, estimates, halves."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

from evals.figures import figures, table
from evals.plots import by_depth, draw
from evals.records import Records
from evals.runs import estimate, run
from evals.trials import Outcome, RunSettings, Trial, rows_of_part
from pagekeeper_core.config import MemoryPolicy
from pagekeeper_core.records import Retrieval

if TYPE_CHECKING:
    from evals.desk import Desk

NO_DESK = cast("Desk", None)


@dataclass
class Sums:
    """Answers sums; wrong from 3 on."""

    name = "sums"
    window = 4096
    rows = 4
    main_score = "right"
    published = MappingProxyType({"paper": {"small": 1.0}})
    attempted: list[str] = field(default_factory=list)

    def trials(self, data: Path, rows: Sequence[int]) -> Iterator[Trial]:
        for row in rows:
            group = "small" if row < 3 else "large"
            yield Trial(row, "memory", group, f"{row} + 1?", (str(row + 1),))

    def attempt(self, trial: Trial, desk: object) -> Outcome:
        self.attempted.append(trial.name)
        return Outcome(f"It is {trial.row + 1}", {"right": float(trial.row < 3)})

    def aim(self, way: str, group: str, score: str) -> float | None:
        return 0.9 if group == "small" else None


def outcomes(sums: Sums, records: Records, count: int = 4) -> list[tuple[Trial, Outcome]]:
    trials = list(sums.trials(Path(), range(count)))
    return list(run(sums, trials, NO_DESK, records, show=lambda _: None))


def test_an_interrupted_run_goes_on_where_it_ended(tmp_path: Path) -> None:
    sums, path = Sums(), tmp_path / "sums.json"
    first = outcomes(sums, Records(path), count=2)
    with path.with_suffix(".jsonl").open("a") as file:
        file.write('{"trial": "cut o')
    assert outcomes(sums, Records(path))[:2] == first
    assert [name.rpartition(" ")[2] for name in sums.attempted] == ["0", "1", "2", "3"]


def test_a_trial_whose_question_has_changed_is_done_again(tmp_path: Path) -> None:
    sums, path = Sums(), tmp_path / "sums.json"
    outcomes(sums, Records(path), count=1)
    asked = Trial(0, "memory", "small", "0 + 1, please?", ("1",))
    assert Records(path).outcome(asked) is None


def test_the_result_has_rows_with_intervals_and_every_question(tmp_path: Path) -> None:
    sums, records = Sums(), Records(tmp_path / "sums.json")
    done = outcomes(sums, records)
    records.write(figures(sums, done), done)
    found = json.loads((tmp_path / "sums.json").read_text("utf-8"))
    small, large, everything = found["rows"]
    assert small["name"] == "memory, small: right"
    assert (small["value"], small["n"], small["aim"], small["ok"]) == (1.0, 3, 0.9, True)
    assert small["low"] < 1.0 == small["high"]
    assert (large["value"], large["aim"]) == (0.0, None)
    assert (everything["name"], everything["value"]) == ("memory, all: right", 0.75)
    assert found["questions"][0]["answer"] == "It is 1"
    assert found["questions"][3]["verdict"] == {"right": 0.0}
    assert "n = 3" in table(figures(sums, done))


def test_the_halves_share_no_row() -> None:
    assert rows_of_part("tune", 3) == [0, 2, 4]
    assert rows_of_part("report", 3) == [1, 3, 5]


def test_no_time_is_promised_before_each_way_has_been_seen() -> None:
    left = [Trial(0, "memory", "small", "?", ("1",)), Trial(0, "baseline", "small", "?", ("1",))]
    assert "not known" in estimate(left, {"memory": [1, 1, 1]})
    assert estimate(left, {"memory": [1, 9, 20], "baseline": [60] * 3}) == "about 0:01:09 left"
    assert estimate([], {}) == "done"


def test_other_settings_have_another_result() -> None:
    assert RunSettings().suffix() == ""
    other = RunSettings(
        part="tune", policy=MemoryPolicy(queries=1, read_ahead=False), retrieval=Retrieval.WORDS
    )
    assert other.suffix() == "-tune-queries-1-no-read-ahead-words"


def test_a_plot_is_drawn_and_fixed_windows_are_a_line_over_k(tmp_path: Path) -> None:
    sums = Sums()
    trials = [Trial(0, way, "questions", "?", ("1",)) for way in ("top 1", "top 5", "memory")]
    done = [(trial, Outcome("1", {"right": 1.0})) for trial in trials]
    rows = by_depth(figures(sums, done))
    assert [(row.way, row.group) for row in rows] == [
        *(("top K", "1"), ("top K", "5")),
        *(("memory", "1"), ("memory", "5")),
    ]
    draw(tmp_path / "plot.png", "sums", "right", rows, sums.published)
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
