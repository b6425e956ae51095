"""What a benchmark gives: figures, each with its aim, and how they are shown and kept.

A benchmark is a module beside this one with a function `measure() -> Iterator[Figure]`. Time is
compared within one run: a figure that has an aim is a ratio, a share or a count, and seconds are
only reported, unless the aim itself is a time.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

__all__ = ["Figure", "at_least", "at_most", "read", "reported", "table", "write"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value.

    Attributes:
        name: What was measured, and against what.
        value: In `unit`.
        aim: What it should be, as people read it ("1.05 or less"); empty: it is only reported.
        unit: "ratio", "share", "ms", "MB" and so on.
        ok: Whether the aim is met; true where there is none.
    """

    name: str
    value: float
    aim: str
    unit: str
    ok: bool


def at_most(name: str, value: float, aim: float, unit: str = "ratio") -> Figure:
    """A figure that should be small."""
    return Figure(name, value, f"{aim:g} or less", unit, value <= aim)


def at_least(name: str, value: float, aim: float, unit: str = "ratio") -> Figure:
    """A figure that should be large."""
    return Figure(name, value, f"{aim:g} or more", unit, value >= aim)


def reported(name: str, value: float, unit: str) -> Figure:
    """A figure without an aim."""
    return Figure(name, value, "", unit, ok=True)


def table(figures: Sequence[Figure]) -> str:
    """The figures as lines of text, those that miss their aim marked."""
    width = max((len(figure.name) for figure in figures), default=0)
    return "\n".join(_line(figure, width) for figure in figures)


def _line(figure: Figure, width: int) -> str:
    verdict = "" if not figure.aim else f"aim {figure.aim}" + ("" if figure.ok else "   MISSED")
    return f"{figure.name:{width}} {figure.value:12,.4g} {figure.unit:10} {verdict}".rstrip()


def write(path: Path, figures: Iterable[Figure]) -> None:
    """Keep the figures as a JSON list."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps([asdict(figure) for figure in figures], ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


def read(path: Path) -> list[Figure]:
    """What `write` kept."""
    return [Figure(**values) for values in json.loads(path.read_text(encoding="utf-8"))]
