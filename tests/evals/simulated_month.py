"""A month of use in a few minutes: 3,000 messages a window, over real databases.

    python tests/evals/simulated_month.py

Windows of 2,048, 4,096 and 8,192 tokens, and one that is too small. Looked for: overflows and
stalls (none), memory that does not grow, and time per turn of the last tenth of the messages over
the first (aim: 1.2 or less). Prints a table; figures go to `build/`.
"""

import argparse
import json
import logging
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from helpers.simulated_month import SimulatedMonth
from pagekeeper_core.config import Eviction, MemoryPolicy
from pagekeeper_core.errors import ContextWindowError

TOO_SMALL = 1024
COLUMNS = {
    "window": "window",
    "messages": "messages",
    "overflows": "overflows",
    "stalls": "stalls",
    "failures": "failures",
    "flushes": "flushes",
    "warnings": "warnings",
    "evaluated_tokens": "evaluated",
    "recalled": "recall",
    "passages": "archive",
    "memory_at_start": "MB start",
    "memory_at_middle": "MB mid",
    "memory_at_end": "MB end",
    "turn_ms_first": "ms first",
    "turn_ms_last": "ms last",
    "ratio": "ratio",
    "wall_ratio": "by clock",
}


def live(window: int, messages: int, policy: MemoryPolicy) -> dict[str, Any]:
    """A month in one window."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="pagekeeper-") as folder:
        life = SimulatedMonth(Path(folder) / "memory", window, policy)
        try:
            report = life.live(messages).report()
        finally:
            life.close()
    for name in ("memory_at_start", "memory_at_middle", "memory_at_end"):
        report[name] = round(report[name] / 1e6)
    return report | {"seconds": round(time.monotonic() - begun)}


def refusal() -> str:
    """What a person reads when the window is too small."""
    with tempfile.TemporaryDirectory(prefix="pagekeeper-") as folder:
        try:
            SimulatedMonth(Path(folder) / "memory", TOO_SMALL)
        except ContextWindowError as error:
            return f"{error} {error.hint}"
    raise AssertionError(f"a window of {TOO_SMALL} tokens was accepted")


def main() -> None:
    """Live a month in each window and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--messages", type=int, default=3000)
    parser.add_argument("--windows", type=int, nargs="*", default=[2048, 4096, 8192])
    parser.add_argument("--eviction", type=Eviction, choices=list(Eviction), default=Eviction.FIFO)
    parser.add_argument("--out", type=Path, default=Path("build/simulated_month.json"))
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)  # calls that are made to fail would fill the screen
    print("  ".join(f"{title:>9}" for title in COLUMNS.values()))
    reports = []
    for window in options.windows:
        reports.append(live(window, options.messages, MemoryPolicy(eviction=options.eviction)))
        print("  ".join(f"{reports[-1][name]:>9}" for name in COLUMNS), flush=True)
    too_small = refusal()
    print(f"\n{TOO_SMALL}: {too_small}")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    result = {"eviction": options.eviction, "months": reports, "too_small": too_small}
    options.out.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
