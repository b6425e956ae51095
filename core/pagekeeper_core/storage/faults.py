"""What went wrong with a data folder, told to the person who owns it."""

import errno
import re
import shutil
from pathlib import Path

from pagekeeper_core.errors import StoreError

__all__ = ["ARCHIVE_ERRORS", "archive_error", "disk_is_full", "read_error", "write_error"]

# What LanceDB raises for faults of files and of its own; it has no error classes.
ARCHIVE_ERRORS = (OSError, RuntimeError, ValueError)

# Below this a write that fails has most likely failed for want of room.
_ROOM_BYTES = 16 * 1024 * 1024

_HINTS = {
    errno.EACCES: "Check that you may write in this folder, or choose another with --data-dir.",
    errno.EPERM: "Check that you may write in this folder, or choose another with --data-dir.",
    errno.EROFS: "The disk is mounted read-only. Choose another folder with --data-dir.",
    errno.ENOSPC: "The disk is full. Free some space and try again; nothing stored was lost.",
    errno.EDQUOT: "Your disk quota is used up. Free some space and try again.",
    errno.EFBIG: "The disk or its quota is full. Free some space and try again.",
    errno.ENOTDIR: "A file stands where a folder is needed. Move it, or use --data-dir.",
    errno.EEXIST: "A file stands where a folder is needed. Move it, or use --data-dir.",
}

# LanceDB's errors carry the system's number in their text, and where in its own source they arose.
_SYSTEM_ERROR = re.compile(r"\(os error (\d+)\)")
_SOURCE_PLACE = re.compile(r",?\s*\S+\.rs:\d+(:\d+)?")


def disk_is_full(path: Path) -> bool:
    """Whether the disk that holds `path` has no room left for a write."""
    try:
        return shutil.disk_usage(path if path.exists() else path.parent).free < _ROOM_BYTES
    except OSError:
        return False


def write_error(path: Path, cause: BaseException, action: str = "written") -> StoreError:
    """The error to raise when `path` could not be written, or whatever the action was."""
    hint = _HINTS.get(_code(path, cause), "Check the disk and its free space, then try again.")
    return StoreError(f"{path} cannot be {action}: {_reason(cause)}", hint=hint)


def read_error(path: Path, cause: BaseException) -> StoreError:
    """The error to raise when `path` exists and its content cannot be read."""
    hint = (
        "The file may be damaged. Put a backup of it in its place, or move it away: "
        "Pagekeeper then starts with an empty memory."
    )
    return StoreError(f"{path} cannot be read: {_reason(cause)}", hint=hint)


def archive_error(path: Path, cause: BaseException, action: str = "read") -> StoreError:
    """The error to raise when the archive in `path` could not be used: damage, or no room."""
    if _code(path, cause) in _HINTS:
        return write_error(path, cause, action)
    hint = (
        "The archive may be damaged. Only documents and notes are in it; conversations are safe. "
        "Put a backup of the folder in its place, or move it away and import the documents again."
    )
    return StoreError(f"{path} cannot be {action}: {_reason(cause)}", hint=hint)


def _code(path: Path, cause: BaseException) -> int:
    """The system's number of the error; 0 where there is none."""
    if isinstance(cause, OSError) and cause.errno is not None:
        return cause.errno
    told = _SYSTEM_ERROR.search(str(cause))
    if told:
        return int(told[1])
    return errno.ENOSPC if disk_is_full(path) else 0


def _reason(cause: BaseException) -> str:
    text = cause.strerror if isinstance(cause, OSError) and cause.strerror else str(cause)
    return _SOURCE_PLACE.sub("", text.strip().partition("\n")[0]) or type(cause).__name__
