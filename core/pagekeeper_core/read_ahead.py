"""Read-ahead: what the user's own words bring to mind enters the context before the first step.

The counterpart of an operating system's read-ahead. A small model often does not search, or
searches with poor words; and a block that was edited since the last flush stands at the top of the
prompt in its old wording; and the line that answers is one among many there. A short reminder
behind the user's message mends that, for fewer tokens than a search costs.
"""

from collections.abc import Iterator, Sequence

from pagekeeper_core import prompts
from pagekeeper_core.main_context import MainContext
from pagekeeper_core.protocols import Clock, RecallStore, TokenCounter
from pagekeeper_core.records import RecallFilter
from pagekeeper_core.results import cut_to_tokens, lines_about, recall_line
from pagekeeper_core.working_context import WorkingContext

__all__ = ["ReadAhead"]

RECALL_HITS = 3
WORDS_ABOUT = 2
LINES_ABOUT = 2
"""Lines of the block that are shown again: they must have so many words of the message."""

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
        about = self._lines_about(text)
        others = [line for line in self._unseen_lines() if line not in about]
        chosen = self._within_budget([*reversed(about), *others, *self._recall_lines(text)])
        # What answers best stands last, nearest to the reply.
        lines = [line for line in chosen if line not in about] + [x for x in about if x in chosen]
        return prompts.reminder(lines) if lines else ""

    def is_known(self, text: str) -> bool:
        """Whether the user's block has a line that has much to do with a message."""
        return bool(self._about(text))

    def _about(self, text: str) -> list[str]:
        block = self._working_context.block("human").text
        return lines_about(block, text, words=WORDS_ABOUT, most=LINES_ABOUT)

    def _within_budget(self, lines: Sequence[str]) -> list[str]:
        limit = self._context.budget.read_ahead
        chosen: list[str] = []
        for line in lines:
            longer = [*chosen, cut_to_tokens(line, limit // 2, self._counter)]
            if self._counter.count(prompts.reminder(longer)) > limit:
                break
            chosen = longer
        return chosen

    def _lines_about(self, text: str) -> list[str]:
        """Lines of the user's block that have much to do with the message, the best one last."""
        newest = self._context.queue.entries[-RECENT:]
        seen = [entry.message.prompt_text for entry in newest]
        return [line for line in self._about(text) if not any(line in said for said in seen)]

    def _unseen_lines(self) -> Iterator[str]:
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
