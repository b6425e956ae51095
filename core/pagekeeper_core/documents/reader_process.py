"""Reads files in a process of its own, within limits.

A file can be made to fell the library that reads it, to fill the memory or to keep it busy for
ever. What becomes of the process is told as a DocumentError; what it had read is thrown away.
"""

import logging
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pagekeeper_core.documents.reader_process_handle import ReaderHandle, StartFailedError
from pagekeeper_core.documents.reader_process_wire import Frame, as_source, error_of, told
from pagekeeper_core.documents.reading import PageText, SourceFile
from pagekeeper_core.errors import Cancelled, DocumentError

__all__ = ["ReaderLimits", "ReaderProcess", "Reading"]

_log = logging.getLogger(__name__)

_COMMAND = (sys.executable, "-m", "pagekeeper_core.documents.reader_process_child")

_POLL_SECONDS = 0.05
"""So long a cancel may go unseen."""

_GET_AGAIN = (
    "The file may be damaged, or made to do harm. Open it in the program that made it and save it "
    "anew, or get it again from where it came from."
)


@dataclass(frozen=True, slots=True)
class ReaderLimits:
    """What a file may cost.

    Attributes:
        memory: Bytes of memory that the process may hold.
        start: Seconds until it must be ready.
        silence: Seconds from one page to the next.
        work: Seconds of processor time from one page to the next.
        characters: Of text that a document may have.
        pages: Pages or blocks that a document may have.
        idle: Seconds that the process is kept for the next file.
    """

    memory: int = 2 * 1024**3
    start: float = 60.0
    silence: float = 300.0
    work: float = 180.0
    characters: int = 2_000_000_000
    pages: int = 2_000_000
    idle: float = 20.0


class Reading:
    """A file that is being read.

    Attributes:
        kind: What the archive calls its kind: "pdf", "text".
    """

    def __init__(self, kind: str, pages: Iterator[PageText]) -> None:
        """A file of this kind; its pages are read as they are asked for."""
        self.kind = kind
        self._pages = pages

    def __iter__(self) -> Iterator[PageText]:
        """The pages in reading order.

        Raises:
            Cancelled: The import was stopped.
            DocumentError: The file is damaged, locked, or costs more than it may.
            OSError: It vanished or may not be read.
        """
        return self._pages


class ReaderProcess:
    """Reads files in a process that is kept for the next one, and ended when there is none."""

    def __init__(
        self, *, limits: ReaderLimits | None = None, command: Sequence[str] = _COMMAND
    ) -> None:
        """Read by `command`, which serves as `reader_process_child` does."""
        self._limits = limits or ReaderLimits()
        self._command = command
        self._lock = threading.Lock()
        self._kept: ReaderHandle | None = None
        self._ending: threading.Timer | None = None

    @contextmanager
    def reading(self, source: SourceFile, cancel: threading.Event) -> Iterator[Reading]:
        """Read a file; leaving the block before the last page ends the process.

        Raises:
            Cancelled: `cancel` was set.
            DocumentError: The file is of no kind that can be read, locked, damaged, or costs more
                than it may; or the process could not be started.
            OSError: The file vanished or may not be read.
        """
        with self._answers({"read": told(source)}, source, cancel) as (_, answers):
            kind = next(answers).get("kind", "")
            yield Reading(kind, self._pages(answers, source))

    def expand(
        self, source: SourceFile, folder: Path, cancel: threading.Event
    ) -> Iterator[SourceFile | DocumentError]:
        """Take the files out of a ZIP archive, one by one, each when it is asked for.

        Args:
            source: The archive.
            folder: An empty folder for them (see `zip_archive.unpacking_folder`). A file is
                removed there when the next one is asked for.
            cancel: Stops it when it is set.

        Yields:
            A file under the name that tells where it comes from, or why one was left out.

        Raises:
            Cancelled: `cancel` was set.
            DocumentError: The archive is locked, damaged, or made to fill the disk.
            OSError: It vanished, or the disk is full.
        """
        order = {"expand": told(source), "folder": str(folder)}
        with self._answers(order, source, cancel) as (handle, answers):
            for frame in answers:
                if "member" in frame:
                    member = as_source(frame["member"])
                    yield member
                    member.path.unlink(missing_ok=True)
                    handle.send({"go_on": True})
                elif isinstance(left_out := error_of(frame["left_out"]), DocumentError):
                    yield left_out

    def close(self) -> None:
        """End the process that was kept."""
        with self._lock:
            kept, self._kept = self._kept, None
            if self._ending is not None:
                self._ending.cancel()
        if kept is not None:
            kept.end()

    def _pages(self, answers: Iterator[Frame], source: SourceFile) -> Iterator[PageText]:
        characters = 0
        for number, frame in enumerate(answers, start=1):
            page = PageText(**frame["page"])
            characters += len(page.text)
            if characters > self._limits.characters or number > self._limits.pages:
                raise DocumentError(
                    f"{source.name} has more text in it than can be kept.",
                    hint="Part it into several files and import those that matter.",
                )
            yield page

    @contextmanager
    def _answers(
        self, order: Frame, source: SourceFile, cancel: threading.Event
    ) -> Iterator[tuple[ReaderHandle, Iterator[Frame]]]:
        """The process and its answers to an order; it is kept only if it gave the last of them."""
        handle = self._take(source, cancel)
        whole = [False]
        try:
            if not handle.send(order):
                raise self._death(handle, source)
            yield handle, self._frames(handle, source, cancel, whole)
        finally:
            if whole[0]:
                self._keep(handle)
            else:
                handle.end()

    def _frames(
        self,
        handle: ReaderHandle,
        source: SourceFile,
        cancel: threading.Event,
        whole: list[bool],
    ) -> Iterator[Frame]:
        while True:
            frame = self._next(handle, source, cancel)
            if "gave_up" in frame:
                _log.error("Reading failed: %s\n%s", frame["gave_up"], frame.get("trace", ""))
                raise _given_up(source, frame["gave_up"])
            whole[0] = "end" in frame or "error" in frame
            if "error" in frame:
                raise error_of(frame["error"])
            if "end" in frame:
                return
            yield frame

    def _next(self, handle: ReaderHandle, source: SourceFile, cancel: threading.Event) -> Frame:
        """The next frame, waited for as long as the limits allow."""
        begun, worked = time.monotonic(), handle.processor_seconds()
        while (frame := handle.receive(_POLL_SECONDS)) is None:
            if cancel.is_set():
                raise Cancelled
            if handle.ended:
                raise self._death(handle, source)
            waited, work = time.monotonic() - begun, handle.processor_seconds() - worked
            if waited > self._limits.silence or work > self._limits.work:
                raise DocumentError(
                    f"{source.name} could not be read: it took too long.", hint=_GET_AGAIN
                )
        if cancel.is_set():
            raise Cancelled
        return frame

    def _death(self, handle: ReaderHandle, source: SourceFile) -> DocumentError:
        """What the end of the process means, in words."""
        handle.end()
        code = handle.code
        _log.warning("The process that reads files ended with code %s", code)
        if handle.used_too_much:
            return _given_up(source, "memory")
        killed = sys.platform != "win32" and code == -signal.SIGKILL
        reason = (
            "the system ended the process that was reading it, as it does when memory runs out"
            if killed
            else "the part of the program that reads such files crashed on it"
        )
        return DocumentError(f"{source.name} could not be read: {reason}.", hint=_GET_AGAIN)

    def _take(self, source: SourceFile, cancel: threading.Event) -> ReaderHandle:
        with self._lock:
            kept, self._kept = self._kept, None
            if self._ending is not None:
                self._ending.cancel()
        if kept is not None and not kept.ended:
            return kept
        return self._start(source, cancel)

    def _start(self, source: SourceFile, cancel: threading.Event) -> ReaderHandle:
        """A fresh process that has said that it is ready."""
        try:
            handle = ReaderHandle(self._command, memory=self._limits.memory)
        except StartFailedError as error:
            raise _not_started(source, str(error)) from error
        until = time.monotonic() + self._limits.start
        while handle.receive(_POLL_SECONDS) is None:
            if cancel.is_set() or handle.ended or time.monotonic() > until:
                handle.end()
                if cancel.is_set():
                    raise Cancelled
                raise _not_started(source, f"it ended with code {handle.code}")
        return handle

    def _keep(self, handle: ReaderHandle) -> None:
        with self._lock:
            if self._kept is None:
                self._kept, handle = handle, self._kept
                self._ending = threading.Timer(self._limits.idle, self.close)
                self._ending.daemon = True
                self._ending.start()
        if handle is not None:
            handle.end()


def _given_up(source: SourceFile, reason: str) -> DocumentError:
    if reason == "memory":
        return DocumentError(
            f"{source.name} could not be read: it needs more memory than a file may take.",
            hint="If it is simply very large, part it into several files. " + _GET_AGAIN,
        )
    return DocumentError(
        f"{source.name} could not be read: it is not built as such files should be ({reason}).",
        hint=_GET_AGAIN,
    )


def _not_started(source: SourceFile, reason: str) -> DocumentError:
    return DocumentError(
        f"{source.name} could not be read: the process that reads files did not start ({reason}).",
        hint="Close some programs and try again; if it stays so, install Pagekeeper anew.",
    )
