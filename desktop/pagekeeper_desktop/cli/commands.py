"""From a parsed command line to the command that does it.

Each command's module is imported when it is run: `--help` and a usage error stay instant, and the
window loads nothing of the terminal.
"""

from pagekeeper_desktop.cli.console import Console
from pagekeeper_desktop.cli.invocation import Invocation

__all__ = ["run_command"]


def run_command(invocation: Invocation, console: Console) -> int:
    """Run the command that was asked for; gives the exit code."""
    match invocation.words:
        case ("chat",):
            from pagekeeper_desktop.cli import chat  # noqa: PLC0415 - see the module's docstring

            return chat.run(invocation, console)
        case ("ask",):
            from pagekeeper_desktop.cli import ask  # noqa: PLC0415 - as above

            return ask.run(invocation, console)
        case ("import",):
            from pagekeeper_desktop.cli import importing  # noqa: PLC0415 - as above

            return importing.run(invocation, console)
        case ("memory", verb):
            from pagekeeper_desktop.cli import history, memory  # noqa: PLC0415 - as above

            return {
                "show": memory.show,
                "search": memory.search,
                "history": history.show,
                "why": history.why,
                "undo": history.undo,
                "forget": history.forget,
                "restore": history.restore,
            }[verb](invocation, console)
        case ("threads", verb):
            from pagekeeper_desktop.cli import threads  # noqa: PLC0415 - as above

            return {
                "list": threads.show,
                "new": threads.new,
                "rename": threads.rename,
                "archive": threads.archive,
                "restore": threads.restore,
            }[verb](invocation, console)
        case ("models", verb):
            from pagekeeper_desktop.cli import models  # noqa: PLC0415 - as above

            return {"list": models.show, "download": models.download}[verb](invocation, console)
        case _:
            raise AssertionError(f"no command {invocation.words}")
