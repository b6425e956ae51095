"""The ZIP that Office files, OpenDocument files and e-books are, with bounds on what it unpacks."""

import errno
import lzma
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO
from urllib.parse import unquote
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException

from pagekeeper_core.documents.locked_office import is_locked, unlocked
from pagekeeper_core.documents.reading import SourceFile
from pagekeeper_core.documents.xml_events import TooDeepError, attribute, children, parse
from pagekeeper_core.errors import DocumentError

__all__ = ["OfficeContainer", "Relation", "damaged", "office_faults", "open_container"]


# Bytes unpacked. Text packs to a tenth, a table of equal numbers to a fortieth; a bomb to a
# thousandth. What is small may be packed as tightly as it likes.
_MOST_UNPACKED = 2 * 1024**3
_MOST_RATIO = 200
_NEVER_A_BOMB = 32 * 1024**2

# Of a part that must stand in memory whole: a slide, the styles, a chapter.
_MOST_AT_ONCE = 64 * 1024**2

_MOST_PARTS = 100_000


@dataclass(frozen=True, slots=True)
class Relation:
    """What a part refers to (ECMA-376 part 2, 6.5).

    Attributes:
        kind: The last word of the relation's type: "styles", "slide", "hyperlink".
        target: The name of the part; empty where it lies outside the file, which is never followed.
    """

    kind: str
    target: str


class OfficeContainer:
    """The parts of an open file; names are found whatever their case, as the format asks."""

    def __init__(self, archive: zipfile.ZipFile, source: SourceFile) -> None:
        """Check the directory of the archive.

        Raises:
            DocumentError: It unpacks to more than any document.
        """
        self._archive = archive
        self._source = source
        self._parts = {_folded(info.filename): info for info in archive.infolist()}
        self._check_size()

    def _check_size(self) -> None:
        parts = self._archive.infolist()
        unpacked = sum(part.file_size for part in parts)
        packed = sum(part.compress_size for part in parts)
        ratio_is_odd = unpacked > _NEVER_A_BOMB and unpacked > _MOST_RATIO * max(packed, 1)
        if len(parts) > _MOST_PARTS or unpacked > _MOST_UNPACKED or ratio_is_odd:
            raise DocumentError(
                f"{self._source.name} unpacks to {_size_in_words(unpacked)}, which no document "
                "does, so it was not opened.",
                hint="Files like this are made to fill the memory. Ask whoever sent it for a "
                "plain copy.",
            )

    def names(self) -> Iterator[str]:
        """The names of all parts, as they are written."""
        return (info.filename for info in self._archive.infolist())

    def has(self, name: str) -> bool:
        """Whether there is such a part."""
        return _folded(name) in self._parts

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """A part, to be read from its beginning.

        Raises:
            DocumentError: It is locked, or not there.
        """
        info = self._parts.get(_folded(name))
        if info is None:
            raise damaged(self._source)
        if info.flag_bits & 1:
            raise DocumentError(
                f"{self._source.name} is locked with a password in a way that cannot be opened "
                "here.",
                hint="Open it in the program that made it, save it without a password, and try "
                "again.",
            )
        with self._archive.open(info) as file:
            yield file

    def read(self, name: str) -> bytes:
        """The bytes of a part; none if it is not there.

        Raises:
            DocumentError: It is locked, or too large to stand in memory.
        """
        if not self.has(name):
            return b""
        with self.open(name) as file:
            data = file.read(_MOST_AT_ONCE + 1)
        if len(data) > _MOST_AT_ONCE:
            raise DocumentError(
                f"{self._source.name} has a part of over {_size_in_words(_MOST_AT_ONCE)}, which "
                "is more than can be read.",
                hint="Save it in several files and try again.",
            )
        return data

    def tree(self, name: str) -> Element | None:
        """The XML of a small part; None if it is not there or empty."""
        data = self.read(name)
        return parse(data) if data.strip() else None

    def relations(self, part: str = "") -> dict[str, Relation]:
        """What a part refers to, by the identifier of the relation; without a part, the file."""
        folder, _, name = part.rpartition("/")
        tree = self.tree(posixpath.join(folder, "_rels", f"{name}.rels"))
        return {
            attribute(element, "Id"): _relation(element, folder)
            for element in children(tree, "Relationship")
        }

    def main_part(self) -> str:
        """The part that the file is about: its text, workbook or presentation.

        Raises:
            DocumentError: There is none.
        """
        for relation in self.relations().values():
            if relation.kind == "officeDocument" and self.has(relation.target):
                return relation.target
        raise damaged(self._source)


@contextmanager
def open_container(source: SourceFile) -> Iterator[OfficeContainer]:
    """The file's parts, unlocked where it is locked and the password is right.

    What is wrong with the file while it is open becomes a sentence for the person.

    Raises:
        DocumentLocked: A password is needed, or was wrong.
        DocumentError: It is damaged, or unpacks to more than any document.
        OSError: It vanished or may not be read.
    """
    with office_faults(source), source.path.open("rb") as file:
        plain: IO[bytes] = unlocked(file, source) if is_locked(file) else file
        with plain, zipfile.ZipFile(plain) as archive:
            yield OfficeContainer(archive, source)


@contextmanager
def office_faults(source: SourceFile) -> Iterator[None]:
    """Turn what the libraries raise about a broken file into a sentence about it."""
    try:
        yield
    except DefusedXmlException as error:
        raise DocumentError(
            f"{source.name} holds XML entities, which no such document needs and which are used "
            "for attacks, so it was not read.",
            hint="Ask whoever sent it for a plain copy.",
        ) from error
    except TooDeepError as error:
        raise DocumentError(
            f"{source.name} is nested more deeply than any document that a person made, so it "
            "was not read.",
            hint="Open it in the program that made it, save it anew, and try again.",
        ) from error
    except OSError as error:
        # A directory of the archive that points to before its beginning.
        if error.errno == errno.EINVAL:
            raise damaged(source) from error
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        EOFError,
        ParseError,
        NotImplementedError,
        UnicodeDecodeError,
    ) as error:
        raise damaged(source) from error


def damaged(source: SourceFile) -> DocumentError:
    """The error for a file with parts missing or broken."""
    return DocumentError(
        f"{source.name} is damaged: parts of it are missing or cannot be unpacked.",
        hint="Get the file again from where it came from, or open it in the program that made it "
        "and save it anew.",
    )


def _relation(element: Element, folder: str) -> Relation:
    kind = attribute(element, "Type").rpartition("/")[2]
    if attribute(element, "TargetMode") == "External":
        return Relation(kind, "")
    target = unquote(attribute(element, "Target"))
    return Relation(kind, posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/"))


def _folded(name: str) -> str:
    # Some writers part names with a backslash, or begin them with a slash.
    return name.replace("\\", "/").lstrip("/").casefold()


def _size_in_words(size: int) -> str:
    return f"{size / 1024**3:,.1f} GB" if size >= 1024**3 else f"{size // 1024**2} MB"
