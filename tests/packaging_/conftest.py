"""A repository folder of a few files."""

from collections.abc import Callable
from pathlib import Path

import pytest

import setup_machine
from helpers.setup_fakes import FakeConsole
from setup_steps import Place

CONSTRAINTS = "pip==26.3\nllama-cpp-python==0.3.36\nnumpy==2.4.6\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A repository without `.venv`, on a machine with compiler and room."""
    root = tmp_path / "a folder with späces"
    (root / "packaging").mkdir(parents=True)
    (root / "packaging" / "constraints.txt").write_text(CONSTRAINTS)
    (root / "pyproject.toml").write_text("[project]\nname = 'pagekeeper'\n")
    monkeypatch.setattr(setup_machine, "check_compiler", lambda: None)
    monkeypatch.setattr(setup_machine, "instruction_sets", lambda: "avx2 fma")
    monkeypatch.delenv("CMAKE_ARGS", raising=False)
    return Place(root)


@pytest.fixture
def console(place: Place) -> FakeConsole:
    """The pretending console."""
    return FakeConsole(place.log)


@pytest.fixture
def write_script(tmp_path: Path) -> Callable[[Path, str], Path]:
    """Writes an executable shell script."""

    def write(path: Path, body: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o700)
        return path

    return write
