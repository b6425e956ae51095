"""The functions of the paper over real stores (paper, section 2.3 and appendix)."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from typing import Annotated, Any, Literal

from pydantic import Field

from pagekeeper_core import prompts
from pagekeeper_core.errors import FunctionError
from pagekeeper_core.functions import Turn, model_function
from pagekeeper_core.messages import FunctionResult, MessageKind
from pagekeeper_core.protocols import ArchivalStore, Clock, RecallStore, TokenCounter
from pagekeeper_core.records import RecallFilter, RecallHit, SearchPage
from pagekeeper_core.results import newest_lines, recall_line, result_page
from pagekeeper_core.wording import is_said_in
from pagekeeper_core.working_context import Block, WorkingContext

__all__ = ["MemoryFunctions"]

BlockName = Literal["human", "persona"]
Fact = Annotated[str, Field(min_length=1, max_length=160)]
OldText = Annotated[str, Field(min_length=1, max_length=500)]
Day = Annotated[date, Field(ge=date(1971, 1, 1), le=date(2999, 12, 31))]
Note = Annotated[str, Field(min_length=1, max_length=1000)]
Query = Annotated[str, Field(min_length=1, max_length=100)]
Queries = Annotated[list[Query], Field(min_length=1, max_length=3)]
Page = Annotated[int, Field(ge=1, le=99)]
Reply = Annotated[str, Field(min_length=1, max_length=4000)]

PAGE_SIZE = 5

HEARD = 400
"""Messages in which a fact must have been said to be saved."""


class MemoryFunctions:
    """The functions of the paper over real stores (paper, section 2.3 and appendix)."""

    def __init__(
        self,
        *,
        working_context: WorkingContext,
        recall: RecallStore,
        archival: ArchivalStore,
        clock: Clock,
        counter: TokenCounter,
        result_tokens: int,
    ) -> None:
        self._working_context = working_context
        self._recall = recall
        self._archival = archival
        self._clock = clock
        self._counter = counter
        self._result_tokens = result_tokens

    @model_function()
    def send_message(self, turn: Turn, message: Reply) -> FunctionResult:  # noqa: ARG002
        """Say something to the user. The only thing that the user sees."""
        return FunctionResult(message)

    @model_function()
    def core_memory_append(self, turn: Turn, block: BlockName, text: Fact) -> FunctionResult:
        """Save one lasting fact into a block, as one short sentence."""
        before = self._working_context.block(block)
        self._check_said(before, text)
        edited = self._working_context.append(
            block, text, actor="assistant", cause_seq=turn.cause_seq
        )
        if edited == before:
            known = f"The block '{block}' says that already. "
            return FunctionResult(known + prompts.next_step(turn.question))
        return self._block_result(edited, turn)

    @model_function()
    def core_memory_replace(
        self, turn: Turn, block: BlockName, old: OldText, new: Annotated[str, Field(max_length=160)]
    ) -> FunctionResult:
        """Correct a block: put new in place of the old text. An empty new removes it."""
        self._check_said(self._working_context.block(block), new)
        edited = self._working_context.replace_text(
            block, old, new, actor="assistant", cause_seq=turn.cause_seq
        )
        return self._block_result(edited, turn)

    @model_function(is_search=True)
    def conversation_search(self, turn: Turn, queries: Queries, page: Page = 1) -> FunctionResult:
        """Find what was said earlier, by words."""
        asked = [*queries, *([turn.question] if turn.question else [])]
        found = self._recall.search(
            asked,
            where=RecallFilter(before_seq=turn.cause_seq or None),
            page=page,
            page_size=PAGE_SIZE,
        )
        return self._recall_result(found, turn, "what was said: " + _quoted(queries))

    @model_function(is_search=True)
    def conversation_search_date(
        self, turn: Turn, start_date: Day, end_date: Day, page: Page = 1
    ) -> FunctionResult:
        """Find what was said from start_date to end_date (YYYY-MM-DD, both included)."""
        if end_date < start_date:
            raise FunctionError("end_date lies before start_date. Swap them.")
        then = RecallFilter(
            start=self._start_of(start_date), end=self._start_of(end_date + timedelta(days=1))
        )
        found = self._recall.search([], where=then, page=page, page_size=PAGE_SIZE)
        return self._recall_result(found, turn, f"what was said from {start_date} to {end_date}")

    @model_function()
    def archival_memory_insert(self, turn: Turn, text: Note) -> FunctionResult:
        """Keep a longer note in the archive."""
        if not text.strip():
            raise FunctionError("The text is empty. Give the note to keep.")
        note = self._archival.insert_note(text)
        done = "Saved in the archive. " if note.is_new else "The archive holds that note already. "
        return FunctionResult(done + prompts.next_step(turn.question), changed_memory=note.is_new)

    @model_function(is_search=True)
    def archival_memory_search(
        self, turn: Turn, queries: Queries, page: Page = 1
    ) -> FunctionResult:
        """Search the user's documents and your notes."""
        asked = [*queries, *([turn.question] if turn.question else [])]
        found = self._archival.search(asked, page=page, page_size=PAGE_SIZE)
        lines = [
            f"({', '.join(filter(None, (hit.source, hit.passage.location)))}) {hit.passage.text}"
            for hit in found.hits
        ]
        return self._search_result(lines, found, turn, prompts.ARCHIVE_TEXT + _quoted(queries))

    @model_function()
    def wait_for_user(self, turn: Turn) -> FunctionResult:  # noqa: ARG002
        """Do nothing and wait: all that matters is saved."""
        return FunctionResult("Waiting for the user.")

    def _check_said(self, block: Block, fact: str) -> None:
        """Refuse a fact about the user that the user did not state.

        A small model also saves what it said itself, or made up.
        """
        newest = self._recall.read_last(HEARD)
        said = [message.text for message in newest if message.kind is MessageKind.USER]
        if block.name == "human" and not is_said_in(fact, [*said, block.text]):
            raise FunctionError(
                "The user did not say that. Save only what the user told you, in the user's words."
            )

    def _start_of(self, day: date) -> datetime:
        return self._clock.from_local(datetime.combine(day, time.min))

    def _newest_lines(self, block: Block) -> str:
        return newest_lines(block.text, self._result_tokens // 2, self._counter)

    def _block_result(self, block: Block, turn: Turn) -> FunctionResult:
        shown = self._newest_lines(block)
        text = f"Saved. The block '{block.name}' now says:\n{shown or '(empty)'}\n"
        return FunctionResult(text + prompts.next_step(turn.question), changed_memory=True)

    def _recall_result(self, found: SearchPage[RecallHit], turn: Turn, what: str) -> FunctionResult:
        lines = [recall_line(hit.message, self._clock) for hit in found.hits]
        return self._search_result(lines, found, turn, what)

    def _search_result(
        self, lines: Sequence[str], found: SearchPage[Any], turn: Turn, what: str
    ) -> FunctionResult:
        if not lines:
            known = self._newest_lines(self._working_context.block("human"))
            text = prompts.nothing_found(what, known, page=found.page, pages=found.pages)
            return FunctionResult(text)
        text = result_page(
            lines,
            found,
            what=what,
            question=turn.question,
            limit=self._result_tokens,
            counter=self._counter,
        )
        return FunctionResult(text)


def _quoted(queries: Iterable[str]) -> str:
    return ", ".join(f"'{query}'" for query in queries)
