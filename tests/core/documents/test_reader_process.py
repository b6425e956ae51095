"""A file that is made to do harm costs a sentence: the program goes on, and so do the others."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from helpers.odd_readers import COMMAND, ODD_TEXT
from pagekeeper_core.documents.reader_process import ReaderLimits, ReaderProcess
from pagekeeper_core.documents.reading import PageText, SourceFile
from pagekeeper_core.errors import Cancelled, DocumentError, DocumentLocked

GOING = threading.Event()
LIMITS = ReaderLimits(memory=200 * 1024**2, silence=30.0, work=1.0, characters=2_000_000, pages=500)


@pytest.fixture(scope="module")
def files() -> Iterator[ReaderProcess]:
    process = ReaderProcess(limits=LIMITS, command=COMMAND)
    yield process
    process.close()


def read(
    files: ReaderProcess, folder: Path, word: str, cancel: threading.Event = GOING
) -> list[PageText]:
    path = folder / "odd.txt"
    path.write_text(f"{word} and more")
    with files.reading(SourceFile(path, "odd.txt"), cancel) as reading:
        assert reading.kind == "odd"
        return list(reading)[1:]


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("abort", "crashed on it"),
        ("fault", "crashed on it"),
        ("leave", "crashed on it"),
        ("kill", "the system ended"),
        ("spin", "took too long"),
        ("hoard", "more memory"),
        ("flood", "more text"),
        ("crumble", "more text"),
        ("stumble", "not built as such files should be"),
        ("connect", "works offline"),
    ],
)
@pytest.mark.thorough
def test_a_reader_that_does_harm_costs_its_own_file(
    files: ReaderProcess, tmp_path: Path, word: str, reason: str
) -> None:
    with pytest.raises((DocumentError, OSError), match=reason):
        read(files, tmp_path, word)
    assert read(files, tmp_path, "speak")[0].text == "page two"


@pytest.mark.thorough
def test_memory_without_end_is_refused(tmp_path: Path) -> None:
    limits = ReaderLimits(memory=5 * 1024**3)
    files = ReaderProcess(limits=limits, command=COMMAND)
    with pytest.raises(DocumentError, match="more memory"):
        read(files, tmp_path, "allocate")
    files.close()


@pytest.mark.thorough
def test_silence_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    files = ReaderProcess(limits=ReaderLimits(silence=0.2), command=COMMAND)
    with pytest.raises(DocumentError, match="took too long"):
        read(files, tmp_path, "sleep")


def running() -> set[int]:
    return {child.pid for child in psutil.Process().children() if COMMAND[1] in child.cmdline()}


@pytest.mark.parametrize("word", ["sleep", "spin", "flood"])
@pytest.mark.thorough
def test_cancel_ends_the_process_at_once(tmp_path: Path, word: str) -> None:
    before = running()
    files = ReaderProcess(command=COMMAND)
    cancel = threading.Event()
    path = tmp_path / "odd.txt"
    path.write_text(word)
    with files.reading(SourceFile(path, "odd.txt"), cancel) as reading:
        pages = iter(reading)
        next(pages)
        cancel.set()
        with pytest.raises(Cancelled):
            list(pages)
    assert running() <= before


@pytest.mark.thorough
def test_leaving_early_ends_the_process(tmp_path: Path) -> None:
    before = running()
    files = ReaderProcess(command=COMMAND)
    path = tmp_path / "odd.txt"
    path.write_text("flood")
    with files.reading(SourceFile(path, "odd.txt"), GOING) as reading:
        next(iter(reading))
    assert running() <= before


def test_any_text_passes_the_pipe(files: ReaderProcess, tmp_path: Path) -> None:
    (page,) = read(files, tmp_path, "odd")
    assert page == PageText(ODD_TEXT, first_line=7, place=ODD_TEXT)


def test_a_long_page_comes_in_pieces_that_know_their_line(
    files: ReaderProcess, tmp_path: Path
) -> None:
    pieces = read(files, tmp_path, "long")
    assert "".join(piece.text for piece in pieces) == "a line of text\n" * 100_000
    assert len(pieces) > 1
    assert {piece.place for piece in pieces} == {"here"}
    line = 1
    for piece in pieces:
        assert piece.first_line == line
        line += piece.text.count("\n")


def test_a_process_is_kept_for_the_next_file(files: ReaderProcess, tmp_path: Path) -> None:
    assert read(files, tmp_path, "who") == read(files, tmp_path, "who")


def test_a_kept_process_that_died_is_replaced(files: ReaderProcess, tmp_path: Path) -> None:
    first = int(read(files, tmp_path, "who")[0].text)
    os.kill(first, signal.SIGTERM)
    psutil.wait_procs([psutil.Process(first)] if psutil.pid_exists(first) else [], timeout=10)
    time.sleep(0.1)
    assert int(read(files, tmp_path, "who")[0].text) != first


@pytest.mark.thorough
def test_a_process_without_work_ends(tmp_path: Path) -> None:
    files = ReaderProcess(limits=ReaderLimits(idle=0.1), command=COMMAND)
    number = int(read(files, tmp_path, "who")[0].text)
    until = time.monotonic() + 20
    while psutil.pid_exists(number) and time.monotonic() < until:
        time.sleep(0.05)
    assert not psutil.pid_exists(number)


@pytest.mark.thorough
@pytest.mark.parametrize("word", ["sleep", "flood", "who"])
def test_a_process_does_not_outlive_the_program(tmp_path: Path, word: str) -> None:
    path = tmp_path / "odd.txt"
    path.write_text(word)
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(path)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(COMMAND[1]).parents[1])},
    )
    assert program.stdout is not None
    with program.stdout as told:
        reader = psutil.Process(int(told.readline()))
    program.kill()
    program.wait()
    gone, _ = psutil.wait_procs([reader], timeout=20)
    assert gone


PROGRAM = """
import sys, threading, time
from pathlib import Path
import psutil
from helpers.odd_readers import COMMAND
from pagekeeper_core.documents.reader_process import ReaderProcess
from pagekeeper_core.documents.reading import SourceFile
source = SourceFile(Path(sys.argv[1]), "odd.txt")
with ReaderProcess(command=COMMAND).reading(source, threading.Event()) as reading:
    next(iter(reading))
    print(psutil.Process().children()[0].pid, flush=True)
    time.sleep(600)
"""


def test_locks_and_what_the_system_says_come_through(files: ReaderProcess, tmp_path: Path) -> None:
    with pytest.raises(DocumentLocked) as caught:
        read(files, tmp_path, "lock")
    assert not caught.value.wrong
    assert caught.value.name == "odd.txt"
    with pytest.raises(FileNotFoundError):
        read(files, tmp_path, "vanish")


def test_complaints_do_not_hold_it_up(files: ReaderProcess, tmp_path: Path) -> None:
    assert read(files, tmp_path, "complain")[0].text == "page two"


@pytest.mark.parametrize(
    "command", [("/nowhere/at/all",), (sys.executable, "-c", "raise SystemExit(3)")]
)
def test_a_process_that_does_not_start_is_told(tmp_path: Path, command: tuple[str, ...]) -> None:
    with pytest.raises(DocumentError, match="did not start"):
        read(ReaderProcess(command=command), tmp_path, "odd")


def test_garbage_from_the_process_is_no_answer(tmp_path: Path) -> None:
    command = (sys.executable, "-c", "import os; os.write(1, b'\\xff' * 100)")
    with pytest.raises(DocumentError, match="did not start"):
        read(ReaderProcess(command=command), tmp_path, "odd")
