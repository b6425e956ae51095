"""Runs benchmarks: `python3 packaging/bootstrap.py bench [NAME ...]`.

Each runs in a process of its own, so that none finds the machine warmed or filled by another.
Prints a table after each, and all figures at the end; writes them to build/bench.json.
"""

import argparse
import importlib
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.figures import Figure, read, table, write

RESULT = Path("build/bench.json")

BENCHMARKS: tuple[str, ...] = (
    "window",
    "resident_memory",
    "turns",
    "after_flush",
    "restart",
    "stopping",
    "llama_settings",
    "decoding",
    "window_growth",
    "embedding",
    "document_import",
    "archive_search",
    "recall_speed",
)
"""Modules of this folder, in the order in which they run."""


def main() -> int:
    """Run what was named, or all; 1 if a benchmark failed or a figure missed its aim."""
    parser = argparse.ArgumentParser(prog="bench", description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}")
    if arguments.into:
        write(arguments.into, importlib.import_module(f"benchmarks.{arguments.names[0]}").measure())
        return 0
    return _run(arguments.names or BENCHMARKS)


def _run(names: Sequence[str]) -> int:
    figures: list[Figure] = []
    failed = []
    for name in names:
        print(f"\n{name}", flush=True)
        measured = _in_own_process(name)
        if measured is None:
            failed.append(name)
            continue
        figures += measured
        print(table(measured), flush=True)
        write(RESULT, figures)
    print(f"\nall figures, also in {RESULT}\n{table(figures)}")
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 0 if not failed and all(figure.ok for figure in figures) else 1


def _in_own_process(name: str) -> list[Figure] | None:
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "figures.json"
        command = [sys.executable, "-m", "benchmarks", name, "--into", str(result)]
        ended = subprocess.run(command, check=False)
        return None if ended.returncode else read(result)


if __name__ == "__main__":
    sys.exit(main())
