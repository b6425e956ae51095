"""Which kind of Office file, OpenDocument file or e-book a file is, by what is in it."""

import errno
import zipfile
import zlib
from pathlib import PurePath
from typing import IO

from pagekeeper_core.documents.compound_file import COMPOUND_SIGNATURE
from pagekeeper_core.documents.locked_office import is_locked
from pagekeeper_core.documents.reading import SourceFile

__all__ = ["office_kind"]

_ZIP_SIGNATURE = b"PK\x03\x04"
_CONTENT_TYPES = "[content_types].xml"
_MOST_BYTES = 1024 * 1024

# ECMA-376 part 1, 15.2, and the types of files with macros: what the main part's type holds.
_MAIN_TYPES = (
    (b"ms-excel.sheet.binary", "xlsb"),
    (b"spreadsheetml.sheet.main", "xlsx"),
    (b"spreadsheetml.template.main", "xlsx"),
    (b"ms-excel.sheet.macroenabled.main", "xlsx"),
    (b"ms-excel.template.macroenabled.main", "xlsx"),
    (b"presentationml.presentation.main", "pptx"),
    (b"presentationml.slideshow.main", "pptx"),
    (b"presentationml.template.main", "pptx"),
    (b"ms-powerpoint.", "pptx"),
    (b"wordprocessingml.document.main", "docx"),
    (b"wordprocessingml.template.main", "docx"),
    (b"ms-word.", "docx"),
)

_FOLDERS = (("word/", "docx"), ("ppt/", "pptx"), ("xl/", "xlsx"))

_ENDINGS = {
    **dict.fromkeys((".docx", ".docm", ".dotx", ".dotm"), "docx"),
    **dict.fromkeys((".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm"), "pptx"),
    **dict.fromkeys((".xlsx", ".xlsm", ".xltx", ".xltm"), "xlsx"),
    **dict.fromkeys((".odt", ".ods", ".odp", ".odg", ".ott", ".ots", ".otp"), "odf"),
    ".epub": "epub",
}


def office_kind(head: bytes, source: SourceFile) -> str:
    """One of "docx", "pptx", "xlsx", "xlsb", "odf", "epub", "iwork"; empty if it is none of these.

    Raises:
        OSError: The file vanished or may not be read.
    """
    if head.startswith(_ZIP_SIGNATURE):
        with source.path.open("rb") as file:
            return _kind_of_archive(file, head, source)
    if head.startswith(COMPOUND_SIGNATURE):
        with source.path.open("rb") as file:
            # What is inside cannot be known without the password, so its name must do.
            return _by_name(source) or "docx" if is_locked(file) else ""
    return ""


def _kind_of_archive(file: IO[bytes], head: bytes, source: SourceFile) -> str:
    try:
        with zipfile.ZipFile(file) as archive:
            return _by_parts(archive)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
        # RuntimeError: the part is locked with a password.
        return _by_beginning(head, source)
    except OSError as error:
        # A directory of the archive that points to before its beginning.
        if error.errno == errno.EINVAL:
            return _by_beginning(head, source)
        raise


def _by_parts(archive: zipfile.ZipFile) -> str:
    parts = {info.filename.replace("\\", "/").casefold(): info for info in archive.infolist()}
    kind = ""
    if "mimetype" in parts:
        kind = _by_mimetype(_beginning(archive, parts["mimetype"]))
    elif _CONTENT_TYPES in parts:
        kind = _by_content_types(_beginning(archive, parts[_CONTENT_TYPES]))
        kind = kind or _by_folder(tuple(parts))
    if not kind and "meta-inf/container.xml" in parts and any(n.endswith(".opf") for n in parts):
        return "epub"
    if not kind and {"content.xml", "meta-inf/manifest.xml"} <= parts.keys():
        return "odf"
    if not kind and any(name.endswith(".iwa") for name in parts):
        return "iwork"
    return kind


def _beginning(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> bytes:
    with archive.open(part) as file:
        return file.read(_MOST_BYTES)


def _by_mimetype(mimetype: bytes) -> str:
    if mimetype.startswith(b"application/epub+zip"):
        return "epub"
    return "odf" if mimetype.startswith(b"application/vnd.oasis.opendocument.") else ""


def _by_content_types(types: bytes) -> str:
    lowered = types.replace(b"\0", b"").lower()
    return next((kind for mark, kind in _MAIN_TYPES if mark in lowered), "")


def _by_folder(names: tuple[str, ...]) -> str:
    return next((kind for folder, kind in _FOLDERS if any(n.startswith(folder) for n in names)), "")


def _by_beginning(head: bytes, source: SourceFile) -> str:
    """The kind of an archive that is cut off: it must be told to be damaged, as what it is."""
    name_length = int.from_bytes(head[26:28], "little")
    first_name = head[30 : 30 + name_length].decode("ascii", "replace").casefold()
    if first_name == "mimetype":
        return _by_mimetype(head[30 + name_length :])
    if first_name == _CONTENT_TYPES or first_name.startswith(("_rels/", "docprops/")):
        return _by_name(source) or "docx"
    return _by_folder((first_name,))


def _by_name(source: SourceFile) -> str:
    return _ENDINGS.get(PurePath(source.name).suffix.casefold(), "")
