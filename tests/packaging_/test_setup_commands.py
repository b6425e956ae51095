"""`bootstrap.py` and its commands: what goes to Pagekeeper, what is fetched, what is reported."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import bootstrap
import project_checks
import setup_commands
from helpers.setup_fakes import FakeConsole
from pagekeeper_desktop.cli import command_table
from setup_commands import USAGE, missing_models, run_command, with_interface
from setup_errors import SetupError
from setup_steps import Place

DISPLAY = {"DISPLAY": ":0"}
SCRIPT = Path(bootstrap.__file__)


def test_an_old_or_too_new_python_is_told_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for version in ((3, 10, 1), (3, 14, 0)):
        monkeypatch.setattr(sys, "version_info", version)
        assert bootstrap.main() == 1
        shown = capsys.readouterr().err
        assert f"this is Python 3.{version[1]}" in shown
        assert "Install one of those" in shown


def test_the_script_can_be_called_from_anywhere(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, SCRIPT, "--help"], cwd=tmp_path, capture_output=True, check=True
    )
    assert result.stdout.decode() == USAGE


@pytest.mark.parametrize("arguments", [["nonsense"], ["setup", "more"]])
def test_an_unknown_command_shows_the_usage(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(arguments) == 2
    assert capsys.readouterr().err == USAGE


def test_errors_are_shown_with_advice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(error: BaseException) -> Callable[..., None]:
        def install(*_arguments: object, **_options: object) -> None:
            raise error

        return install

    monkeypatch.setattr(setup_commands, "_install", fail(SetupError("It failed.", "Do this.")))
    assert run_command(["setup"]) == 1
    assert "It failed.\nDo this.\n" in capsys.readouterr().err
    monkeypatch.setattr(setup_commands, "_install", fail(OSError(28, "No space left on device")))
    assert run_command(["setup"]) == 1
    assert "The disk is full." in capsys.readouterr().err
    monkeypatch.setattr(setup_commands, "_install", fail(KeyboardInterrupt()))
    assert run_command(["setup"]) == 130
    assert "goes on where this one ended" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ["chat"]),
        (["--model", "qwen3-4b"], ["chat", "--model", "qwen3-4b"]),
        (["chat"], ["chat"]),
        (["--model", "x", "ask", "Who am I?"], ["--model", "x", "ask", "Who am I?"]),
        (["memory", "show"], ["memory", "show"]),
        (["--help"], ["--help"]),
        (["--version"], ["--version"]),
    ],
)
def test_without_a_display_the_chat_takes_the_place_of_the_window(
    arguments: list[str], expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    assert with_interface(arguments, {}, is_interactive=True) == expected
    assert with_interface(arguments, DISPLAY, is_interactive=False) == expected
    assert with_interface(arguments, DISPLAY, is_interactive=True) == arguments


MODELS = [
    {"name": "default", "chosen": True, "present": False, "memory_bytes": 1},
    {"name": "other", "chosen": False, "present": False, "memory_bytes": 1},
    {"name": "embedder", "chosen": True, "present": False, "memory_bytes": None},
]


@pytest.fixture
def listing(place: Place, write_script: Callable[[Path, str], Path]) -> Path:
    """A Python that answers like `pagekeeper models list`; gives the file of its calls."""
    calls = place.root / "calls"
    answer = json.dumps({"models": MODELS})
    write_script(place.python, f"echo \"$@\" >> '{calls}'\ncat <<'END'\n{answer}\nEND")
    return calls


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ["default", "embedder"]),
        (["ask", "Who am I?"], ["default", "embedder"]),
        (["import", "a.pdf"], ["embedder"]),
        (["memory", "search", "dog"], ["embedder"]),
        (["models", "list"], []),
        (["--version"], []),
    ],
)
def test_only_what_the_start_needs_is_fetched(
    place: Place, listing: Path, arguments: list[str], expected: list[str]
) -> None:
    assert missing_models(place, arguments) == expected


def test_the_choice_of_model_and_data_is_asked_with_the_person_s_options(
    place: Place, listing: Path
) -> None:
    missing_models(place, ["--data-dir=/tmp/d", "--model", "qwen3-4b", "--verbose"])
    call = listing.read_text().strip()
    assert call == "-m pagekeeper_desktop --data-dir=/tmp/d --model=qwen3-4b models list --json"


def test_what_is_here_is_not_fetched(
    place: Place, write_script: Callable[[Path, str], Path]
) -> None:
    here = json.dumps({"models": [model | {"present": True} for model in MODELS]})
    write_script(place.python, f"cat <<'END'\n{here}\nEND")
    assert missing_models(place, []) == []


def test_arguments_that_make_no_sense_are_reported(
    place: Place, write_script: Callable[[Path, str], Path]
) -> None:
    write_script(place.python, "echo 'pagekeeper: no such option' >&2; exit 2")
    with pytest.raises(SetupError, match="no such option"):
        missing_models(place, ["--model"])


def test_a_failed_download_stops(place: Place, write_script: Callable[[Path, str], Path]) -> None:
    write_script(place.python, "exit 1")
    with pytest.raises(SetupError, match="not complete"):
        setup_commands._fetch(place, ["default"])
    write_script(place.python, "exit 130")
    with pytest.raises(KeyboardInterrupt):
        setup_commands._fetch(place, ["default"])


@pytest.fixture
def tools(place: Place, write_script: Callable[[Path, str], Path]) -> Path:
    """Checkers that pass and note their arguments."""
    calls = place.root / "calls"
    for tool in ("ruff", "mypy", "lint-imports", "pytest"):
        write_script(
            place.scripts / tool,
            f"echo {tool} \"$@\" $QT_QPA_PLATFORM$PYTHONDONTWRITEBYTECODE >> '{calls}'",
        )
    return calls


def test_all_checks_run_in_order_beside_the_tests(
    place: Place, console: FakeConsole, tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert project_checks.run(place, console, ["-k", "queue"]) == 0
    calls = tools.read_text().splitlines()
    assert calls.count("pytest -k queue offscreen") == 1
    assert [call for call in calls if not call.startswith("pytest")] == [
        "ruff format --check offscreen",
        "ruff check offscreen",
        "mypy offscreen",
        "lint-imports offscreen",
    ]
    assert "Types: passed in" in console.stream.getvalue()


def test_a_failed_check_is_shown_and_the_rest_still_runs(
    place: Place, console: FakeConsole, tools: Path, write_script: Callable[[Path, str], Path]
) -> None:
    write_script(place.scripts / "mypy", "echo 'core/x.py:1: error: no'; exit 1")
    assert project_checks.run(place, console, []) == 1
    shown = console.stream.getvalue()
    assert "Types: failed in" in shown
    assert "core/x.py:1: error: no" in shown
    assert "Failed: Types." in shown
    assert "pytest" in tools.read_text()


def test_failed_tests_fail_the_command_and_their_summary_is_shown_whole(
    place: Place,
    console: FakeConsole,
    tools: Path,
    write_script: Callable[[Path, str], Path],
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    write_script(place.scripts / "pytest", "echo 'collected 2'; sleep 0.3; echo '1 failed'; exit 1")
    assert project_checks.run(place, console, []) == 1
    assert capfdbinary.readouterr().out == b"collected 2\n1 failed\n"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_whoever_ends_the_script_ends_the_tests_too(
    place: Place, tools: Path, write_script: Callable[[Path, str], Path], tmp_path: Path
) -> None:
    started = tmp_path / "started"
    write_script(place.scripts / "pytest", f"echo $$ > '{started}'; exec sleep 60")
    program = (
        "import bootstrap, sys, pathlib, setup_commands, setup_steps, project_checks as checks\n"
        "place = setup_steps.Place(pathlib.Path(sys.argv[1]))\n"
        "setup_commands.Place = lambda _root: place\n"
        "setup_commands._test = lambda place, console, _rest: checks.run(place, console, [])\n"
        "sys.argv[1:] = ['test']\n"
        "sys.exit(bootstrap.main())"
    )
    environment = os.environ | {"PYTHONPATH": str(SCRIPT.parent)}
    command = [sys.executable, "-c", program, str(place.root)]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE) as script:
        while not (started.exists() and started.read_text()):
            assert script.poll() is None
            time.sleep(0.05)
        script.terminate()
        assert script.wait() == 130
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)
    assert not list(place.log.parent.glob("tests-*"))


def test_quick_leaves_out_models_and_fetches_none(
    place: Place, console: FakeConsole, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[object] = []
    passed: list[list[str]] = []
    monkeypatch.setattr(setup_commands, "_fetch", lambda _place, names: fetched.append(names))
    monkeypatch.setattr(project_checks, "run", lambda _p, _c, arguments: passed.append(arguments))
    setup_commands._test(place, console, ["--quick", "-x"])
    assert fetched == []
    marks = "not model and not slow and not thorough"
    profile = "--hypothesis-profile"
    assert passed == [["-x", "-m", marks, profile, "quick", "-n", "auto"]]
    setup_commands._test(place, console, ["-x"])
    assert fetched == [setup_commands.TEST_MODELS]
    assert passed[1] == ["-x"]


@pytest.mark.skipif(sys.platform == "win32", reason="the program is not replaced on Windows")
def test_run_hands_over_to_the_program(
    place: Place, console: FakeConsole, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _path, arguments: handed.append(arguments))
    monkeypatch.setattr(setup_commands, "missing_models", lambda _place, _arguments: [])
    setup_commands._run(place, console, ["ask", "Who am I?"])
    assert handed == [[str(place.python), "-m", "pagekeeper_desktop", "ask", "Who am I?"]]
    assert console.commands[-1].endswith("smoke_test.py")
    count = len(console.commands)
    setup_commands._run(place, console, ["ask", "Who am I?"])
    assert len(console.commands) == count


def test_every_command_of_pagekeeper_is_known_to_set_up() -> None:
    known = set(setup_commands.PAGEKEEPER_COMMANDS)
    assert known == {command.words[0] for command in command_table.COMMANDS}


@pytest.mark.parametrize(("command", "module"), [("_bench", "benchmarks"), ("_eval", "evals")])
def test_benchmarks_and_evaluations_run_with_the_models_that_they_need(
    command: str, module: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ran: list[list[str]] = []

    def run(command: list[str], **_options: object) -> "subprocess.CompletedProcess[str]":
        ran.append(command)
        return subprocess.CompletedProcess(command, 0)

    place = Place(tmp_path)
    monkeypatch.setattr(setup_commands, "_install_tests", lambda *_: None)
    monkeypatch.setattr(setup_commands, "_fetch", lambda _, names: ran.append(list(names)))
    monkeypatch.setattr(subprocess, "run", run)
    measure = getattr(setup_commands, command)
    assert measure(place, FakeConsole(tmp_path / "log"), ["one"]) == 0
    program = [str(place.python), "-m", module, "one"]
    assert ran == [list(setup_commands.BENCH_MODELS), program]
