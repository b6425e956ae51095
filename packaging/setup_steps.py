"""The steps that make a working installation, and the record of those that are done.

Each step has a fingerprint of all that its result depends on. When a step is done, its fingerprint
is written to `.venv/pagekeeper-setup.json`; a later call does only the steps whose fingerprint is
missing there or differs. So a call that finds all done takes milliseconds, an interrupted set-up
goes on where it ended, and a change of versions, Python or processor redoes what it touches.
"""

import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import setup_machine
from setup_console import Console
from setup_errors import SetupError

__all__ = ["Place", "Setup", "exclusively"]

_ROOM_BYTES = 4_000_000_000
"""Free space asked for before anything is installed: packages, the build, and some air."""
_WAIT_SECONDS = 0.5


@dataclass(frozen=True)
class Place:
    """Where everything lies, below the repository's folder `root`."""

    root: Path

    @property
    def venv(self) -> Path:
        """The virtual environment."""
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        """The virtual environment's Python."""
        return self.scripts / ("python.exe" if sys.platform == "win32" else "python")

    @property
    def scripts(self) -> Path:
        """Where the virtual environment keeps its commands."""
        return self.venv / ("Scripts" if sys.platform == "win32" else "bin")

    @property
    def constraints(self) -> Path:
        """The versions of all packages."""
        return self.root / "packaging" / "constraints.txt"

    @property
    def record(self) -> Path:
        """Which steps are done."""
        return self.venv / "pagekeeper-setup.json"

    @property
    def log(self) -> Path:
        """What the commands wrote."""
        return self.root / "build" / "setup.log"

    @property
    def lock(self) -> Path:
        """Held by the set-up that is at work."""
        return self.root / "build" / "setup.lock"


@dataclass(frozen=True)
class _Step:
    """A part of set-up.

    Attributes:
        keys: Under the first it is recorded when done; any of them proves that it is.
        title: What a person reads.
        fingerprint: Digest of all that the result depends on.
    """

    keys: tuple[str, ...]
    title: str
    fingerprint: str
    action: Callable[[], None]


class Setup:
    """Makes the installation at `place`, as far as it is not there."""

    def __init__(self, place: Place, console: Console, *, with_tests: bool = False) -> None:
        self._place = place
        self._console = console
        self._with_tests = with_tests

    def is_done(self) -> bool:
        """Whether nothing is to be done; takes milliseconds."""
        return not self._open_steps()

    def run(self, *, steps_to_follow: int = 0) -> int:
        """Do the open steps, one after the other, each recorded when it is done.

        Args:
            steps_to_follow: How many steps the caller adds, for the numbers shown.

        Returns:
            How many steps there are, those to follow included.

        Raises:
            SetupError: One failed; the ones before stay done.
        """
        steps = self._open_steps()
        self._check_machine(steps)
        self._place.log.parent.mkdir(exist_ok=True)
        self._place.log.write_bytes(b"")
        count = len(steps) + steps_to_follow
        for number, step in enumerate(steps, 1):
            with self._console.step(f"[{number}/{count}] {step.title}"):
                step.action()
            self._remember(**{step.keys[0]: step.fingerprint})
        return count

    def _open_steps(self) -> list[_Step]:
        steps = self._steps()
        if not self._venv_is_sound():
            return steps
        done = self._done()
        return [s for s in steps if s.fingerprint not in [done.get(key) for key in s.keys]]

    def _steps(self) -> list[_Step]:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        pip, llama_package = self._pin("pip"), self._pin("llama-cpp-python")
        llama = _digest(llama_package, self._cmake_args(), setup_machine.instruction_sets())
        packages = _digest(version, self._constraints(), _read(self._place.root / "pyproject.toml"))
        build_title = "Building llama.cpp (6 to 13 minutes, once)"
        keys = ("tests",) if self._with_tests else ("packages", "tests")
        return [
            _Step(("venv",), "Making .venv", _digest(version, pip), self._make_venv),
            _Step(("llama",), build_title, llama, self._build_llama),
            _Step(keys, "Installing packages (1 to 5 minutes)", packages, self._install),
        ]

    def _check_machine(self, steps: list[_Step]) -> None:
        keys = {step.keys[0] for step in steps}
        if "llama" in keys:
            setup_machine.check_compiler()
        free = shutil.disk_usage(self._place.root).free
        if "venv" in keys and free < _ROOM_BYTES:
            raise SetupError(
                f"There is not enough room: {_ROOM_BYTES / 1e9:.0f} GB are needed in "
                f"{self._place.root}, and {free / 1e9:.1f} GB are free.",
                "Free some space and try again.",
            )

    def _make_venv(self) -> None:
        """Keep a virtual environment that works, even one made by hand; else make it anew."""
        if not (self._venv_is_sound() and self._pip_works()):
            _remove(self._place.venv)
            base = getattr(sys, "_base_executable", None) or sys.executable
            self._call(base, "-m", "venv", str(self._place.venv))
        self._pip("install", "--upgrade", self._pin("pip"))
        self._remember(root=str(self._place.root))

    def _pip_works(self) -> bool:
        command = [str(self._place.python), "-m", "pip", "--version"]
        try:
            return subprocess.run(command, capture_output=True, check=False).returncode == 0
        except OSError:
            return False

    def _build_llama(self) -> None:
        """Build from source, outside pip's cache: the wheel is for this processor only."""
        own_flags = self._own_cmake_args()
        package = self._pin("llama-cpp-python")
        again = ("--force-reinstall",) if "llama" in self._done() else ()
        self._pip(
            *("install", "--verbose", "--no-deps", "--no-cache-dir"),
            *("--no-binary", "llama-cpp-python", *again, *self._build_constraint(), package),
            CMAKE_ARGS=self._cmake_args(),
        )
        self._remember(own_cmake_args=own_flags)

    def _install(self) -> None:
        extra = "[dev]" if self._with_tests else ""
        constraint = ("--constraint", str(self._place.constraints))
        project = f"{self._place.root}{extra}"
        self._pip("install", *constraint, *self._build_constraint(), "--editable", project)

    def _build_constraint(self) -> tuple[str, str]:
        return ("--build-constraint", str(self._place.constraints))

    def _pip(self, *arguments: str, **environment: str) -> None:
        self._call(str(self._place.python), "-m", "pip", *arguments, **environment)

    def _call(self, *command: str, **environment: str) -> None:
        """Run a command under the machine's own pip settings, but inside .venv and unattended."""
        fixed = {"PIP_USER": "0", "PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        env = {**os.environ, **fixed, "PYTHONUNBUFFERED": "1", **environment}
        env.pop("PYTHONHOME", None)
        env.pop("PYTHONPATH", None)
        self._console.run(command, env=env, cwd=self._place.root)

    def _cmake_args(self) -> str:
        return f"{setup_machine.cmake_flags()} {self._own_cmake_args()}".strip()

    def _own_cmake_args(self) -> str:
        """The person's flags, such as those for a GPU; kept until CMAKE_ARGS is set to others."""
        return os.environ.get("CMAKE_ARGS", self._done().get("own_cmake_args", ""))

    def _constraints(self) -> str:
        return _read(self._place.constraints)

    def _pin(self, package: str) -> str:
        """The package's requirement, with its version, from the constraints."""
        pattern = rf"^{re.escape(package)}==\S+$"
        match = re.search(pattern, self._constraints(), re.MULTILINE)
        if match is None:
            raise SetupError(
                f"{self._place.constraints} names no version of {package}.", "Restore that file."
            )
        return match[0]

    def _venv_is_sound(self) -> bool:
        """Whether .venv is whole, for the Python that runs this, and where it was made.

        Its commands name their place, so they do not survive a move of the folder.
        """
        root = str(self._place.root)
        is_at_its_place = self._done().get("root", root) == root
        return (
            is_at_its_place and _is_of_this_python(self._place.venv) and self._place.python.exists()
        )

    def _done(self) -> dict[str, str]:
        try:
            record = json.loads(_read(self._place.record))
        except (OSError, ValueError):
            return {}
        return record if isinstance(record, dict) else {}

    def _remember(self, **entries: str) -> None:
        record = self._place.record
        temporary = record.with_suffix(".new")
        temporary.write_text(json.dumps(self._done() | entries, indent=1), "utf-8")
        temporary.replace(record)


def _read(path: Path) -> str:
    return path.read_text("utf-8")


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _is_of_this_python(venv: Path) -> bool:
    try:
        settings = _read(venv / "pyvenv.cfg")
    except OSError:
        return False
    version = re.search(r"^version(?:_info)?\s*=\s*(\d+)\.(\d+)", settings, re.MULTILINE)
    return version is not None and (int(version[1]), int(version[2])) == sys.version_info[:2]


def _remove(venv: Path) -> None:
    if venv.is_symlink():
        venv.unlink()
    elif venv.exists():
        shutil.rmtree(venv)


@contextlib.contextmanager
def exclusively(lock: Path, console: Console) -> Iterator[None]:
    """Let one set-up at a time work on this folder; the lock ends with the process, even killed."""
    lock.parent.mkdir(exist_ok=True)
    with lock.open("a+b") as stream:
        told = False
        while not _lock(stream):
            if not told:
                console.say("Another set-up is at work in this folder; waiting for it …")
                told = True
            time.sleep(_WAIT_SECONDS)
        yield


if sys.platform == "win32":
    import msvcrt

    def _lock(stream: BinaryIO) -> bool:
        stream.seek(0)
        try:
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _lock(stream: BinaryIO) -> bool:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
