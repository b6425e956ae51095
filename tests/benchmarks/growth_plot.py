"""Draws how costs grow with size: `PYTHONPATH=tests python -m benchmarks.growth_plot`.

Takes the figures named "growth: WHAT at SIZE" from build/bench.json (unit "times": cost relative to
the smallest size) and writes packaging/growth.svg, which the README shows. Each WHAT has a panel;
all panels have the same scales, both logarithmic. A cost that does not grow is a level line; one
that grows as the size does is the dashed diagonal.
"""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from math import ceil, log10
from pathlib import Path

from benchmarks.figures import Figure, read

__all__ = ["Series", "draw", "series_of"]

SOURCE = Path("build/bench.json")
PICTURE = Path("packaging/growth.svg")

NAME = re.compile(r"growth: (?P<what>.+) at (?P<size>[\d,]+)")

COLUMNS = 3
WIDTH, HEIGHT = 260, 190
"""Of a panel, with its words, in pixels."""
LEFT, TOP, RIGHT, BOTTOM = 34, 34, 22, 30
"""Room around a panel's field."""

STYLE = """\
text { font: 11px system-ui, sans-serif; fill: #57606a }
.what { font-size: 12px; font-weight: 600; fill: #24292f }
.value { fill: #24292f }
.grid { stroke: #d0d7de; fill: none }
.linear { stroke: #8c959f; stroke-dasharray: 4 4; fill: none }
.line { stroke: #0f6cbd; stroke-width: 2; fill: none }
.dot { fill: #0f6cbd }
@media (prefers-color-scheme: dark) {
  text { fill: #9198a1 } .what, .value { fill: #f0f6fc }
  .grid { stroke: #3d444d } .linear { stroke: #656c76 }
  .line { stroke: #6cb6ff } .dot { fill: #6cb6ff }
}"""

Series = Sequence[tuple[int, float]]
"""Pairs of a size and its cost, relative to the smallest size; the sizes ascend."""


def series_of(figures: Iterable[Figure]) -> dict[str, Series]:
    """The growth figures by what they are about, in the order in which they were measured."""
    found: dict[str, list[tuple[int, float]]] = {}
    for figure in figures:
        if match := NAME.fullmatch(figure.name):
            size = int(match["size"].replace(",", ""))
            found.setdefault(match["what"], []).append((size, figure.value))
    return {what: sorted(points) for what, points in found.items() if len(points) > 1}


def draw(series: Mapping[str, Series]) -> str:
    """The picture, as SVG that is read in light and in dark."""
    spread = max((points[-1][0] / points[0][0] for points in series.values()), default=10)
    highest = max((cost for points in series.values() for _, cost in points), default=1)
    decades = max(1, ceil(log10(max(spread, highest)) - 0.01))
    panels = [
        f'<g transform="translate({n % COLUMNS * WIDTH} {n // COLUMNS * HEIGHT})">\n'
        f"{_panel(what, points, decades)}\n</g>"
        for n, (what, points) in enumerate(series.items())
    ]
    width, height = COLUMNS * WIDTH, ceil(len(series) / COLUMNS) * HEIGHT
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">'
    return "\n".join((head, f"<style>\n{STYLE}\n</style>", *panels, "</svg>\n"))


def _panel(what: str, points: Series, decades: int) -> str:
    """One panel: `decades` powers of ten both ways, from the smallest size and its cost on."""
    smallest = points[0][0]

    def x(size: float) -> float:
        return LEFT + log10(size / smallest) / decades * (WIDTH - LEFT - RIGHT)

    def y(cost: float) -> float:
        return HEIGHT - BOTTOM - log10(max(cost, 1)) / decades * (HEIGHT - TOP - BOTTOM)

    top = 10**decades
    parts = [f'<text class="what" x="{LEFT}" y="16">{escape(what)}</text>']
    for power in range(decades + 1):
        height, label = y(10**power), f"{10**power:,}×"
        parts.append(f'<path class="grid" d="M{LEFT} {height:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(_text("", LEFT - 5, height + 4, label, "end"))
    parts.append(f'<path class="linear" d="M{x(smallest)} {y(1)}L{x(smallest * top)} {y(top)}"/>')
    places = [(x(size), y(cost)) for size, cost in points]
    path = "L".join(f"{across:.1f} {up:.1f}" for across, up in places)
    parts.append(f'<path class="line" d="M{path}"/>')
    for (size, cost), (across, up) in zip(points, places, strict=True):
        parts.append(f'<circle class="dot" cx="{across:.1f}" cy="{up:.1f}" r="3"/>')
        parts.append(_text("value", across, up - 8, f"{cost:.2g}", "middle"))
        parts.append(_text("", across, HEIGHT - BOTTOM + 16, _short(size), "middle"))
    return "\n".join(parts)


def _text(kind: str, x: float, y: float, words: str, anchor: str) -> str:
    name = f' class="{kind}"' if kind else ""
    return f'<text{name} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _short(size: int) -> str:
    """1000 as 1k, 1000000 as 1M."""
    for unit, letter in ((1_000_000, "M"), (1_000, "k")):
        if size >= unit:
            return f"{size / unit:g}{letter}"
    return str(size)


def main() -> int:
    """Draw what was measured."""
    series = series_of(read(SOURCE))
    if not series:
        print(f"{SOURCE} holds no growth figures", file=sys.stderr)
        return 1
    PICTURE.write_text(draw(series), encoding="utf-8")
    print(f"{PICTURE}: {', '.join(series)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
