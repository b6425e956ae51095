"""What the model may call. A function is added here and nowhere else.

A method marked `@model_function` becomes a function of the model: its signature (pydantic types and
bounds) makes the JSON schema, its docstring the text in the prompt. Its first argument, the Turn,
comes from the agent. It gives a FunctionResult whose text says the next step, since a small model
acts on the last thing that it read.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from pagekeeper_core import prompts
from pagekeeper_core.errors import FunctionError
from pagekeeper_core.function_calls import LAST_CALLS
from pagekeeper_core.messages import FunctionResult, MessageKind
from pagekeeper_core.protocols import ArchivalStore, Clock, JsonSchema, RecallStore, TokenCounter
from pagekeeper_core.records import RecallHit, SearchPage
from pagekeeper_core.results import newest_lines, recall_line, result_page
from pagekeeper_core.wording import is_said_in
from pagekeeper_core.working_context import Block, WorkingContext

__all__ = ["FunctionSet", "FunctionSpec", "MemoryFunctions", "Turn", "model_function"]

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


@dataclass(frozen=True, slots=True)
class Turn:
    """What a call is made for.

    Attributes:
        question: The user's own words; every search is fused with them. Empty when nobody asked.
        cause_seq: The message that started the chain: named as the cause of what it changes, and
            recall is searched for what came before it.
    """

    question: str
    cause_seq: int


@dataclass(frozen=True, slots=True)
class FunctionSpec:
    """One function as the schema builder, the prompt and the executor need it.

    Attributes:
        name: As the model writes it.
        signature: Name and parameters, for the prompt.
        description: The docstring's first paragraph.
        arguments: Validates the arguments and gives their JSON schema.
        run: Carries the call out.
        is_search: Whether its result is to be read closely.
    """

    name: str
    signature: str
    description: str
    arguments: type[BaseModel]
    run: Callable[..., FunctionResult]
    is_search: bool


def model_function(
    *, is_search: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Mark a method as a function of the model."""

    def mark(method: Callable[..., Any]) -> Callable[..., Any]:
        vars(method)["model_function"] = is_search
        return method

    return mark


class FunctionSet(Mapping[str, FunctionSpec]):
    """The functions by name, in the order of their definition."""

    def __init__(self, specs: Iterable[FunctionSpec]) -> None:
        self._specs = {spec.name: spec for spec in specs}

    @classmethod
    def of(cls, owner: object) -> "FunctionSet":
        """The marked methods of an object."""
        marked = [
            m for m in vars(type(owner)).values() if "model_function" in getattr(m, "__dict__", {})
        ]
        return cls(_spec(getattr(owner, method.__name__)) for method in marked)

    def __getitem__(self, name: str) -> FunctionSpec:
        return self._specs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)

    def __len__(self) -> int:
        return len(self._specs)

    def prompt_text(self) -> str:
        """One line a function, for the system instructions."""
        return "\n".join(f"- {spec.signature}: {spec.description}" for spec in self.values())

    def schema(self, names: Iterable[str], *, thoughts: int) -> JsonSchema:
        """The union schema of one step: a call to one of `names`.

        Args:
            names: The functions that are offered.
            thoughts: Bound of `inner_thoughts`, in characters.
        """
        calls = [_call_schema(self[name], thoughts) for name in names]
        return calls[0] if len(calls) == 1 else {"anyOf": calls}


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
            asked, page=page, page_size=PAGE_SIZE, before_seq=turn.cause_seq or None
        )
        return self._recall_result(found, turn, "what was said: " + _quoted(queries))

    @model_function(is_search=True)
    def conversation_search_date(
        self, turn: Turn, start_date: Day, end_date: Day, page: Page = 1
    ) -> FunctionResult:
        """Find what was said from start_date to end_date (YYYY-MM-DD, both included)."""
        if end_date < start_date:
            raise FunctionError("end_date lies before start_date. Swap them.")
        found = self._recall.search_dates(
            self._start_of(start_date),
            self._start_of(end_date + timedelta(days=1)),
            page=page,
            page_size=PAGE_SIZE,
        )
        return self._recall_result(found, turn, f"what was said from {start_date} to {end_date}")

    @model_function()
    def archival_memory_insert(self, turn: Turn, text: Note) -> FunctionResult:
        """Keep a longer note in the archive."""
        if not text.strip():
            raise FunctionError("The text is empty. Give the note to keep.")
        is_new = self._archival.insert_note(text)
        done = "Saved in the archive. " if is_new else "The archive holds that note already. "
        return FunctionResult(done + prompts.next_step(turn.question), changed_memory=is_new)

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


def _spec(method: Callable[..., FunctionResult]) -> FunctionSpec:
    parameters = list(inspect.signature(method).parameters.values())[1:]
    hints = get_type_hints(method, include_extras=True)
    fields: dict[str, Any] = {
        p.name: (hints[p.name], ... if p.default is p.empty else p.default) for p in parameters
    }
    name = method.__name__
    shown = ", ".join(
        p.name if p.default is p.empty else f"{p.name}={p.default}" for p in parameters
    )
    return FunctionSpec(
        name=name,
        signature=f"{name}({shown})",
        description=(inspect.getdoc(method) or "").split("\n\n")[0].replace("\n", " "),
        arguments=create_model(name, __config__=ConfigDict(extra="forbid"), **fields),
        run=method,
        is_search=vars(method.__func__)["model_function"],  # type: ignore[attr-defined]
    )


def _call_schema(spec: FunctionSpec, thoughts: int) -> dict[str, object]:
    properties: dict[str, object] = {
        "inner_thoughts": {"type": "string", "minLength": 1, "maxLength": thoughts},
        "function": {"const": spec.name},
        "params": _without_titles(spec.arguments.model_json_schema()),
    }
    if spec.name not in LAST_CALLS:
        properties["request_heartbeat"] = {"type": "boolean"}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _without_titles(schema: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(schema, dict):
        noise = {"title", "default"}
        return {
            key: _without_titles(value)
            for key, value in schema.items()
            if key not in noise or isinstance(value, dict)
        }
    if isinstance(schema, list):
        return [_without_titles(item) for item in schema]
    return schema
