"""From the words of the command line to an `Invocation`.

Two steps. The options that every command takes are picked out first, wherever they stand; what is
left begins with the command's name, and its own parser reads the rest. Only argparse's documented
behaviour is used, and a wrong name can be answered with the nearest right one.
"""

import argparse
import difflib
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from pagekeeper_desktop.cli.help_text import program_help
from pagekeeper_desktop.cli.invocation import Invocation, UsageError
from pagekeeper_desktop.options import Options, default_data_dir

__all__ = ["COMMANDS", "Command", "HelpWantedError", "parse"]

_Group = argparse._ArgumentGroup  # noqa: SLF001 - argparse gives its result no public name

_FLAGS = ("-h", "--help")


class HelpWantedError(Exception):
    """The person asked for help or the version; the text to show is the message."""


@dataclass(frozen=True, slots=True)
class Command:
    """How a command is called and what its help says.

    Attributes:
        words: Its name, one or two words.
        operands: What follows the name, as its help writes it.
        description: What it does, for its help.
        examples: Lines to try.
        add_arguments: Declares the operands and its own options.
        has_json: Whether it takes `--json`.
    """

    words: tuple[str, ...]
    operands: str
    description: str
    examples: tuple[str, ...]
    add_arguments: Callable[[_Group], None]
    has_json: bool = True

    @property
    def name(self) -> str:
        """The name as it is typed."""
        return " ".join(self.words)


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
        type=_folder,
        default=default_data_dir(),
        help="keep memory, settings and log in this folder",
    )
    options.add_argument(
        "--model",
        metavar="MODEL",
        type=_text,
        help="a name from `pagekeeper models list`, or a GGUF file",
    )
    options.add_argument(
        "--context-window",
        metavar="TOKENS",
        type=_positive,
        help="how much the model sees at once; a smaller one is faster",
    )
    options.add_argument(
        "--gpu-layers",
        metavar="N",
        type=_layers,
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
    for command in COMMANDS:
        if tuple(rest[: len(command.words)]) == command.words:
            return command, rest[len(command.words) :]
    if rest[0].startswith("-"):
        raise UsageError(f"there is no option {rest[0]}")
    group = [command for command in COMMANDS if command.words[0] == rest[0]]
    if group:
        _refuse_in_group(group, rest[1:])
    raise UsageError(
        f"there is no command '{rest[0]}'" + _nearest(rest[0], [c.words[0] for c in COMMANDS])
    )


def _refuse_in_group(group: Sequence[Command], rest: Sequence[str]) -> NoReturn:
    """Answer `pagekeeper memory`, `pagekeeper memory --help` and `pagekeeper memory shwo`."""
    names = [command.words[1] for command in group]
    first = group[0].words[0]
    if rest and rest[0] in _FLAGS:
        raise HelpWantedError("\n".join(_command_parser(c).format_help() for c in group))
    if not rest or rest[0].startswith("-"):
        raise UsageError(f"`pagekeeper {first}` wants one of: {', '.join(names)}")
    raise UsageError(f"there is no command '{first} {rest[0]}'" + _nearest(rest[0], names))


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


def _text(word: str) -> str:
    if not word.strip():
        raise argparse.ArgumentTypeError("the value is empty")
    return word


def _folder(word: str) -> Path:
    return Path(_text(word))


def _positive(word: str) -> int:
    if not (word.isascii() and word.isdigit() and int(word) > 0):
        raise argparse.ArgumentTypeError(f"'{word}' is not a number above 0")
    return int(word)


def _layers(word: str) -> int:
    return -1 if word == "-1" else (0 if word == "0" else _positive(word))


def _add_nothing(group: _Group) -> None:
    pass


def _add_question(group: _Group) -> None:
    group.add_argument("text", metavar="TEXT", nargs="+", help="what to ask; -: standard input")


def _add_search(group: _Group) -> None:
    group.add_argument("text", metavar="TEXT", nargs="+", help="words to look for")
    group.add_argument(
        "--page", metavar="N", type=_positive, default=1, help="page of the results, from 1"
    )


def _add_paths(group: _Group) -> None:
    group.add_argument("paths", metavar="PATH", nargs="+", type=Path, help="a file or a folder")


def _add_model(group: _Group) -> None:
    group.add_argument(
        "name",
        metavar="NAME",
        nargs="?",
        help="a name from `pagekeeper models list`; otherwise what this computer needs",
    )


COMMANDS = (
    Command(
        ("chat",),
        "",
        "Talk in the terminal. The reply appears as it is written. Ctrl+C stops a reply;\n"
        "Ctrl+C once more, Ctrl+D or /quit leaves. A text of several lines can be pasted.\n"
        "With piped input every line is a message; replies go to standard output.",
        ("pagekeeper chat", "pagekeeper chat --json < messages.txt > replies.jsonl"),
        _add_nothing,
    ),
    Command(
        ("ask",),
        "TEXT ...",
        "Ask one thing and print the reply. It is part of the same conversation as the\n"
        "window's and the chat's, and is remembered like them.",
        ('pagekeeper ask "Where did I park?"', "pagekeeper ask - < letter.txt"),
        _add_question,
    ),
    Command(
        ("memory", "show"),
        "",
        "Show what the assistant always has in mind, the summary of what it has not, and\n"
        "how many messages and documents it can search.",
        ("pagekeeper memory show", "pagekeeper memory show --json"),
        _add_nothing,
    ),
    Command(
        ("memory", "search"),
        "TEXT ...",
        "Look something up in all conversations and in the archive of notes and documents,\n"
        "as the assistant does. No language model is loaded for it.",
        ("pagekeeper memory search vet Bento", "pagekeeper memory search --page 2 Porto"),
        _add_search,
    ),
    Command(
        ("import",),
        "PATH ...",
        "Read files, or all files in folders, into the archive. What is there already is\n"
        "not read twice. One bad file does not stop the others.",
        ("pagekeeper import letter.pdf notes.txt", "pagekeeper import ~/Documents/taxes"),
        _add_paths,
    ),
    Command(
        ("models", "list"),
        "",
        "Show the language models that Pagekeeper knows, what they need, and which are here.",
        ("pagekeeper models list",),
        _add_nothing,
    ),
    Command(
        ("models", "download"),
        "[NAME]",
        "Fetch a model from the network and check it. An interrupted download goes on where\n"
        "it stopped. Nothing else in Pagekeeper uses the network.",
        ("pagekeeper models download", "pagekeeper models download NAME"),
        _add_model,
        has_json=False,
    ),
)
"""Every command, in the order of the help."""
