"""Evaluated tokens on disk: what the KV cache holds of them, so that a restart need not evaluate.

A file is a line that names the format, a line of JSON (`_Header`), the tokens as 32-bit integers in
the machine's byte order, and llama.cpp's own image of the sequence. It is of use only to the model,
the window and the llama.cpp version that wrote it, which its identity stands for. llama.cpp takes
any bytes for an image, so a checksum guards them.
"""

import contextlib
import hashlib
import os
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import IO

import pydantic

from pagekeeper_core.messages import storable_text

__all__ = ["SavedState", "read_state", "write_state"]

_FORMAT = b"pagekeeper evaluated prompt 2\n"
_LONGEST_HEADER = 4096
_PRIVATE_FILE = 0o600


@dataclass(frozen=True, slots=True)
class SavedState:
    """A prefix of a prompt as the KV cache held it.

    Attributes:
        identity: Of the model and the parameters that evaluated it.
        tokens: The prefix.
        image: llama.cpp's image of the sequence.
    """

    identity: str
    tokens: tuple[int, ...]
    image: bytearray | memoryview


class _Header(pydantic.BaseModel):
    identity: str
    tokens: pydantic.NonNegativeInt
    bytes: pydantic.NonNegativeInt
    checksum: str


def write_state(path: Path, state: SavedState) -> None:
    """Write the file, whole or not at all.

    Raises:
        OSError: It cannot be written; the file that was there before stays.
    """
    tokens = array("i", state.tokens).tobytes()
    header = _Header(
        identity=storable_text(state.identity),
        tokens=len(state.tokens),
        bytes=len(state.image),
        checksum=_checksum(tokens, state.image),
    )
    with _replacing(path) as file:
        file.write(_FORMAT + header.model_dump_json().encode() + b"\n" + tokens)
        file.write(state.image)


def read_state(path: Path, identity: str) -> SavedState | None:
    """Read the file; None if there is none, it is damaged, or it has another identity."""
    try:
        with path.open("rb") as file:
            return _read(file, identity)
    except (OSError, ValueError):
        return None


def _read(file: BufferedReader, identity: str) -> SavedState | None:
    if file.readline(len(_FORMAT)) != _FORMAT:
        return None
    header = _Header.model_validate_json(file.readline(_LONGEST_HEADER))
    if header.identity != storable_text(identity):
        return None
    tokens = array("i")
    size = header.tokens * tokens.itemsize
    if os.fstat(file.fileno()).st_size != file.tell() + size + header.bytes:
        return None
    encoded = file.read(size)
    image = bytearray(header.bytes)
    if file.readinto(image) != header.bytes or _checksum(encoded, image) != header.checksum:
        return None
    tokens.frombytes(encoded)
    return SavedState(identity, tuple(tokens), image)


def _checksum(tokens: bytes, image: bytearray | memoryview) -> str:
    digest = hashlib.blake2b(tokens, digest_size=16)
    digest.update(image)
    return digest.hexdigest()


@contextlib.contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """A new file that takes the place of `path` when the block ends without an error.

    Until then it has one fixed name, so that what a kill leaves is overwritten by the next write.
    Only its owner may read it: it holds what was said. It is not forced onto the disk: what a power
    cut leaves of it, its checksum tells.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        part.touch(_PRIVATE_FILE)
        with part.open("wb") as file:
            yield file
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
