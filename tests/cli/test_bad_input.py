"""Data folders and model files that cannot be used: a sentence and a hint, never a trace."""

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from helpers.keeper_process import COMMAND
from pagekeeper_desktop.data_folder import DataFolder
from pagekeeper_models.catalogue import load_catalogue, models_dir

REFUSE_WRITES = """
import os, builtins
def refused(*a, **k):
    raise OSError({number}, os.strerror({number}))
os.mkdir = refused
"""


def keeper(data: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, "--data-dir", data, *words],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def assert_refused(done: subprocess.CompletedProcess[str], *words: str) -> None:
    """One sentence, one hint, exit code 1, besides lines of progress."""
    assert (done.returncode, done.stdout) == (1, "")
    assert "Traceback" not in done.stderr
    assert len([line for line in done.stderr.splitlines() if "…" not in line]) == 2
    for word in words:
        assert word in done.stderr


class SmallDisk:
    """A file system of its own where the system allows one, else a folder on which calls fail."""

    def __init__(self, folder: Path, size: str) -> None:
        folder.mkdir()
        self.folder = folder
        self.is_real = mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder))

    def make_read_only(self) -> None:
        if self.is_real:
            assert mount("-o", "remount,ro", str(self.folder))

    def run(self, *words: str, number: int) -> subprocess.CompletedProcess[str]:
        """The command on this disk; where it is not real, folders fail with this error number."""
        if self.is_real:
            return keeper(self.folder / "data", *words)
        program = f"{REFUSE_WRITES.format(number=number)}\nimport sys\n" + (
            "from pagekeeper_desktop.__main__ import main; sys.exit(main())"
        )
        folder = str(self.folder / "data")
        command = [sys.executable, "-c", program, "--data-dir", folder, *words]
        return subprocess.run(command, capture_output=True, text=True, check=False)


def mount(*words: str) -> bool:
    try:
        done = subprocess.run(["mount", *words], capture_output=True, check=False)
    except FileNotFoundError:
        return False
    return done.returncode == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    disk = SmallDisk(tmp_path / "disk", "128k")
    yield disk
    if disk.is_real:
        subprocess.run(["umount", disk.folder], check=True)


@pytest.mark.thorough
def test_a_full_disk(small_disk: SmallDisk) -> None:
    done = small_disk.run("memory", "show", number=errno.ENOSPC)
    assert_refused(done)
    assert "full" in done.stderr or "No space left" in done.stderr


@pytest.mark.thorough
def test_a_read_only_disk(small_disk: SmallDisk) -> None:
    small_disk.make_read_only()
    done = small_disk.run("memory", "show", number=errno.EROFS)
    assert_refused(done, "read-only", "--data-dir")


@pytest.mark.thorough
def test_a_file_in_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("mine")
    assert_refused(keeper(tmp_path / "data", "memory", "show"), "data is not a folder")


@pytest.mark.thorough
@pytest.mark.parametrize("name", [b"x\xff", b"what?", b"x" * 300])
def test_a_data_folder_that_cannot_be_named_so(tmp_path: Path, name: bytes) -> None:
    done = keeper(tmp_path / os.fsdecode(name), "memory", "show")
    assert_refused(done, "--data-dir")


@pytest.mark.model
def test_data_of_a_newer_version(tmp_path: Path) -> None:
    assert keeper(tmp_path, "memory", "show").returncode == 0
    with duckdb.connect(str(DataFolder(tmp_path).recall_file)) as connection:
        connection.execute("INSERT INTO schema_version VALUES (999, now())")
    assert_refused(keeper(tmp_path, "memory", "show"), "newer")


@pytest.mark.thorough
def test_a_second_instance_never_touches_the_data(tmp_path: Path) -> None:
    lock = DataFolder(tmp_path).lock()
    for words in (["memory", "show"], ["memory", "search", "vet"], ["ask", "hi"]):
        assert_refused(keeper(tmp_path, *words), "Pagekeeper is open already", str(os.getpid()))
    assert not DataFolder(tmp_path).recall_file.exists()
    lock.release()


@pytest.mark.model
def test_a_data_folder_with_a_name_in_any_script(tmp_path: Path) -> None:
    done = keeper(tmp_path / "Ana's 数据 תיקייה 😀", "memory", "show")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.thorough
def test_models_that_are_not_here_are_named_with_the_way_to_get_them(tmp_path: Path) -> None:
    elsewhere = {"PAGEKEEPER_MODELS_DIR": str(tmp_path / "models")}
    done = keeper(tmp_path / "data", "ask", "hi", "--model", "smollm2-135m", **elsewhere)
    assert_refused(
        done, "SmolLM2 135M", "MiniLM", "pagekeeper --model smollm2-135m models download"
    )


@pytest.mark.model
@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "is empty"), (b"GGUF\3\0\0\0", "cannot be used"), (b"%PDF-1.7", "is not a GGUF file")],
)
def test_a_model_file_that_is_none(content: bytes, words: str, tmp_path: Path) -> None:
    file = tmp_path / "模型.gguf"
    file.write_bytes(content)
    done = keeper(tmp_path / "data", "ask", "hi", "--model", str(file))
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert words in done.stderr


@pytest.mark.model
def test_a_model_that_nobody_knows(tmp_path: Path) -> None:
    done = keeper(tmp_path / "data", "ask", "hi", "--model", "qwen2.5-coder-05b")
    assert done.returncode == 1
    assert "There is no model or file “qwen2.5-coder-05b”" in done.stderr
    assert "qwen2.5-coder-0.5b" in done.stderr


@pytest.mark.model
def test_a_model_file_changed_after_it_was_checked(tmp_path: Path) -> None:
    catalogue, models = load_catalogue(), tmp_path / "models"
    models.mkdir()
    small = catalogue.find("smollm2-135m")
    assert small is not None
    for entry in (small, catalogue.embedder):
        (models / entry.location).symlink_to(models_dir() / entry.location)
    file = models / small.location
    content = bytearray(file.read_bytes())
    file.unlink()
    content[-1] ^= 1
    file.write_bytes(content)
    done = keeper(
        tmp_path / "data",
        *("ask", "hi", "--model", "smollm2-135m"),
        PAGEKEEPER_MODELS_DIR=str(models),
    )
    assert done.returncode == 1
    assert "has been changed" in done.stderr
    assert "pagekeeper models download smollm2-135m" in done.stderr
