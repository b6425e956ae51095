"""The log file: private, made when it is needed, and never a reason to stop."""

import logging
import stat
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from pagekeeper_desktop.logging_setup import log_uncaught, set_up_logging


@pytest.fixture(autouse=True)
def root_logger_as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level
    logging.captureWarnings(capture=False)
    for name in ("pagekeeper_core", "pagekeeper_models", "pagekeeper_desktop"):
        logging.getLogger(name).setLevel(logging.NOTSET)


def test_nothing_is_made_before_the_first_record(tmp_path: Path) -> None:
    path = tmp_path / "data" / "logs" / "pagekeeper.log"
    set_up_logging(path, verbose=False)
    assert not path.parent.exists()
    logging.getLogger("pagekeeper_core.agent").info("3 messages")
    logging.getLogger("pagekeeper_core.agent").debug("a text of the person")
    logging.getLogger("some_library").info("chatter")
    text = path.read_text()
    assert "3 messages" in text
    assert "person" not in text
    assert "chatter" not in text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_verbose_logs_details_and_shows_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pagekeeper.log"
    set_up_logging(path, verbose=True)
    logging.getLogger("pagekeeper_core.agent").debug("a detail")
    assert "a detail" in path.read_text()
    assert "a detail" in capsys.readouterr().err


def test_warnings_of_libraries_go_to_the_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pagekeeper.log"
    set_up_logging(path, verbose=False)
    with warnings.catch_warnings():
        logging.captureWarnings(capture=True)
        warnings.warn("this will go away", FutureWarning, stacklevel=1)
    assert capsys.readouterr().err == ""


def test_an_uncaught_error_is_logged_with_its_trace_and_told_in_one_sentence(
    tmp_path: Path,
) -> None:
    log_file = set_up_logging(tmp_path / "pagekeeper.log", verbose=False)
    sentence = log_uncaught(log_file, error_with_trace())
    assert sentence.count("\n") == 0
    assert str(log_file.path) in sentence
    assert "ZeroDivisionError" in log_file.path.read_text()
    assert "Traceback" in log_file.path.read_text()


def test_a_log_that_cannot_be_written_loses_no_trace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    in_the_way = tmp_path / "logs"
    in_the_way.write_text("a file")
    log_file = set_up_logging(in_the_way / "pagekeeper.log", verbose=False)
    logging.getLogger("pagekeeper_core").warning("lost")
    assert capsys.readouterr().err == ""
    assert "shown above" in log_uncaught(log_file, error_with_trace())
    assert "Traceback" in capsys.readouterr().err


def error_with_trace() -> Exception:
    try:
        divmod(1, 0)
    except ZeroDivisionError as error:
        return error
    raise AssertionError
