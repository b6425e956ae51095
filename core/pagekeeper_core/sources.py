"""What a chain has retrieved: passages by number, and what of documents the model has before it.

A number once given stands for its passage until the chain ends, and a reply can cite nothing else.
Numbers of earlier chains that the model still sees are not given again, so that none is mistaken.
"""

import re
from collections.abc import Iterable, Sequence

from pagekeeper_core import fence
from pagekeeper_core.messages import Citation, Message, MessageKind
from pagekeeper_core.records import ArchivalHit

__all__ = ["Sources"]


_NUMBERED_LINE = re.compile(r"^\[(\d{1,3})\] ", re.MULTILINE)


class Sources:
    """The passages that a chain has retrieved, numbered in the order in which they came."""

    def __init__(self, visible: Iterable[Message] = ()) -> None:
        """Begin with nothing retrieved; `visible` is what stands in the queue."""
        self._hits: list[ArchivalHit] = []
        messages = list(visible)
        self._seen = [text for message in messages for text in _of_documents(message)]
        self._told = [m.text for m in messages if m.kind is MessageKind.USER]
        self._first = 1 + max((n for message in messages for n in _numbers_in(message)), default=0)

    @property
    def passages(self) -> Sequence[ArchivalHit]:
        """Those that were retrieved."""
        return self._hits

    def numbered(self) -> list[tuple[int, ArchivalHit]]:
        """Those that were retrieved, each with its number."""
        return list(enumerate(self._hits, self._first))

    @property
    def told(self) -> Sequence[str]:
        """What the user said, as far as the model saw it when the chain began."""
        return self._told

    @property
    def document_texts(self) -> list[str]:
        """All text of documents that the model has before it; notes are none."""
        found = (hit for hit in self._hits if hit.document_id)
        return [*self._seen, *(" ".join((_source(hit), hit.passage.text)) for hit in found)]

    def number(self, hit: ArchivalHit) -> int:
        """The number of a passage, a new one if it has none yet."""
        for number, known in self.numbered():
            if known.passage_id == hit.passage_id:
                return number
        self._hits.append(hit)
        return self._first + len(self._hits) - 1

    def citation(self, number: int) -> Citation | None:
        """The passage of that number as a citation; None if there is none."""
        hit = dict(self.numbered()).get(number)
        if hit is None:
            return None
        return Citation(number, hit.passage_id, hit.document_id, hit.source, hit.passage.location)


def _of_documents(message: Message) -> list[str]:
    """Text of documents in a message of the queue: fenced, or a reply that rests on it."""
    if message.kind is MessageKind.USER:
        return []
    return [*fence.fenced_in(message.prompt_text), *([message.text] if message.citations else [])]


def _numbers_in(message: Message) -> list[int]:
    """Numbers of passages in a result of the queue, or of what a reply in it cites."""
    if message.kind is not MessageKind.FUNCTION:
        return [citation.number for citation in message.citations]
    return [int(number) for number in _NUMBERED_LINE.findall(message.prompt_text)]


def _source(hit: ArchivalHit) -> str:
    return f"{hit.source} {hit.passage.location}"
