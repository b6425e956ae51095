"""Model files that cannot be used are told apart before llama.cpp sees them, or without harm."""

import os
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gguf
import numpy as np
import psutil
import pytest

from pagekeeper_core.errors import Cancelled, ModelFileError
from pagekeeper_models import gguf_check
from pagekeeper_models.catalogue import load_catalogue, models_dir
from pagekeeper_models.gguf_check import check_gguf, trial_load
from pagekeeper_models.gguf_header import ArrayLength, read_header

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals and shell scripts are POSIX")


def write_gguf(path: Path, architecture: str = "llama", *, tokens: int = 3) -> Path:
    """A small file with a sound header and one tensor."""
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_name("Tiny")
    writer.add_context_length(512)
    writer.add_block_count(2)
    writer.add_embedding_length(64)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q4_K_M)
    writer.add_float32("tiny.float", 0.5)
    writer.add_bool("tiny.bool", val=True)
    writer.add_array("tiny.numbers", [1, 2, 3])
    if tokens:
        writer.add_token_list([f"token {number} 猫" for number in range(tokens)])
    writer.add_tensor("output.weight", np.zeros((8, 64), dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def reason(path: Path, **options: int) -> str:
    with pytest.raises(ModelFileError) as caught:
        check_gguf(path, **options)
    assert caught.value.hint
    return str(caught.value)


def test_reads_what_the_package_wrote(tmp_path: Path) -> None:
    raw = read_header(write_gguf(tmp_path / "tiny.gguf"))
    assert raw.version == 3
    assert raw.metadata["general.name"] == "Tiny"
    assert raw.metadata["tiny.float"] == 0.5
    assert raw.metadata["tiny.bool"] is True
    assert raw.metadata["tiny.numbers"] == ArrayLength(3)
    assert [(tensor.name, tensor.shape) for tensor in raw.tensors] == [("output.weight", (64, 8))]
    assert raw.tensors[0].end == (tmp_path / "tiny.gguf").stat().st_size


def test_sums_up_a_sound_file(tmp_path: Path) -> None:
    header = check_gguf(write_gguf(tmp_path / "tiny.gguf"))
    assert (header.architecture, header.title) == ("llama", "Tiny")
    assert header.context_length == 512
    assert header.kv_bytes_per_token == 2 * 2 * (16 + 16) * 2


def _array_of_strings(length: int) -> bytes:
    """A header with an array of two strings, the first of which claims this length."""
    array, string = gguf.GGUFValueType.ARRAY, gguf.GGUFValueType.STRING
    start = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1) + b"k"
    return start + struct.pack("<IIQQ", array, string, 2, length) + bytes(100)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "is empty"),
        (b"PK\x03\x04 a zip file", "is not a GGUF file"),
        (b"GGUF", "ends within its header"),
        (b"GGUF" + struct.pack("<I", 3), "ends within its header"),
        (b"GGUF" + struct.pack(">I", 3) + bytes(100), "big-endian"),
        (b"GGUF" + struct.pack("<I", 1) + bytes(100), "GGUF version 1"),
        (b"GGUF" + struct.pack("<I", 9) + bytes(100), "GGUF version 9"),
        (b"GGUF" + struct.pack("<IQQ", 3, 2**60, 2**60), "damaged header"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 2**62), "damaged header"),
        (_array_of_strings(2**62), "ends within its header"),
        (_array_of_strings(2**64 - 1), "ends within its header"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 0), "holds no weights"),
    ],
)
def test_says_what_is_wrong_with_the_bytes(tmp_path: Path, content: bytes, expected: str) -> None:
    path = tmp_path / "bad.gguf"
    path.write_bytes(content)
    assert expected in reason(path)


def test_every_cut_is_noticed(tmp_path: Path) -> None:
    whole = write_gguf(tmp_path / "tiny.gguf").read_bytes()
    path = tmp_path / "cut.gguf"
    for size in (*range(0, len(whole) - 2048, 7), len(whole) - 2048, len(whole) - 1):
        path.write_bytes(whole[:size])
        assert "cannot be used" in reason(path)


def test_damage_anywhere_in_the_header_is_our_error_or_none(tmp_path: Path) -> None:
    whole = write_gguf(tmp_path / "tiny.gguf").read_bytes()
    path = tmp_path / "damaged.gguf"
    refused = 0
    for position in range(0, len(whole) - 2048, 5):
        path.write_bytes(whole[:position] + b"\xff" * 8 + whole[position + 8 :])
        try:
            check_gguf(path)
        except ModelFileError:
            refused += 1
    assert refused > 50


def test_a_file_cut_in_its_tensors_says_how_much_is_missing(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "tiny.gguf")
    os.truncate(path, path.stat().st_size - 1)
    assert "MB are missing at its end" in reason(path)


def test_unknown_kinds_are_named(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "new.gguf", "kangaroo")
    assert "unknown to this version: kangaroo" in reason(path)


def test_a_kind_that_only_the_library_knows_is_left_to_the_trial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gguf_check, "MODEL_ARCH_NAMES", {})
    check_gguf(write_gguf(tmp_path / "tiny.gguf", "qwen3next"))


@pytest.mark.parametrize("architecture", ["bert", "clip", "nomic-bert", "t5encoder"])
def test_models_that_do_not_write_are_refused(tmp_path: Path, architecture: str) -> None:
    path = write_gguf(tmp_path / "other.gguf", architecture)
    assert "does not write text" in reason(path)


def test_a_file_without_tokenizer_is_refused(tmp_path: Path) -> None:
    assert "no tokenizer" in reason(write_gguf(tmp_path / "tiny.gguf", tokens=0))


def test_a_model_too_large_for_the_memory_is_refused(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "tiny.gguf")
    assert "needs about" in reason(path, memory_bytes=10_000_000)
    assert "window of 900,000,000 tokens" in reason(path, context_window=900_000_000)


def test_a_folder_and_a_missing_file_are_told(tmp_path: Path) -> None:
    assert "is a folder" in reason(tmp_path)
    assert "There is no file" in reason(tmp_path / "gone.gguf")


def test_a_file_that_may_not_be_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(gguf_check, "read_header", refuse)
    assert "Permission denied" in reason(write_gguf(tmp_path / "tiny.gguf"))


def test_other_scripts_in_the_path_fail_on_windows_only(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "modèle 模型.gguf")
    check_gguf(path)
    with pytest.raises(ModelFileError, match="on Windows"):
        gguf_check._check_path(path, "win32")


@pytest.fixture(scope="module")
def small_model() -> Path:
    entry = load_catalogue().find("smollm2-135m")
    assert entry is not None
    return models_dir() / entry.location


@pytest.mark.model
def test_trial_of_a_sound_file_is_remembered(
    small_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "модель.gguf"
    path.symlink_to(small_model)
    trial_load(path, records=tmp_path / "records")
    monkeypatch.setattr(subprocess, "Popen", None)
    trial_load(path, records=tmp_path / "records")


@pytest.mark.model
def test_trial_finds_missing_and_damaged_weights(small_model: Path, tmp_path: Path) -> None:
    content = small_model.read_bytes()
    path = tmp_path / "damaged.gguf"
    path.write_bytes(content.replace(b"blk.29.", b"blk.77."))
    check_gguf(path)
    with pytest.raises(ModelFileError, match=r"blk\.29\.attn_norm\.weight"):
        trial_load(path, records=tmp_path)
    path.write_bytes(content[:10_000_000] + b"\xff" * (len(content) - 10_000_000))
    with pytest.raises(ModelFileError, match="not numbers"):
        trial_load(path, records=tmp_path)


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts a shell script in the place of the child's Python."""

    def install(script: str) -> None:
        executable = tmp_path / "python"
        executable.write_text(f"#!/bin/sh\n{script}\n")
        executable.chmod(0o700)
        monkeypatch.setattr(sys, "executable", str(executable))

    return install


@posix
def test_a_crash_of_the_library_is_a_message(
    tmp_path: Path, stand_in: Callable[[str], None]
) -> None:
    stand_in(f"kill -{int(signal.SIGSEGV)} $$")
    with pytest.raises(ModelFileError, match=r"crash \(memory fault\)"):
        trial_load(write_gguf(tmp_path / "tiny.gguf"), records=tmp_path)


@posix
def test_a_file_that_never_loads_is_given_up(
    tmp_path: Path, stand_in: Callable[[str], None]
) -> None:
    stand_in("exec sleep 60")
    with pytest.raises(ModelFileError, match="did not load within"):
        trial_load(write_gguf(tmp_path / "tiny.gguf"), records=tmp_path, timeout=0.2)


@posix
def test_a_trial_can_be_stopped(tmp_path: Path, stand_in: Callable[[str], None]) -> None:
    started = tmp_path / "started"
    stand_in(f"echo $$ > {started}.new; mv {started}.new {started}; exec sleep 600")
    path = write_gguf(tmp_path / "tiny.gguf")
    cancel = threading.Event()
    with ThreadPoolExecutor() as pool:
        trial = pool.submit(trial_load, path, cancel=cancel, records=tmp_path / "records")
        while not started.exists():
            assert not trial.done()
        cancel.set()
        with pytest.raises(Cancelled):
            trial.result()
    assert not psutil.pid_exists(int(started.read_text()))
    assert not (tmp_path / "records").exists()


@posix
def test_a_child_that_says_much_is_not_held_up(
    tmp_path: Path, stand_in: Callable[[str], None]
) -> None:
    stand_in("head -c 1000000 /dev/zero >&2; echo >&2; echo the reason >&2; exit 1")
    with pytest.raises(ModelFileError, match="the reason"):
        trial_load(write_gguf(tmp_path / "tiny.gguf"), records=tmp_path)


def test_a_file_that_vanished_before_the_trial_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="There is no file"):
        trial_load(tmp_path / "gone.gguf", records=tmp_path)
