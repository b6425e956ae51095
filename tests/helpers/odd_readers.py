"""A process that reads files with readers that do harm: run as a script, as a ReaderProcess does.

The first word of a file says what its reader does.
"""

import ctypes
import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from pagekeeper_core.documents.reader_process_child import serve
from pagekeeper_core.documents.reading import PageText, SourceFile
from pagekeeper_core.errors import DocumentLocked

ODD_TEXT = "half an emoji \ud83d, a zero \0, and 你好\u2028"


class OddReader:
    kind = "odd"

    def accepts(self, head: bytes, source: SourceFile) -> bool:
        return True

    def read(self, source: SourceFile) -> Iterator[PageText]:
        yield PageText("page one", page=1, pages=2)
        word = source.path.read_text().split()[0]
        yield from getattr(self, word)(source)

    def sleep(self, source: SourceFile) -> Iterator[PageText]:
        time.sleep(600)
        return iter(())

    def spin(self, source: SourceFile) -> Iterator[PageText]:
        while True:
            pass

    def allocate(self, source: SourceFile) -> Iterator[PageText]:
        held = []
        while True:
            held.append(b"x" * 10_000_000)

    def hoard(self, source: SourceFile) -> Iterator[PageText]:
        """More than the program lets it hold, less than the system does."""
        held = b"x" * 300_000_000
        time.sleep(600)
        yield PageText(str(len(held)))

    def abort(self, source: SourceFile) -> Iterator[PageText]:
        os.abort()

    def fault(self, source: SourceFile) -> Iterator[PageText]:
        ctypes.string_at(0)
        return iter(())

    def kill(self, source: SourceFile) -> Iterator[PageText]:
        os.kill(os.getpid(), 9)
        return iter(())

    def leave(self, source: SourceFile) -> Iterator[PageText]:
        os._exit(0)

    def speak(self, source: SourceFile) -> Iterator[PageText]:
        sys.stdout.write("noise")
        sys.stdout.flush()
        os.write(1, b"\xff" * 100_000)
        os.system("echo more noise")
        yield PageText("page two", page=2, pages=2)

    def complain(self, source: SourceFile) -> Iterator[PageText]:
        sys.stderr.write("complaint " * 1_000_000)
        yield PageText("page two", page=2, pages=2)

    def flood(self, source: SourceFile) -> Iterator[PageText]:
        while True:
            yield PageText("words " * 100_000)

    def crumble(self, source: SourceFile) -> Iterator[PageText]:
        while True:
            yield PageText("")

    def stumble(self, source: SourceFile) -> Iterator[PageText]:
        raise KeyError("a word of the document")

    def lock(self, source: SourceFile) -> Iterator[PageText]:
        raise DocumentLocked(source.name, wrong=bool(source.password))

    def vanish(self, source: SourceFile) -> Iterator[PageText]:
        source.path.unlink()
        source.path.open()
        return iter(())

    def connect(self, source: SourceFile) -> Iterator[PageText]:
        socket.create_connection(("127.0.0.1", 9), timeout=5)
        return iter(())

    def odd(self, source: SourceFile) -> Iterator[PageText]:
        yield PageText(ODD_TEXT, place=ODD_TEXT, first_line=7)

    def long(self, source: SourceFile) -> Iterator[PageText]:
        yield PageText("a line of text\n" * 100_000, first_line=1, place="here")

    def who(self, source: SourceFile) -> Iterator[PageText]:
        yield PageText(str(os.getpid()))


COMMAND = (sys.executable, str(Path(__file__)))

if __name__ == "__main__":
    serve((OddReader(),))
