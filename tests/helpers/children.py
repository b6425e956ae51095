"""Child processes for tests of kills, locks and limits."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

TESTS = Path(__file__).parent.parent


def start_child(script: str, *arguments: object) -> subprocess.Popen[str]:
    """Run a piece of Python in another process, with `helpers` importable there."""
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(TESTS), "PYTHONIOENCODING": "utf-8"},
    )


def run_child(script: str, *arguments: object) -> str:
    """Run it to its end; what it printed. It must not fail."""
    with start_child(script, *arguments) as child:
        output, _ = child.communicate()
    assert child.returncode == 0, output
    return output


def read_lines_then_kill(child: subprocess.Popen[str], lines: int) -> list[str]:
    """Kill the child (SIGKILL) once it has printed that many lines; all that it printed."""
    assert child.stdout is not None
    printed = [child.stdout.readline() for _ in range(lines)]
    child.kill()
    printed += child.stdout.readlines()
    child.wait()
    child.stdout.close()
    if child.stdin is not None:
        child.stdin.close()
    return [line.strip() for line in printed if line.endswith("\n")]
