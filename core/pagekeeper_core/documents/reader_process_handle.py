"""One process that reads files, as the program holds it: its pipes, its memory, its end."""

import contextlib
import logging
import os
import queue
import subprocess
import threading
from collections.abc import Sequence
from typing import IO

import psutil

from pagekeeper_core.documents.reader_process_wire import (
    Frame,
    FrameError,
    read_frame,
    write_frame,
)

__all__ = ["ReaderHandle", "StartFailedError"]

_log = logging.getLogger(__name__)

_FRAMES_AHEAD = 8
"""So many wait for who reads them; then the pipe fills, and the process waits."""

_WATCH_SECONDS = 0.1
_LOG_LINES = 50
_LOG_LINE = 500
_THREADS = {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "1"}


class StartFailedError(Exception):
    """The system did not start the process; says why."""


class ReaderHandle:
    """A running process, with what it said and was not yet asked for.

    Attributes:
        used_too_much: Whether it was ended because it held more memory than it may.
    """

    def __init__(self, command: Sequence[str], *, memory: int) -> None:
        """Start it.

        Args:
            command: Its command line.
            memory: Bytes that it may hold.

        Raises:
            StartFailedError: The system does not start it.
        """
        self.used_too_much = False
        self._memory = memory
        self._process = _started(command)
        self._orders, self._answers, self._complaints = _pipes(self._process)
        self._frames: queue.Queue[Frame] = queue.Queue(_FRAMES_AHEAD)
        self._closed = threading.Event()
        self._drained = threading.Event()
        for work in (self._listen, self._watch, self._log_complaints):
            threading.Thread(target=work, name=f"reader{work.__name__}", daemon=True).start()

    @property
    def code(self) -> int | None:
        """The process's exit code; None while it runs."""
        return self._process.poll()

    @property
    def ended(self) -> bool:
        """Whether nothing more will come from it."""
        return self._drained.is_set() and self._frames.empty()

    def send(self, order: Frame) -> bool:
        """Give it an order; False if it is not there any more."""
        try:
            write_frame(self._orders, order)
        except OSError:
            return False
        return True

    def receive(self, seconds: float) -> Frame | None:
        """What it says next, waited for so long; None if there was nothing."""
        try:
            return self._frames.get(timeout=seconds)
        except queue.Empty:
            return None

    def processor_seconds(self) -> float:
        """Processor time that it has taken so far."""
        try:
            times = psutil.Process(self._process.pid).cpu_times()
        except psutil.Error:
            return 0.0
        return float(times.user + times.system)

    def end(self) -> None:
        """End it, whatever it does."""
        self._closed.set()
        self._process.kill()
        self._process.wait()
        with contextlib.suppress(OSError):
            self._orders.close()

    def _listen(self) -> None:
        with self._answers as stream:
            try:
                while (frame := read_frame(stream)) is not None and self._offered(frame):
                    pass
            except FrameError as error:
                _log.warning("The process that reads files sent %s", error)
            finally:
                self._process.kill()
                self._process.wait()
                self._drained.set()

    def _offered(self, frame: Frame) -> bool:
        while not self._closed.is_set():
            with contextlib.suppress(queue.Full):
                self._frames.put(frame, timeout=_WATCH_SECONDS)
                return True
        return False

    def _watch(self) -> None:
        """End it when it holds too much: not every system has a limit that it could not pass."""
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(self._process.pid)
            while not self._closed.wait(_WATCH_SECONDS) and not self._drained.is_set():
                if process.memory_info().rss > self._memory:
                    self.used_too_much = True
                    self._process.kill()
                    return

    def _log_complaints(self) -> None:
        """What its libraries complain of; it may hold words of the document, so only on request."""
        with self._complaints as stream:
            lines = 0
            while line := stream.readline(_LOG_LINE):
                lines += 1
                if lines <= _LOG_LINES:
                    _log.debug("reader: %s", line.decode("utf-8", errors="replace").rstrip())


def _started(command: Sequence[str]) -> "subprocess.Popen[bytes]":
    try:
        return subprocess.Popen(  # noqa: S603 - our own command line
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **_THREADS},
            # On Windows a black window would open beside ours.
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError as error:
        raise StartFailedError(error.strerror or str(error)) from error


def _pipes(process: "subprocess.Popen[bytes]") -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    """Its standard input, output and errors."""
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise StartFailedError("it has no pipes")
    return process.stdin, process.stdout, process.stderr
