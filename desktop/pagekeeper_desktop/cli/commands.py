"""From a parsed command line to the command that does it.

Each command's module is imported when it is run (hence PLC0415 below): `--help` and a usage error
stay instant, and the window loads nothing of the terminal.
"""

# ruff: noqa: PLC0415

from collections.abc import Callable

from pagekeeper_desktop.cli.console import Console
from pagekeeper_desktop.cli.invocation import Invocation

__all__ = ["find_command", "run_command"]

Runner = Callable[[Invocation, Console], int]


def run_command(invocation: Invocation, console: Console) -> int:
    """Run the command that was asked for; gives the exit code."""
    return find_command(invocation.words)(invocation, console)


def find_command(words: tuple[str, ...]) -> Runner:
    """What runs the command of this name."""
    group, *verbs = words
    return _GROUPS[group](" ".join(verbs))


def _chat(_: str) -> Runner:
    from pagekeeper_desktop.cli import chat

    return chat.run


def _ask(_: str) -> Runner:
    from pagekeeper_desktop.cli import ask

    return ask.run


def _import(_: str) -> Runner:
    from pagekeeper_desktop.cli import importing

    return importing.run


def _summarise(_: str) -> Runner:
    from pagekeeper_desktop.cli import summarising

    return summarising.run


def _documents(verb: str) -> Runner:
    from pagekeeper_desktop.cli import documents

    return {
        "list": documents.show,
        "remove": documents.remove,
        "reimport": documents.reimport,
        "watch": documents.watch,
        "unwatch": documents.unwatch,
    }[verb]


def _memory(verb: str) -> Runner:
    from pagekeeper_desktop.cli import history, memory, proposals, searching

    return {
        "show": memory.show,
        "search": searching.run,
        "blocks": memory.blocks,
        "add-block": memory.add_block,
        "proposals list": proposals.show,
        "proposals accept": proposals.accept,
        "proposals dismiss": proposals.dismiss,
        "history": history.show,
        "why": history.why,
        "undo": history.undo,
        "forget": history.forget,
        "restore": history.restore,
    }[verb]


def _threads(verb: str) -> Runner:
    from pagekeeper_desktop.cli import threads

    return {
        "list": threads.show,
        "new": threads.new,
        "rename": threads.rename,
        "archive": threads.archive,
        "restore": threads.restore,
    }[verb]


def _reminders(verb: str) -> Runner:
    from pagekeeper_desktop.cli import reminders

    return {"list": reminders.show, "add": reminders.add, "cancel": reminders.cancel}[verb]


def _models(verb: str) -> Runner:
    from pagekeeper_desktop.cli import models

    return {"list": models.show, "download": models.download}[verb]


_GROUPS: dict[str, Callable[[str], Runner]] = {
    "chat": _chat,
    "ask": _ask,
    "memory": _memory,
    "threads": _threads,
    "reminders": _reminders,
    "import": _import,
    "documents": _documents,
    "summarise": _summarise,
    "models": _models,
}
