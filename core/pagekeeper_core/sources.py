"""What a chain has retrieved: passages by number, and what of documents the model has before it.

A number once given stands for its passage until the chain ends, and a reply can cite nothing else.
"""

from collections.abc import Iterable, Sequence

from pagekeeper_core import fence
from pagekeeper_core.messages import Citation, Message, MessageKind
from pagekeeper_core.records import ArchivalHit

__all__ = ["Sources"]


class Sources:
    """The passages that a chain has retrieved, numbered from 1 in the order in which they came."""

    def __init__(self, visible: Iterable[Message] = ()) -> None:
        """Begin with nothing retrieved; `visible` is what stands in the queue."""
        self._hits: list[ArchivalHit] = []
        messages = list(visible)
        self._seen = [text for message in messages for text in _of_documents(message)]
        self._told = [m.text for m in messages if m.kind is MessageKind.USER]

    @property
    def passages(self) -> Sequence[ArchivalHit]:
        """Those that were retrieved; the first has the number 1."""
        return self._hits

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
        for number, known in enumerate(self._hits, 1):
            if known.passage_id == hit.passage_id:
                return number
        self._hits.append(hit)
        return len(self._hits)

    def citation(self, number: int) -> Citation | None:
        """The passage of that number as a citation; None if there is none."""
        if not 1 <= number <= len(self._hits):
            return None
        hit = self._hits[number - 1]
        return Citation(number, hit.passage_id, hit.document_id, hit.source, hit.passage.location)


def _of_documents(message: Message) -> list[str]:
    """Text of documents in a message of the queue: fenced, or a reply that rests on it."""
    if message.kind is MessageKind.USER:
        return []
    return [*fence.fenced_in(message.prompt_text), *([message.text] if message.citations else [])]


def _source(hit: ArchivalHit) -> str:
    return f"{hit.source} {hit.passage.location}"
