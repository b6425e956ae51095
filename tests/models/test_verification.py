"""Model files are hashed once, and a file that changed after the check is noticed."""

import json
import os
import threading
from pathlib import Path

import pytest

from helpers.small_models import small_embedder, small_model
from pagekeeper_core.errors import ModelFileError
from pagekeeper_models import verification
from pagekeeper_models.catalogue import load_catalogue
from pagekeeper_models.verification import is_verified, locate, records_dir, verify

CONTENT = b"weights" * 1000
MODEL = small_model(CONTENT)


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    path = tmp_path / MODEL.location
    path.write_bytes(CONTENT)
    return path


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that were hashed, in order."""
    seen: list[Path] = []
    original = verification.sha256_of

    def spy(path: Path, cancel: threading.Event | None = None) -> str:
        seen.append(path)
        return original(path, cancel)

    monkeypatch.setattr(verification, "sha256_of", spy)
    return seen


def test_a_whole_file_is_hashed_only_once(model_file: Path, hashed: list[Path]) -> None:
    assert verify(MODEL, model_file.parent) == model_file
    assert verify(MODEL, model_file.parent) == model_file
    assert hashed == [model_file]


def test_a_file_changed_after_the_check_is_refused(model_file: Path) -> None:
    verify(MODEL, model_file.parent)
    model_file.write_bytes(b"W" + CONTENT[1:])
    with pytest.raises(ModelFileError, match="changed") as caught:
        verify(MODEL, model_file.parent)
    assert MODEL.name in caught.value.hint


def test_a_file_that_was_only_touched_is_hashed_again_and_passes(
    model_file: Path, hashed: list[Path]
) -> None:
    verify(MODEL, model_file.parent)
    os.utime(model_file, (1, 1))
    assert is_verified(MODEL, model_file.parent)
    assert is_verified(MODEL, model_file.parent)
    assert len(hashed) == 2


def test_a_short_file_is_refused_without_hashing(model_file: Path, hashed: list[Path]) -> None:
    model_file.write_bytes(CONTENT[:-1])
    assert not is_verified(MODEL, model_file.parent)
    assert hashed == []


def test_a_missing_file_says_how_to_fetch_it(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="not been downloaded") as caught:
        verify(MODEL, tmp_path)
    assert f"pagekeeper models download {MODEL.name}" in caught.value.hint


@pytest.mark.parametrize("record", ["", "[]", "{}", '{"small.gguf": 3}', "\x00"])
def test_a_broken_record_is_ignored(model_file: Path, record: str) -> None:
    path = records_dir(model_file.parent) / f"{MODEL.name}.json"
    path.parent.mkdir()
    path.write_text(record)
    assert is_verified(MODEL, model_file.parent)
    assert json.loads(path.read_text())["small.gguf"]["bytes"] == len(CONTENT)


def test_a_record_cannot_vouch_for_another_sum(model_file: Path) -> None:
    verify(MODEL, model_file.parent)
    other = small_model(CONTENT[::-1])
    assert not is_verified(other, model_file.parent)


def test_a_folder_model_needs_all_its_files(tmp_path: Path) -> None:
    contents = {"model.safetensors": b"1234", "1_Pooling/config.json": b"{}"}
    embedder = small_embedder(contents)
    folder = tmp_path / embedder.location
    for path, content in contents.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    assert verify(embedder, tmp_path) == folder
    (folder / "1_Pooling/config.json").unlink()
    with pytest.raises(ModelFileError, match="incomplete"):
        verify(embedder, tmp_path)


def test_a_folder_in_place_of_the_file_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / MODEL.location).mkdir()
    with pytest.raises(ModelFileError):
        verify(MODEL, tmp_path)


def test_locate_takes_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mein Modell 模型.gguf"
    path.write_bytes(b"")
    assert locate(str(path)) == path
    monkeypatch.chdir(tmp_path)
    assert locate(path.name) == path


@pytest.mark.parametrize("name", ["x" * 300, "x" * 5000, "x\0", "~nobody-we-know/a.gguf"])
def test_locate_takes_no_path_that_cannot_be(name: str) -> None:
    with pytest.raises(ModelFileError, match="no model or file"):
        locate(name)


def test_locate_suggests_the_nearest_name() -> None:
    with pytest.raises(ModelFileError, match="no model or file") as caught:
        locate("qwen2.5-coder-1.5")
    assert "Did you mean qwen2.5-coder-1.5b?" in caught.value.hint
    with pytest.raises(ModelFileError) as caught:
        locate("xyz")
    assert all(model.name in caught.value.hint for model in load_catalogue().models)


def test_locate_says_that_a_catalogue_model_is_not_here(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="Qwen3 8B has not been downloaded"):
        locate("qwen3-8b", tmp_path)
