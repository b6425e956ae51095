"""The program's entry point: `pagekeeper`, or `python -m pagekeeper_desktop`.

How a start goes, in this order:

1. The two output streams are made to take any text, and the command line is read. Help, the
   version and a usage error end here, with next to nothing imported.
2. The log is set up (its file is made when the first record comes), errors that nobody expected
   are told in one sentence, and the network guard goes up before any library can use the network.
3. A named command runs in the terminal. Without one the window opens; where there is no display
   the chat does.
4. Whoever needs memory takes the data folder's lock first, then opens the databases, then loads
   the model (see `composition`). The window does all that behind its first picture.

Exit codes: 0 done, 1 failed (a sentence and a hint on standard error), 2 the command line makes no
sense, 130 interrupted.
"""

import logging
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from types import TracebackType

from pagekeeper_core.errors import Cancelled, PagekeeperError, is_refusal
from pagekeeper_desktop.cli.arguments import HelpWantedError, parse
from pagekeeper_desktop.cli.console import Console
from pagekeeper_desktop.cli.invocation import Invocation, UsageError

__all__ = ["main", "run"]

log = logging.getLogger(__name__)

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Start the program; gives the exit code.

    Args:
        argv: The words after the program's name; None: those of the process.
    """
    words = sys.argv[1:] if argv is None else argv
    if getattr(sys, "frozen", False) and list(words[:1]) == ["-m"]:
        return _be_child(words[1:])
    console = Console.standard()
    try:
        invocation = parse(words)
    except HelpWantedError as wanted:
        return _write_help(str(wanted), console)
    except UsageError as error:
        return _refuse(error, console)
    _prepare_process(invocation, console)
    return run(invocation, console)


def _be_child(words: Sequence[str]) -> int:
    """Run one of our own modules, as `python -m` does: a bundle has no other Python for children.

    Args:
        words: The module's name, then its arguments.
    """
    import runpy  # noqa: PLC0415 - for children alone

    module = words[0] if words else ""
    if module.partition(".")[0] not in ("pagekeeper_core", "pagekeeper_models"):
        return USAGE
    sys.argv = [module, *words[1:]]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
    return DONE


def run(invocation: Invocation, console: Console) -> int:
    """Do what was asked for, and say it plainly when that fails; gives the exit code."""
    try:
        return _dispatch(invocation, console)
    except UsageError as error:
        return _refuse(error, console)
    except (Cancelled, KeyboardInterrupt):
        console.note("Stopped.")
        return INTERRUPTED
    except BrokenPipeError:
        return _end_unheard()
    except PagekeeperError as error:
        if not is_refusal(error):
            log.error("It failed", exc_info=True)
        console.error(error)
        return FAILED


def _dispatch(invocation: Invocation, console: Console) -> int:
    if not invocation.words and _has_display():
        return _open_window(invocation)
    if not invocation.words:
        console.note("There is no display for the window, so this is the chat in the terminal.")
        chat = parse(["chat"])
        invocation = replace(invocation, words=chat.words, arguments=chat.arguments)
    from pagekeeper_desktop.cli.commands import run_command  # noqa: PLC0415 - not for the window

    return run_command(invocation, console)


def _open_window(invocation: Invocation) -> int:
    from pagekeeper_desktop import composition  # noqa: PLC0415 - commands do without

    try:
        from pagekeeper_desktop.application import run_application  # noqa: PLC0415 - Qt
    except ImportError as error:
        log.exception("The window cannot open")
        raise PagekeeperError(
            f"The window cannot open: {error}.",
            hint="A library that Qt needs is missing on this system. "
            "`pagekeeper chat` works without a window.",
        ) from error
    return run_application(invocation.options, composition, sys.argv[:1])


def _has_display() -> bool:
    """Whether Qt can open a window; only Linux runs without a display."""
    variables = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return not sys.platform.startswith("linux") or any(os.environ.get(v) for v in variables)


def _prepare_process(invocation: Invocation, console: Console) -> None:
    """Set up what holds for the whole process: the log, uncaught errors, the network guard."""
    from pagekeeper_core.network_guard import install_network_guard  # noqa: PLC0415 - as above
    from pagekeeper_desktop.data_folder import DataFolder  # noqa: PLC0415 - --help does without
    from pagekeeper_desktop.logging_setup import (  # noqa: PLC0415 - as above
        log_uncaught,
        set_up_logging,
    )

    log_file = set_up_logging(
        DataFolder(invocation.options.data_dir).log_file, verbose=invocation.verbose
    )

    def tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if isinstance(error, Exception):
            console.note(f"pagekeeper: {log_uncaught(log_file, error)}")
        else:
            sys.__excepthook__(kind, error, trace)

    sys.excepthook = tell
    install_network_guard()


def _write_help(text: str, console: Console) -> int:
    try:
        console.write(text)
    except BrokenPipeError:
        return _end_unheard()
    return DONE


def _refuse(error: UsageError, console: Console) -> int:
    console.note(f"pagekeeper: {error}")
    console.note(f"`{error.help_command}` shows how it is used.")
    return USAGE


def _end_unheard() -> int:
    """Whoever read the output has gone (`pagekeeper ... | head`); that is no failure.

    Python would complain once more when it flushes standard output at the end: into the void, then.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return DONE


if __name__ == "__main__":
    sys.exit(main())
