"""The process as a whole: exit codes, what is imported, and how it fails."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = "duckdb lancedb pyarrow llama_cpp torch transformers rich prompt_toolkit PySide6 numpy"


def run_program(
    *words: str, program: str = "", environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """`pagekeeper` with these words, in a process of its own.

    Args:
        words: The command line.
        program: Python to run before the program starts.
        environment: Variables to add or, where empty, to take away.
    """
    changed = {**os.environ, **(environment or {})}
    return subprocess.run(
        [sys.executable, "-c", f"{program}\n{START}", *words],
        env={name: value for name, value in changed.items() if value},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


START = "import sys; from pagekeeper_desktop.__main__ import main; sys.exit(main())"

BREAK_EVERY_COMMAND = """
from pagekeeper_desktop.cli import commands
def run_command(invocation, console):
    raise {}
commands.run_command = run_command
"""


@pytest.mark.parametrize("words", ["--help", "--version", "chta", "models list"])
def test_quick_commands_import_nothing_heavy(words: str) -> None:
    show = (
        "import atexit, sys\n"
        "atexit.register(lambda: sys.stderr.write('IMPORTED ' + ' '.join(sys.modules)))"
    )
    imported = run_program(*words.split(), program=show).stderr.split("IMPORTED ")[1].split()
    assert not set(HEAVY.split()) & set(imported)


def test_help_goes_to_standard_output_and_usage_errors_do_not() -> None:
    shown = run_program("--help")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.startswith("Pagekeeper is a private assistant.")
    refused = run_program("chta")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "did you mean 'chat'?" in refused.stderr


@pytest.mark.thorough
@pytest.mark.parametrize("words", [["ask", " "], ["ask", "-"], ["memory", "search", "\u200b"]])
def test_blank_texts_are_a_usage_error_that_touches_nothing(
    words: list[str], tmp_path: Path
) -> None:
    refused = run_program("--data-dir", str(tmp_path / "data"), *words)
    assert refused.returncode == 2
    assert "the text is empty" in refused.stderr
    assert not (tmp_path / "data").exists()


@pytest.mark.thorough
def test_a_process_without_standard_input_has_nothing_to_ask(tmp_path: Path) -> None:
    close = "import sys; sys.stdin.close(); sys.stdin = None"
    refused = run_program("--data-dir", str(tmp_path), "ask", "-", program=close)
    assert refused.returncode == 2
    assert "the text is empty" in refused.stderr


def test_an_expected_error_is_a_sentence_and_a_hint_and_its_trace_is_in_the_log(
    tmp_path: Path,
) -> None:
    raised = "__import__('pagekeeper_core.errors').errors.ModelError('It broke.', hint='Do this.')"
    failed = run_program(
        "--data-dir", str(tmp_path), "chat", program=BREAK_EVERY_COMMAND.format(raised)
    )
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr == "pagekeeper: It broke.\nDo this.\n"
    assert "Traceback" in (tmp_path / "logs" / "pagekeeper.log").read_text()


def test_an_unexpected_error_is_one_sentence_with_the_path_of_the_log(tmp_path: Path) -> None:
    failed = run_program(
        "--data-dir",
        str(tmp_path),
        "chat",
        program=BREAK_EVERY_COMMAND.format("ZeroDivisionError('what nobody expected')"),
    )
    log = tmp_path / "logs" / "pagekeeper.log"
    assert failed.returncode == 1
    assert failed.stderr.count("\n") == 1
    assert str(log) in failed.stderr
    assert "what nobody expected" in log.read_text()


@pytest.mark.parametrize("raised", ["KeyboardInterrupt", "SystemExit(130)"])
def test_an_interrupted_command_ends_with_130(raised: str, tmp_path: Path) -> None:
    stopped = run_program(
        "--data-dir", str(tmp_path), "chat", program=BREAK_EVERY_COMMAND.format(raised)
    )
    assert stopped.returncode == 130
    assert "Traceback" not in stopped.stderr


@pytest.mark.parametrize("words", ["--help", "models list", "models list --json"])
def test_a_reader_that_goes_away_is_no_failure(words: str, tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as gone:
        done = subprocess.run(
            [sys.executable, "-c", START, "--data-dir", str(tmp_path), *words.split()],
            stdout=gone,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.thorough
def test_models_are_listed_without_touching_any_data(tmp_path: Path) -> None:
    data, models = tmp_path / "data", tmp_path / "models"
    environment = {"PAGEKEEPER_MODELS_DIR": str(models)}
    words = ["--data-dir", str(data), "--model", "qwen2.5-coder-0.5b", "models", "list"]
    listed = json.loads(run_program(*words, "--json", environment=environment).stdout)
    chosen = [model["name"] for model in listed["models"] if model["chosen"]]
    assert chosen == ["qwen2.5-coder-0.5b", "all-minilm-l6-v2"]
    assert not any(model["present"] for model in listed["models"])
    table = run_program(*words, environment=environment).stdout
    assert "* qwen2.5-coder-0.5b" in table
    untried = {model["name"] for model in listed["models"] if not model["tried"]}
    assert untried
    assert {line.split()[0] for line in table.splitlines() if "untried" in line} == untried
    assert not data.exists()
    assert not models.exists()


def test_an_unknown_model_to_download_is_answered_with_the_known_ones(tmp_path: Path) -> None:
    refused = run_program("--data-dir", str(tmp_path), "models", "download", "gpt-7")
    assert refused.returncode == 1
    assert "There is no model “gpt-7”" in refused.stderr
    assert "qwen2.5-coder-0.5b" in refused.stderr


@pytest.mark.thorough
def test_a_download_without_a_network_says_so(tmp_path: Path) -> None:
    environment = {
        "PAGEKEEPER_MODELS_DIR": str(tmp_path / "models"),
        "HF_ENDPOINT": "http://127.0.0.1:9",
        "PIP_NO_INDEX": "1",
    }
    words = ["--data-dir", str(tmp_path / "data"), "models", "download", "smollm2-135m"]
    failed = run_program(*words, environment=environment)
    assert failed.returncode == 1
    assert "could not be downloaded" in failed.stderr
    assert "network" in failed.stderr


def test_without_a_display_the_terminal_takes_over(tmp_path: Path) -> None:
    program = (
        "from pagekeeper_desktop.cli import commands\n"
        "commands.run_command = lambda invocation, console: print(invocation.words) or 0"
    )
    no_display = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "QT_QPA_PLATFORM": ""}
    done = run_program("--data-dir", str(tmp_path), program=program, environment=no_display)
    assert (done.returncode, done.stdout) == (0, "('chat',)\n")
    assert done.stderr.count("\n") == 1
    assert "no display" in done.stderr


def test_what_the_window_imports_before_it_stands_is_light() -> None:
    program = "import pagekeeper_desktop.composition, sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert not set(HEAVY.split()) & set(done.stdout.split())


@pytest.mark.parametrize(
    ("module", "code"), [("pagekeeper_core.errors", 0), ("http.server", 2), ("", 2)]
)
def test_a_bundle_runs_its_own_modules_as_children_and_no_others(module: str, code: int) -> None:
    program = "import sys; sys.frozen = True; from pagekeeper_desktop.__main__ import main; "
    program += f"sys.exit(main(['-m', {module!r}]))"
    done = subprocess.run([sys.executable, "-c", program], check=False, timeout=60)
    assert done.returncode == code


def test_the_reader_process_runs_in_a_bundle() -> None:
    program = "import sys; sys.frozen = True; from pagekeeper_desktop.__main__ import main; "
    program += "sys.exit(main(['-m', 'pagekeeper_core.documents.reader_process_child']))"
    done = subprocess.run(
        [sys.executable, "-c", program], input=b"", capture_output=True, check=True, timeout=60
    )
    assert done.stdout.endswith(b'{"ready": true}')
