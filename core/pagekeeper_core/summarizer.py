"""The recursive summary: what stands in slot 0 for the messages that were evicted.

The request is put behind the messages that leave, which are the oldest part of the very prompt that
the model holds in its KV cache. So nothing is evaluated but the request, and there is room for it:
the part of the prompt that stays is left out. The queue manager evicts no more at once than the
window holds.
"""

import logging
import threading
from collections.abc import Generator, Sequence

from pydantic_core import from_json

from pagekeeper_core import prompts
from pagekeeper_core.errors import ModelError
from pagekeeper_core.message_queue import QueueEntry
from pagekeeper_core.messages import MessageKind, PromptMessage, PromptRole
from pagekeeper_core.protocols import JsonSchema, LanguageModel
from pagekeeper_core.results import cut_to_tokens
from pagekeeper_core.updates import PromptProgress

__all__ = ["Summarizer"]

log = logging.getLogger(__name__)

SHORTEST_SUMMARY = 20
"""Characters; anything shorter says nothing."""

LONGEST_SENTENCE = 160
TOKENS_A_SENTENCE = 36
"""Bounds of a sentence, in characters and in tokens."""

EXCERPT = 120
"""Characters of a message that an extractive summary keeps."""


class Summarizer:
    """Writes summaries of at most `limit` tokens."""

    def __init__(self, model: LanguageModel, *, limit: int) -> None:
        self._model = model
        self._limit = limit

    def summarize(
        self,
        prompt: Sequence[PromptMessage],
        evicted: Sequence[QueueEntry],
        old_summary: str,
        cancel: threading.Event,
    ) -> Generator[PromptProgress, None, str]:
        """The new summary: the model's, or an extract of the messages when it gives none.

        Args:
            prompt: The main context up to and including `evicted`.
            evicted: The messages that leave.
            old_summary: What the summary said until now.
            cancel: Stops it.

        Raises:
            Cancelled: `cancel` was set; nothing has changed.
        """
        try:
            text = yield from self._write(prompt, cancel)
        except ModelError:
            log.warning("The model wrote no summary; an extract takes its place", exc_info=True)
            text = ""
        if len(text) < SHORTEST_SUMMARY:
            text = self._extract(evicted, old_summary)
        return cut_to_tokens(text, self._limit, self._model)

    def _write(
        self, prompt: Sequence[PromptMessage], cancel: threading.Event
    ) -> Generator[PromptProgress, None, str]:
        request = [*prompt, PromptMessage(PromptRole.SYSTEM, prompts.SUMMARY_REQUEST)]
        writing = self._model.generate(
            request, self._schema(), max_tokens=self._limit + 16, cancel=cancel
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
