"""The process in which files are read: `python -m pagekeeper_core.documents.reader_process_child`.

A file that is made to fell its reader fells this process alone. It takes orders on standard input
and answers on standard output (see `reader_process_wire`), until the program ends it or is gone.
"""

import faulthandler
import os
import queue
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from pagekeeper_core.documents.file_faults import require_file, unknown_kind
from pagekeeper_core.documents.formats import READERS
from pagekeeper_core.documents.reader_process_wire import (
    Frame,
    as_source,
    frames_of,
    read_frame,
    told,
    write_frame,
)
from pagekeeper_core.documents.reading import HEAD_BYTES, DocumentReader, SourceFile
from pagekeeper_core.documents.zip_archive import expand
from pagekeeper_core.errors import DocumentError
from pagekeeper_core.network_guard import install_network_guard

__all__ = ["ADDRESS_SPACE", "serve"]

ADDRESS_SPACE = 4 * 1024**3
"""Bytes that the process may take on top of what it has when it starts."""

_NICENESS = 5
"""The conversation goes before the reading."""


def serve(readers: Sequence[DocumentReader] = READERS) -> None:
    """Carry out orders until standard input ends."""
    out = _take_standard_output()
    faulthandler.enable()
    install_network_guard()
    _limit_what_it_may_take()
    _send(out, {"ready": True})
    orders = _orders_of(sys.stdin.buffer)
    while True:
        _answer(orders, readers, out)


def _take_standard_output() -> BinaryIO:
    """Standard output for the answers alone: what a library prints goes where errors go."""
    own = os.dup(1)
    os.dup2(2, 1)
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - there alone

        msvcrt.setmode(own, os.O_BINARY)
    return os.fdopen(own, "wb")


def _limit_what_it_may_take() -> None:
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on Windows

    os.nice(_NICENESS)
    # A dump of the process would leave the text of the document on the disk.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # macOS counts its shared libraries too and refuses; there the program watches alone.
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        most = pages * resource.getpagesize() + ADDRESS_SPACE
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _orders_of(stream: BinaryIO) -> "queue.SimpleQueue[Frame]":
    """The orders as they come; where the program is gone, the process ends in whatever it does."""
    orders: queue.SimpleQueue[Frame] = queue.SimpleQueue()

    def listen() -> None:
        while (order := read_frame(stream)) is not None:
            orders.put(order)
        os._exit(0)

    threading.Thread(target=listen, name="orders", daemon=True).start()
    return orders


def _answer(
    orders: "queue.SimpleQueue[Frame]", readers: Sequence[DocumentReader], out: BinaryIO
) -> None:
    """Wait for one order and carry it out; its last frame says how it ended."""
    order = orders.get()
    try:
        for frame in _carried_out(order, readers, orders):
            _send(out, frame)
        last: Frame = {"end": True}
    except (DocumentError, OSError) as error:
        last = {"error": told(error)}
    except MemoryError:
        last = {"gave_up": "memory"}
    except Exception as error:  # noqa: BLE001 - the boundary: one file's fault must not cost the next
        # Without the error's own words, which may be the document's.
        trace = "".join(traceback.format_tb(error.__traceback__))
        last = {"gave_up": type(error).__name__, "trace": trace}
    _send(out, last)


def _send(out: BinaryIO, frame: Frame) -> None:
    try:
        write_frame(out, frame)
    except OSError:
        os._exit(0)  # The program has gone.


def _carried_out(
    order: Frame, readers: Sequence[DocumentReader], orders: "queue.SimpleQueue[Frame]"
) -> Iterator[Frame]:
    if "expand" in order:
        return _expanded(as_source(order["expand"]), Path(order["folder"]), orders)
    return _read(as_source(order["read"]), readers)


def _read(source: SourceFile, readers: Sequence[DocumentReader]) -> Iterator[Frame]:
    reader = _reader_of(source, readers)
    yield {"kind": reader.kind}
    for page in reader.read(source):
        yield from frames_of(page)


def _reader_of(source: SourceFile, readers: Sequence[DocumentReader]) -> DocumentReader:
    require_file(source)
    with source.path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    for reader in readers:
        if reader.accepts(head, source):
            return reader
    raise unknown_kind(source, head)


def _expanded(
    source: SourceFile, folder: Path, orders: "queue.SimpleQueue[Frame]"
) -> Iterator[Frame]:
    for found in expand(source, folder):
        if isinstance(found, SourceFile):
            yield {"member": told(found)}
            orders.get()  # Else the whole archive would lie on the disk at once.
        else:
            yield {"left_out": told(found)}


if __name__ == "__main__":
    serve()
