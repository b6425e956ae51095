"""What went wrong with a data folder, told to the person who owns it."""

import errno
import shutil
from pathlib import Path

from pagekeeper_core.errors import StoreError

__all__ = ["disk_is_full", "read_error", "write_error"]

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


def disk_is_full(path: Path) -> bool:
    """Whether the disk that holds `path` has no room left for a write."""
    try:
        return shutil.disk_usage(path if path.exists() else path.parent).free < _ROOM_BYTES
    except OSError:
        return False


def write_error(path: Path, cause: BaseException, action: str = "written") -> StoreError:
    """The error to raise when `path` could not be written, or whatever the action was."""
    code = cause.errno if isinstance(cause, OSError) else None
    if code is None and disk_is_full(path):
        code = errno.ENOSPC
    hint = _HINTS.get(code or 0, "Check the disk and its free space, then try again.")
    return StoreError(f"{path} cannot be {action}: {_reason(cause)}", hint=hint)


def read_error(path: Path, cause: BaseException) -> StoreError:
    """The error to raise when `path` exists and its content cannot be read."""
    hint = (
        "The file may be damaged. Put a backup of it in its place, or move it away: "
        "Pagekeeper then starts with an empty memory."
    )
    return StoreError(f"{path} cannot be read: {_reason(cause)}", hint=hint)


def _reason(cause: BaseException) -> str:
    text = cause.strerror if isinstance(cause, OSError) and cause.strerror else str(cause)
    return text.strip().partition("\n")[0] or type(cause).__name__
