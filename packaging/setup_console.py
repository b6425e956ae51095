"""Shows the steps of set-up with their time, and runs the commands that they consist of.

On a terminal the running step is one line, drawn anew; in a log it is a line at the start, one a
minute, and one at the end. What the commands write goes to build/setup.log.
"""

import contextlib
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TextIO

from setup_errors import CommandError, SetupError, explain

__all__ = ["Console"]

_POLL_SECONDS = 0.2
_TAIL_BYTES = 32_768
"""A compiler's command can be kilobytes long, and progress stands before it."""
_SHOWN_LINES = 15
_SHOWN_WIDTH = 300
_PROGRESS = re.compile(
    r"\[(?P<done>\d+)/(?P<total>\d+)\]"
    r"|^\s*Collecting (?P<package>[\w.-]+)|^\s*(?P<end>Installing) collected packages",
    re.MULTILINE,
)


class Console:
    """Where set-up talks to the person.

    Attributes:
        log: The file that holds what the commands write.
    """

    def __init__(self, stream: TextIO, log: Path) -> None:
        self.log = log
        self._stream = stream
        self._is_terminal = stream.isatty()
        self._step = ""
        self._started = 0.0
        self._minutes = 0

    def say(self, text: str) -> None:
        """Write a line of its own."""
        self._stream.write(f"{text}\n")
        self._stream.flush()

    @contextlib.contextmanager
    def step(self, heading: str) -> Iterator[None]:
        """Show that the work inside the `with` block goes on, and how long it took.

        Raises:
            SetupError: The work failed; the lines that say why have been shown.
        """
        self._step, self._started, self._minutes = f"{heading} …", time.monotonic(), 0
        self._draw(self._step, "" if self._is_terminal else "\n")
        try:
            yield
        except CommandError as error:
            self._end("failed")
            raise self._failure(heading, error) from error
        except BaseException:
            self._end("stopped")
            raise
        self._end("done")

    def run(self, command: Sequence[str], *, env: Mapping[str, str], cwd: Path) -> None:
        """Run a command to its end while the step's line shows its progress.

        Raises:
            CommandError: It ended with another code than 0.
        """
        self.log.parent.mkdir(exist_ok=True)
        with self.log.open("ab") as output:
            output.write(f"\n$ {' '.join(command)}\n".encode())
            output.flush()
            start = output.tell()
            process = subprocess.Popen(
                command, stdout=output, stderr=subprocess.STDOUT, env=env, cwd=cwd
            )
            try:
                self._watch(process, start)
            finally:
                process.terminate()
                process.wait()
        if process.returncode:
            name = Path(command[0]).name
            raise CommandError(name, process.returncode, self._tail(start))

    def _watch(self, process: "subprocess.Popen[bytes]", start: int) -> None:
        while process.poll() is None:
            time.sleep(_POLL_SECONDS)
            seconds = int(time.monotonic() - self._started)
            if self._is_terminal:
                detail = _detail(self._tail(start))
                self._draw(f"\r{self._step} {_clock(seconds)}{detail}", "")
            elif seconds // 60 > self._minutes:
                self._minutes = seconds // 60
                self._draw(f"      … {_clock(seconds)}{_detail(self._tail(start))}", "\n")

    def _tail(self, start: int) -> str:
        """The last lines that the command has written; `start` is where its output begins."""
        with self.log.open("rb") as stream:
            size = stream.seek(0, 2)
            stream.seek(max(start, size - _TAIL_BYTES))
            return stream.read().decode("utf-8", errors="replace")

    def _draw(self, line: str, end: str) -> None:
        if self._is_terminal:
            width = shutil.get_terminal_size().columns - 1
            line = line[:width].ljust(width)
        self._stream.write(line + end)
        self._stream.flush()

    def _end(self, word: str) -> None:
        time_taken = _clock(int(time.monotonic() - self._started))
        if self._is_terminal:
            self._draw(f"\r{self._step} {word} in {time_taken}", "\n")
        else:
            self._draw(f"      {word} in {time_taken}", "\n")

    def _failure(self, heading: str, error: CommandError) -> SetupError:
        lines = error.output.strip().splitlines()[-_SHOWN_LINES:]
        self.say("\n".join(f"  | {line[:_SHOWN_WIDTH]}" for line in lines))
        why, advice = explain(error.output)
        what = re.sub(r"^\[\d+/\d+\] | \(.*", "", heading)
        message = f"“{what}” failed. {why}".strip()
        return SetupError(message, f"{advice} All of the output is in {self.log}.")


def _detail(output: str) -> str:
    """What the command is at: a share for a build, a package's name for pip."""
    matches = list(_PROGRESS.finditer(output))
    if not matches:
        return ""
    last = matches[-1]
    if last["total"]:
        return f"  {int(last['done']) * 100 // max(int(last['total']), 1)}%"
    return f"  {last['package'] or 'writing files'}"


def _clock(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02d}"
