"""The log: what the program did, never what the person said.

At the default level records hold counts, durations, paths of the program's own files and errors.
Texts of messages, memory and documents are logged at DEBUG only, which `--verbose` turns on.
"""

import io
import logging
import os
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path

__all__ = ["LogFile", "log_uncaught", "set_up_logging"]

_FORMAT = "%(asctime)s %(levelname)s %(name)s [%(threadName)s]: %(message)s"
_OWN_LOGGERS = ("pagekeeper_core", "pagekeeper_models", "pagekeeper_desktop")
_MAX_BYTES = 1_000_000
_OLD_FILES = 3

# Libraries that print to the terminal by themselves unless told otherwise before their import.
_QUIET_LIBRARIES = {
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
    "TRANSFORMERS_VERBOSITY": "error",
}


class LogFile(RotatingFileHandler):
    """A private log file that is made with its folder when the first record comes.

    A log that cannot be written (disk full, read-only folder) must not stop the program nor fill
    the terminal; `failed` says that it happened.

    Attributes:
        path: The file.
        failed: Whether a record was lost.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(
            path, maxBytes=_MAX_BYTES, backupCount=_OLD_FILES, encoding="utf-8", delay=True
        )
        self.path = path
        self.failed = False
        self.setFormatter(logging.Formatter(_FORMAT))

    def _open(self) -> io.TextIOWrapper:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path.touch(mode=0o600)
        return super()._open()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002, N802 - logging's
        """Note that the record is lost."""
        self.failed = True


def set_up_logging(path: Path, *, verbose: bool) -> LogFile:
    """Send every logger's records to the file at `path`, and with `verbose` to the terminal too."""
    for name, value in _QUIET_LIBRARIES.items():
        os.environ.setdefault(name, value)
    log_file = LogFile(path)
    handlers: list[logging.Handler] = [log_file]
    if verbose:
        handlers.append(_terminal_handler())
    logging.basicConfig(level=logging.WARNING, handlers=handlers, force=True)
    logging.captureWarnings(capture=True)
    for name in _OWN_LOGGERS:
        logging.getLogger(name).setLevel(logging.DEBUG if verbose else logging.INFO)
    return log_file


def log_uncaught(log_file: LogFile, error: BaseException) -> str:
    """Log an error that nobody expected, and give the sentence to show for it."""
    logging.getLogger(__name__).critical("Uncaught error", exc_info=error)
    if log_file.failed:
        sys.__excepthook__(type(error), error, error.__traceback__)
        return "Pagekeeper stopped because of an error of its own, shown above."
    return (
        f"Pagekeeper stopped because of an error of its own ({type(error).__name__}). "
        f"The details are in {log_file.path}"
    )


def _terminal_handler() -> logging.Handler:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    return handler
