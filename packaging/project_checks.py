"""Checks, tests and benchmarks of the project."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import setup_machine
from setup_console import Console
from setup_steps import Place

__all__ = ["bench", "evaluate", "run"]

_CHECKS = (
    ("Format", ("ruff", "format", "--check")),
    ("Lint", ("ruff", "check")),
    ("Types", ("mypy",)),
    ("Import contracts", ("lint-imports",)),
)

_POLL_SECONDS = 0.1


def run(place: Place, console: Console, pytest_arguments: Sequence[str]) -> int:
    """Run all checks, and the tests beside them; the tests' own summary is the last that is shown.

    The type checker and the tests keep one processor busy each, so they share the time. What the
    tests write is held back until the checks have been reported.

    Returns:
        0 if all passed, else 1.
    """
    output = place.log.with_name(f"tests-{os.getpid()}.log")
    output.parent.mkdir(exist_ok=True)
    command = [str(place.scripts / "pytest"), *pytest_arguments]
    if sys.stdout.isatty():
        command.append("--color=yes")
    with output.open("wb") as stream:
        tests = subprocess.Popen(
            command, cwd=place.root, env=_environment(), stdout=stream, stderr=subprocess.STDOUT
        )
    try:
        failed = [title for title, check in _CHECKS if not _passes(place, console, title, check)]
        if failed:
            console.say(f"Failed: {', '.join(failed)}. The tests follow all the same.")
        _show_as_it_grows(output, tests)
    finally:
        tests.terminate()
        tests.wait()
        output.unlink()
    return 1 if failed or tests.returncode else 0


def bench(place: Place, arguments: Sequence[str]) -> int:
    """Run benchmarks, all or those that are named; gives their exit code."""
    return _run_module(place, "benchmarks", arguments)


def evaluate(place: Place, arguments: Sequence[str]) -> int:
    """Run an experiment of the paper; gives its exit code."""
    return _run_module(place, "evals", arguments)


def _run_module(place: Place, module: str, arguments: Sequence[str]) -> int:
    environment = _environment() | {"PYTHONPATH": str(place.root / "tests")}
    program = [str(place.python), "-m", module, *arguments]
    return subprocess.run(program, cwd=place.root, env=environment, check=False).returncode


def _show_as_it_grows(output: Path, writer: "subprocess.Popen[bytes]") -> None:
    with output.open("rb") as stream:
        while True:
            has_ended = writer.poll() is not None
            text = stream.read()
            sys.stdout.buffer.write(text)
            sys.stdout.buffer.flush()
            if has_ended:
                return
            time.sleep(_POLL_SECONDS)


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
    """The environment for tests: Qt draws into memory where there is no screen.

    Bytecode is kept whatever the shell says: without it every process that the tests start compiles
    the program anew, and pytest each test.
    """
    environment = dict(os.environ)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if not setup_machine.has_display(environment):
        environment["QT_QPA_PLATFORM"] = "offscreen"
    return environment
