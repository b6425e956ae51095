"""Draws a run as PNG: the main score by group, a line or bars for each way, the paper beside it."""

from collections.abc import Sequence
from pathlib import Path

from evals.figures import ALL, Row
from evals.trials import Published

__all__ = ["draw"]

DOTS_PER_INCH = 150


def draw(path: Path, title: str, score: str, rows: Sequence[Row], published: Published) -> None:
    """Draw the rows of one score; nothing where there is none.

    Args:
        path: The PNG.
        title: What was measured.
        score: The score that is drawn.
        rows: The figures.
        published: What others measured, by series and group.
    """
    shown = [row for row in rows if row.score == score]
    if not shown:
        return
    # Only whoever draws needs it, and it takes a second to import.
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - see above
    from matplotlib.figure import Figure  # noqa: PLC0415 - see above

    groups = list(dict.fromkeys(row.group for row in shown))
    figure = Figure(figsize=(max(6.0, 1.4 * len(groups) + 3), 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    ways = list(dict.fromkeys(row.way for row in shown))
    for number, way in enumerate(ways):
        of_way = [row for row in shown if row.way == way]
        shift = (number - (len(ways) - 1) / 2) * 0.06
        axes.errorbar(
            [groups.index(row.group) + shift for row in of_way],
            [row.mean.value for row in of_way],
            yerr=_spread(of_way),
            label=f"{way} (n = {of_way[0].mean.n})",
            marker="o",
            capsize=3,
            linestyle="-" if len(of_way) > 1 else "",
        )
    for series, values in published.items():
        known = [(groups.index(group), value) for group, value in values.items() if group in groups]
        if known:
            axes.plot(*zip(*known, strict=True), "x--", alpha=0.6, label=series)
    axes.set(title=title, ylabel=score, ylim=(-0.03, 1.05), xlim=(-0.6, len(groups) - 0.4))
    axes.set_xticks(range(len(groups)), groups)
    axes.grid(axis="y", alpha=0.3)
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=DOTS_PER_INCH)


def _spread(rows: Sequence[Row]) -> list[list[float]]:
    """How far the interval reaches below and above each value."""
    below = [max(row.mean.value - row.mean.low, 0.0) for row in rows]
    return [below, [max(row.mean.high - row.mean.value, 0.0) for row in rows]]


def by_depth(rows: Sequence[Row]) -> list[Row]:
    """Ways "top 5", "top 20" as one line over K, with memory's one value beside every K."""
    tops = [row for row in rows if row.way.startswith("top ") and row.group != ALL]
    memory = [row for row in rows if row.way == "memory" and row.group != ALL]
    lines = [Row("top K", row.way[4:], row.score, row.mean, row.aim) for row in tops]
    flat = [
        Row("memory", row.way[4:], own.score, own.mean, own.aim)
        for row in tops
        for own in memory
        if own.score == row.score
    ]
    return [*lines, *flat] or list(rows)
