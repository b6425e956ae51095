"""Office files that are locked with a password (MS-OFFCRYPTO): their plain content, in memory."""

import struct
from io import BytesIO
from typing import IO
from xml.parsers.expat import ExpatError

from pagekeeper_core.documents.compound_file import COMPOUND_SIGNATURE, stream_names
from pagekeeper_core.documents.reading import SourceFile
from pagekeeper_core.errors import DocumentError, DocumentLocked

__all__ = ["is_locked", "unlocked"]

_PACKAGE = "encryptedpackage"

# It is unlocked in memory, so that nothing of it lies on the disk in plain.
_MOST_BYTES = 256 * 1024**2
_MOST_INFO_BYTES = 64 * 1024

# What Excel itself locks with where a workbook is protected and no password was asked for
# (MS-OFFCRYPTO 2.4.2.3 tells the word).
_PASSWORD_OF_EXCEL = "VelvetSweatshop"  # noqa: S105 - published in the specification


def is_locked(file: IO[bytes]) -> bool:
    """Whether this is a locked Office file; the file is left at its beginning."""
    file.seek(0)
    compound = file.read(len(COMPOUND_SIGNATURE)) == COMPOUND_SIGNATURE
    file.seek(0)
    return compound and _PACKAGE in stream_names(file)


def unlocked(file: IO[bytes], source: SourceFile) -> IO[bytes]:
    """The plain file.

    Raises:
        DocumentLocked: The password is missing or wrong.
        DocumentError: It is locked in a way that is not known, or too large.
    """
    from msoffcrypto.exceptions import (  # noqa: PLC0415 - loads the ciphers
        DecryptionError,
        FileFormatError,
        InvalidKeyError,
        ParseError,
    )

    _check_bounds(file, source)
    try:
        return _opened(file, source.password or _PASSWORD_OF_EXCEL)
    except InvalidKeyError as error:
        raise DocumentLocked(source.name, wrong=bool(source.password)) from error
    except (DecryptionError, FileFormatError, ParseError) as error:
        raise _unknown_lock(source) from error
    except (OSError, ValueError, LookupError, struct.error, ExpatError) as error:
        # What the libraries raise where the description of the lock is damaged.
        raise _unknown_lock(source) from error


def _opened(file: IO[bytes], password: str) -> IO[bytes]:
    import msoffcrypto  # noqa: PLC0415 - loads the ciphers

    locked = msoffcrypto.OfficeFile(file)
    locked.load_key(password=password, verify_password=True)
    plain = BytesIO()
    locked.decrypt(plain)
    plain.seek(0)
    return plain


def _check_bounds(file: IO[bytes], source: SourceFile) -> None:
    import olefile  # noqa: PLC0415 - needed for few files

    try:
        with olefile.OleFileIO(file) as compound:
            size = compound.get_size(_PACKAGE)
            info = compound.openstream("EncryptionInfo").read(_MOST_INFO_BYTES + 1)
    except (OSError, ValueError, IndexError) as error:
        raise _unknown_lock(source) from error
    if size > _MOST_BYTES:
        raise DocumentError(
            f"{source.name} is locked with a password and too large to be unlocked here.",
            hint="Open it, save it without the password, and try again.",
        )
    if len(info) > _MOST_INFO_BYTES or b"<!" in info:
        raise _unknown_lock(source)


def _unknown_lock(source: SourceFile) -> DocumentError:
    return DocumentError(
        f"{source.name} is locked in a way that cannot be opened here.",
        hint="Open it in the program that made it, save it without the lock, and try again.",
    )
