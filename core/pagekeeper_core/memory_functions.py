"""The functions of the paper over real stores (paper, section 2.3 and appendix)."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from pydantic import Field

from pagekeeper_core import prompts
from pagekeeper_core.dates import find_range
from pagekeeper_core.document_orders import check_replaced, check_written
from pagekeeper_core.errors import FunctionError
from pagekeeper_core.facts import past_facts
from pagekeeper_core.functions import AtMost, OneOf, Turn, model_function
from pagekeeper_core.memory_history import MemoryHistory
from pagekeeper_core.messages import FunctionResult, MessageKind
from pagekeeper_core.notes import NoteOutcome, Notes
from pagekeeper_core.protocols import Clock, RecallStore, TokenCounter
from pagekeeper_core.recall_by_date import range_in_words, range_of, search_with_date
from pagekeeper_core.records import RecallFilter, RecallHit, SearchPage
from pagekeeper_core.relevance import is_relevant
from pagekeeper_core.results import (
    lines_about,
    newest_lines,
    passage_line,
    past_fact_line,
    recall_line,
    result_page,
)
from pagekeeper_core.sameness import is_about, says_nothing_new
from pagekeeper_core.scripts import has_letters, language_by_script
from pagekeeper_core.wording import is_said_in, told_in
from pagekeeper_core.working_context import Block, WorkingContext

__all__ = ["MemoryFunctions"]

BlockName = Annotated[str, Field(max_length=40), OneOf("block_names")]
WrittenBlock = Annotated[str, Field(max_length=40), OneOf("written_blocks")]
Fact = Annotated[str, Field(min_length=1, max_length=160)]
OldText = Annotated[str, Field(min_length=1, max_length=500)]
Dates = Annotated[str, Field(min_length=1, max_length=60)]
Note = Annotated[str, Field(min_length=1, max_length=1000)]
Query = Annotated[str, Field(min_length=1, max_length=100)]
Queries = Annotated[list[Query], Field(min_length=1, max_length=3), AtMost("most_queries")]
Page = Annotated[int, Field(ge=1, le=99)]
Reply = Annotated[str, Field(min_length=1, max_length=4000)]

PAGE_SIZE = 5

DATE_EXAMPLES = "'yesterday', 'last Tuesday', 'March 2026' or '2026-03-01 to 2026-03-05'"

PAST_LINES = 2
"""Lines that a result adds about what held once."""

HEARD = 400
"""Messages in which a fact must have been said to be saved."""


class MemoryFunctions:
    """The functions of the paper over real stores (paper, section 2.3 and appendix)."""

    def __init__(
        self,
        *,
        working_context: WorkingContext,
        recall: RecallStore,
        notes: Notes,
        history: MemoryHistory,
        clock: Clock,
        counter: TokenCounter,
        result_tokens: int,
        queries: int = 3,
    ) -> None:
        self._working_context = working_context
        self._recall = recall
        self._notes = notes
        self._history = history
        self._clock = clock
        self._counter = counter
        self._result_tokens = result_tokens
        self._most_queries = queries

    def block_names(self) -> tuple[str, ...]:
        """The blocks that there are now, those of the person too."""
        return tuple(block.name for block in self._working_context.blocks)

    def most_queries(self) -> int:
        """Queries that one search may carry."""
        return self._most_queries

    def written_blocks(self) -> tuple[str, ...]:
        """The blocks in which there is something to correct.

        None as long as only the persona says something: a small model corrects what it means to
        save for the first time.
        """
        written = tuple(block.name for block in self._working_context.blocks if block.text)
        return () if written == ("persona",) else written

    @model_function()
    def send_message(self, turn: Turn, message: Reply) -> FunctionResult:  # noqa: ARG002
        """Say something to the user. The only thing that the user sees."""
        return FunctionResult(message)

    @model_function()
    def core_memory_append(self, turn: Turn, block: BlockName, text: Fact) -> FunctionResult:
        """Save one lasting fact into a block, as one short sentence."""
        before = self._working_context.block(block)
        check_written(turn, text)
        self._check_said(before, text, turn)
        self._check_not_taken_out(before, text, turn)
        added = self._working_context.append(
            block, text, actor="assistant", cause_seq=turn.cause_seq
        )
        if added.known:
            return self._known_result(block, added.known, turn)
        return self._block_result(
            added.block,
            turn,
            prompts.about_older_line(replaced=added.replaced, beside=added.beside),
        )

    @model_function()
    def core_memory_replace(
        self,
        turn: Turn,
        block: WrittenBlock,
        old: OldText,
        new: Annotated[str, Field(max_length=160)],
    ) -> FunctionResult:
        """Correct a block: put new in place of the old text. An empty new removes it."""
        before = self._working_context.block(block)
        check_replaced(turn, old, new)
        self._check_said(before, new, turn)
        if new.strip():
            self._check_not_taken_out(before, new, turn)
        edited = self._working_context.replace_text(
            block, old, new, actor="assistant", cause_seq=turn.cause_seq
        )
        if edited.text == before.text:
            return self._known_result(block, new, turn)
        return self._block_result(edited, turn)

    @model_function(is_search=True)
    def conversation_search(self, turn: Turn, queries: Queries, page: Page = 1) -> FunctionResult:
        """Find what was said earlier, by words."""
        asked = [*queries, *([turn.question] if turn.question else [])]
        found, first = self._said(asked, turn, page)
        what = f"what was said: {_quoted(queries)}{first}"
        return self._recall_result(found, turn, what, self._past_lines(asked, page))

    @model_function(is_search=True)
    def conversation_search_date(self, turn: Turn, dates: Dates, page: Page = 1) -> FunctionResult:
        """Find what was said at a time, in the user's words: "last Tuesday", "in March"."""
        when = range_of(dates, turn.question, self._clock)
        if when is None:
            raise FunctionError(f"When is '{dates.strip()}'? Write it like {DATE_EXAMPLES}.")
        then = RecallFilter(before_seq=turn.cause_seq or None, start=when.start, end=when.end)
        found = self._recall.search([], where=then, page=page, page_size=PAGE_SIZE)
        return self._recall_result(found, turn, f"what was said {range_in_words(when)}")

    @model_function()
    def archival_memory_insert(self, turn: Turn, text: Note) -> FunctionResult:
        """Keep a longer note in the archive."""
        if not text.strip():
            raise FunctionError("The text is empty. Give the note to keep.")
        check_written(turn, text)
        note = self._notes.insert(
            text, said=turn.question, actor="assistant", cause_seq=turn.cause_seq
        )
        is_known = note.outcome is NoteOutcome.KNOWN
        said = prompts.note_kept(
            known=note.text if is_known else "", superseded=note.superseded, beside=note.beside
        )
        return FunctionResult(said + prompts.next_step(turn.question), changed_memory=not is_known)

    @model_function(is_search=True)
    def archival_memory_search(
        self, turn: Turn, queries: Queries, page: Page = 1
    ) -> FunctionResult:
        """Search the user's documents and your notes."""
        asked = [*queries, *([turn.question] if turn.question else [])]
        found = self._notes.search(asked, page=page, page_size=PAGE_SIZE)
        superseded = self._history.superseded()
        lines = [
            f"[{turn.sources.number(hit)}] "
            + passage_line(hit, superseded.get(hit.passage_id), self._clock)
            for hit in found.hits
        ]
        past = [f"- {line}" for line in self._past_lines(asked, page)]
        is_low = bool(found.hits) and not any(is_relevant(hit, asked) for hit in found.hits)
        what = prompts.archive_search(_quoted(queries), low_relevance=is_low)
        return self._search_result([*lines, *past], found, turn, what, numbered=False)

    @model_function()
    def wait_for_user(self, turn: Turn) -> FunctionResult:  # noqa: ARG002
        """Do nothing and wait: all that matters is saved."""
        return FunctionResult("Waiting for the user.")

    def _check_said(self, block: Block, fact: str, turn: Turn) -> None:
        """Refuse a fact about the user that the user did not state.

        A small model also saves what it said itself, made up, or was only asked for.
        """
        if block.name != "persona" and fact.strip() and not told_in(fact):
            raise FunctionError("That is a question. Save what is so, as a statement.")
        if turn.question and _is_in_another_script(fact, turn.question):
            raise FunctionError("The user did not write in that language. Save it in the user's.")
        said = [told_in(text) for text in self._heard(turn)]
        if block.name != "persona" and not is_said_in(fact, [*said, block.text]):
            raise FunctionError(
                "The user did not tell you that, and a question is no fact. Save only what the "
                "user told you, in the user's words."
            )

    def _heard(self, turn: Turn) -> list[str]:
        """What the user said last, in all conversations and in this one behind an import."""
        asked = self._recall.read(turn.cause_seq, turn.cause_seq) if turn.cause_seq else []
        here = [m for a in asked for m in self._recall.read_last(HEARD, thread_id=a.thread_id)]
        newest = {message.seq: message for message in (*here, *self._recall.read_last(HEARD))}
        return [m.text for m in newest.values() if m.kind is MessageKind.USER]

    def _check_not_taken_out(self, block: Block, fact: str, turn: Turn) -> None:
        """Refuse a line that the user took out, unless the user has just said it again."""
        if turn.question and is_said_in(fact, [turn.question]):
            return
        for past in past_facts(self._history.facts()):
            by_user = past.ended_by is not None and past.ended_by.actor == "user"
            if by_user and past.block == block.name and says_nothing_new(fact, past.text):
                raise FunctionError("The user took that out of the block. Do not save it again.")

    def _past_lines(self, asked: Sequence[str], page: int) -> list[str]:
        """Lines that stood in a block once and say something about what is asked for."""
        if page > 1:
            return []
        past = [fact for fact in past_facts(self._history.facts()) if not fact.was_taken_out]
        about = [fact for fact in past if any(is_about(fact.text, query) for query in asked)]
        return [past_fact_line(fact, self._clock) for fact in about[:PAST_LINES]]

    def _said(
        self, asked: Sequence[str], turn: Turn, page: int
    ) -> tuple[SearchPage[RecallHit], str]:
        """What matches; first what was said when the user's question says, and a note of that."""
        earlier = RecallFilter(before_seq=turn.cause_seq or None)
        now = self._clock.to_local(self._clock.now())
        when = find_range(turn.question, now)
        if when is None or when.start > now:
            plain = self._recall.search(asked, where=earlier, page=page, page_size=PAGE_SIZE)
            return plain, ""
        dated = search_with_date(
            self._recall, asked, when, where=earlier, page=page, page_size=PAGE_SIZE
        )
        return dated, f" (first {range_in_words(when)})"

    def _newest_lines(self, block: Block) -> str:
        return newest_lines(block.text, self._result_tokens // 2, self._counter)

    def _known_result(self, block: str, known: str, turn: Turn) -> FunctionResult:
        text = f"The block '{block}' says that already: '{known}'. "
        return FunctionResult(text + prompts.next_step(turn.question))

    def _block_result(self, block: Block, turn: Turn, note: str = "") -> FunctionResult:
        shown = self._newest_lines(block)
        text = f"Saved. {note}The block '{block.name}' now says:\n{shown or '(empty)'}\n"
        return FunctionResult(text + prompts.next_step(turn.question), changed_memory=True)

    def _recall_result(
        self, found: SearchPage[RecallHit], turn: Turn, what: str, past: Sequence[str] = ()
    ) -> FunctionResult:
        lines = [recall_line(hit.message, self._clock) for hit in found.hits]
        return self._search_result([*lines, *past], found, turn, what)

    def _search_result(
        self,
        lines: Sequence[str],
        found: SearchPage[Any],
        turn: Turn,
        what: str,
        *,
        numbered: bool = True,
    ) -> FunctionResult:
        if not lines:
            block = self._working_context.block("human").text
            about = "\n".join(lines_about(block, turn.question))
            known = newest_lines(about or block, self._result_tokens // 2, self._counter)
            text = prompts.nothing_found(what, known, page=found.page, pages=found.pages)
            return FunctionResult(text)
        text = result_page(
            lines,
            found,
            what=what,
            question=turn.question,
            limit=self._result_tokens,
            counter=self._counter,
            numbered=numbered,
        )
        return FunctionResult(text)


def _is_in_another_script(fact: str, question: str) -> bool:
    return has_letters(question) and language_by_script(fact) not in {
        "",
        language_by_script(question),
    }


def _quoted(queries: Iterable[str]) -> str:
    return ", ".join(f"'{query}'" for query in queries)
