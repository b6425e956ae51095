"""The commands of `bootstrap.py`: setup, run, test, bench and eval."""

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import project_checks
import setup_machine
from setup_console import Console
from setup_errors import SetupError, explain
from setup_steps import Place, Setup, exclusively

__all__ = ["run_command"]

USAGE = """\
Sets Pagekeeper up and starts it.

  python3 packaging/bootstrap.py run [ARGUMENTS]    set up what is missing, then start Pagekeeper:
                                                    its window, or the chat where there is none
  python3 packaging/bootstrap.py setup              set up only
  python3 packaging/bootstrap.py test [ARGUMENTS]   set up, then check and test the project
  python3 packaging/bootstrap.py test --quick       only what needs no model, in under a minute
  python3 packaging/bootstrap.py bench [NAME ...]   set up, then measure, into build/bench.json
  python3 packaging/bootstrap.py eval NAME --data DIR
                                                    set up, then ask the paper's questions, into
                                                    build/eval/NAME.json (tests/evals/README.md)

What follows `run` goes to Pagekeeper (try `run --help`), what follows `test` to pytest.
"""

TEST_MODELS = ("qwen2.5-coder-0.5b", "smollm2-135m", "embedder")
"""The models that the tests run: names for `python -m pagekeeper_models.download`."""

BENCH_MODELS = ("qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b", "embedder")
"""The models that benchmarks and evaluations run."""

PAGEKEEPER_COMMANDS = (
    "chat",
    "ask",
    "documents",
    "import",
    "memory",
    "models",
    "reminders",
    "summarise",
    "threads",
)
"""Pagekeeper's commands; without one it opens its window."""
_QUICK = (
    *("-m", "not model and not slow and not thorough"),
    *("--hypothesis-profile", "quick"),
    *("-n", "auto"),
)
_EMBEDDER_ONLY = ("documents", "import", "memory", "reminders", "threads")
_ANSWERED_AT_ONCE = ("--help", "-h", "--version")


def run_command(arguments: Sequence[str]) -> int:
    """Do what the command line says; gives the exit code.

    Set-up talks on standard error, since what Pagekeeper writes to standard output belongs to
    whoever reads it.
    """
    place = Place(Path(__file__).resolve().parent.parent)
    console = Console(sys.stderr, place.log)
    command, *rest = arguments or ["--help"]
    commands = {"setup": _setup, "run": _run, "test": _test, "bench": _bench, "eval": _eval}
    if command not in commands or (command == "setup" and rest):
        print(USAGE, end="", file=sys.stdout if command in _ANSWERED_AT_ONCE else sys.stderr)
        return 0 if command in _ANSWERED_AT_ONCE else 2
    try:
        return commands[command](place, console, rest)
    except SetupError as error:
        console.say(f"\n{error}\n{error.advice}")
        return 1
    except OSError as error:
        why, advice = explain(str(error))
        console.say(f"\nSet-up cannot go on: {error}. {why}\n{advice}")
        return 1
    except KeyboardInterrupt:
        console.say("\nStopped. The next call goes on where this one ended.")
        return 130


def _setup(place: Place, console: Console, _rest: Sequence[str]) -> int:
    _install(place, console, arguments=())
    console.say("Pagekeeper is set up. Start it: python3 packaging/bootstrap.py run")
    return 0


def _run(place: Place, console: Console, rest: Sequence[str]) -> int:  # noqa: RET503 - execv
    arguments = with_interface(rest, os.environ, is_interactive=sys.stdin.isatty())
    if command_of(arguments) is None and not is_answered_at_once(arguments):
        setup_machine.check_qt_libraries("Or talk in the terminal: bootstrap.py run chat")
    _install(place, console, arguments)
    program = [str(place.python), "-m", "pagekeeper_desktop", *arguments]
    if sys.platform == "win32":
        return subprocess.run(program, check=False).returncode
    sys.stderr.flush()
    os.execv(program[0], program)  # noqa: S606 - the program takes over, with its signals


def _test(place: Place, console: Console, rest: Sequence[str]) -> int:
    _install_tests(place, console)
    is_quick = "--quick" in rest
    pytest_arguments = [argument for argument in rest if argument != "--quick"]
    if is_quick:
        pytest_arguments += _QUICK
    else:
        _fetch(place, TEST_MODELS)
    return project_checks.run(place, console, pytest_arguments)


def _bench(place: Place, console: Console, rest: Sequence[str]) -> int:
    _install_tests(place, console)
    _fetch(place, BENCH_MODELS)
    return project_checks.bench(place, rest)


def _eval(place: Place, console: Console, rest: Sequence[str]) -> int:
    _install_tests(place, console)
    _fetch(place, BENCH_MODELS)
    return project_checks.evaluate(place, rest)


def _install_tests(place: Place, console: Console) -> None:
    setup_machine.check_qt_libraries("")
    setup = Setup(place, console, with_tests=True)
    with exclusively(place.lock, console):
        if not setup.is_done():
            setup.run()


def _install(place: Place, console: Console, arguments: Sequence[str]) -> None:
    """Do the open steps, fetch what this start needs, and try the installation once."""
    setup = Setup(place, console)
    if setup.is_done():
        _fetch(place, missing_models(place, arguments))
        return
    with exclusively(place.lock, console):
        count = setup.run(steps_to_follow=2)
        console.say(f"[{count - 1}/{count}] Fetching models")
        _fetch(place, missing_models(place, arguments))
        with console.step(f"[{count}/{count}] Trying it out"):
            script = place.root / "packaging" / "smoke_test.py"
            console.run([str(place.python), str(script)], env=os.environ, cwd=place.root)


def _fetch(place: Place, names: Sequence[str]) -> None:
    """Fetch models; the command shows its progress itself, and explains its errors."""
    if not names:
        return
    command = [str(place.python), "-m", "pagekeeper_models.download", *names]
    code = subprocess.run(command, stdout=sys.stderr, check=False).returncode
    if code == 130:
        raise KeyboardInterrupt
    if code:
        raise SetupError("The models are not complete.", "Call the same command again later.")


def missing_models(place: Place, arguments: Sequence[str]) -> list[str]:
    """The models that a start with these arguments needs and that are not here, by name."""
    command = command_of(arguments)
    if is_answered_at_once(arguments) or command == "models":
        return []
    options = _values_of(arguments, ("--model", "--data-dir"))
    program = [str(place.python), "-m", "pagekeeper_desktop", *options, "models", "list", "--json"]
    result = subprocess.run(program, capture_output=True, encoding="utf-8", check=False)
    if result.returncode:
        raise SetupError(result.stderr.strip(), "Correct what follows “run” and try again.")
    models = json.loads(result.stdout)["models"]
    absent = [model for model in models if model["chosen"] and not model["present"]]
    if command in _EMBEDDER_ONLY:
        absent = [model for model in absent if model["memory_bytes"] is None]
    return [model["name"] for model in absent]


def _values_of(arguments: Sequence[str], names: Sequence[str]) -> list[str]:
    """Those options, with their values, in the form --name=value."""
    values = [a for a in arguments if a.partition("=")[0] in names and "=" in a]
    pairs = itertools.pairwise(arguments)
    return values + [f"{name}={value}" for name, value in pairs if name in names]


def command_of(arguments: Sequence[str]) -> str | None:
    """The command of Pagekeeper among its arguments; None: its window."""
    return next((argument for argument in arguments if argument in PAGEKEEPER_COMMANDS), None)


def is_answered_at_once(arguments: Sequence[str]) -> bool:
    """Whether Pagekeeper only tells about itself, which needs no models."""
    return any(argument in _ANSWERED_AT_ONCE for argument in arguments)


def with_interface(
    arguments: Sequence[str], environment: Mapping[str, str], *, is_interactive: bool
) -> list[str]:
    """The arguments, with the chat in place of the window where a window would not do."""
    window = command_of(arguments) is None and not is_answered_at_once(arguments)
    if window and not (setup_machine.has_display(environment) and is_interactive):
        return ["chat", *arguments]
    return list(arguments)
