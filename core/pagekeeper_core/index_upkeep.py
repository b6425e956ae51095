"""Idle work that keeps searches fast: what was said is indexed by meaning, the files are tidied.

The user never waits for it: what takes seconds (the embedder is loaded, tables are tidied) runs on
a thread of its own, and what is embedded at once takes a fraction of a second.
"""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator

from pagekeeper_core.documents.reading import PageText
from pagekeeper_core.documents.splitting import PassageSplitter
from pagekeeper_core.errors import Cancelled, ModelError, StoreError
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.protocols import ArchivalStore, Embedder, RecallIndex, RecallStore
from pagekeeper_core.records import IndexEntry
from pagekeeper_core.updates import Update

__all__ = ["ArchiveUpkeep", "IndexUpkeep"]

READ_AT_ONCE = 64
"""Messages that are read from recall storage at once."""

EMBEDDED_AT_ONCE = 8
"""Texts that are indexed at once, the user's return unseen: some tenths of a second."""

PREVIOUS_WITHIN = 8
"""Messages before one among which the one that it answers is looked for."""

_POLL_SECONDS = 0.05

_log = logging.getLogger(__name__)


class IndexUpkeep:
    """Brings the index up to the newest message (an IdleJob)."""

    def __init__(self, recall: RecallStore, index: RecallIndex, embedder: Embedder) -> None:
        self._recall = recall
        self._index = index
        self._embedder = embedder
        self._splitter: PassageSplitter | None = None
        self._loading = _Behind()
        self._tidying = _Behind()
        self._read_until: int | None = None
        self._tidied_until = 0
        self._has_failed = False

    def work(self, cancel: threading.Event) -> Iterator[Update]:
        """Index what is new. A fault is logged once; the next start tries again.

        Raises:
            Cancelled: `cancel` was set; what is indexed is kept.
        """
        yield from ()
        newest = self._recall.count()
        self._tidy_words(newest, cancel)
        is_done = newest == 0 or (self._index.is_ready and newest == self._read_until)
        if self._has_failed or is_done:
            return
        try:
            self._make_ready(cancel)
            if not self._has_failed:
                self._catch_up(newest, cancel)
        except (ModelError, StoreError) as error:
            self._fail(error)

    def _tidy_words(self, newest: int, cancel: threading.Event) -> None:
        if newest == self._tidied_until:
            return
        try:
            self._recall.tidy(cancel)
        except StoreError as error:
            _log.warning("What searches by words read is not tidied: %s", error)
        self._tidied_until = newest

    def _make_ready(self, cancel: threading.Event) -> None:
        """Wait for the index to be ready; loading goes on behind a user who is back."""
        if self._index.is_ready:
            return
        self._loading.run(self._load, cancel)
        self._read_until = None

    def _load(self) -> None:
        try:
            self._index.make_ready()
        except (ModelError, StoreError) as error:
            self._fail(error)

    def _tidy(self) -> None:
        try:
            self._index.tidy()
        except StoreError as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        self._has_failed = True
        _log.warning("What was said is not indexed by meaning until the next start: %s", error)

    def _catch_up(self, newest: int, cancel: threading.Event) -> None:
        if self._read_until is None:
            self._read_until = self._indexed_until(newest)
        while self._read_until < newest:
            last = min(self._read_until + READ_AT_ONCE, newest)
            self._index_messages(self._read_until + 1, last, cancel)
        self._tidying.run(self._tidy, cancel)

    def _indexed_until(self, newest: int) -> int:
        """Where the index stands; one that was made of another conversation is emptied."""
        seq, at = self._index.newest()
        if seq == 0:
            return 0
        if seq <= newest and [m.created_at for m in self._recall.read(seq, seq)] == [at]:
            return seq
        _log.warning("The index of what was said does not fit the conversation; it is made anew")
        self._index.clear()
        return 0

    def _index_messages(self, first: int, last: int, cancel: threading.Event) -> None:
        messages = self._recall.read(max(first - PREVIOUS_WITHIN, 1), last)
        new = [message for message in messages if message.seq >= first and _is_said(message)]
        entries: list[IndexEntry] = []
        for message in new:
            if cancel.is_set():
                raise Cancelled
            entries += self._entries(message, messages)
            if len(entries) >= EMBEDDED_AT_ONCE:
                self._index.add(entries)
                self._read_until = message.seq
                entries = []
        self._index.add(entries)
        self._read_until = last

    def _entries(self, message: Message, around: Iterable[Message]) -> Iterator[IndexEntry]:
        """The message with what it answers; where that is too long, its own text in parts."""
        before = (m for m in around if m.seq < message.seq and m.thread_id == message.thread_id)
        said = [m.text for m in before if _is_said(m)]
        text = "\n".join((*said[-1:], message.text))
        if self._fits(text):
            yield IndexEntry(message, text)
            return
        if self._splitter is None:
            self._splitter = PassageSplitter(self._embedder.count, self._embedder.max_tokens)
        for part in self._splitter.split([PageText(message.text)]):
            yield IndexEntry(message, part.text)

    def _fits(self, text: str) -> bool:
        return self._embedder.count(text) <= self._embedder.max_tokens


class ArchiveUpkeep:
    """Tidies the archive after passages came in (an IdleJob)."""

    def __init__(self, archival: ArchivalStore) -> None:
        self._archival = archival
        self._behind = _Behind()

    def work(self, cancel: threading.Event) -> Iterator[Update]:
        """Tidy what is untidy.

        Raises:
            Cancelled: `cancel` was set; tidying goes on behind the user who is back.
        """
        yield from ()
        self._behind.run(self._tidy, cancel)

    def _tidy(self) -> None:
        try:
            self._archival.tidy()
        except StoreError as error:
            _log.warning("The archive is not tidied: %s", error)


class _Behind:
    """Work of seconds on a thread of its own, which goes on when the user comes back."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None

    def run(self, work: Callable[[], None], cancel: threading.Event) -> None:
        """Begin it, unless it still goes on, and wait for its end.

        Raises:
            Cancelled: `cancel` was set; the work goes on.
        """
        if self._thread is None:
            self._thread = threading.Thread(target=work, name="idle-upkeep", daemon=True)
            self._thread.start()
        while self._thread.is_alive():
            self._thread.join(_POLL_SECONDS)
            if cancel.is_set():
                raise Cancelled
        self._thread = None


def _is_said(message: Message) -> bool:
    return message.kind in {MessageKind.USER, MessageKind.ASSISTANT} and bool(message.text.strip())
