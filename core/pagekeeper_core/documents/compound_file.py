"""The container of Office before 2007, in which locked Office files of today lie too (MS-CFB)."""

from typing import IO

__all__ = ["COMPOUND_SIGNATURE", "stream_names"]

COMPOUND_SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def stream_names(file: IO[bytes]) -> set[str]:
    """The outermost streams of a compound file, in small letters; none if it is damaged."""
    import olefile  # noqa: PLC0415 - needed for few files

    file.seek(0)
    try:
        with olefile.OleFileIO(file) as compound:
            return {path[0].casefold() for path in compound.listdir()}
    except (OSError, ValueError, IndexError):  # what olefile raises about a damaged file
        return set()
    finally:
        file.seek(0)
