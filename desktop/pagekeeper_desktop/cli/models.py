"""`pagekeeper models list` and `models download`."""

from pagekeeper_desktop import model_choice
from pagekeeper_desktop.cli.console import Console
from pagekeeper_desktop.cli.interrupts import Interrupts
from pagekeeper_desktop.cli.invocation import Invocation
from pagekeeper_desktop.cli.progress import follow
from pagekeeper_desktop.view_models.formatting import byte_size

__all__ = ["download", "show"]

_UNTRIED = "untried"


def show(invocation: Invocation, console: Console) -> int:
    """Write which models there are, what they need, and which of them are here."""
    models = model_choice.known_models(invocation.options)
    if invocation.json:
        console.emit({"models": [_fields(model) for model in models]})
        return 0
    width = max(len(model.name) for model in models)
    for model in models:
        console.line(_line(model, width))
    if not all(model.tried for model in models):
        console.note(f"{_UNTRIED}: should run, but Pagekeeper has not been tried with it.")
    console.note("* is used unless another is chosen with --model or in the settings.")
    return 0


def download(invocation: Invocation, console: Console) -> int:
    """Fetch the named model, or what this computer needs.

    Raises:
        Cancelled: Ctrl+C was pressed; what has arrived is kept.
        ModelError: It could not be fetched.
    """
    name = invocation.arguments.name
    entries = (
        [model_choice.find_entry(name)] if name else model_choice.needed_entries(invocation.options)
    )
    with Interrupts() as interrupts:
        follow(model_choice.download(entries, interrupts.cancel), console)
    for entry in entries:
        console.line(f"{entry.title} is here.")
    return 0


def _line(model: model_choice.KnownModel, width: int) -> str:
    mark = "*" if model.chosen else " "
    size = byte_size(model.size).rjust(7)
    memory = f"needs {byte_size(model.memory)}" if model.memory else "for search"
    state = "here" if model.present else ""
    tried = "" if model.tried else _UNTRIED
    languages = " ".join(model.languages)
    return (
        f"{mark} {model.name:<{width}} {size}  {memory:<13} {state:<5} {tried:<7} {languages}"
    ).rstrip()


def _fields(model: model_choice.KnownModel) -> dict[str, object]:
    return {
        "name": model.name,
        "title": model.title,
        "bytes": model.size,
        "memory_bytes": model.memory or None,
        "languages": list(model.languages),
        "licence": model.licence,
        "tried": model.tried,
        "present": model.present,
        "chosen": model.chosen,
    }
