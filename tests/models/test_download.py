"""Downloads from a server: whole, cut, resumed, wrong, cancelled, out of room."""

import errno
import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.model_server import ModelServer
from helpers.small_models import RESOLVE, small_embedder, small_model
from pagekeeper_core.errors import Cancelled, ModelError, ModelFileError
from pagekeeper_models import download as download_module
from pagekeeper_models import download_sources, verification
from pagekeeper_models.catalogue import CatalogueEntry, HuggingFaceSource
from pagekeeper_models.download import DownloadProgress, download
from pagekeeper_models.verification import is_verified, sha256_of

CONTENT = random.Random(7).randbytes(5_000_000)
MODEL = small_model(CONTENT)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    server = ModelServer()
    server.files[f"{RESOLVE}small.gguf"] = CONTENT
    monkeypatch.setenv("HF_ENDPOINT", server.endpoint)
    monkeypatch.setattr(download_sources, "_RETRY_SECONDS", 0.01)
    with server.running():
        yield server


def fetch(
    model: CatalogueEntry, folder: Path, cancel: threading.Event | None = None
) -> list[DownloadProgress]:
    return list(download(model, folder, cancel=cancel or threading.Event()))


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if not path.name.startswith(".")}


def test_fetches_with_progress_in_bytes(server: ModelServer, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "models"
    steps = fetch(MODEL, folder)
    assert (folder / "small.gguf").read_bytes() == CONTENT
    assert [step.done for step in steps] == sorted(step.done for step in steps)
    assert steps[-1].done == steps[-1].total == len(CONTENT)
    assert len({step.done for step in steps}) >= 4
    assert is_verified(MODEL, folder)


def test_a_verified_model_is_not_fetched_again(server: ModelServer, tmp_path: Path) -> None:
    fetch(MODEL, tmp_path)
    requests = len(server.ranges)
    assert len(fetch(MODEL, tmp_path)) == 1
    assert len(server.ranges) == requests


@pytest.mark.parametrize("contents", [None, {"model.safetensors": b"1234", "config.json": b"{}"}])
def test_every_byte_is_hashed_once(
    server: ModelServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    contents: dict[str, bytes] | None,
) -> None:
    hashed: list[str] = []

    def spy(path: Path, cancel: threading.Event | None = None) -> str:
        hashed.append(path.name)
        return sha256_of(path, cancel)

    for module in (download_module, verification):
        monkeypatch.setattr(module, "sha256_of", spy)
    model = small_embedder(contents) if contents else MODEL
    server.files.update({RESOLVE + path: content for path, content in (contents or {}).items()})
    list(download(model, tmp_path, cancel=threading.Event()))
    assert is_verified(model, tmp_path)
    assert sorted(hashed) == sorted(file.path for file in model.files)


def test_the_check_of_a_file_that_is_here_can_be_cancelled(
    server: ModelServer, tmp_path: Path
) -> None:
    (tmp_path / "small.gguf").write_bytes(CONTENT)
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        fetch(MODEL, tmp_path, cancel)
    assert is_verified(MODEL, tmp_path)


def test_goes_on_where_a_broken_connection_ended(server: ModelServer, tmp_path: Path) -> None:
    server.cut_after = 2_000_000
    fetch(MODEL, tmp_path)
    assert server.ranges == ["", "bytes=2000000-", "bytes=4000000-"]
    assert (tmp_path / "small.gguf").read_bytes() == CONTENT


def test_a_half_file_never_has_the_final_name_and_is_resumed_later(
    server: ModelServer, tmp_path: Path
) -> None:
    cancel = threading.Event()
    steps = download(MODEL, tmp_path, cancel=cancel)
    while next(steps).done < 2_000_000:
        assert names_in(tmp_path) == set()
    cancel.set()
    with pytest.raises(Cancelled):
        next(steps)
    server.ranges.clear()
    fetch(MODEL, tmp_path)
    assert len(server.ranges) == 1
    assert server.ranges[0].startswith("bytes=")
    assert (tmp_path / "small.gguf").read_bytes() == CONTENT


def test_starts_anew_when_the_server_knows_no_ranges(server: ModelServer, tmp_path: Path) -> None:
    half = tmp_path / ".downloads" / MODEL.name / "small.gguf"
    half.parent.mkdir(parents=True)
    half.write_bytes(b"x" * 1_000_000)
    server.ignores_ranges = True
    fetch(MODEL, tmp_path)
    assert (tmp_path / "small.gguf").read_bytes() == CONTENT


def test_a_wrong_file_is_deleted_and_reported(server: ModelServer, tmp_path: Path) -> None:
    server.files[f"{RESOLVE}small.gguf"] = CONTENT[:-1] + b"?"
    with pytest.raises(ModelFileError, match="not the publisher's") as caught:
        fetch(MODEL, tmp_path)
    assert "deleted" in caught.value.hint
    assert names_in(tmp_path) == set()
    server.files[f"{RESOLVE}small.gguf"] = CONTENT
    fetch(MODEL, tmp_path)
    assert names_in(tmp_path) == {"small.gguf"}


def test_a_poisoned_half_file_costs_one_try(server: ModelServer, tmp_path: Path) -> None:
    half = tmp_path / ".downloads" / MODEL.name / "small.gguf"
    half.parent.mkdir(parents=True)
    half.write_bytes(b"x" * 1_000_000)
    with pytest.raises(ModelFileError):
        fetch(MODEL, tmp_path)
    fetch(MODEL, tmp_path)
    assert is_verified(MODEL, tmp_path)


def test_a_file_of_another_size_is_refused_before_it_is_fetched(
    server: ModelServer, tmp_path: Path
) -> None:
    server.files[f"{RESOLVE}small.gguf"] = CONTENT * 2
    with pytest.raises(ModelError, match="not 5,000,000 bytes long"):
        fetch(MODEL, tmp_path)
    assert not (tmp_path / ".downloads" / MODEL.name / "small.gguf").exists()


def test_the_next_source_is_tried(server: ModelServer, tmp_path: Path) -> None:
    gone = HuggingFaceSource("owner/gone", "0123abcd")
    model = small_model(CONTENT, gone, *MODEL.sources)
    fetch(model, tmp_path)
    assert is_verified(model, tmp_path)


def test_no_network_is_retryable_and_names_the_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(ModelError, match="no connection") as caught:
        fetch(MODEL, tmp_path)
    assert caught.value.retryable
    assert "network" in caught.value.hint


@pytest.mark.parametrize("endpoint", ["not an address", "http://[", "ftp://127.0.0.1"])
def test_a_senseless_endpoint_is_an_error_with_a_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, endpoint: str
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    with pytest.raises(ModelError, match="could not be downloaded"):
        fetch(MODEL, tmp_path)


def test_a_server_that_always_breaks_off_is_given_up(server: ModelServer, tmp_path: Path) -> None:
    server.cut_after = 0
    with pytest.raises(ModelError, match="could not be downloaded"):
        fetch(MODEL, tmp_path)


def test_a_folder_model_appears_whole(server: ModelServer, tmp_path: Path) -> None:
    contents = {"model.safetensors": CONTENT[:9999], "1_Pooling/config.json": b"{}"}
    server.files.update({RESOLVE + path: content for path, content in contents.items()})
    embedder = small_embedder(contents)
    for _step in download(embedder, tmp_path, cancel=threading.Event()):
        assert not (tmp_path / embedder.location).exists() or is_verified(embedder, tmp_path)
    assert is_verified(embedder, tmp_path)
    (tmp_path / embedder.location / "model.safetensors").write_bytes(b"changed")
    fetch(embedder, tmp_path)
    assert is_verified(embedder, tmp_path)


def test_a_connection_is_used_once_since_the_server_may_have_closed_it(
    server: ModelServer, tmp_path: Path
) -> None:
    contents = {"model.safetensors": CONTENT[:9999], "1_Pooling/config.json": b"{}"}
    server.files.update({RESOLVE + path: content for path, content in contents.items()})
    server.keeps_open = True
    fetch(small_embedder(contents), tmp_path)
    assert len(set(server.clients)) == len(server.ranges) == len(contents)


def test_too_little_room_is_said_before_the_first_byte(
    server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download_module, "_SPARE_BYTES", 10**18)
    with pytest.raises(ModelError, match="not enough room") as caught:
        fetch(MODEL, tmp_path)
    assert "PAGEKEEPER_MODELS_DIR" in caught.value.hint
    assert server.ranges == []


def test_a_disk_that_fills_up_is_said(
    server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(target: Path, offset: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(download_sources, "_open_at", full)
    with pytest.raises(ModelError, match="disk became full"):
        fetch(MODEL, tmp_path)


def test_a_folder_that_cannot_be_made_is_said(server: ModelServer, tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file in the way")
    with pytest.raises(ModelError, match="cannot be written"):
        fetch(MODEL, tmp_path / "models")


def test_new_folders_are_private(server: ModelServer, tmp_path: Path) -> None:
    fetch(MODEL, tmp_path / "pagekeeper" / "models")
    for folder in (tmp_path / "pagekeeper", tmp_path / "pagekeeper" / "models"):
        assert folder.stat().st_mode & 0o777 == 0o700


def test_two_downloads_at_once_fetch_the_file_once(server: ModelServer, tmp_path: Path) -> None:
    first = download(MODEL, tmp_path, cancel=threading.Event())
    next(first)
    waiting: list[DownloadProgress] = []
    second = threading.Thread(target=lambda: waiting.extend(fetch(MODEL, tmp_path)))
    second.start()
    for _step in first:
        pass
    second.join()
    assert server.ranges == [""]
    assert is_verified(MODEL, tmp_path)


def test_waiting_for_another_download_can_be_cancelled(server: ModelServer, tmp_path: Path) -> None:
    first = download(MODEL, tmp_path, cancel=threading.Event())
    next(first)
    cancel = threading.Event()
    second = download(MODEL, tmp_path, cancel=cancel)
    assert "another download" in next(second).label
    cancel.set()
    with pytest.raises(Cancelled):
        next(second)
    assert is_verified(MODEL, tmp_path) is False
    assert len(list(first)) > 1
