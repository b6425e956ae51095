"""Running a language model's generators to their end, and schemas like the agent's."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pagekeeper_core.messages import PromptMessage, PromptRole
from pagekeeper_core.updates import PromptProgress, Usage
from pagekeeper_models.catalogue import load_catalogue, models_dir

ROLES = {role.value: role for role in PromptRole}


@dataclass
class Outcome:
    """What a generation gave until it ended or was left."""

    usage: Usage = field(default_factory=lambda: Usage(0, 0))
    pieces: list[str] = field(default_factory=list)
    progress: list[PromptProgress] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def take(self, item: PromptProgress | str) -> None:
        if isinstance(item, str):
            self.pieces.append(item)
        else:
            self.progress.append(item)


def finish(
    generator: Generator[PromptProgress | str, None, Usage]
    | Generator[PromptProgress, None, Usage],
) -> Outcome:
    """Run a generation or an evaluation to its end."""
    outcome = Outcome()
    while True:
        try:
            outcome.take(next(generator))
        except StopIteration as end:
            outcome.usage = end.value
            return outcome


def messages(*turns: tuple[str, str]) -> list[PromptMessage]:
    """A prompt of pairs of role and text."""
    return [PromptMessage(ROLES[role], text) for role, text in turns]


def call_schema(functions: Mapping[str, Sequence[str]], *, bound: int = 20) -> dict[str, object]:
    """A union of function calls whose parameters are bounded strings."""
    return {"anyOf": [_call(name, parameters, bound) for name, parameters in functions.items()]}


def model_path(name: str) -> Path:
    """The file of a model of the catalogue."""
    model = load_catalogue().find(name)
    assert model is not None
    return models_dir() / model.location


def _call(name: str, parameters: Sequence[str], bound: int) -> dict[str, object]:
    text = {"type": "string", "maxLength": bound}
    return _object(
        {
            "inner_thoughts": text,
            "function": {"const": name},
            "params": _object(dict.fromkeys(parameters, text)),
        }
    )


def _object(properties: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
