"""Functions of the model: made from methods, so that one is added in one place.

A method marked `@model_function` becomes a function of the model: its signature (pydantic types and
bounds) makes the JSON schema, its docstring the text in the prompt. Its first argument, the Turn,
comes from the agent. It gives a FunctionResult whose text says the next step, since a small model
acts on the last thing that it read.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, create_model

from pagekeeper_core.function_calls import LAST_CALLS, SEND_MESSAGE
from pagekeeper_core.messages import FunctionResult
from pagekeeper_core.protocols import JsonSchema
from pagekeeper_core.reply_rules import ANY_REPLY, Unwanted
from pagekeeper_core.sources import Sources

__all__ = ["AtMost", "FunctionSet", "FunctionSpec", "OneOf", "Turn", "model_function"]


@dataclass(frozen=True, slots=True)
class Turn:
    """What a call is made for.

    Attributes:
        question: The user's own words; every search is fused with them. Empty when nobody asked.
        cause_seq: The message that started the chain: named as the cause of what it changes, and
            recall is searched for what came before it.
        sources: What the chain has retrieved; searches put in what they find.
    """

    question: str
    cause_seq: int
    sources: Sources = field(default_factory=Sources)


@dataclass(frozen=True, slots=True)
class OneOf:
    """Marks a parameter whose values change while the program runs, as the blocks do.

    While there is no value, the function is not offered.

    Attributes:
        method: The method of the function's owner that gives the values that there are now.
    """

    method: str


@dataclass(frozen=True, slots=True)
class AtMost:
    """Marks a list that is shorter than its type says where the policy wants it so.

    Attributes:
        method: The method of the function's owner that gives the most items.
    """

    method: str


@dataclass(frozen=True, slots=True)
class FunctionSpec:
    """One function as the schema builder, the prompt and the executor need it.

    Attributes:
        name: As the model writes it.
        signature: Name and parameters, for the prompt.
        description: The docstring's first paragraph.
        arguments: Validates the arguments and gives their JSON schema.
        choices: For parameters marked OneOf, what gives the values.
        lengths: For lists marked AtMost, what gives the most items.
        run: Carries the call out.
        is_search: Whether its result is to be read closely.
    """

    name: str
    signature: str
    description: str
    arguments: type[BaseModel]
    choices: Mapping[str, Callable[[], Sequence[str]]]
    lengths: Mapping[str, Callable[[], int]]
    run: Callable[..., FunctionResult]
    is_search: bool

    def is_possible(self) -> bool:
        """Whether every parameter has a value to choose."""
        return all(values() for values in self.choices.values())


def model_function(
    *, is_search: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Mark a method as a function of the model."""

    def mark(method: Callable[..., Any]) -> Callable[..., Any]:
        vars(method)["model_function"] = is_search
        return method

    return mark


class FunctionSet(Mapping[str, FunctionSpec]):
    """The functions by name, in the order of their definition."""

    def __init__(self, specs: Iterable[FunctionSpec]) -> None:
        self._specs = {spec.name: spec for spec in specs}

    @classmethod
    def of(cls, *owners: object) -> "FunctionSet":
        """The marked methods of these objects."""
        return cls(
            _spec(getattr(owner, method.__name__))
            for owner in owners
            for method in vars(type(owner)).values()
            if "model_function" in getattr(method, "__dict__", {})
        )

    def __getitem__(self, name: str) -> FunctionSpec:
        return self._specs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)

    def __len__(self) -> int:
        return len(self._specs)

    def prompt_text(self) -> str:
        """One line a function, for the system instructions."""
        return "\n".join(f"- {spec.signature}: {spec.description}" for spec in self.values())

    def schema(
        self, names: Iterable[str], *, thoughts: int, unwanted: Unwanted = ANY_REPLY
    ) -> JsonSchema:
        """The union schema of one step: a call to one of `names`.

        Args:
            names: The functions that are offered.
            thoughts: Bound of `inner_thoughts`, in characters; 0: the call has none.
            unwanted: What a message to the user must not be.
        """
        offered = [self[name] for name in names if self[name].is_possible()]
        calls = [_call_schema(spec, thoughts, unwanted) for spec in offered]
        return calls[0] if len(calls) == 1 else {"anyOf": calls}


def _spec(method: Callable[..., FunctionResult]) -> FunctionSpec:
    parameters = list(inspect.signature(method).parameters.values())[1:]
    hints = get_type_hints(method, include_extras=True)
    fields: dict[str, Any] = {
        p.name: (hints[p.name], ... if p.default is p.empty else p.default) for p in parameters
    }
    name = method.__name__
    shown = ", ".join(
        p.name if p.default is p.empty else f"{p.name}={p.default}" for p in parameters
    )
    return FunctionSpec(
        name=name,
        signature=f"{name}({shown})",
        description=(inspect.getdoc(method) or "").split("\n\n")[0].replace("\n", " "),
        arguments=create_model(name, __config__=ConfigDict(extra="forbid"), **fields),
        choices=_marked(method, hints, OneOf),
        lengths=_marked(method, hints, AtMost),
        run=method,
        is_search=vars(method.__func__)["model_function"],  # type: ignore[attr-defined]
    )


def _marked(
    method: Callable[..., FunctionResult], hints: Mapping[str, Any], kind: type[OneOf | AtMost]
) -> dict[str, Callable[[], Any]]:
    """For the parameters with such a mark, the method of the function's owner that it names."""
    owner = method.__self__  # type: ignore[attr-defined]
    return {
        name: getattr(owner, mark.method)
        for name, hint in hints.items()
        for mark in getattr(hint, "__metadata__", ())
        if isinstance(mark, kind)
    }


def _params_schema(spec: FunctionSpec) -> Any:  # noqa: ANN401 - any JSON value
    schema = _without_titles(spec.arguments.model_json_schema())
    for name, values in spec.choices.items():
        schema["properties"][name] = {"enum": list(values())}
    for name, most in spec.lengths.items():
        schema["properties"][name]["maxItems"] = most()
    return schema


def _call_schema(spec: FunctionSpec, thoughts: int, unwanted: Unwanted) -> dict[str, object]:
    params = _params_schema(spec)
    if spec.name == SEND_MESSAGE and unwanted != ANY_REPLY:
        params = _without_unwanted(params, unwanted)
    properties: dict[str, object] = {}
    if thoughts:
        properties["inner_thoughts"] = {"type": "string", "minLength": 1, "maxLength": thoughts}
    properties |= {
        "function": {"const": spec.name},
        "params": params,
    }
    if spec.name not in LAST_CALLS:
        properties["request_heartbeat"] = {"type": "boolean"}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _without_unwanted(params: dict[str, Any], unwanted: Unwanted) -> dict[str, Any]:
    message = dict(params["properties"]["message"])
    first = re.escape(unwanted.beginning.lower() + unwanted.beginning.upper())
    later = f"[^{unwanted.letters}]" if unwanted.letters else r"[\s\S]"
    # Without its own bound the pattern would have none.
    most = message["maxLength"] - 1
    message["pattern"] = rf"^[^{first}{unwanted.letters}\s]{later}{{0,{most}}}$"
    return {**params, "properties": {**params["properties"], "message": message}}


def _without_titles(schema: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(schema, dict):
        noise = {"title", "default"}
        return {
            key: _without_titles(value)
            for key, value in schema.items()
            if key not in noise or isinstance(value, dict)
        }
    if isinstance(schema, list):
        return [_without_titles(item) for item in schema]
    return schema
