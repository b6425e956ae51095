"""Read-ahead: what the user's own words bring to mind enters the context before the first step.

The counterpart of an operating system's read-ahead. A small model often does not search, or
searches with poor words; and a block that was edited since the last flush stands at the top of the
prompt in its old wording. A short reminder behind the user's message mends both, for fewer tokens
than a search costs.
"""

from collections.abc import Iterator

from pagekeeper_core import prompts
from pagekeeper_core.main_context import MainContext
from pagekeeper_core.protocols import Clock, RecallStore, TokenCounter
from pagekeeper_core.records import RecallFilter
from pagekeeper_core.results import cut_to_tokens, recall_line
from pagekeeper_core.working_context import WorkingContext

__all__ = ["ReadAhead"]

RECALL_HITS = 3
RECENT = 4
"""Messages: what one of the newest says need not be said again."""


class ReadAhead:
    """Looks up what belongs to a message, within a budget of tokens."""

    def __init__(
        self,
        context: MainContext,
        *,
        working_context: WorkingContext,
        recall: RecallStore,
        counter: TokenCounter,
        clock: Clock,
    ) -> None:
        self._context = context
        self._working_context = working_context
        self._recall = recall
        self._counter = counter
        self._clock = clock

    def reminder(self, text: str) -> str:
        """What memory holds about a message just admitted; empty if the model sees it all."""
        limit = self._context.budget.read_ahead
        lines: list[str] = []
        for line in (*self._block_lines(), *self._recall_lines(text)):
            longer = [*lines, cut_to_tokens(line, limit // 2, self._counter)]
            if self._counter.count(prompts.reminder(longer)) > limit:
                break
            lines = longer
        return prompts.reminder(lines) if lines else ""

    def _block_lines(self) -> Iterator[str]:
        """Lines of the user's block that the model has not seen lately in this wording."""
        block = self._working_context.block("human")
        newest = self._context.queue.entries[-RECENT:]
        seen = (self._context.working_context, *(entry.message.prompt_text for entry in newest))
        for line in block.text.splitlines():
            if not any(line in text for text in seen):
                yield line

    def _recall_lines(self, text: str) -> Iterator[str]:
        """What was said about it in messages that have left the queue."""
        queue = self._context.queue
        spared = frozenset(entry.message.seq for entry in queue.entries[: queue.spared])
        oldest = queue.tail[0].message if queue.tail else None
        seen = (oldest.thread_id, oldest.seq) if oldest else None
        where = RecallFilter(seen=seen, hidden=spared)
        found = self._recall.search([text], where=where, page_size=RECALL_HITS)
        for hit in found.hits:
            yield recall_line(hit.message, self._clock)
