"""One window a data folder: a second start raises the first one's window, and ends."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QDir
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from helpers import instance_child
from pagekeeper_desktop.single_instance import SingleInstance, _socket_name

ENVIRONMENT = os.environ | {"QT_QPA_PLATFORM": "offscreen"}


def start_child(data_dir: Path, mode: str) -> "subprocess.Popen[str]":
    """Another process that claims the same folder."""
    return subprocess.Popen(
        [sys.executable, instance_child.__file__, str(data_dir), mode],
        stdout=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )


def said(child: "subprocess.Popen[str]") -> str:
    assert child.stdout is not None
    return child.stdout.readline().strip()


def test_a_second_start_raises_the_first_window(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path
) -> None:
    first = SingleInstance(tmp_path)
    assert first.claim()
    with qtbot.waitSignal(first.raise_requested, timeout=10_000):
        child = start_child(tmp_path, "once")
    assert said(child) == "second"
    assert child.wait(10) == 0
    child.communicate()
    first.release()


def test_other_folders_have_their_own_window(qapp: QApplication, tmp_path: Path) -> None:
    first, other = SingleInstance(tmp_path / "a"), SingleInstance(tmp_path / "b")
    assert first.claim()
    assert other.claim()
    first.release()
    other.release()


def test_after_the_first_has_gone_the_next_is_the_first(qapp: QApplication, tmp_path: Path) -> None:
    first = SingleInstance(tmp_path)
    assert first.claim()
    first.release()
    again = SingleInstance(tmp_path)
    assert again.claim()
    again.release()


def test_the_socket_of_a_crashed_start_does_not_matter(qapp: QApplication, tmp_path: Path) -> None:
    child = start_child(tmp_path, "stay")
    assert said(child) == "first"
    child.kill()
    child.wait(10)
    child.communicate()
    instance = SingleInstance(tmp_path)
    assert instance.claim()
    instance.release()


def test_a_file_in_the_socket_s_place_does_not_matter(qapp: QApplication, tmp_path: Path) -> None:
    path = Path(QDir.temp().filePath(_socket_name(tmp_path)))
    path.write_text("not a socket")
    instance = SingleInstance(tmp_path)
    assert instance.claim()
    instance.release()


@pytest.mark.thorough
def test_of_many_starts_at_once_one_is_the_first(tmp_path: Path) -> None:
    children = [start_child(tmp_path, "stay") for _ in range(4)]
    answers = sorted(said(child) for child in children)
    for child in children:
        child.kill()
        child.wait(10)
        child.communicate()
    assert answers == ["first", "second", "second", "second"]


@pytest.mark.parametrize("name", ["日本 folder", "x" * 200, "a'b\"c"])
def test_any_folder_name_makes_a_short_socket_name(tmp_path: Path, name: str) -> None:
    assert len(_socket_name(tmp_path / name)) < 40
    assert _socket_name(tmp_path / name) == _socket_name(tmp_path / "." / name)
