"""Which model and which window a start takes: options, then settings, then the machine."""

from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from pagekeeper_core.errors import ModelFileError
from pagekeeper_desktop import model_choice
from pagekeeper_desktop.options import Options
from pagekeeper_desktop.settings import Settings, save_settings
from pagekeeper_models.catalogue import CatalogueModel, load_catalogue, models_dir

SMALL = "smollm2-135m"


def memory_is(monkeypatch: pytest.MonkeyPatch, *, total: int, available: int) -> None:
    figures = SimpleNamespace(total=total, available=available)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: figures)


def name_of(model: CatalogueModel | str) -> str:
    return model if isinstance(model, str) else model.name


def test_options_win_over_settings_and_settings_over_the_machine(tmp_path: Path) -> None:
    default = name_of(model_choice.chosen_model(Options(tmp_path)))
    assert default in {model.name for model in load_catalogue().models}
    save_settings(tmp_path, Settings(model="qwen3-4b", context_window=4096))
    assert name_of(model_choice.chosen_model(Options(tmp_path))) == "qwen3-4b"
    assert model_choice.wanted_window(Options(tmp_path)) == 4096
    chosen = Options(tmp_path, model=SMALL, context_window=3072)
    assert name_of(model_choice.chosen_model(chosen)) == SMALL
    assert model_choice.wanted_window(chosen) == 3072


def test_a_path_is_taken_as_it_is_and_needs_no_download_but_the_embedder(tmp_path: Path) -> None:
    options = Options(tmp_path, model="/models/my own.gguf")
    assert model_choice.chosen_model(options) == "/models/my own.gguf"
    assert model_choice.needed_entries(options) == [load_catalogue().embedder]


def test_what_is_missing_is_told_with_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGEKEEPER_MODELS_DIR", str(tmp_path / "models"))
    options = Options(tmp_path, model=SMALL)
    sizes = {model.name: model.size for model in model_choice.missing_models(options)}
    assert sizes["SmolLM2 135M"] == 98_362_432
    assert load_catalogue().embedder.title in sizes
    with pytest.raises(ModelFileError, match=r"SmolLM2 135M .* are not on this computer"):
        model_choice.refuse_missing(options)


def test_a_half_file_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGEKEEPER_MODELS_DIR", str(tmp_path))
    small = load_catalogue().find(SMALL)
    assert small is not None
    (tmp_path / small.location).write_bytes(b"GGUF and no more")
    missing = model_choice.missing_models(Options(tmp_path, model=SMALL))
    assert small.title in [model.name for model in missing]


@pytest.mark.model
@pytest.mark.parametrize(
    ("available", "window"), [(64_000_000_000, 8192), (0, model_choice.SMALLEST_WINDOW)]
)
def test_the_window_is_smaller_where_memory_is_short(
    available: int, window: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory_is(monkeypatch, total=64_000_000_000, available=available)
    checked = model_choice.checked_model(Options(tmp_path, model=SMALL))
    assert checked.context_window == window
    assert checked.title == "SmolLM2 135M"
    wanted = Options(tmp_path, model=SMALL, context_window=4096)
    assert model_choice.checked_model(wanted).context_window == 4096


@pytest.mark.model
def test_a_window_is_never_larger_than_what_the_model_was_made_for(tmp_path: Path) -> None:
    options = Options(tmp_path, model=SMALL, context_window=1_000_000)
    assert model_choice.checked_model(options).context_window == 8192


@pytest.mark.model
def test_any_gguf_file_opens_by_its_path(tmp_path: Path) -> None:
    small = load_catalogue().find(SMALL)
    assert small is not None
    path = tmp_path / "模型 my model.gguf"
    path.symlink_to(models_dir() / small.location)
    checked = model_choice.checked_model(Options(tmp_path, model=str(path)))
    assert checked.path == path
    assert checked.title
