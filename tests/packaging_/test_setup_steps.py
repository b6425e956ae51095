"""Set-up does what is missing, in order, once; goes on after a break; notices what changed."""

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import NamedTuple

import pytest

import setup_machine
import setup_steps
from helpers.setup_fakes import FakeConsole, make_venv
from setup_errors import SetupError
from setup_steps import Place, Setup, exclusively


def open_steps(place: Place, console: FakeConsole) -> list[str]:
    """Run set-up; gives the modules that were run."""
    console.commands.clear()
    Setup(place, console).run()
    return [command.split()[1] for command in console.commands]


ALL = ["venv", "pip", "pip", "pip"]


def test_everything_is_done_once_in_order(place: Place, console: FakeConsole) -> None:
    setup = Setup(place, console)
    assert not setup.is_done()
    assert setup.run(steps_to_follow=2) == 5
    venv, pip, llama, packages = console.commands
    assert venv == f"-m venv {place.venv}"
    assert pip.endswith("--upgrade pip==26.3")
    assert "--no-binary llama-cpp-python" in llama
    assert "--no-cache-dir" in llama
    assert llama.endswith("llama-cpp-python==0.3.36")
    assert packages.endswith(f"--editable {place.root}")
    assert f"--constraint {place.constraints}" in packages
    assert "[3/5] Installing packages" in console.stream.getvalue()
    assert setup.is_done()
    assert open_steps(place, console) == []


def test_finding_all_done_starts_no_process(
    place: Place, console: FakeConsole, monkeypatch: pytest.MonkeyPatch
) -> None:
    Setup(place, console).run()
    monkeypatch.setattr(subprocess, "run", None)
    monkeypatch.setattr(subprocess, "Popen", None)
    assert Setup(place, console).is_done()


def test_goes_on_after_a_failed_step(place: Place, console: FakeConsole) -> None:
    console.fails_on = "llama-cpp-python"
    console.output = "CMake Error: No CMAKE_CXX_COMPILER could be found."
    with pytest.raises(SetupError, match=r"“Building llama\.cpp” failed\. No C") as caught:
        Setup(place, console).run()
    assert "build-essential" in caught.value.advice
    assert str(place.log) in caught.value.advice
    console.fails_on = None
    steps = open_steps(place, console)
    assert len(steps) == 2
    assert "--force-reinstall" not in console.commands[0]


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("pyproject.toml", "[project]\nname = 'other'\n", ["--editable"]),
        ("packaging/constraints.txt", "numpy==3\npip==26.3\nllama-cpp-python==0.3.36\n", ["--edi"]),
        (
            "packaging/constraints.txt",
            "pip==26.3\nllama-cpp-python==0.3.37\nnumpy==2.4.6\n",
            ["llama-cpp-python==0.3.37", "--editable"],
        ),
    ],
)
def test_a_change_redoes_what_it_touches(
    place: Place, console: FakeConsole, file: str, text: str, words: list[str]
) -> None:
    Setup(place, console).run()
    (place.root / file).write_text(text)
    open_steps(place, console)
    assert len(console.commands) == len(words)
    for word, command in zip(words, console.commands, strict=True):
        assert word in command


def test_another_processor_gets_another_build(
    place: Place, console: FakeConsole, monkeypatch: pytest.MonkeyPatch
) -> None:
    Setup(place, console).run()
    monkeypatch.setattr(setup_machine, "instruction_sets", lambda: "avx2")
    open_steps(place, console)
    (command,) = console.commands
    assert "--force-reinstall" in command


def test_own_build_flags_are_kept_until_others_come(
    place: Place, console: FakeConsole, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CMAKE_ARGS", "-DGGML_CUDA=on")
    Setup(place, console).run()
    assert console.environments[2]["CMAKE_ARGS"].endswith(" -DGGML_CUDA=on")
    monkeypatch.delenv("CMAKE_ARGS")
    assert Setup(place, console).is_done()
    monkeypatch.setenv("CMAKE_ARGS", "")
    assert not Setup(place, console).is_done()
    Setup(place, console).run()
    assert "CUDA" not in console.environments[-1]["CMAKE_ARGS"]


def test_pip_keeps_the_machine_s_settings_but_works_in_venv(
    place: Place, console: FakeConsole, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1/simple")
    monkeypatch.setenv("PIP_USER", "1")
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    Setup(place, console).run()
    for environment in console.environments:
        assert environment["PIP_INDEX_URL"] == "http://127.0.0.1/simple"
        assert environment["PIP_USER"] == "0"
        assert "PYTHONPATH" not in environment


def test_packages_for_tests_serve_for_running_too_but_not_the_other_way(
    place: Place, console: FakeConsole
) -> None:
    Setup(place, console).run()
    with_tests = Setup(place, console, with_tests=True)
    assert not with_tests.is_done()
    with_tests.run()
    assert console.commands[-1].endswith("[dev]")
    (place.root / "pyproject.toml").write_text("changed")
    with_tests.run()
    assert Setup(place, console).is_done()


def test_another_python_makes_the_environment_anew(place: Place, console: FakeConsole) -> None:
    make_venv(place.venv, "3.9.1")
    (place.venv / "old").write_text("")
    place.record.write_text("{}")
    assert open_steps(place, console) == ALL
    assert not (place.venv / "old").exists()


def test_a_half_made_environment_is_made_anew(place: Place, console: FakeConsole) -> None:
    make_venv(place.venv)
    place.python.unlink()
    assert open_steps(place, console) == ALL
    shutil.rmtree(place.venv)
    place.venv.mkdir()
    assert open_steps(place, console) == ALL


def test_an_environment_whose_python_is_gone_is_made_anew(
    place: Place, console: FakeConsole
) -> None:
    Setup(place, console).run()
    place.python.unlink()
    place.python.symlink_to(place.root / "gone")
    assert open_steps(place, console) == ALL


def test_an_environment_that_was_moved_is_made_anew(place: Place, console: FakeConsole) -> None:
    Setup(place, console).run()
    moved = Place(place.root.rename(place.root.with_name("moved")))
    assert open_steps(moved, console) == ALL
    assert Setup(moved, console).is_done()


def test_an_environment_made_by_hand_is_kept_if_it_works(
    place: Place, console: FakeConsole
) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place.venv], check=True)
    pip = next(place.venv.rglob("site-packages")) / "pip.py"
    pip.write_text("")
    assert open_steps(place, console) == ALL[1:]
    assert pip.exists()


@pytest.mark.parametrize("record", ["", "[]", '"x"', "\x00"])
def test_a_broken_record_only_costs_the_steps(
    place: Place, console: FakeConsole, record: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Setup(place, console).run()
    place.record.write_text(record)
    monkeypatch.setattr(Setup, "_pip_works", lambda _self: True)
    assert open_steps(place, console) == ALL[1:]
    assert Setup(place, console).is_done()


def test_no_compiler_is_said_before_anything_is_done(
    place: Place, console: FakeConsole, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none() -> None:
        raise SetupError("no compiler", "install one")

    monkeypatch.setattr(setup_machine, "check_compiler", none)
    with pytest.raises(SetupError, match="no compiler"):
        Setup(place, console).run()
    assert console.commands == []


def test_too_little_room_is_said_before_anything_is_done(
    place: Place, console: FakeConsole, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Usage(NamedTuple):
        free: int

    monkeypatch.setattr(shutil, "disk_usage", lambda _path: Usage(1_000_000_000))
    with pytest.raises(SetupError, match=r"1\.0 GB are free"):
        Setup(place, console).run()
    assert console.commands == []


def test_a_missing_pin_is_a_clear_error(place: Place, console: FakeConsole) -> None:
    place.constraints.write_text("pip==26.3\n")
    with pytest.raises(SetupError, match="no version of llama-cpp-python"):
        Setup(place, console).is_done()


def test_two_set_ups_wait_for_each_other(
    place: Place, console: FakeConsole, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup_steps, "_WAIT_SECONDS", 0.01)
    order: list[str] = []
    inside, leave = threading.Event(), threading.Event()

    def first() -> None:
        with exclusively(place.lock, console):
            inside.set()
            leave.wait()
            order.append("first")

    thread = threading.Thread(target=first)
    thread.start()
    inside.wait()
    threading.Timer(0.1, leave.set).start()
    with exclusively(place.lock, console):
        order.append("second")
    thread.join()
    assert order == ["first", "second"]
    assert "Another set-up" in console.stream.getvalue()


def test_the_lock_ends_with_its_process(place: Place, console: FakeConsole) -> None:
    packaging = Path(setup_steps.__file__).parent
    program = (
        "import os, pathlib, sys; from setup_steps import exclusively\n"
        "with exclusively(pathlib.Path(sys.argv[1]), None): os._exit(9)"
    )
    environment = os.environ | {"PYTHONPATH": str(packaging)}
    command = [sys.executable, "-c", program, str(place.lock)]
    assert subprocess.run(command, env=environment, check=False).returncode == 9
    with exclusively(place.lock, console):
        assert console.stream.getvalue() == ""
