"""The catalogue: complete, consistent, and right about the files that are on this machine."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from pagekeeper_models.catalogue import (
    CatalogueEntry,
    HuggingFaceSource,
    WheelPartsSource,
    load_catalogue,
    models_dir,
)
from pagekeeper_models.gguf_check import check_gguf

CATALOGUE = load_catalogue()
ENTRIES: Sequence[CatalogueEntry] = (*CATALOGUE.models, *CATALOGUE.embedders)
GIB = 1024**3


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_entry_can_be_fetched_and_verified(entry: CatalogueEntry) -> None:
    assert entry.sources
    assert entry.licence in {"Apache-2.0", "MIT"}
    for file in entry.files:
        assert file.bytes > 0
        assert re.fullmatch("[0-9a-f]{64}", file.sha256)
    for source in entry.sources:
        if isinstance(source, HuggingFaceSource):
            assert re.fullmatch("[0-9a-f]{40}", source.revision)


def test_names_and_places_are_used_once() -> None:
    assert len({entry.name for entry in ENTRIES}) == len(ENTRIES)
    assert len({entry.location for entry in ENTRIES}) == len(ENTRIES)


@pytest.mark.parametrize("entry", CATALOGUE.models, ids=lambda entry: entry.name)
def test_wheel_parts_add_up_to_the_file(entry: CatalogueEntry) -> None:
    for source in entry.sources:
        if isinstance(source, WheelPartsSource):
            parts = -(-entry.bytes // source.part_bytes)
            assert len(source.packages) == parts


def test_default_follows_the_memory_and_has_been_tried() -> None:
    assert CATALOGUE.default_for(2 * GIB).name == "qwen2.5-coder-0.5b"
    assert CATALOGUE.default_for(4 * GIB).name == "qwen2.5-coder-0.5b"
    assert CATALOGUE.default_for(8 * GIB).name == "qwen2.5-coder-1.5b"
    assert CATALOGUE.default_for(64 * GIB).tried
    for gigabytes in (4, 8, 64):
        model = CATALOGUE.default_for(gigabytes * GIB)
        assert model.memory_bytes() < gigabytes * GIB


def test_find_by_name_and_file_name_in_any_case() -> None:
    model = CATALOGUE.find("Qwen2.5-Coder-1.5B")
    assert model is not None
    assert CATALOGUE.find("QWEN2.5-coder-1.5b-instruct-q4_k_m.gguf") is model
    assert CATALOGUE.find("no such model") is None
    assert CATALOGUE.find(CATALOGUE.embedder.name) is None
    assert CATALOGUE.find_entry(CATALOGUE.embedder.name) is CATALOGUE.embedder


def test_some_models_and_an_embedder_speak_chinese() -> None:
    assert any("zh" in model.languages and not model.tried for model in CATALOGUE.models)
    assert any("zh" in embedder.languages for embedder in CATALOGUE.embedders)


def test_models_dir_can_be_moved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PAGEKEEPER_MODELS_DIR", str(tmp_path))
    assert models_dir() == tmp_path
    monkeypatch.delenv("PAGEKEEPER_MODELS_DIR")
    assert models_dir().parts[-1] == "models"
    assert "pagekeeper" in models_dir().parts


@pytest.mark.model
@pytest.mark.parametrize("name", ["qwen2.5-coder-0.5b", "smollm2-135m"])
def test_figures_agree_with_the_file_itself(name: str) -> None:
    entry = CATALOGUE.find(name)
    assert entry is not None
    header = check_gguf(models_dir() / entry.location)
    assert header.bytes == entry.bytes
    assert header.context_length == entry.context_length
    assert header.kv_bytes_per_token == entry.kv_bytes_per_token
    assert header.memory_bytes(4096) == entry.memory_bytes(4096)
