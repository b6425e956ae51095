"""The window's program in a process of its own, with a scripted assistant behind it.

    application_child.py DATA_FOLDER

Says "ready" when the assistant is loaded, "raised" when another start asked for it, and how often
memory was opened when it ends.
"""

import sys
from pathlib import Path

from helpers.scripted_assistant import ScriptedComposition
from pagekeeper_desktop import main_thread_watchdog
from pagekeeper_desktop.application import run_application
from pagekeeper_desktop.options import Options
from pagekeeper_desktop.view_models.session_state import Phase, SessionState
from pagekeeper_desktop.windows.main_window import MainWindow

BUSY_MACHINE = 30.0
"""Seconds: how long a paint takes beside other tests says nothing about the program."""

build, raise_to_front = MainWindow._connect, MainWindow.raise_to_front


def say(word: str) -> None:
    """One line, at once."""
    sys.stdout.write(word + "\n")
    sys.stdout.flush()


def connect(window: MainWindow) -> None:
    """As always, and say when the assistant is loaded."""
    build(window)
    window._session.state_changed.connect(tell)


def tell(state: SessionState) -> None:
    """Say once that messages are answered from now on."""
    if state.phase is Phase.READY:
        say("ready")


def raised(window: MainWindow) -> None:
    """As always, and say so."""
    raise_to_front(window)
    say("raised")


if __name__ == "__main__":
    setattr(MainWindow, "_connect", connect)  # noqa: B010 - mypy allows no assignment to a method
    setattr(MainWindow, "raise_to_front", raised)  # noqa: B010 - as above
    main_thread_watchdog.LIMIT = BUSY_MACHINE
    composition = ScriptedComposition()
    code = run_application(Options(Path(sys.argv[1])), composition, sys.argv[:1])
    opened = composition.memory is not None
    closed = composition.memory is not None and composition.memory.closed
    say(f"memory opened {opened}, closed {closed}")
    sys.exit(code)
