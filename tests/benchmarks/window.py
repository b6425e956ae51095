"""How fast the window stands, and how long it is ever deaf.

The longest block is the longest time by which a timer of five milliseconds in the window's thread
came too late; a click waits that long at most. It is measured

- while the real composition opens memory, loads the 0.5B and, for a first small document, the
  embedder with torch, in a process that had loaded none of that;
- while a scripted model streams 5,000 tokens of Markdown into the conversation and a document of
  more than 200 passages is read, embedded and stored by the real importer on its own thread.

The window is the real one, drawn into memory (Qt's platform "offscreen").
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from benchmarks.figures import Figure, at_least, at_most, reported
from helpers import first_paint_child
from helpers.scripted_assistant import (
    ADMIT,
    Reply,
    ScriptedAgent,
    ScriptedAssistant,
    ScriptedBlocks,
    ScriptedComposition,
    steps,
)
from pagekeeper_core.clock import SystemClock
from pagekeeper_core.memory_history import MemoryHistory
from pagekeeper_core.schedule import Reminders
from pagekeeper_desktop import composition
from pagekeeper_desktop.application import SWITCH_INTERVAL
from pagekeeper_desktop.composition import Memory
from pagekeeper_desktop.main_thread_watchdog import MainThreadWatchdog
from pagekeeper_desktop.model_choice import LoadStage
from pagekeeper_desktop.options import Options
from pagekeeper_desktop.settings import Settings, ThemeChoice
from pagekeeper_desktop.theme import Theme
from pagekeeper_desktop.view_models.session import Session
from pagekeeper_desktop.view_models.session_state import Phase
from pagekeeper_desktop.view_models.transcript_items import ImportItem, ImportState
from pagekeeper_desktop.windows.main_window import MainWindow

STARTS = 5
TICK = 0.005
MOST = 50.0
"""Milliseconds that the window may be deaf."""

UNDER_WAY = {ImportState.WAITING, ImportState.RUNNING}

TOKENS = 5000
PAUSE = 0.003
"""Seconds between two tokens: some twenty times as fast as a small model on a laptop."""
MARKDOWN = "Some **bold** words, `code` and a [link](https://example.org).\n\n- a\n- b\n\n"
CHARACTERS = 260_000
"""Of the document: the embedder reads about a thousand of them at once."""


def measure() -> Iterator[Figure]:
    """The first picture, then loading, then use."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    starts = [_seconds_to_first_paint() for _ in range(STARTS)]
    yield reported("window: process start to first picture, median of 5", median(starts), "s")
    sys.setswitchinterval(SWITCH_INTERVAL)
    app = QApplication([])
    theme = Theme(app, ThemeChoice.LIGHT)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield from _while_loading(theme, Path(folder))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield from _while_used(theme, Path(folder))


def _seconds_to_first_paint() -> float:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        began = time.time()
        child = [sys.executable, str(first_paint_child.__file__), folder, str(report)]
        subprocess.run(child, check=True, timeout=60)
        return float(json.loads(report.read_text())["painted_at"]) - began


def _while_loading(theme: Theme, folder: Path) -> Iterator[Figure]:
    options = Options(folder / "data", model="qwen2.5-coder-0.5b", context_window=4096)
    rig = _Rig.open(composition, options, theme)
    rig.read(_document(folder / "small.txt", 900))
    rig.close()
    yield at_most(
        "window: longest block while model and embedder load", rig.longest_block_ms, MOST, "ms"
    )


def _while_used(theme: Theme, folder: Path) -> Iterator[Figure]:
    text = (MARKDOWN * (TOKENS * 4 // len(MARKDOWN) + 1))[: TOKENS * 4]
    scripted = _RealStores(scripts=[steps(ADMIT, Reply(text, pieces=TOKENS, pause=PAUSE))])
    rig = _Rig.open(scripted, Options(folder / "data"), theme)
    rig.session.send("Write a long text")
    rig.read(_document(folder / "long.txt", CHARACTERS))
    rig.until(lambda: not rig.session.state.busy)
    assert scripted.opened is not None
    passages = scripted.opened.archival.count()
    rig.close()
    yield at_least("window: passages imported while tokens stream", passages, 200, "passages")
    yield at_most(
        "window: longest block while 5,000 tokens stream and they import",
        rig.longest_block_ms,
        MOST,
        "ms",
    )


def _document(path: Path, characters: int) -> Path:
    """A text of the product's own words."""
    sources = sorted(Path("core/pagekeeper_core").glob("*.py"))
    words = "\n\n".join(source.read_text(encoding="utf-8") for source in sources)
    path.write_text(words[:characters], encoding="utf-8")
    return path


@dataclass
class _RealStores(ScriptedComposition):
    """Real stores, importer and embedder; only the agent follows a script."""

    opened: Memory | None = None

    def open_memory(self, options: Options) -> Any:
        self.opened = composition.open_memory(options)
        return self.opened

    def load_assistant(
        self, memory: Any, options: Options, cancel: threading.Event
    ) -> Generator[LoadStage, None, ScriptedAssistant]:
        yield LoadStage("Loading")
        thread = memory.threads.create(datetime.now(UTC))
        history = MemoryHistory(memory.state, SystemClock())
        agent = ScriptedAgent(
            memory.recall,
            memory.threads,
            self.scripts,
            ScriptedBlocks(self.blocks, history),
            memory.provenance(),
            Reminders(memory.reminders, SystemClock()),
            memory.proposals,
            thread.thread_id,
        )
        return ScriptedAssistant(agent)


@dataclass
class _Rig:
    """A window whose thread is watched from its start on."""

    window: MainWindow
    session: Session
    watchdog: MainThreadWatchdog

    @classmethod
    def open(cls, parts: Any, options: Options, theme: Theme) -> "_Rig":
        """Show it, and wait until it answers."""
        session = Session(parts, options)
        window = MainWindow(session, theme, options.data_dir, Settings(), list)
        window.painted.connect(session.start)
        window.show()
        rig = cls(window, session, MainThreadWatchdog(tick=TICK))
        rig.watchdog.start()
        rig.until(lambda: session.state.phase is Phase.READY)
        return rig

    @property
    def longest_block_ms(self) -> float:
        """Milliseconds."""
        return self.watchdog.longest_block * 1000

    def until(self, condition: Callable[[], bool], seconds: float = 120) -> None:
        """Run the event loop until something is so."""
        loop, poll, end = QEventLoop(), QTimer(), time.monotonic() + seconds
        poll.timeout.connect(lambda: loop.exit() if condition() or time.monotonic() > end else None)
        poll.start(20)
        loop.exec()
        if not condition():
            raise TimeoutError("the window does not get there")

    def read(self, document: Path) -> None:
        """Have a document imported."""
        self.session.imports.add([document])
        self.until(lambda: self._import_state() not in UNDER_WAY)
        assert self._import_state() is ImportState.DONE

    def _import_state(self) -> ImportState:
        (item,) = (i for i in self.session.transcript.items() if isinstance(i, ImportItem))
        return item.state

    def close(self) -> None:
        """Stop watching, close the window, wait for its threads."""
        self.watchdog.stop()
        self.window.close()
        self.until(lambda: self.session.join(0))
