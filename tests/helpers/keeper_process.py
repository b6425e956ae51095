"""The installed `pagekeeper` command in a child process, as a person or a script runs it."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

COMMAND = Path(sys.executable).with_name("pagekeeper")


def keeper(data_dir: Path, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        [COMMAND, "--data-dir", data_dir, *words],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


class ChatProcess:
    """`pagekeeper chat --json` and the replies that it wrote so far.

    Attributes:
        replies: The JSON objects that came, in order.
    """

    def __init__(self, data_dir: Path, *options: str) -> None:
        self.replies: list[dict[str, Any]] = []
        self._arrived = threading.Condition()
        self._marks = data_dir / "memory"
        self._remarks = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed in __exit__
        self._process = subprocess.Popen(
            [COMMAND, "chat", "--json", "--data-dir", data_dir, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._remarks,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process.poll() is None:
            self.kill()
        for stream in (self._process.stdin, self._process.stdout, self._remarks):
            if stream is not None:
                stream.close()

    def send(self, text: str) -> None:
        """Say something without waiting."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{text}\n")
        self._process.stdin.flush()

    def say(self, text: str) -> dict[str, Any]:
        """Say something and wait for the reply."""
        wanted = len(self.replies) + 1
        self.send(text)
        with self._arrived:
            self._arrived.wait_for(lambda: len(self.replies) >= wanted or self._has_ended())
        assert len(self.replies) >= wanted, self._complaint()
        return self.replies[wanted - 1]

    def wait_until_stored(self, since: float) -> None:
        """Wait until something was written to memory after `since` (seconds of the epoch)."""
        while all(file.stat().st_mtime <= since for file in self._marks.glob("recall*")):
            assert self._process.poll() is None, self._complaint()
            time.sleep(0.05)

    def kill(self) -> None:
        """End it at once, as a crash or a power cut does."""
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def finish(self) -> int:
        """End the input and wait; gives the exit code."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        return self._process.wait()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._arrived:
                self.replies.append(json.loads(line))
                self._arrived.notify_all()
        with self._arrived:
            self._arrived.notify_all()

    def _has_ended(self) -> bool:
        return not self._reader.is_alive() or self._process.poll() is not None

    def _complaint(self) -> str:
        self._remarks.seek(0)
        return f"the chat ended: {self._remarks.read()}"
