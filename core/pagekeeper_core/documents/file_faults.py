"""Why a file cannot be read, told to the person who dropped it."""

import errno

from pagekeeper_core.documents.reading import SourceFile
from pagekeeper_core.errors import DocumentError

__all__ = ["no_text", "require_file", "unknown_kind", "unreadable"]

_SIGNATURES = (
    (b"PK\x03\x04", "an archive of a kind"),
    (b"\xd0\xcf\x11\xe0", "a compound file of a kind"),
    (b"%!PS", "a PostScript file"),
    (b"GIF8", "a picture of a kind"),
    (b"RIFF", "a sound or a film"),
    (b"ID3", "a sound"),
    (b"OggS", "a sound"),
    (b"fLaC", "a sound"),
    (b"\x1f\x8b", "a compressed file"),
    (b"BZh", "a compressed file"),
    (b"7z\xbc\xaf", "a compressed file"),
    (b"\xfd7zXZ", "a compressed file"),
    (b"\x28\xb5\x2f\xfd", "a compressed file"),
    (b"Rar!", "a compressed file"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"SQLite format 3", "a database"),
    (b"GGUF", "a language model"),
)

_READABLE = (
    "Texts, PDF, Office and OpenDocument files, e-books, web pages, e-mails, tables, pictures of "
    "text and ZIP archives of these can be read."
)

_REASONS = {
    errno.ENOENT: ("is not there any more.", "Check whether it was moved or renamed."),
    errno.ENOTDIR: ("is not there any more.", "Check whether it was moved or renamed."),
    errno.ELOOP: ("is a link that leads to itself.", ""),
    errno.EACCES: ("may not be read by you.", "Change its permissions and try again."),
    errno.EPERM: ("may not be read by you.", "Change its permissions and try again."),
    errno.EISDIR: ("is a folder.", "Choose the files in it."),
    errno.ENOSPC: ("needs more room than the disk has left.", "Free some space and try again."),
    errno.EDQUOT: ("needs more room than your disk quota has left.", "Free some and try again."),
    errno.EFBIG: ("needs more room than the disk has left.", "Free some space and try again."),
    errno.ENAMETOOLONG: ("has a name that is too long.", "Give it a shorter one and try again."),
    errno.EBUSY: ("is held by another program.", "Close that program and try again."),
}


def require_file(source: SourceFile) -> None:
    """Check that there is something to read.

    Raises:
        DocumentError: It is a folder, empty, or no file at all.
        OSError: It is not there or may not be looked at.
    """
    size = source.path.stat().st_size
    if source.path.is_dir():
        raise DocumentError(f"{source.name} is a folder.", hint="Choose the files in it.")
    if not source.path.is_file():
        raise DocumentError(f"{source.name} is a device or a channel, not a file.")
    if size == 0:
        raise DocumentError(f"{source.name} is empty.")


def unreadable(source: SourceFile, error: OSError) -> DocumentError:
    """The error for a file that the system does not give out."""
    reason, hint = _REASONS.get(
        error.errno or 0,
        (f"cannot be read: {error.strerror or error}", "Copy it to another folder and try again."),
    )
    return DocumentError(f"{source.name} {reason}", hint=hint)


def unknown_kind(source: SourceFile, head: bytes) -> DocumentError:
    """The error for a file that no reader accepts."""
    for signature, kind in _SIGNATURES:
        if head.startswith(signature):
            return DocumentError(
                f"{source.name} is {kind}, which Pagekeeper cannot read.", hint=_READABLE
            )
    return DocumentError(f"{source.name} is not a text: it holds binary data.", hint=_READABLE)


def no_text(title: str) -> DocumentError:
    """The error for a document that has nothing but white space in it."""
    return DocumentError(f"{title} has no text in it.")
