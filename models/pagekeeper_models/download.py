"""Fetches models from the catalogue's sources: resumes, shows progress, verifies, then renames.

A model is put together in a staging folder and takes its final name only when its SHA-256 sums are
right, so a half or wrong file never looks whole. `python -m pagekeeper_models.download NAME…` does
the same from a terminal; set-up calls it so.
"""

import argparse
import errno
import shutil
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil
from filelock import BaseFileLock, FileLock, Timeout

from pagekeeper_core.errors import Cancelled, ModelError, ModelFileError
from pagekeeper_models.catalogue import CatalogueEntry, Source, load_catalogue, models_dir
from pagekeeper_models.download_sources import SourceError, fetch
from pagekeeper_models.progress_line import ProgressLine
from pagekeeper_models.verification import is_verified, locate, record_verified, sha256_of

__all__ = ["DownloadProgress", "download", "main"]

_SPARE_BYTES = 200_000_000
"""Free space asked for beyond the model itself: a part in flight, and air for the system."""


@dataclass(frozen=True, slots=True)
class DownloadProgress:
    """How far a download is.

    Attributes:
        label: What is being done, for a person.
        done: Bytes of the model that are at hand.
        total: Bytes of the whole model.
    """

    label: str
    done: int
    total: int


def download(
    model: CatalogueEntry, folder: Path, *, cancel: threading.Event
) -> Iterator[DownloadProgress]:
    """Fetch `model` into the models folder `folder`; at once done when it lies there verified.

    Yields:
        Progress, several times a second; the last one has done == total.

    Raises:
        Cancelled: `cancel` was set; the next call goes on from there.
        ModelError: No source could be reached (retryable), or the disk is full or not writable.
        ModelFileError: What the sources hold is not the publisher's file.
    """
    if not is_verified(model, folder, cancel):
        try:
            _make_private(folder)
            yield from _download_alone(model, folder, cancel)
        except OSError as error:
            raise _disk_error(model, folder, error) from error
    yield DownloadProgress(f"{model.title} is ready", model.bytes, model.bytes)


def _make_private(folder: Path) -> None:
    """Make the models folder, and the data folder around it, for this person's eyes only."""
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def _download_alone(
    model: CatalogueEntry, folder: Path, cancel: threading.Event
) -> Iterator[DownloadProgress]:
    """Hold the model's lock meanwhile: two downloads of one file would write into each other."""
    staging = folder / ".downloads" / model.name
    staging.mkdir(parents=True, exist_ok=True)
    lock = FileLock(staging.with_name(f"{staging.name}.lock"))
    yield from _acquire(lock, model, cancel)
    try:
        if not is_verified(model, folder, cancel):
            _check_space(model, folder, staging)
            yield from _try_sources(model, folder, staging, cancel)
            record_verified(model, folder)
    finally:
        lock.release()


def _acquire(
    lock: BaseFileLock, model: CatalogueEntry, cancel: threading.Event
) -> Iterator[DownloadProgress]:
    while True:
        try:
            lock.acquire(timeout=0.5)
        except Timeout:
            if cancel.is_set():
                raise Cancelled from None
            yield DownloadProgress(f"Waiting for another download of {model.title}", 0, model.bytes)
        else:
            return


def _check_space(model: CatalogueEntry, folder: Path, staging: Path) -> None:
    at_hand = sum(path.stat().st_size for path in staging.rglob("*") if path.is_file())
    wanted = model.bytes - at_hand + _SPARE_BYTES
    free = shutil.disk_usage(folder).free
    if free < wanted:
        raise ModelError(
            f"There is not enough room for {model.title} in {folder}: it takes "
            f"{wanted / 1e9:.1f} GB, and {free / 1e9:.1f} GB are free.",
            hint="Free some space, or move the models with PAGEKEEPER_MODELS_DIR.",
        )


def _try_sources(
    model: CatalogueEntry, folder: Path, staging: Path, cancel: threading.Event
) -> Iterator[DownloadProgress]:
    reasons: dict[Source, str] = {}
    wrong = False
    for source in model.sources:
        label = f"Downloading {model.title} from {source}"
        try:
            for done in fetch(source, model, staging, cancel):
                yield DownloadProgress(label, done, model.bytes)
        except SourceError as error:
            reasons[source] = str(error)
            continue
        yield DownloadProgress(f"Checking {model.title}", model.bytes, model.bytes)
        if _is_as_published(model, staging, cancel):
            _take_final_place(model, folder, staging)
            return
        wrong = True
        reasons[source] = "the SHA-256 sum is not the publisher's"
    raise _failure(model, reasons, wrong=wrong)


def _is_as_published(model: CatalogueEntry, staging: Path, cancel: threading.Event) -> bool:
    """Compare the sums; a wrong file is deleted, so that the next source starts anew."""
    sound = True
    for file in model.files:
        path = staging / file.path
        if sha256_of(path, cancel) != file.sha256:
            path.unlink()
            sound = False
    return sound


def _take_final_place(model: CatalogueEntry, folder: Path, staging: Path) -> None:
    """Rename in one step; what stood there (changed or incomplete) is replaced."""
    target = folder / model.location
    if model.files[0].path == model.location:
        (staging / model.location).replace(target)
        shutil.rmtree(staging)
        return
    if target.exists():
        shutil.rmtree(target)
    staging.rename(target)


def _failure(model: CatalogueEntry, reasons: dict[Source, str], *, wrong: bool) -> ModelError:
    told = "; ".join(f"{source}: {reason}" for source, reason in reasons.items())
    if wrong:
        return ModelFileError(
            f"{model.title} was fetched, but it is not the publisher's file ({told}).",
            hint="What was fetched has been deleted. Try again later, or over another network.",
        )
    return ModelError(
        f"{model.title} could not be downloaded ({told}).",
        hint="Check that the network is up and try again; what has arrived is kept.",
        retryable=True,
    )


def _disk_error(model: CatalogueEntry, folder: Path, error: OSError) -> ModelError:
    if error.errno == errno.ENOSPC:
        return ModelError(
            f"The disk became full while {model.title} was being downloaded to {folder}.",
            hint="Free some space and try again; what has arrived is kept.",
        )
    return ModelError(
        f"{folder} cannot be written: {error.strerror or error}.",
        hint="See to it that you may write there, or move the models with PAGEKEEPER_MODELS_DIR.",
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Fetch the models named on the command line.

    Returns:
        0; 1 after an error, which is explained; 130 when it was interrupted.
    """
    parser = argparse.ArgumentParser(
        prog="python -m pagekeeper_models.download",
        description="Fetch models, each unless it is here already.",
    )
    parser.add_argument("names", nargs="+", metavar="NAME", help=_NAMES_HELP)
    options = parser.parse_args(argv)
    try:
        for name in options.names:
            entry = _entry(name)
            if entry is not None:
                _show(download(entry, models_dir(), cancel=threading.Event()))
    except ModelError as error:
        sys.stderr.write(f"{error}\n{error.hint}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("Stopped. What has arrived is kept.\n")
        return 130
    return 0


_NAMES_HELP = (
    "a name of the catalogue; “default”: what suits this machine's memory; “embedder”: the default "
    "embedding model; the path of a GGUF file: fetches nothing, but fails where there is none"
)


def _entry(name: str) -> CatalogueEntry | None:
    catalogue = load_catalogue()
    if name == "default":
        return catalogue.default_for(psutil.virtual_memory().total)
    if name == "embedder":
        return catalogue.embedder
    entry = catalogue.find_entry(name)
    if entry is None:
        locate(name)
    return entry


def _show(steps: Iterator[DownloadProgress]) -> None:
    with ProgressLine(sys.stderr) as line:
        for step in steps:
            line.show(step.label, step.done, step.total)


if __name__ == "__main__":
    sys.exit(main())
