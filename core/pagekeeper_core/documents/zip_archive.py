"""ZIP archives: the files in them, taken out one by one, within limits."""

import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from lzma import LZMAError
from pathlib import Path
from typing import IO

from pagekeeper_core.documents.reading import SourceFile
from pagekeeper_core.documents.zip_names import disk_suffix, is_litter, shown_name
from pagekeeper_core.errors import DocumentError, DocumentLocked

__all__ = ["ZipLimits", "expand", "is_archive", "sweep_unpacked", "unpacking_folder"]

_SIGNATURES = (b"PK\x03\x04", b"PK\x05\x06")
"""Of a file in an archive, and of an empty archive."""

_OF_DOCUMENTS = frozenset({"[Content_Types].xml", "mimetype", "META-INF/container.xml"})
"""Names in archives that are themselves a document: Office, OpenDocument, e-books."""

_LARGEST_DIRECTORY = 32 * 1024 * 1024
_LONGEST_END = 65_535 + 22
_COPIED_AT_ONCE = 256 * 1024
_LEFT_FREE = 512 * 1024**2
_ENCRYPTED = 1
_PREFIX = "unpacked-"
_UNPACK_YOURSELF = "Unpack it yourself and drop the folders that matter."
_BROKEN = (zipfile.BadZipFile, zlib.error, LZMAError, EOFError, NotImplementedError, ValueError)


@dataclass(frozen=True, slots=True)
class ZipLimits:
    """What an archive may take, with the archives in it.

    Attributes:
        files: How many files.
        bytes: Bytes when unpacked, all together.
        ratio: How many times its packed size a file may unpack to, once it is larger than
            `free_bytes`.
        free_bytes: Up to here a file may be packed as tightly as it likes.
        depth: Archives within archives.
    """

    files: int = 20_000
    bytes: int = 8 * 1024**3
    ratio: int = 200
    free_bytes: int = 32 * 1024**2
    depth: int = 2


class _SpentError(DocumentError):
    """The archive as a whole takes more than it may."""


class _Budget:
    """What the limits and the disk leave."""

    def __init__(self, limits: ZipLimits, source: SourceFile, folder: Path) -> None:
        self.limits = limits
        self._source = source
        self._files = 0
        self._bytes_left = limits.bytes
        self._disk_left = shutil.disk_usage(folder).free - _LEFT_FREE

    def take_file(self) -> int:
        """Take one; gives its number."""
        self._files += 1
        if self._files > self.limits.files:
            raise _SpentError(
                f"{self._source.name} holds over {self.limits.files:,} files, more than are taken "
                "out of one archive.",
                hint=_UNPACK_YOURSELF,
            )
        return self._files

    def take_bytes(self, count: int) -> None:
        self._bytes_left -= count
        self._disk_left -= count
        if self._bytes_left < 0:
            raise _SpentError(
                f"{self._source.name} unpacks to over {_in_words(self.limits.bytes)}, more than "
                "is taken out of one archive.",
                hint=_UNPACK_YOURSELF,
            )
        if self._disk_left < 0:
            raise _SpentError(
                f"There is not enough room on the disk to unpack {self._source.name}.",
                hint="Make room, or unpack it on another disk and drop the folders that matter.",
            )


@contextmanager
def unpacking_folder(parent: Path) -> Iterator[Path]:
    """A folder under `parent` for the files of one archive, gone when the block is left."""
    parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(
        prefix=_PREFIX, dir=parent, ignore_cleanup_errors=True
    ) as folder:
        yield Path(folder)


def sweep_unpacked(parent: Path) -> None:
    """Remove the folders that a killed program left; only while no archive is being unpacked."""
    for folder in parent.glob(f"{_PREFIX}*"):
        shutil.rmtree(folder, ignore_errors=True)


def is_archive(path: Path) -> bool:
    """Whether it is a ZIP archive of files, and not a document that is built as one.

    Only the end of the file is read, and its directory if that is of a sensible size.

    Raises:
        OSError: It vanished or may not be read.
    """
    with path.open("rb") as file:
        if not file.read(4).startswith(_SIGNATURES):
            return False
        if _directory_size(file) > _LARGEST_DIRECTORY:
            return True
        try:
            with zipfile.ZipFile(file) as archive:
                return _OF_DOCUMENTS.isdisjoint(archive.namelist())
        except _BROKEN:
            return path.suffix.lower() == ".zip"


def expand(
    source: SourceFile, folder: Path, limits: ZipLimits | None = None
) -> Iterator[SourceFile | DocumentError]:
    """Take the files out of an archive, and out of the archives in it.

    Args:
        source: The archive; its password opens the files in it.
        folder: An empty folder. Files lie there by number, never by the name that they bear.
        limits: What the archive may take.

    Yields:
        A file under the name "archive.zip › folder/a.pdf", or why one was left out.

    Raises:
        DocumentLocked: It needs a password, or another one.
        DocumentError: It is damaged, or unpacks to more than it may.
        OSError: It vanished, or the disk is full.
    """
    yield from _expand(source, folder, _Budget(limits or ZipLimits(), source, folder), depth=1)


def _expand(
    source: SourceFile, folder: Path, budget: _Budget, depth: int
) -> Iterator[SourceFile | DocumentError]:
    with source.path.open("rb") as file:
        if _directory_size(file) > _LARGEST_DIRECTORY:
            raise _SpentError(
                f"{source.name} lists more files than are taken out of one archive.",
                hint=_UNPACK_YOURSELF,
            )
        try:
            archive = zipfile.ZipFile(file)
        except _BROKEN as error:
            raise DocumentError(
                f"{source.name} is damaged: it cannot be opened as a ZIP archive.",
                hint="Get the file again from where it came from.",
            ) from error
        with archive:
            _check_password(archive, source)
            for info in archive.infolist():
                if not info.is_dir() and not is_litter(shown_name(info)):
                    yield from _member(archive, info, source, folder, budget, depth)


def _member(
    archive: zipfile.ZipFile,
    info: zipfile.ZipInfo,
    source: SourceFile,
    folder: Path,
    budget: _Budget,
    depth: int,
) -> Iterator[SourceFile | DocumentError]:
    shown = shown_name(info)
    path = folder / f"{budget.take_file():06d}{disk_suffix(shown)}"
    member = SourceFile(path, f"{source.name} › {shown}", source.password)
    try:
        _take_out(archive, info, member, budget)
        if is_archive(path):
            yield from _nested(member, folder, budget, depth)
            path.unlink(missing_ok=True)
        else:
            yield member
    except _SpentError:
        raise
    except DocumentError as error:
        path.unlink(missing_ok=True)
        yield error


def _nested(
    member: SourceFile, folder: Path, budget: _Budget, depth: int
) -> Iterator[SourceFile | DocumentError]:
    if depth >= budget.limits.depth:
        raise DocumentError(
            f"{member.name} was left out: it is an archive in an archive in an archive.",
            hint="Unpack it yourself and drop what is in it.",
        )
    yield from _expand(member, folder, budget, depth + 1)


def _check_password(archive: zipfile.ZipFile, source: SourceFile) -> None:
    """See whether the password opens the smallest of the locked files."""
    locked = [info for info in archive.infolist() if info.flag_bits & _ENCRYPTED]
    if not locked:
        return
    if not source.password:
        raise DocumentLocked(source.name)
    archive.setpassword(source.password.encode())
    smallest = min(locked, key=lambda info: info.file_size)
    try:
        with archive.open(smallest) as file:
            file.read(1)
    except NotImplementedError as error:
        raise DocumentError(
            f"{source.name} is locked in a way that cannot be opened here.", hint=_UNPACK_YOURSELF
        ) from error
    except RuntimeError as error:
        raise DocumentLocked(source.name, wrong=True) from error
    except _BROKEN:
        return  # Told when its turn comes.


def _take_out(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, member: SourceFile, budget: _Budget
) -> None:
    """Write a member into its place, counting what really comes out: sizes may be lies.

    Raises:
        DocumentError: It is a link, damaged or a bomb.
    """
    if stat.S_ISLNK(info.external_attr >> 16):
        raise DocumentError(f"{member.name} was left out: it is a link to another file.")
    try:
        with archive.open(info) as packed, member.path.open("wb") as out:
            _copy(packed, out, info, member, budget)
    except (*_BROKEN, RuntimeError) as error:
        raise DocumentError(
            f"{member.name} is damaged: it cannot be taken out of the archive.",
            hint="Get the archive again from where it came from.",
        ) from error


def _copy(
    packed: IO[bytes], out: IO[bytes], info: zipfile.ZipInfo, member: SourceFile, budget: _Budget
) -> None:
    most = max(budget.limits.free_bytes, budget.limits.ratio * info.compress_size)
    unpacked = 0
    while block := packed.read(_COPIED_AT_ONCE):
        unpacked += len(block)
        budget.take_bytes(len(block))
        if unpacked > most:
            raise DocumentError(
                f"{member.name} was left out: it unpacks to over {budget.limits.ratio} times its "
                "size, which no document does.",
                hint="Files like this are made to fill a disk. Ask whoever sent it.",
            )
        out.write(block)


def _directory_size(file: IO[bytes]) -> int:
    """Bytes of the archive's directory as its end says; the library reads it into memory whole.

    The end record may have a comment behind it (APPNOTE.TXT 4.3.16).
    """
    size = file.seek(0, 2)
    file.seek(max(0, size - _LONGEST_END))
    end = file.read()
    at = end.rfind(b"PK\x05\x06")
    file.seek(0)
    return int.from_bytes(end[at + 12 : at + 16], "little") if at >= 0 else 0


def _in_words(size: int) -> str:
    return f"{size / 1024**3:,.1f} GB" if size >= 1024**3 else f"{size / 1024**2:,.0f} MB"
