"""What an experiment is made of: trials, their outcomes, the settings of a run.

An experiment asks questions in several ways: by the product's agent over real stores ("memory"),
and by what it is compared with ("full context", "top 5"). A trial is one question in one way.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pagekeeper_core.config import Eviction, MemoryPolicy
from pagekeeper_core.records import Retrieval

if TYPE_CHECKING:
    from evals.desk import Desk

__all__ = ["Experiment", "Outcome", "Published", "RunSettings", "Trial", "rows_of_part"]

DEFAULT_MODEL = "qwen2.5-coder-1.5b"


@dataclass(frozen=True, slots=True)
class Trial:
    """One question, asked in one way.

    Attributes:
        row: The row of the data that it comes from.
        way: Who answers: "memory", or a baseline.
        group: Accuracy is told by group: "2 hops", "temporal"; never empty.
        question: What is asked.
        accept: Any of these is right.
        source: The row itself, for the experiment.
    """

    row: int
    way: str
    group: str
    question: str
    accept: tuple[str, ...]
    source: Any = field(default=None, compare=False, repr=False)

    @property
    def name(self) -> str:
        """The trial in words; what was done is not done again."""
        return f"{self.way}, {self.group}, row {self.row}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a trial.

    Attributes:
        answer: What was replied; empty on failure, and where only retrieval is measured.
        scores: By name, each 0 to 1: "right", "ROUGE-L recall", "R@5".
        calls: The function calls, each with arguments, thoughts, the beginning of its result.
        note: Why there is no answer; empty where there is one.
    """

    answer: str
    scores: Mapping[str, float]
    calls: tuple[Mapping[str, object], ...] = ()
    note: str = ""


Published = Mapping[str, Mapping[str, float]]
"""What others measured: a series' name, and its value by group."""


class Experiment(Protocol):
    """A protocol of the paper, over data that lies in a folder."""

    @property
    def name(self) -> str:
        """As it is called on the command line."""
        ...

    @property
    def window(self) -> int:
        """Tokens of the context window, unless the command line says otherwise."""
        ...

    @property
    def rows(self) -> int:
        """Rows of one half that are asked to report, unless the command line says otherwise."""
        ...

    @property
    def main_score(self) -> str:
        """The score that is drawn."""
        ...

    @property
    def published(self) -> Published:
        """What the paper, or others, measured of the main score."""
        ...

    def trials(self, data: Path, rows: Sequence[int]) -> Iterator[Trial]:
        """The trials of these rows that the data has, in the order in which they are to be run."""
        ...

    def attempt(self, trial: Trial, desk: "Desk") -> Outcome:
        """Ask, and score the answer."""
        ...

    def aim(self, way: str, group: str, score: str) -> float | None:
        """What a mean of this score should reach at least; None where it is only reported."""
        ...


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What a run is made with; one with other settings has other results, in another file.

    Attributes:
        model: A name of the catalogue.
        part: "report" (odd rows) or "tune" (even rows).
        window: Tokens; 0: the experiment's own.
        policy: How the product's parts behave: the ablations.
        retrieval: What searches go by.
    """

    model: str = DEFAULT_MODEL
    part: str = "report"
    window: int = 0
    policy: MemoryPolicy = field(default_factory=MemoryPolicy)
    retrieval: Retrieval = Retrieval.HYBRID

    def suffix(self) -> str:
        """What of it differs from the defaults, for the name of the result's file."""
        default, policy = RunSettings(), self.policy
        said = {
            self.model.replace("/", "_"): self.model != default.model,
            self.part: self.part != default.part,
            f"window-{self.window}": self.window != default.window,
            str(policy.eviction): policy.eviction is not Eviction.FIFO,
            f"queries-{policy.queries}": policy.queries != default.policy.queries,
            "no-read-ahead": not policy.read_ahead,
            f"thoughts-{policy.thoughts}": policy.thoughts != default.policy.thoughts,
            str(self.retrieval): self.retrieval is not default.retrieval,
        }
        return "".join(f"-{word}" for word, differs in said.items() if differs)


def rows_of_part(part: str, count: int) -> list[int]:
    """The first `count` rows of a half: tune has the even ones, report the odd ones."""
    first = {"tune": 0, "report": 1}[part]
    return [first + 2 * number for number in range(count)]
