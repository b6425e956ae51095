"""`python -m pagekeeper_models.download`, which set-up calls."""

from pathlib import Path

import psutil
import pytest

from pagekeeper_models import download as download_module
from pagekeeper_models.catalogue import load_catalogue
from pagekeeper_models.download import main


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what would be downloaded."""
    names: list[str] = []

    def note(entry: object, _folder: Path, **_options: object) -> list[object]:
        names.append(getattr(entry, "name", ""))
        return []

    monkeypatch.setattr(download_module, "download", note)
    return names


def test_names_and_their_short_forms(fetched: list[str], tmp_path: Path) -> None:
    path = tmp_path / "my.gguf"
    path.write_bytes(b"")
    assert main(["default", "embedder", "smollm2-135m", str(path)]) == 0
    default = load_catalogue().default_for(psutil.virtual_memory().total)
    assert fetched == [default.name, load_catalogue().embedder.name, "smollm2-135m"]


def test_an_unknown_name_is_explained(
    fetched: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["smollm2-135"]) == 1
    assert "Did you mean smollm2-135m?" in capsys.readouterr().err
    assert fetched == []


def test_no_network_is_explained(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PAGEKEEPER_MODELS_DIR", str(tmp_path))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert main(["qwen3-4b"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[-2].startswith("Qwen3 4B could not be downloaded (Hugging Face: no connection")
    assert "network" in lines[-1]


def test_an_interruption_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(download_module, "download", interrupt)
    assert main(["embedder"]) == 130
    assert "has arrived is kept" in capsys.readouterr().err
