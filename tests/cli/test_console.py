"""The output streams: results apart from remarks, and nothing that could harm a terminal."""

import io
import os
import subprocess
import sys

import pytest

from helpers.terminal import Streams
from pagekeeper_core.errors import PagekeeperError, StoreError
from pagekeeper_desktop.cli.console import Console

HOSTILE = "red \x1b[31m bell\x07 back\r title \x1b]0;x\x07 \x9b31m end"


def test_results_and_remarks_do_not_mix() -> None:
    streams = Streams()
    console = streams.console
    console.line("a result")
    console.note("a remark")
    console.error(StoreError("It failed.", hint="Do this."))
    assert streams.result == "a result\n"
    assert streams.remarks == "a remark\npagekeeper: It failed.\nDo this.\n"


def test_control_sequences_do_not_reach_a_terminal() -> None:
    screen = Streams.of_terminal()
    console = screen.console
    console.write(HOSTILE + "\n\ttabs and lines stay\n")
    console.note(HOSTILE)
    for text in (screen.result, screen.remarks):
        assert not set("\x1b\x07\r\x9b") & set(text)
    assert "\n\ttabs and lines stay\n" in screen.result


def test_a_file_gets_the_text_as_it_is() -> None:
    streams = Streams()
    streams.console.write(HOSTILE)
    assert streams.result == HOSTILE


def test_a_remark_begins_a_line_of_its_own_on_a_terminal() -> None:
    screen = Streams.of_terminal()
    console = screen.console
    console.write("half a sen")
    console.aside("noted")
    console.write("tence")
    console.end_line()
    console.end_line()
    assert screen.result == "half a sen\ntence\n"
    assert screen.remarks == "\x1b[2mnoted\x1b[0m\n"


def test_streams_that_were_closed_before_the_start_take_everything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    console = Console.standard()
    console.line("a result")
    console.emit({"a": "result"})
    console.note("a remark")
    console.out.close()
    console.err.close()


class FullDisk(io.StringIO):
    def flush(self) -> None:
        raise OSError(28, os.strerror(28))


def test_a_result_that_cannot_be_written_is_told() -> None:
    console = Console(FullDisk(), io.StringIO())
    with pytest.raises(PagekeeperError, match="No space left"):
        console.line("a result")
    with pytest.raises(PagekeeperError, match="No space left"):
        console.emit({"a": "result"})


def test_json_keeps_every_script_readable() -> None:
    streams = Streams()
    streams.console.emit({"reply": "你好 שלום 😀\n"})
    assert streams.result == '{"reply": "你好 שלום 😀\\n"}\n'


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_any_text_can_be_written_whatever_the_encoding_of_the_system(encoding: str) -> None:
    program = (
        "from pagekeeper_desktop.cli.console import Console\n"
        "c = Console.standard(); c.line('你好 \\udcff'); c.note('😀'); c.emit({'a': '\\udcff 猫'})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONIOENCODING": encoding},
        capture_output=True,
        check=True,
    )
    lines = done.stdout.decode().splitlines()
    assert lines == ["你好 \\udcff", '{"a": "\\udcff 猫"}']
    assert done.stderr.decode() == "😀\n"


def test_a_terminal_of_an_old_encoding_gets_escapes() -> None:
    class OldScreen(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    raw = io.BytesIO()
    screen = OldScreen(raw, encoding="ascii", errors="backslashreplace")
    Console(screen, screen).line("猫")
    assert raw.getvalue() == b"\\u732b\n"
