"""The progress of a download, on a terminal and in a log."""

import io

import pytest

from pagekeeper_models.progress_line import ProgressLine


class Terminal(io.StringIO):
    """A stream that calls itself a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_log_gets_a_line_for_each_tenth() -> None:
    stream = io.StringIO()
    with ProgressLine(stream) as line:
        for done in range(0, 1001, 5):
            line.show("Downloading", done, 1000)
    lines = stream.getvalue().splitlines()
    assert lines[0] == "Downloading: 0%"
    assert lines[-1] == "Downloading: 100%"
    assert len(lines) == 11


def test_what_was_done_already_is_said_in_one_line() -> None:
    stream = io.StringIO()
    with ProgressLine(stream) as line:
        line.show("The model is ready", 1000, 1000)
    assert stream.getvalue() == "The model is ready\n"


def test_a_terminal_gets_one_line_drawn_anew() -> None:
    stream = Terminal()
    with ProgressLine(stream) as line:
        line.show("Downloading something long", 0, 20_000_000)
        line.show("Done", 20_000_000, 20_000_000)
    drawn = stream.getvalue()
    assert drawn.count("\n") == 1
    first, second = drawn.strip("\n").split("\r")[1:]
    assert "0%" in first
    assert second.startswith("Done  20 MB")
    assert len(second) >= len(first)


def test_a_line_fits_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    stream = Terminal()
    with ProgressLine(stream) as line:
        line.show("Downloading a model with a long name from somewhere", 1, 1_000_000_000)
    (drawn,) = stream.getvalue().strip("\n").split("\r")[1:]
    assert len(drawn) < 40
    assert drawn.endswith("1,000 MB")
