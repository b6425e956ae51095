"""A start of the window in a process of its own, which ends after its first picture.

    first_paint_child.py DATA_FOLDER REPORT

Writes a JSON object to REPORT: the time of the first paint (seconds since the epoch), and which
heavy modules were loaded by then. The composition is the real one; nothing of it is called before.
"""

import json
import sys
import time
from pathlib import Path

from PySide6.QtGui import QPaintEvent

from pagekeeper_desktop import __main__ as program
from pagekeeper_desktop.windows.main_window import MainWindow

HEAVY = (
    "duckdb",
    "gguf",
    "huggingface_hub",
    "lancedb",
    "llama_cpp",
    "llguidance",
    "numpy",
    "outlines",
    "pagekeeper_core.storage",
    "pagekeeper_models.download",
    "pagekeeper_models.llama_runtime",
    "pyarrow",
    "rich",
    "sentence_transformers",
    "tiktoken",
    "torch",
    "transformers",
)

paint = MainWindow.paintEvent


def report(window: MainWindow, event: QPaintEvent) -> None:
    """Paint, report, and close before anything else begins."""
    paint(window, event)
    loaded = [name for name in HEAVY if name in sys.modules]
    facts = {"painted_at": time.time(), "loaded": loaded}
    Path(sys.argv[2]).write_text(json.dumps(facts), encoding="utf-8")
    window.painted.disconnect()
    window.close()


if __name__ == "__main__":
    vars(MainWindow)
    setattr(MainWindow, "paintEvent", report)  # noqa: B010 - mypy allows no assignment to a method
    sys.exit(program.main(["--data-dir", sys.argv[1]]))
