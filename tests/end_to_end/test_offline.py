"""Nothing but the download needs a network: a conversation on a machine without any interface.

The network guard sees Python's sockets only; here the kernel itself has nothing to connect through,
and native code is covered too. Where the system lets nobody make such a place, the guard is the
proof that is left.
"""

import subprocess
from pathlib import Path

import pytest

from helpers.keeper_process import COMMAND

NO_NETWORK = (("unshare", "--net"), ("unshare", "--map-root-user", "--net"))


def prefix_without_network() -> tuple[str, ...]:
    """The first way to cut a command off from the network that this system allows."""
    for prefix in NO_NETWORK:
        try:
            done = subprocess.run([*prefix, "true"], capture_output=True, check=False)
        except FileNotFoundError:
            continue
        if done.returncode == 0:
            return prefix
    return ()


@pytest.mark.slow
@pytest.mark.model
def test_import_search_and_talk_without_a_network_interface(tmp_path: Path) -> None:
    def keeper(*words: str) -> str:
        data = str(tmp_path / "data")
        command = [*prefix_without_network(), str(COMMAND), "--data-dir", data, *words]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Ana, the vet says that Bento may run again from May on.")
    assert "letter.txt: read" in keeper("import", str(letter))
    assert "Bento may run again" in keeper("memory", "search", "dog running")
    words = ["--model", "qwen2.5-coder-0.5b", "--context-window", "3072"]
    assert keeper("ask", "Hello!", *words).strip()
    assert "Hello!" in keeper("memory", "search", "hello")
