"""The recursive summary: what stands in slot 0 for the messages that were evicted.

The request is put behind the messages that leave. Under fifo they are the oldest part of the very
prompt that the model holds in its KV cache, so nothing is evaluated but the request; and there is
room for it, since the part of the prompt that stays is left out. What does not fit one request all
the same (a window made smaller, a second chance) is summarised part by part, each time together
with the summary so far; of a single message that is too long the beginning is read.
"""

import logging
import threading
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from itertools import accumulate

from pydantic_core import from_json

from pagekeeper_core import prompts
from pagekeeper_core.errors import ModelError
from pagekeeper_core.message_queue import QueueEntry
from pagekeeper_core.messages import MessageKind, PromptMessage, PromptRole
from pagekeeper_core.protocols import JsonSchema, LanguageModel
from pagekeeper_core.results import cut_to_tokens
from pagekeeper_core.updates import PromptProgress

__all__ = ["Render", "Summarizer"]

log = logging.getLogger(__name__)

Render = Callable[[Sequence[QueueEntry], str], list[PromptMessage]]
"""The main context as it would be with these messages and this summary alone."""

SHORTEST_SUMMARY = 20
"""Characters; anything shorter says nothing."""

LONGEST_SENTENCE = 160
TOKENS_A_SENTENCE = 36
"""Bounds of a sentence, in characters and in tokens."""

EXCERPT = 120
"""Characters of a message that an extractive summary keeps."""

CLOSING = 16
"""Tokens of the JSON around a summary."""


class Summarizer:
    """Writes summaries of at most `limit` tokens."""

    def __init__(self, model: LanguageModel, *, limit: int) -> None:
        self._model = model
        self._limit = limit

    def summarize(
        self,
        evicted: Sequence[QueueEntry],
        old_summary: str,
        render: Render,
        cancel: threading.Event,
    ) -> Generator[PromptProgress, None, str]:
        """The new summary: the model's, or an extract of the messages where it gives none.

        Args:
            evicted: The messages that leave, oldest first.
            old_summary: What the summary said until now.
            render: Makes the prompt that the request is put behind.
            cancel: Stops it.

        Raises:
            Cancelled: `cancel` was set; nothing has changed.
        """
        summary, rest = old_summary, list(evicted)
        while rest:
            room = self._room(summary, render)
            part = _beginning(rest, room)
            del rest[: len(part)]
            shown = self._cut(part, room)
            text = yield from self._write_or_nothing(render(shown, summary), cancel)
            if len(text) < SHORTEST_SUMMARY:
                text = self._extract(part, summary)
            summary = cut_to_tokens(text, self._limit, self._model)
        return summary

    def _room(self, summary: str, render: Render) -> int:
        """Tokens that the messages of one request may take."""
        empty = self._model.count_prompt(_request(render((), summary)))
        return self._model.context_window - self._limit - CLOSING - empty

    def _cut(self, part: Sequence[QueueEntry], room: int) -> Sequence[QueueEntry]:
        """A message that does not fit a request by itself, as far as it does."""
        (first, *others) = part
        if others or first.tokens <= room:
            return part
        message = first.message
        around = first.tokens - self._model.count(message.prompt_text)
        text = cut_to_tokens(message.prompt_text, max(room - around, 0), self._model)
        return [replace(first, message=replace(message, prompt_text=text))]

    def _write_or_nothing(
        self, prompt: Sequence[PromptMessage], cancel: threading.Event
    ) -> Generator[PromptProgress, None, str]:
        try:
            return (yield from self._write(prompt, cancel))
        except ModelError:
            log.warning("The model wrote no summary; an extract takes its place", exc_info=True)
            return ""

    def _write(
        self, prompt: Sequence[PromptMessage], cancel: threading.Event
    ) -> Generator[PromptProgress, None, str]:
        writing = self._model.generate(
            _request(prompt), self._schema(), max_tokens=self._limit + CLOSING, cancel=cancel
        )
        text = ""
        for piece in writing:
            if isinstance(piece, PromptProgress):
                yield piece
                continue
            text += piece
            if '"' in piece and _goes_in_circles(_sentences_in(text)):
                writing.close()
        return "\n".join(dict.fromkeys(_sentences_in(text)))

    def _schema(self) -> JsonSchema:
        """A list of sentences: a small model fills it with facts where it rambles in free text."""
        return {
            "type": "object",
            "properties": {
                "summary": {
                    "type": "array",
                    "items": {"type": "string", "minLength": 1, "maxLength": LONGEST_SENTENCE},
                    "maxItems": max(self._limit // TOKENS_A_SENTENCE, 1),
                }
            },
            "required": ["summary"],
            "additionalProperties": False,
        }

    def _extract(self, evicted: Sequence[QueueEntry], old_summary: str) -> str:
        """The old summary and what was said, each message's beginning, newest kept first."""
        said = [
            f"{entry.message.kind}: {' '.join(entry.message.text.split())[:EXCERPT]}"
            for entry in evicted
            if entry.message.kind in {MessageKind.USER, MessageKind.ASSISTANT}
            and entry.message.text
        ]
        lines = [*old_summary.splitlines(), *said]
        while len(lines) > 1 and self._model.count("\n".join(lines)) > self._limit:
            del lines[0]
        return "\n".join(lines)


def _request(prompt: Sequence[PromptMessage]) -> list[PromptMessage]:
    return [*prompt, PromptMessage(PromptRole.SYSTEM, prompts.SUMMARY_REQUEST)]


def _beginning(entries: Sequence[QueueEntry], room: int) -> list[QueueEntry]:
    """As many of the oldest entries as have room, one at least."""
    ends = accumulate(entry.tokens for entry in entries)
    count = sum(end <= room for end in ends)
    return list(entries[: max(count, 1)])


def _goes_in_circles(sentences: Sequence[str]) -> bool:
    return len(set(sentences)) < len(sentences)


def _sentences_in(text: str) -> list[str]:
    """The sentences in the JSON text, also when its end is missing."""
    try:
        fields = from_json(text, allow_partial="trailing-strings")
    except ValueError:
        return []
    sentences = fields.get("summary", []) if isinstance(fields, dict) else []
    return [str(sentence).strip() for sentence in sentences if str(sentence).strip()]
