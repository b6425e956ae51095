"""Whether the model files on this machine are the ones that the catalogue means.

Hashing a gigabyte takes seconds, so it is done once: a record beside the models keeps size, time
of change and SHA-256 of each verified file. A file that has another size or time than its record
is hashed again, so a model that was changed after the check is noticed before it is loaded.
"""

import contextlib
import difflib
import hashlib
import json
import os
import threading
from pathlib import Path
from typing import TypedDict

from pagekeeper_core.errors import Cancelled, ModelFileError
from pagekeeper_models.catalogue import CatalogueEntry, ModelFile, load_catalogue, models_dir

__all__ = ["is_verified", "locate", "record_verified", "records_dir", "sha256_of", "verify"]

_BLOCK_BYTES = 8 * 1024 * 1024


class _FileRecord(TypedDict):
    """What was seen when a file was last hashed."""

    bytes: int
    mtime_ns: int
    sha256: str


def locate(model: str, folder: Path | None = None) -> Path:
    """The file of a model given by its catalogue name or by a path.

    A catalogue model is verified; a path is only found, and `gguf_check` says whether it is sound.

    Raises:
        ModelFileError: No such name and no such file; or the catalogue's file is not on this
            machine, or not the publisher's.
    """
    entry = load_catalogue().find(model)
    if entry is not None:
        return verify(entry, folder or models_dir())
    # Unlike Path's methods, these take a name that no file can have, or the home of nobody.
    path = os.path.expanduser(model)  # noqa: PTH111
    if os.path.exists(path):  # noqa: PTH110
        return Path(path).absolute()
    raise ModelFileError(f"There is no model or file “{model}”.", hint=_suggestion(model))


def verify(entry: CatalogueEntry, folder: Path, cancel: threading.Event | None = None) -> Path:
    """Check that the model lies in `folder`, whole and as published; quick when it did before.

    Returns:
        The file (a language model) or folder (an embedder) to load.

    Raises:
        Cancelled: `cancel` was set while a file was hashed.
        ModelFileError: It is missing, incomplete, changed or unreadable.
    """
    known = _read_records(entry, folder)
    seen = {
        file.path: _check(entry, file, folder, known.get(file.path), cancel) for file in entry.files
    }
    if seen != known:
        _write_records(entry, folder, seen)
    return folder / entry.location


def is_verified(entry: CatalogueEntry, folder: Path, cancel: threading.Event | None = None) -> bool:
    """Whether `verify` would succeed; raises Cancelled as it does."""
    try:
        verify(entry, folder, cancel)
    except ModelFileError:
        return False
    return True


def record_verified(entry: CatalogueEntry, folder: Path) -> None:
    """Remember that the files, hashed elsewhere and just put in place, are as published.

    Raises:
        OSError: One of them is not there.
    """
    seen = {
        file.path: _record(entry.path_of(file, folder).stat(), file.sha256) for file in entry.files
    }
    _write_records(entry, folder, seen)


def sha256_of(path: Path, cancel: threading.Event | None = None) -> str:
    """The file's SHA-256 as hexadecimal digits.

    Raises:
        Cancelled: `cancel` was set; it is polled every 8 MiB.
        OSError: The file cannot be read.
    """
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK_BYTES):
            if cancel is not None and cancel.is_set():
                raise Cancelled
            digest.update(block)
    return digest.hexdigest()


def records_dir(folder: Path) -> Path:
    """Where the records of what was checked lie, for the models in `folder`."""
    return folder / ".checked"


def _check(
    entry: CatalogueEntry,
    file: ModelFile,
    folder: Path,
    known: _FileRecord | None,
    cancel: threading.Event | None,
) -> _FileRecord:
    path = entry.path_of(file, folder)
    try:
        status = path.stat()
        if known is not None and known == _record(status, file.sha256):
            return known
        if status.st_size != file.bytes or sha256_of(path, cancel) != file.sha256:
            raise _changed(entry, path)
    except FileNotFoundError:
        raise _missing(entry, folder) from None
    except OSError as error:
        raise _unreadable(path, error) from error
    return _record(status, file.sha256)


def _record(status: os.stat_result, sha256: str) -> _FileRecord:
    return {"bytes": status.st_size, "mtime_ns": status.st_mtime_ns, "sha256": sha256}


def _changed(entry: CatalogueEntry, path: Path) -> ModelFileError:
    return ModelFileError(
        f"{path} is not the file that the publisher of {entry.title} made: it is damaged or has "
        "been changed.",
        hint=f"Fetch it again: pagekeeper models download {entry.name}",
    )


def _missing(entry: CatalogueEntry, folder: Path) -> ModelFileError:
    state = "is incomplete" if (folder / entry.location).exists() else "has not been downloaded yet"
    return ModelFileError(
        f"The model {entry.title} {state}.",
        hint=f"Fetch it: pagekeeper models download {entry.name}",
    )


def _unreadable(path: Path, error: OSError) -> ModelFileError:
    return ModelFileError(
        f"{path} cannot be read: {error.strerror or error}.",
        hint="See to it that the file may be read by you, and that its disk is connected.",
    )


def _suggestion(model: str) -> str:
    names = [entry.name for entry in load_catalogue().models]
    close = difflib.get_close_matches(model.casefold(), names, n=1)
    if close:
        return f"Did you mean {close[0]}? All names: {', '.join(names)}."
    return f"Give the path of a GGUF file, or one of these names: {', '.join(names)}."


def _record_path(entry: CatalogueEntry, folder: Path) -> Path:
    return records_dir(folder) / f"{entry.name}.json"


def _read_records(entry: CatalogueEntry, folder: Path) -> dict[str, _FileRecord]:
    try:
        records = json.loads(_record_path(entry, folder).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return records if isinstance(records, dict) else {}


def _write_records(entry: CatalogueEntry, folder: Path, records: dict[str, _FileRecord]) -> None:
    """Keep the records; on a read-only disk they are done without, and hashing is repeated."""
    path = _record_path(entry, folder)
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        temporary.write_text(json.dumps(records, indent=1), "utf-8")
        temporary.replace(path)
