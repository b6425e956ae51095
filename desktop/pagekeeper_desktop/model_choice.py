"""Which model files this start needs, which of them are here, and fetching the others.

The choice: what the command line says, else the settings, else what suits the machine's memory.
"""

import threading
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from pagekeeper_core.errors import ModelFileError
from pagekeeper_core.network_guard import allow_network
from pagekeeper_desktop.options import Options
from pagekeeper_desktop.settings import load_settings
from pagekeeper_models.catalogue import (
    CatalogueEmbedder,
    CatalogueEntry,
    CatalogueModel,
    load_catalogue,
    models_dir,
)

if TYPE_CHECKING:
    from pagekeeper_models.gguf_check import GgufHeader

__all__ = [
    "CheckedModel",
    "KnownModel",
    "LoadStage",
    "MissingModel",
    "checked_model",
    "chosen_model",
    "download",
    "embedder_folder",
    "find_entry",
    "known_models",
    "missing_models",
    "needed_entries",
    "planned_window",
    "refuse_missing",
    "verify_embedder",
    "wanted_window",
]

DEFAULT_WINDOW = 8192
SMALLEST_WINDOW = 3072
"""Tokens; with less there is hardly room for a conversation beside the instructions."""


@dataclass(frozen=True, slots=True)
class LoadStage:
    """How far loading, downloading or reading is.

    Attributes:
        label: What is going on, for a person.
        done: Units done.
        total: Units to do; 0 while that is unknown.
    """

    label: str
    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class MissingModel:
    """A model that has to be downloaded before the assistant can be loaded.

    Attributes:
        name: What a person reads.
        size: Bytes to download.
    """

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class CheckedModel:
    """A model file that is whole and fits this machine.

    Attributes:
        path: The GGUF file.
        title: What a person reads.
        context_window: The window to open it with, in tokens.
    """

    path: Path
    title: str
    context_window: int


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model of the catalogue as it stands on this machine; sizes in bytes.

    Attributes:
        name: What a person types.
        title: What a person reads.
        size: Of its files.
        memory: What the program needs in all when it runs; 0: it is the search's, not the chat's.
        languages: Codes of its main languages.
        licence: Its licence.
        tried: Whether we have run it ourselves.
        present: Whether its files are here, by their sizes.
        chosen: Whether this start would use it.
    """

    name: str
    title: str
    size: int
    memory: int
    languages: tuple[str, ...]
    licence: str
    tried: bool
    present: bool
    chosen: bool


def chosen_model(options: Options) -> CatalogueModel | str:
    """The model that this start uses: a catalogue entry, or what else was given as its name."""
    catalogue = load_catalogue()
    name = options.model or load_settings(options.data_dir).model
    if name is None:
        return catalogue.default_for(psutil.virtual_memory().total)
    return catalogue.find(name) or name


def needed_entries(options: Options) -> list[CatalogueEntry]:
    """What of the catalogue this start uses: its language model, and the embedder."""
    model, embedder = chosen_model(options), load_catalogue().embedder
    return [embedder] if isinstance(model, str) else [model, embedder]


def missing_models(options: Options) -> list[MissingModel]:
    """What must be downloaded first. Looks at sizes only; the sums are checked at loading."""
    absent = [entry for entry in needed_entries(options) if not _is_present(entry)]
    return [MissingModel(entry.title, entry.bytes) for entry in absent]


def find_entry(name: str) -> CatalogueEntry:
    """The catalogue's entry of this name.

    Raises:
        ModelFileError: There is none.
    """
    entry = load_catalogue().find_entry(name)
    if entry is None:
        names = ", ".join(known.name for known in _entries())
        raise ModelFileError(
            f"There is no model “{name}” to download.", hint=f"There are: {names}."
        )
    return entry


def known_models(options: Options) -> list[KnownModel]:
    """The whole catalogue, in its own order."""
    needed = {entry.name for entry in needed_entries(options)}
    return [_known(entry, chosen=entry.name in needed) for entry in _entries()]


def download(
    entries: Iterable[CatalogueEntry], cancel: threading.Event
) -> Generator[LoadStage, None, None]:
    """Fetch what is not here yet: the one thing that uses the network.

    Raises:
        Cancelled: `cancel` was set; what has arrived is kept.
        ModelError: A model could not be fetched.
    """
    # Its HTTP and hub libraries take a second to import and are of no use otherwise.
    from pagekeeper_models import download as fetching  # noqa: PLC0415 - see above

    with allow_network():
        for entry in entries:
            for step in fetching.download(entry, models_dir(), cancel=cancel):
                yield LoadStage(step.label, step.done, step.total)


def embedder_folder() -> Path:
    """Where the embedding model lies, or will."""
    return models_dir() / load_catalogue().embedder.location


def verify_embedder(cancel: threading.Event | None = None) -> None:
    """See to it that the embedding model is whole; quick when it was before.

    Raises:
        Cancelled: `cancel` was set while it was hashed.
        ModelFileError: It is missing, incomplete or changed.
    """
    from pagekeeper_models.verification import verify  # noqa: PLC0415 - hashing, only at loading

    verify(load_catalogue().embedder, models_dir(), cancel)


def refuse_missing(options: Options) -> None:
    """Name all that must be downloaded first, in one message.

    Raises:
        ModelFileError: Something is missing.
    """
    missing = missing_models(options)
    if not missing:
        return
    names = " and ".join(f"{model.name} ({model.size / 1e9:.1f} GB)" for model in missing)
    are = "are" if len(missing) > 1 else "is"
    chosen = f"--model {options.model} " if options.model else ""
    raise ModelFileError(
        f"{names} {are} not on this computer yet.",
        hint=f"Fetch what is missing with: pagekeeper {chosen}models download",
    )


def wanted_window(options: Options) -> int | None:
    """The context window that was asked for, in tokens; None: what suits model and machine."""
    return options.context_window or load_settings(options.data_dir).context_window


def planned_window(options: Options) -> int:
    """The context window that the next start would use as far as is known without the model."""
    return wanted_window(options) or DEFAULT_WINDOW


def checked_model(options: Options, cancel: threading.Event | None = None) -> CheckedModel:
    """Find the chosen model's file and see whether this machine can run it.

    A file of the catalogue is compared with its published sum; any other is loaded once in a child
    process, so that a broken one gives a message and not a crash.

    Raises:
        Cancelled: `cancel` was set.
        ModelFileError: It is missing, changed, broken, of an unknown kind or too large.
    """
    from pagekeeper_models.gguf_check import check_gguf, trial_load  # noqa: PLC0415 - as above
    from pagekeeper_models.verification import locate, verify  # noqa: PLC0415 - as above

    model = chosen_model(options)
    known = isinstance(model, CatalogueModel)
    path = locate(model) if isinstance(model, str) else verify(model, models_dir(), cancel)
    header = check_gguf(path, context_window=SMALLEST_WINDOW)
    if not known:
        trial_load(path, cancel=cancel)
    window = _window(options, header)
    check_gguf(path, context_window=window)
    title = model.title if isinstance(model, CatalogueModel) else header.title
    return CheckedModel(path, title, window)


def _window(options: Options, header: "GgufHeader") -> int:
    """The context window: as chosen, else what the free memory allows; the model's at most."""
    most = header.context_length or DEFAULT_WINDOW
    wanted = wanted_window(options)
    if wanted:
        return min(wanted, most)
    window = min(DEFAULT_WINDOW, most)
    while window > SMALLEST_WINDOW and header.memory_bytes(window) > _free_memory():
        window = max(SMALLEST_WINDOW, window - 1024)
    return window


def _free_memory() -> int:
    return int(psutil.virtual_memory().available)


def _entries() -> Sequence[CatalogueModel | CatalogueEmbedder]:
    catalogue = load_catalogue()
    return (*catalogue.models, *catalogue.embedders)


def _known(entry: CatalogueModel | CatalogueEmbedder, *, chosen: bool) -> KnownModel:
    return KnownModel(
        name=entry.name,
        title=entry.title,
        size=entry.bytes,
        memory=entry.memory_bytes() if isinstance(entry, CatalogueModel) else 0,
        languages=entry.languages,
        licence=entry.licence,
        tried=entry.tried,
        present=_is_present(entry),
        chosen=chosen,
    )


def _is_present(entry: CatalogueEntry) -> bool:
    folder = models_dir()
    return all(_size_of(entry.path_of(file, folder)) == file.bytes for file in entry.files)


def _size_of(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None
