"""The whole program in processes of its own: one window, a second start, the end by a signal."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from helpers import application_child

TESTS = Path(__file__).parent.parent


def start(data_dir: Path) -> "subprocess.Popen[str]":
    """The program on this data folder."""
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(TESTS)}
    return subprocess.Popen(
        [sys.executable, application_child.__file__, str(data_dir)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


def said(child: "subprocess.Popen[str]") -> str:
    assert child.stdout is not None
    return child.stdout.readline().strip()


def complaints(child: "subprocess.Popen[str]") -> list[str]:
    """What it wrote to standard error, apart from notes of the offscreen platform."""
    lines = child.communicate()[1].splitlines()
    return [line for line in lines if not line.startswith("This plugin does not support")]


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_start_raises_the_first_and_touches_nothing(
    tmp_path: Path, number: signal.Signals
) -> None:
    first = start(tmp_path)
    assert said(first) == "ready"
    second = start(tmp_path)
    assert said(second) == "memory opened False, closed False"
    assert second.wait(20) == 0
    assert said(first) == "raised"
    first.send_signal(number)
    assert said(first) == "memory opened True, closed True"
    assert first.wait(20) == 0
    assert [complaints(child) for child in (first, second)] == [[], []]


@pytest.mark.thorough
def test_the_start_after_a_crash_opens(tmp_path: Path) -> None:
    first = start(tmp_path)
    assert said(first) == "ready"
    first.kill()
    first.wait(20)
    first.communicate()
    again = start(tmp_path)
    assert said(again) == "ready"
    again.terminate()
    assert said(again) == "memory opened True, closed True"
    assert again.wait(20) == 0
    again.communicate()
