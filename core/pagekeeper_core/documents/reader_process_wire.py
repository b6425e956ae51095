"""What the program and the process that reads files say to each other, and how it is written.

A frame is the length of what follows in four bytes, the highest first, then one JSON object in
ASCII: any text passes, lone surrogates too, and nothing that comes in is ever run, as a pickle is.

The program sends orders: {"read": a source} or {"expand": a source, "folder": where to}. The
process says {"ready": true} once, and answers an order with any number of {"kind": …},
{"page": …}, {"member": …} and {"left_out": an error}, and at last {"end": true}, {"error": …} or
{"gave_up": why, "trace": where}, after which it is ended. Behind each member it waits for
{"go_on": true}.
"""

import json
import os
import struct
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO, Any

from pagekeeper_core.documents.reading import PageText, SourceFile
from pagekeeper_core.errors import DocumentError, DocumentLocked

__all__ = [
    "LONGEST_FRAME",
    "FrameError",
    "as_source",
    "error_of",
    "frames_of",
    "read_frame",
    "told",
    "write_frame",
]

LONGEST_FRAME = 16 * 1024 * 1024
"""Bytes. Whoever sends more is not who it should be."""

_MOST_CHARACTERS = 200_000
"""Of a page in one frame. Each takes up to twelve bytes of JSON."""

_LENGTH = struct.Struct(">I")

Frame = dict[str, Any]


class FrameError(Exception):
    """What came through the pipe is no frame."""


def write_frame(stream: IO[bytes], frame: Mapping[str, Any]) -> None:
    """Write a frame and see it off.

    Raises:
        OSError: Nobody reads at the other end.
    """
    data = json.dumps(frame).encode("ascii")
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def read_frame(stream: IO[bytes]) -> Frame | None:
    """The next frame; None where the stream ends, even in the middle of one.

    Raises:
        FrameError: It is too long, or not what a frame should be.
    """
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > LONGEST_FRAME:
        raise FrameError(f"a frame of {length} bytes")
    data = stream.read(length)
    if len(data) < length:
        return None
    try:
        frame = json.loads(data)
    except ValueError as error:
        raise FrameError("a frame that is not JSON") from error
    if not isinstance(frame, dict):
        raise FrameError("a frame that is no object")
    return frame


def as_source(told_source: Mapping[str, str]) -> SourceFile:
    """The file of an order."""
    return SourceFile(
        Path(told_source["path"]), told_source["name"], told_source.get("password", "")
    )


def told(value: SourceFile | DocumentError | OSError) -> Frame:
    """A file or an error, as JSON."""
    match value:
        case SourceFile(path, name, password):
            return {"path": os.fspath(path), "name": name, "password": password}
        case DocumentLocked():
            return {"locked": value.name, "hint": value.hint, "wrong": value.wrong}
        case DocumentError():
            return {"sentence": str(value), "hint": value.hint}
        case OSError():
            return {"errno": value.errno or 0, "strerror": value.strerror or str(value)}


def error_of(told_error: Mapping[str, Any]) -> DocumentError | OSError:
    """The error that was told."""
    if "locked" in told_error:
        return DocumentLocked(
            told_error["locked"], wrong=told_error["wrong"], hint=told_error["hint"]
        )
    if "errno" in told_error:
        return OSError(told_error["errno"], told_error["strerror"])
    return DocumentError(told_error["sentence"], hint=told_error["hint"])


def frames_of(page: PageText) -> Iterator[Frame]:
    """A page in as many frames as its text needs, parted at line ends where there are any."""
    rest, first_line = page.text, page.first_line
    while len(rest) > _MOST_CHARACTERS:
        end = rest.rfind("\n", 0, _MOST_CHARACTERS) + 1 or _MOST_CHARACTERS
        piece = replace(page, text=rest[:end], first_line=first_line)
        yield {"page": asdict(piece)}
        first_line += piece.text.count("\n") if first_line else 0
        rest = rest[end:]
    yield {"page": asdict(replace(page, text=rest, first_line=first_line))}
