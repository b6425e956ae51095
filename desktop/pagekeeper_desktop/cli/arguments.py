"""From the words of the command line to an `Invocation`.

Two steps. The options that every command takes are picked out first, wherever they stand; what is
left begins with the command's name, and its own parser reads the rest. Only argparse's documented
behaviour is used, and a wrong name can be answered with the nearest right one.
"""

import argparse
import difflib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NoReturn

from pagekeeper_desktop.cli import argument_types as types
from pagekeeper_desktop.cli.command_table import COMMANDS, Command
from pagekeeper_desktop.cli.help_text import program_help
from pagekeeper_desktop.cli.invocation import Invocation, UsageError
from pagekeeper_desktop.options import Options, default_data_dir

__all__ = ["HelpWantedError", "parse"]

_FLAGS = ("-h", "--help")
LONGEST_NAME = max(len(command.words) for command in COMMANDS)


class HelpWantedError(Exception):
    """The person asked for help or the version; the text to show is the message."""


class _Parser(argparse.ArgumentParser):
    """Raises where argparse would end the process."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, help_command=f"{self.prog} --help")


def parse(argv: Sequence[str]) -> Invocation:
    """Read the command line.

    Raises:
        UsageError: It makes no sense; the message says why.
        HelpWantedError: It asks for help or the version.
    """
    common, rest = _common_parser().parse_known_args(list(argv))
    if common.version:
        raise HelpWantedError(f"pagekeeper {_version()}\n")
    if not rest:
        _refuse_json(common.json, "the window")
        return _invocation((), common, argparse.Namespace())
    if rest[0] in _FLAGS:
        raise HelpWantedError(program_help(str(default_data_dir())))
    command, arguments = _find_command(rest)
    if not command.has_json:
        _refuse_json(common.json, f"`pagekeeper {command.name}`")
    parser = _command_parser(command)
    if any(word in _FLAGS for word in _before_separator(arguments)):
        raise HelpWantedError(parser.format_help())
    return _invocation(command.words, common, parser.parse_args(arguments))


def _invocation(
    words: tuple[str, ...], common: argparse.Namespace, arguments: argparse.Namespace
) -> Invocation:
    # Unlike Path.expanduser, this leaves the home of nobody as it was typed.
    data_dir = Path(os.path.expanduser(common.data_dir))  # noqa: PTH111
    options = Options(
        data_dir=data_dir.absolute(),
        model=common.model,
        context_window=common.context_window,
        n_gpu_layers=common.gpu_layers,
    )
    return Invocation(words, options, common.json, common.verbose, arguments)


def _common_parser() -> _Parser:
    parser = _Parser(prog="pagekeeper", add_help=False, allow_abbrev=False)
    parser.add_argument("--version", action="store_true")
    _add_common_options(parser, has_json=True)
    return parser


def _add_common_options(parser: argparse.ArgumentParser, *, has_json: bool) -> None:
    options = parser.add_argument_group("Options of every command, before or after its name")
    options.add_argument(
        "--data-dir",
        metavar="FOLDER",
        type=types.folder,
        default=default_data_dir(),
        help="keep memory, settings and log in this folder",
    )
    options.add_argument(
        "--model",
        metavar="MODEL",
        type=types.text,
        help="a name from `pagekeeper models list`, or a GGUF file",
    )
    options.add_argument(
        "--context-window",
        metavar="TOKENS",
        type=types.positive,
        help="how much the model sees at once; a smaller one is faster",
    )
    options.add_argument(
        "--gpu-layers",
        metavar="N",
        type=types.layers,
        default=0,
        help="layers that the graphics processor computes; -1: all",
    )
    if has_json:
        options.add_argument(
            "--json",
            action="store_true",
            help="write results for a program, one JSON object a line",
        )
    options.add_argument(
        "--verbose", action="store_true", help="log in detail, and show the log in the terminal"
    )


def _command_parser(command: Command) -> _Parser:
    parser = _Parser(
        prog=f"pagekeeper {command.name}",
        usage=f"pagekeeper {command.name} [OPTIONS] {command.operands}".rstrip(),
        description=command.description,
        epilog="Examples:\n" + "\n".join(f"  {line}" for line in command.examples),
        formatter_class=_Formatter,
        allow_abbrev=False,
        add_help=False,
    )
    command.add_arguments(parser.add_argument_group("Arguments"))
    _add_common_options(parser, has_json=command.has_json)
    return parser


class _Formatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=88)

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[argparse._MutuallyExclusiveGroup],
        prefix: str | None = None,
    ) -> None:
        super().add_usage(usage, actions, groups, prefix or "Usage: ")


def _find_command(rest: Sequence[str]) -> tuple[Command, Sequence[str]]:
    """The command with the longest name that the words begin with, and the words behind it."""
    if rest[0].startswith("-"):
        raise UsageError(f"there is no option {rest[0]}")
    for length in range(LONGEST_NAME, 0, -1):
        begun, behind = tuple(rest[:length]), rest[length:]
        group = [command for command in COMMANDS if command.words[:length] == begun]
        for command in group:
            if command.words == begun or _is_left_out(command, length, behind):
                return command, behind
        if group:
            _refuse_in_group(group, length, behind)
    raise UsageError(
        f"there is no command '{rest[0]}'" + _nearest(rest[0], [c.words[0] for c in COMMANDS])
    )


def _is_left_out(command: Command, length: int, behind: Sequence[str]) -> bool:
    """Whether the words name a group, of which this command is the one that lists."""
    is_help = bool(behind) and behind[0] in _FLAGS
    nothing_named = not behind or behind[0].startswith("-")
    return command.words[length:] == ("list",) and nothing_named and not is_help


def _refuse_in_group(group: Sequence[Command], length: int, behind: Sequence[str]) -> NoReturn:
    """Answer `pagekeeper memory`, `pagekeeper memory --help` and `pagekeeper memory shwo`."""
    names = list(dict.fromkeys(command.words[length] for command in group))
    begun = " ".join(group[0].words[:length])
    if behind and behind[0] in _FLAGS:
        raise HelpWantedError("\n".join(_command_parser(c).format_help() for c in group))
    if not behind or behind[0].startswith("-"):
        raise UsageError(f"`pagekeeper {begun}` wants one of: {', '.join(names)}")
    raise UsageError(f"there is no command '{begun} {behind[0]}'" + _nearest(behind[0], names))


def _nearest(word: str, names: Sequence[str]) -> str:
    near = difflib.get_close_matches(word, names, n=1, cutoff=0.5)
    return f"; did you mean '{near[0]}'?" if near else ""


def _refuse_json(wanted: bool, by: str) -> None:  # noqa: FBT001 - a private check
    if wanted:
        raise UsageError(f"{by} has no --json")


def _before_separator(arguments: Sequence[str]) -> Sequence[str]:
    return arguments[: arguments.index("--")] if "--" in arguments else arguments


def _version() -> str:
    from importlib.metadata import version  # noqa: PLC0415 - slow, and for --version alone

    return version("pagekeeper")
