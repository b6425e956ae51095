"""Checks and tests of the project: format, lint, types, import contracts, tests."""

import os
import subprocess
import time
from collections.abc import Sequence

import setup_machine
from setup_console import Console
from setup_steps import Place

__all__ = ["run"]

_CHECKS = (
    ("Format", ("ruff", "format", "--check")),
    ("Lint", ("ruff", "check")),
    ("Types", ("mypy",)),
    ("Import contracts", ("lint-imports",)),
)


def run(place: Place, console: Console, pytest_arguments: Sequence[str]) -> int:
    """Run all checks, then the tests, whose own summary is the last that is written.

    Returns:
        0 if all passed, else 1.
    """
    failed = [title for title, command in _CHECKS if not _passes(place, console, title, command)]
    if failed:
        console.say(f"Failed: {', '.join(failed)}. The tests follow all the same.")
    console.say("Tests …")
    command = [str(place.scripts / "pytest"), *pytest_arguments]
    code = subprocess.run(command, cwd=place.root, env=_environment(), check=False).returncode
    return 1 if failed or code else 0


def _passes(place: Place, console: Console, title: str, command: Sequence[str]) -> bool:
    started = time.monotonic()
    program = [str(place.scripts / command[0]), *command[1:]]
    result = subprocess.run(
        program,
        cwd=place.root,
        env=_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    word = "failed" if result.returncode else "passed"
    console.say(f"{title}: {word} in {time.monotonic() - started:.1f} s")
    if result.returncode:
        console.say(result.stdout.decode("utf-8", errors="replace").rstrip())
    return result.returncode == 0


def _environment() -> dict[str, str]:
    """The environment for tests: Qt draws into memory where there is no screen."""
    environment = dict(os.environ)
    if not setup_machine.has_display(environment):
        environment["QT_QPA_PLATFORM"] = "offscreen"
    return environment
