"""A model's chat template: turns the messages of a prompt into pieces of text to be tokenised.

The template is the Jinja program in the GGUF header (`tokenizer.chat_template`), run the way
transformers runs it. It never sees what people wrote: it gets placeholders, which are exchanged for
the messages' texts afterwards. So it can neither trim a text nor be misled by it, and the texts
stay apart from the template's own control tokens.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NoReturn

import jinja2
import jinja2.ext
from jinja2.sandbox import ImmutableSandboxedEnvironment

from pagekeeper_core.errors import ModelError
from pagekeeper_core.messages import PromptMessage, PromptRole

__all__ = ["CHATML", "ChatTemplate", "Piece", "Quirk"]

CHATML = """\
{%- for message in messages %}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
{{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""
"""The format of Qwen and SmolLM, for models that bring no template that works."""

_DATE = "given in the messages"
"""What a template that asks for today's date gets: a date would change the prompt every day, so
that the whole of it had to be evaluated anew, and each message carries its own time anyway."""

_PLACEHOLDER = re.compile("\ue000([0-9]+)\ue001")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the prompt.

    Attributes:
        text: What stands there.
        is_content: True for a message's text, in which control tokens are plain text; False for the
            template's own.
    """

    text: str
    is_content: bool


class Quirk(StrEnum):
    """What a template may refuse, and what is done about it."""

    SYSTEM = "system"
    """No system message: its text goes into the first message of the user."""
    LATER_SYSTEM = "later system"
    """System messages only at the top: later ones become labelled messages of the user."""
    TOOL = "tool"
    """No role "tool": becomes a labelled message of the user."""
    REPEAT = "repeat"
    """User and assistant must alternate: messages of one role in a row become one."""


_PROBES: dict[Quirk, tuple[PromptRole, ...]] = {
    Quirk.SYSTEM: (PromptRole.SYSTEM, PromptRole.USER, PromptRole.ASSISTANT, PromptRole.USER),
    Quirk.LATER_SYSTEM: (
        PromptRole.USER,
        PromptRole.ASSISTANT,
        PromptRole.SYSTEM,
        PromptRole.ASSISTANT,
        PromptRole.USER,
        PromptRole.SYSTEM,
    ),
    Quirk.TOOL: (PromptRole.USER, PromptRole.ASSISTANT, PromptRole.TOOL, PromptRole.ASSISTANT),
    Quirk.REPEAT: (PromptRole.USER, PromptRole.USER, PromptRole.ASSISTANT, PromptRole.ASSISTANT),
}

_LABELS = {PromptRole.SYSTEM: "[system] ", PromptRole.TOOL: "[result] "}


@dataclass(frozen=True, slots=True)
class _Turn:
    """A message as the template gets it: placeholders, and labels where roles were folded."""

    role: PromptRole
    content: str


class ChatTemplate:
    """Renders prompts, folding the roles that the template refuses into those that it takes.

    Attributes:
        quirks: What the template refuses.
        fallback: True when the template failed and ChatML stands in for it.
    """

    def __init__(self, source: str, *, bos_token: str = "", eos_token: str = "") -> None:
        self._tokens = {"bos_token": bos_token, "eos_token": eos_token}
        template = _compile(source) if source else None
        self.fallback = template is None or not self._works(template)
        self._template = _compile_chatml() if template is None or self.fallback else template
        self.quirks = frozenset(
            quirk for quirk, roles in _PROBES.items() if not self._takes(self._template, roles)
        )

    def render(self, prompt: Sequence[PromptMessage], *, opening: bool = True) -> list[Piece]:
        """The pieces of a prompt, in order.

        Args:
            prompt: The messages.
            opening: Whether the beginning of the assistant's turn follows.

        Raises:
            ModelError: The template refuses a conversation that its probes did not foresee.
        """
        turns = self._fold([message.role for message in prompt])
        try:
            text = self._run(self._template, turns, opening=opening)
        except jinja2.TemplateError as error:
            raise ModelError(
                f"The model's chat template refuses the conversation: {error}",
                hint="Choose another model.",
            ) from error
        parts = _PLACEHOLDER.split(text)
        pieces = [
            Piece(prompt[int(part)].text, is_content=True)
            if index % 2
            else Piece(part, is_content=False)
            for index, part in enumerate(parts)
        ]
        return [piece for piece in pieces if piece.text]

    def _works(self, template: jinja2.Template) -> bool:
        return self._takes(template, (PromptRole.USER, PromptRole.ASSISTANT, PromptRole.USER))

    def _takes(self, template: jinja2.Template, roles: Sequence[PromptRole]) -> bool:
        """Whether the template puts every message of these roles once and in order."""
        turns = [_Turn(role, _placeholder(index)) for index, role in enumerate(roles)]
        try:
            text = self._run(template, turns, opening=True)
        except (jinja2.TemplateError, TypeError, ValueError, LookupError, AttributeError):
            return False
        return _PLACEHOLDER.findall(text) == [str(index) for index in range(len(roles))]

    def _run(self, template: jinja2.Template, turns: Sequence[_Turn], *, opening: bool) -> str:
        messages = [{"role": turn.role.value, "content": turn.content} for turn in turns]
        return template.render(messages=messages, add_generation_prompt=opening, **self._tokens)

    def _fold(self, roles: Sequence[PromptRole]) -> list[_Turn]:
        turns = [self._turn(index, role) for index, role in enumerate(roles)]
        return _alternate(turns) if Quirk.REPEAT in self.quirks else turns

    def _turn(self, index: int, role: PromptRole) -> _Turn:
        content = _placeholder(index)
        if self._accepted(index, role):
            return _Turn(role, content)
        return _Turn(PromptRole.USER, _LABELS[role] + content)

    def _accepted(self, index: int, role: PromptRole) -> bool:
        match role:
            case PromptRole.SYSTEM if index == 0:
                return Quirk.SYSTEM not in self.quirks
            case PromptRole.SYSTEM:
                return not {Quirk.SYSTEM, Quirk.LATER_SYSTEM} & self.quirks
            case PromptRole.TOOL:
                return Quirk.TOOL not in self.quirks
            case PromptRole.USER | PromptRole.ASSISTANT:
                return True


def _placeholder(index: int) -> str:
    return f"\ue000{index}\ue001"


def _alternate(turns: Sequence[_Turn]) -> list[_Turn]:
    """Join turns of one role in a row, and let the user begin (after a system message)."""
    joined: list[_Turn] = []
    for turn in turns:
        if joined and joined[-1].role is turn.role:
            joined[-1] = _Turn(turn.role, f"{joined[-1].content}\n\n{turn.content}")
        elif turn.role is PromptRole.ASSISTANT and (
            not joined or joined[-1].role is PromptRole.SYSTEM
        ):
            joined += [_Turn(PromptRole.USER, "(The conversation begins.)"), turn]
        else:
            joined.append(turn)
    return joined


def _compile(source: str) -> jinja2.Template | None:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _raise_exception
    environment.globals["strftime_now"] = _strftime_now
    try:
        return environment.from_string(source)
    except jinja2.TemplateError:
        return None


def _compile_chatml() -> jinja2.Template:
    template = _compile(CHATML)
    assert template is not None  # noqa: S101 - a constant that the tests render
    return template


def _to_json(value: object, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _raise_exception(message: str) -> NoReturn:
    raise jinja2.TemplateError(message)


def _strftime_now(_format: str) -> str:
    return _DATE
