"""What one start of the program was asked to do."""

from argparse import Namespace
from dataclasses import dataclass

from pagekeeper_desktop.options import Options

__all__ = ["Invocation", "UsageError"]


@dataclass(frozen=True, slots=True)
class Invocation:
    """The parsed command line.

    Attributes:
        words: The command's name, such as ("memory", "show"); empty: open the window.
        options: What every command takes.
        json: Whether results are for a program.
        verbose: Whether to log in detail.
        arguments: The command's own arguments.
    """

    words: tuple[str, ...]
    options: Options
    json: bool
    verbose: bool
    arguments: Namespace


class UsageError(Exception):
    """The command line makes no sense; nothing was done.

    Attributes:
        help_command: What to type to learn more.
    """

    def __init__(self, message: str, *, help_command: str = "pagekeeper --help") -> None:
        super().__init__(message)
        self.help_command = help_command
