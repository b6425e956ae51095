"""How fast the window stands, and how long it is ever deaf while 5,000 tokens stream into it.

    python tests/benchmarks/window_figures.py

Runs offscreen, with a scripted assistant for the second figure, and prints seconds.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

STARTS = 5
TOKENS = 5000
MARKDOWN = "Some **bold** words, `code` and a [link](https://example.org).\n\n- a\n- b\n\n"


def seconds_to_first_paint() -> float:
    """From the start of the process to the first painted picture."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        child = str(TESTS / "helpers" / "first_paint_child.py")
        began = time.time()
        subprocess.run([sys.executable, child, folder, str(report)], check=True, timeout=60)
        return float(json.loads(report.read_text())["painted_at"]) - began


def longest_block() -> float:
    """Seconds without the event loop's turn, at most, while a long reply is streamed."""
    from helpers.scripted_assistant import ADMIT, Reply, steps  # noqa: PLC0415 - see sys.path
    from helpers.window_scenes import play, with_past  # noqa: PLC0415 - as above

    text = (MARKDOWN * (TOKENS * 4 // len(MARKDOWN) + 1))[: TOKENS * 4]
    composition = with_past(scripts=[steps(ADMIT, Reply(text, pieces=TOKENS, pause=0.0005))])
    return play(composition, "Write a long text")


def main() -> int:
    """Measure and print."""
    starts = sorted(seconds_to_first_paint() for _ in range(STARTS))
    lines = (
        f"process start to first paint: best {starts[0]:.2f} s, median {starts[STARTS // 2]:.2f} s",
        f"longest block while {TOKENS:,} tokens stream: {longest_block():.3f} s",
    )
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
