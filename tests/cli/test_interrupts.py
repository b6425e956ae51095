"""Ctrl+C on the real command: it ends at once, with 130 and without a trace."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from helpers.keeper_process import COMMAND

OPTIONS = ("--model", "smollm2-135m", "--context-window", "3072")


@pytest.mark.model
def test_ctrl_c_while_the_prompt_is_evaluated(tmp_path: Path) -> None:
    with subprocess.Popen(
        [COMMAND, "chat", "--data-dir", str(tmp_path), *OPTIONS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "Reading the instructions" in line:
                break
        os.kill(process.pid, signal.SIGINT)
        assert process.wait() == 130
        remarks = process.stderr.read()
    assert remarks.endswith("Stopped.\n")
    assert "Traceback" not in remarks
