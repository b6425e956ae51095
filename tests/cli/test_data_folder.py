"""The data folder: layout, permissions, and the lock of one process."""

import errno
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pagekeeper_core.errors import StoreBusyError, StoreError
from pagekeeper_desktop.data_folder import DataFolder


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_folders_are_made_for_their_owner_alone(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "a" / "Pagekeeper 数据")
    folder.lock().release()
    assert [mode_of(f) for f in (folder.root, folder.memory, folder.state)] == [0o700] * 3
    assert mode_of(folder.lock_file) == 0o600


def test_the_lock_holds_the_process_number_and_names_it_to_a_second_one(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    lock = folder.lock()
    assert folder.lock_file.read_text() == f"{os.getpid()}\n"
    with pytest.raises(StoreBusyError, match=f"open already .process {os.getpid()}.") as caught:
        folder.lock()
    assert "close it first" in caught.value.hint
    lock.release()
    folder.lock().release()


def test_a_killed_process_lets_go_of_the_lock(tmp_path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path\n"
        "from pagekeeper_desktop.data_folder import DataFolder\n"
        "lock = DataFolder(Path(sys.argv[1])).lock(); print('held', flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        with pytest.raises(StoreBusyError, match=str(child.pid)):
            DataFolder(tmp_path).lock()
        child.send_signal(signal.SIGKILL)
    DataFolder(tmp_path).lock().release()


def test_a_file_in_place_of_the_folder_is_named(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("mine")
    for root in (file, file / "below"):
        with pytest.raises(StoreError, match=f"{file} is not a folder") as caught:
            DataFolder(root).lock()
        assert "--data-dir" in caught.value.hint
    assert file.read_text() == "mine"


def test_what_stands_in_the_place_of_a_folder_below_is_named(tmp_path: Path) -> None:
    DataFolder(tmp_path / "a").root.mkdir()
    DataFolder(tmp_path / "b").root.mkdir()
    state, memory = DataFolder(tmp_path / "a").state, DataFolder(tmp_path / "b").memory
    state.write_text("mine")
    memory.symlink_to(tmp_path / "nowhere")
    for obstacle in (state, memory):
        with pytest.raises(StoreError, match=f"{obstacle} is not a folder") as caught:
            DataFolder(obstacle.parent).lock()
        assert str(obstacle) in caught.value.hint


def test_a_folder_in_place_of_the_lock_is_named(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    folder.lock_file.mkdir()
    with pytest.raises(StoreError, match=f"{folder.lock_file} is a folder") as caught:
        folder.lock()
    assert str(folder.lock_file) in caught.value.hint


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (os.fsdecode(b"x\xff"), "no text in UTF-8"),
        ("what?", "question mark"),
        ("what?/data", "question mark"),
    ],
)
def test_a_name_that_no_database_can_open_is_refused_before_it_is_made(
    tmp_path: Path, name: str, words: str
) -> None:
    with pytest.raises(StoreError, match=words) as caught:
        DataFolder(tmp_path / name).lock()
    assert "--data-dir" in caught.value.hint
    assert str(caught.value).encode()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.EROFS, "read-only"),
        (errno.EACCES, "no permission"),
        (errno.ENOSPC, "is full"),
        (errno.EIO, "cannot be used"),
    ],
)
def test_what_the_operating_system_refuses_is_said_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(StoreError, match=words) as caught:
        DataFolder(tmp_path / "data").lock()
    assert "--data-dir" in caught.value.hint


def test_a_full_disk_while_the_lock_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", full)
        with pytest.raises(StoreError, match="is full"):
            DataFolder(tmp_path).lock()
    DataFolder(tmp_path).lock().release()
