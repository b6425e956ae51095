"""A language model that says what the test enqueued: the seam for tests of the loop itself."""

import json
import re
import threading
from collections import deque
from collections.abc import Generator, Sequence
from itertools import takewhile
from typing import Any

import jsonschema

from pagekeeper_core.errors import Cancelled, ContextWindowError, ModelError
from pagekeeper_core.function_calls import call_text
from pagekeeper_core.messages import FunctionCall, PromptMessage
from pagekeeper_core.protocols import JsonSchema
from pagekeeper_core.updates import PromptProgress, Usage

TEMPLATE_TOKENS = 4
PIECE = 7


class ScriptedModel:
    """Implements `LanguageModel`; a token is a word or a sign.

    What it is told to say must satisfy the schema of the step, as a constrained model's text does.
    Nothing enqueued: it answers "Yes." to whatever it is asked, and summarises with "Summary n".
    Of a part of a document it says the next of `points`, or ten words of each share.
    Asked by consolidation, it says the next of `facts`; without any, nothing lasting where it may.
    """

    name = "scripted"

    def __init__(self, context_window: int = 4096) -> None:
        self.context_window = context_window
        self.prompts: list[list[PromptMessage]] = []
        self.schemas: list[JsonSchema] = []
        self.summaries = 0
        self.evaluated = 0
        self._cached: list[PromptMessage] = []
        self.facts: deque[str | Exception] = deque()
        self.points: deque[str | Exception] = deque()
        self._script: deque[str | Exception] = deque()

    def enqueue(self, *steps: FunctionCall | str | Exception) -> None:
        """Say these, one a step: a call, raw text, or an error to raise."""
        for step in steps:
            self._script.append(call_text(step) if isinstance(step, FunctionCall) else step)

    def forget_script(self) -> None:
        """Drop what was enqueued and not said."""
        self._script.clear()

    def count(self, text: str) -> int:
        return len(re.findall(r"\w+|[^\w\s]", text))

    def count_prompt(self, prompt: Sequence[PromptMessage]) -> int:
        return sum(self.count(message.text) + TEMPLATE_TOKENS for message in prompt)

    def generate(
        self,
        prompt: Sequence[PromptMessage],
        schema: JsonSchema,
        *,
        max_tokens: int,
        cancel: threading.Event,
    ) -> Generator[PromptProgress | str, None, Usage]:
        tokens = self.count_prompt(prompt)
        if tokens + max_tokens > self.context_window:
            raise ContextWindowError(f"{tokens} + {max_tokens} > {self.context_window}")
        self.prompts.append(list(prompt))
        self.schemas.append(schema)
        yield PromptProgress(tokens, tokens)
        evaluated = self._evaluate(prompt)
        text = self._next(schema)
        for start in range(0, len(text), PIECE):
            if cancel.is_set():
                raise Cancelled
            yield text[start : start + PIECE]
        return Usage(tokens, evaluated, self.count(text))

    def evaluate(
        self, prompt: Sequence[PromptMessage], *, cancel: threading.Event
    ) -> Generator[PromptProgress, None, Usage]:
        if cancel.is_set():
            raise Cancelled
        tokens = self.count_prompt(prompt)
        if tokens > self.context_window:
            raise ContextWindowError(f"{tokens} > {self.context_window}")
        yield PromptProgress(tokens, tokens)
        return Usage(tokens, self._evaluate(prompt))

    def _evaluate(self, prompt: Sequence[PromptMessage]) -> int:
        pairs = zip(prompt, self._cached, strict=False)
        shared = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
        self._cached = list(prompt)
        tokens = self.count_prompt(prompt[shared:])
        self.evaluated += tokens
        return tokens

    def _next(self, schema: Any) -> str:
        if "summary" in schema.get("properties", {}):
            self.summaries += 1
            return json.dumps({"summary": [f"Summary {self.summaries} of what was said before."]})
        if "points" in schema.get("properties", {}):
            return self._point(schema)
        if "about" in schema.get("properties", {}):
            return json.dumps({"about": "a harbour and its keeper"})
        if _asks_for_a_fact(schema):
            return self._fact(schema)
        step = self._script.popleft() if self._script else _yes(schema)
        if isinstance(step, Exception):
            raise step
        try:
            jsonschema.Draft202012Validator(dict(schema)).validate(json.loads(step))
        except (ValueError, jsonschema.ValidationError) as error:
            raise ModelError(f"The script says what the schema forbids: {error}") from error
        return step

    def _point(self, schema: Any) -> str:
        """What a part of a document says, in the words of its lines."""
        point = self.points.popleft() if self.points else None
        if isinstance(point, Exception):
            raise point
        if isinstance(point, str):
            return point
        prompt = "\n".join(message.text for message in self.prompts[-1])
        lines = dict(re.findall(r"^\[(\d+)\] (.+)$", prompt, re.MULTILINE))
        shares = schema["properties"]["points"]["prefixItems"]
        chosen = [share["properties"]["line"]["minimum"] for share in shares]
        points = [
            {"line": number, "says": " ".join(lines[str(number)].split()[:10])} for number in chosen
        ]
        return json.dumps({"points": points})

    def _fact(self, schema: Any) -> str:
        fact = self.facts.popleft() if self.facts else ""
        if isinstance(fact, Exception):
            raise fact
        if not fact and "anyOf" in schema:
            return json.dumps({"topic": "nothing lasting"})
        return json.dumps({"topic": "person", "fact": fact or "?"}, ensure_ascii=False)


def _asks_for_a_fact(schema: Any) -> bool:
    return any("topic" in option["properties"] for option in schema.get("anyOf", [schema]))


def _yes(schema: Any) -> str:
    names = [call["properties"]["function"]["const"] for call in schema.get("anyOf", [schema])]
    name, arguments = (
        ("send_message", {"message": "Yes."}) if "send_message" in names else ("wait_for_user", {})
    )
    return call_text(FunctionCall(name, arguments, "I answer."))
