"""Shows how far loading, downloading or importing is, on standard error.

On a terminal that is a bar which goes away when the work is done; elsewhere a line now and then.
"""

import time
from collections.abc import Generator
from contextlib import closing
from typing import Protocol, TypeVar

from pagekeeper_desktop.assistant_parts import Stage
from pagekeeper_desktop.cli.console import Console

__all__ = ["Progress", "follow", "progress_on"]

ResultT = TypeVar("ResultT")

_SECONDS_BETWEEN_LINES = 10.0


class Progress(Protocol):
    """A display that shows one state after the other, from its making to `close`."""

    def show(self, stage: Stage) -> None:
        """Show this state."""
        ...

    def close(self) -> None:
        """Take the display away."""
        ...


def progress_on(console: Console) -> Progress:
    """The display that fits where standard error goes."""
    return _Bar(console) if console.err.isatty() else _Lines(console)


def follow(work: Generator[Stage, None, ResultT], console: Console) -> ResultT:
    """Run `work` to its end, showing each state; gives what it returns."""
    with closing(progress_on(console)) as progress:
        while True:
            try:
                stage = next(work)
            except StopIteration as end:
                result: ResultT = end.value
                return result
            progress.show(stage)


class _Lines:
    """A line for each new kind of work, and one every ten seconds of the same."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._label = ""
        self._next_line = 0.0

    def close(self) -> None:
        pass

    def show(self, stage: Stage) -> None:
        is_new = stage.label != self._label
        if not is_new and time.monotonic() < self._next_line:
            return
        percent = f" {100 * stage.done // stage.total}%" if stage.total and not is_new else ""
        self._console.note(f"{stage.label} …{percent}")
        self._label = stage.label
        self._next_line = time.monotonic() + _SECONDS_BETWEEN_LINES


class _Bar:
    """One line with a bar, the share and the time."""

    def __init__(self, console: Console) -> None:
        from rich.console import Console as Terminal  # noqa: PLC0415 - a terminal alone needs it
        from rich.progress import (  # noqa: PLC0415 - as above
            BarColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
            TimeElapsedColumn,
        )

        console.end_line()
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TaskProgressColumn(),
            TimeElapsedColumn(),
        )
        self._display = Progress(*columns, console=Terminal(file=console.err), transient=True)
        self._task = self._display.add_task("", total=None, visible=False)
        self._label = ""
        self._display.start()

    def close(self) -> None:
        self._display.stop()

    def show(self, stage: Stage) -> None:
        if stage.label != self._label:
            self._display.reset(self._task, description=stage.label, total=stage.total or None)
            self._label = stage.label
        self._display.update(
            self._task,
            description=stage.label,
            completed=stage.done,
            total=stage.total or None,
            visible=True,
        )
