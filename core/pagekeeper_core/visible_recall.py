"""Recall storage as the model sees it: what the person had forgotten is not found."""

import threading
from collections.abc import Sequence
from dataclasses import replace

from pagekeeper_core.memory_history import MemoryHistory
from pagekeeper_core.messages import Message
from pagekeeper_core.protocols import EVERYTHING_SAID, RecallStore
from pagekeeper_core.records import RecallFilter, RecallHit, SearchPage

__all__ = ["VisibleRecall"]


class VisibleRecall:
    """A recall store in front of another; every search that is made for the model goes here."""

    def __init__(self, recall: RecallStore, history: MemoryHistory) -> None:
        self._recall = recall
        self._history = history

    def append(self, message: Message) -> Message:
        """See RecallStore."""
        return self._recall.append(message)

    def read(
        self, first_seq: int, last_seq: int | None = None, *, thread_id: int | None = None
    ) -> list[Message]:
        """See RecallStore; without what is forgotten."""
        return self._shown(self._recall.read(first_seq, last_seq, thread_id=thread_id))

    def read_last(
        self, count: int, *, before_seq: int | None = None, thread_id: int | None = None
    ) -> list[Message]:
        """See RecallStore; without what is forgotten, so perhaps fewer than `count`."""
        last = self._recall.read_last(count, before_seq=before_seq, thread_id=thread_id)
        return self._shown(last)

    def count(self) -> int:
        """See RecallStore; numbers are those of all messages."""
        return self._recall.count()

    def search(
        self,
        queries: Sequence[str],
        *,
        where: RecallFilter = EVERYTHING_SAID,
        page: int = 1,
        page_size: int = 5,
    ) -> SearchPage[RecallHit]:
        """See RecallStore; without what is forgotten."""
        hidden = where.hidden | self._history.hidden_messages()
        where = replace(where, hidden=hidden)
        return self._recall.search(queries, where=where, page=page, page_size=page_size)

    def tidy(self, cancel: threading.Event) -> None:
        """See RecallStore."""
        self._recall.tidy(cancel)

    def _shown(self, messages: list[Message]) -> list[Message]:
        hidden = self._history.hidden_messages()
        return [message for message in messages if message.seq not in hidden]
