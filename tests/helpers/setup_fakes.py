"""A console that pretends to run the commands of set-up."""

import io
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from setup_console import Console
from setup_errors import CommandError
from setup_steps import Place


class FakeConsole(Console):
    """Notes the commands; of `python -m venv` it makes the few files that count.

    Attributes:
        commands: What was run, each as one line without the path of Python.
        environments: The environment of each.
        fails_on: A word; the first command that holds it fails.
    """

    def __init__(self, log: Path) -> None:
        self.stream = io.StringIO()
        super().__init__(self.stream, log)
        self.commands: list[str] = []
        self.environments: list[Mapping[str, str]] = []
        self.fails_on: str | None = None
        self.output = ""

    def run(self, command: Sequence[str], *, env: Mapping[str, str], cwd: Path) -> None:
        line = " ".join(command[1:])
        self.commands.append(line)
        self.environments.append(env)
        if self.fails_on is not None and self.fails_on in line:
            raise CommandError("python", 1, self.output)
        if line.startswith("-m venv"):
            make_venv(Path(command[-1]))


def make_venv(venv: Path, version: str | None = None) -> None:
    """The files by which set-up knows a virtual environment."""
    scripts = Place(venv.parent).scripts
    scripts.mkdir(parents=True)
    running = ".".join(map(str, sys.version_info[:3]))
    (venv / "pyvenv.cfg").write_text(f"home = /usr/bin\nversion = {version or running}\n")
    Place(venv.parent).python.write_text("")
