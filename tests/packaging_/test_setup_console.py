"""Steps are shown with their time, output goes to the log, failures explain themselves."""

import io
import os
import sys
import time
from pathlib import Path

import pytest

import setup_console
from setup_console import Console
from setup_errors import CommandError, SetupError, explain


class Terminal(io.StringIO):
    """A stream that calls itself a terminal."""

    def isatty(self) -> bool:
        return True


def run_python(console: Console, program: str, cwd: Path) -> None:
    console.run([sys.executable, "-c", program], env=os.environ, cwd=cwd)


def test_a_log_gets_a_line_at_start_and_end(tmp_path: Path) -> None:
    stream = io.StringIO()
    console = Console(stream, tmp_path / "build" / "setup.log")
    with console.step("[1/2] Making .venv"):
        run_python(console, "print('made')", tmp_path)
    assert stream.getvalue().startswith("[1/2] Making .venv …\n      done in 0:0")
    assert "made" in console.log.read_text()


def test_long_work_reports_each_minute_in_a_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = iter(range(0, 10_000, 50))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(ticks)))
    monkeypatch.setattr(setup_console, "_POLL_SECONDS", 0.01)
    stream = io.StringIO()
    console = Console(stream, tmp_path / "setup.log")
    with console.step("[1/1] Building"):
        run_python(
            console, "import time; print('[3/12] CXX', flush=True); time.sleep(0.3)", tmp_path
        )
    lines = stream.getvalue().splitlines()
    assert len(lines) > 3
    assert lines[-2].startswith("      … ")
    assert lines[-2].endswith("25%")


def test_a_terminal_gets_one_line_drawn_anew(tmp_path: Path) -> None:
    stream = Terminal()
    console = Console(stream, tmp_path / "setup.log")
    with console.step("[1/1] Installing packages"):
        run_python(
            console,
            "import time; print('Collecting numpy==2.4.6', flush=True); time.sleep(0.5)",
            tmp_path,
        )
    drawn = stream.getvalue()
    assert drawn.count("\n") == 1
    assert "[1/1] Installing packages … 0:00  numpy" in drawn
    assert "done in 0:0" in drawn.splitlines()[-1]


def test_a_failed_command_shows_its_last_lines_and_what_to_do(tmp_path: Path) -> None:
    stream = io.StringIO()
    console = Console(stream, tmp_path / "setup.log")
    program = (
        "print('\\n'.join(map(str, range(99))), '[Errno 28] No space left on device'); exit(3)"
    )
    with (
        pytest.raises(
            SetupError, match=r"“Installing packages” failed\. The disk is full"
        ) as caught,
        console.step("[2/3] Installing packages (1 to 5 minutes)"),
    ):
        run_python(console, program, tmp_path)
    shown = stream.getvalue()
    assert "  | 98 [Errno 28]" in shown
    assert "  | 9\n" not in shown
    assert "failed in 0:0" in shown
    assert "Free about 6 GB" in caught.value.advice


def test_the_shown_lines_are_those_of_the_failed_command(tmp_path: Path) -> None:
    console = Console(io.StringIO(), tmp_path / "setup.log")
    run_python(console, "print('No space left on device')", tmp_path)
    with pytest.raises(CommandError) as caught:
        run_python(console, "exit(1)", tmp_path)
    assert "No space" not in caught.value.output


def test_an_interrupted_step_says_so(tmp_path: Path) -> None:
    stream = io.StringIO()
    console = Console(stream, tmp_path / "setup.log")
    with pytest.raises(KeyboardInterrupt), console.step("[1/1] Building"):
        raise KeyboardInterrupt
    assert "stopped in 0:00" in stream.getvalue()


@pytest.mark.parametrize(
    ("output", "why", "advice"),
    [
        ("OSError: [Errno 28] No space left on device", "disk is full", "Free"),
        ("ensurepip is not available.", "without the module venv", "python3-venv"),
        ("No module named venv", "without the module venv", "python3-venv"),
        ("THESE PACKAGES DO NOT MATCH THE HASHES FROM", "not the one", "Try again"),
        ("[SSL: CERTIFICATE_VERIFY_FAILED] certificate", "prove who it is", "PIP_CERT"),
        ("connection broken by 'NewConnectionError('", "no connection", "network"),
        ("Temporary failure in name resolution", "no connection", "network"),
        ("No CMAKE_CXX_COMPILER could be found", "No C++ compiler", "build-essential"),
        ("g++: fatal error: Killed signal terminated program cc1plus", "out of memory", "PARALLEL"),
        ("PermissionError: [Errno 13] Permission denied", "may not be written", "belongs to you"),
        ("No matching distribution found for torch==2.13.0", "does not have", "index of your own"),
        ("something else", "", "lines above"),
    ],
)
def test_causes_are_recognised(output: str, why: str, advice: str) -> None:
    found_why, found_advice = explain(output)
    assert why in found_why
    assert advice in found_advice


def test_no_network_is_told_from_a_missing_package() -> None:
    why, _advice = explain(
        "WARNING: Retrying after connection broken by 'NewConnectionError'\n"
        "ERROR: No matching distribution found for numpy"
    )
    assert "no connection" in why
