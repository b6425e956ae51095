"""`pagekeeper memory search`: what memory holds about some words, without the language model."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from pagekeeper_core.clock import SystemClock
from pagekeeper_core.dates import DateRange, find_range
from pagekeeper_core.errors import ModelError, StoreError
from pagekeeper_core.memory_history import superseded_among
from pagekeeper_core.messages import MessageKind, storable_text
from pagekeeper_core.protocols import EVERYTHING_SAID, StateStore
from pagekeeper_core.provenance import Explanation
from pagekeeper_core.records import (
    ArchivalHit,
    ChangeAction,
    MemoryChange,
    RecallFilter,
    RecallHit,
    SearchPage,
    Target,
    TargetKind,
)
from pagekeeper_core.relevance import is_relevant
from pagekeeper_core.wording import folded
from pagekeeper_desktop.cli.changes import speaker
from pagekeeper_desktop.cli.console import Console
from pagekeeper_desktop.cli.identifiers import target_named
from pagekeeper_desktop.cli.invocation import Invocation, UsageError
from pagekeeper_desktop.cli.moments import day, minute
from pagekeeper_desktop.cli.session import open_memory
from pagekeeper_desktop.composition import Memory
from pagekeeper_desktop.view_models.call_phrases import block_title
from pagekeeper_desktop.view_models.formatting import is_blank, one_line

__all__ = ["Search", "look_up", "run", "write_found"]

_LONGEST_LINE = 200
_SPEAKERS = {"you": MessageKind.USER, "keeper": MessageKind.ASSISTANT}


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for.

    Attributes:
        text: Words; empty for all that the filter admits.
        where: What it is looked for in.
        page: The page of the results, from 1.
    """

    text: str
    where: RecallFilter = EVERYTHING_SAID
    page: int = 1

    @property
    def in_conversations_only(self) -> bool:
        """Whether the filter is about what was said: the archive knows no speaker and no day."""
        return self.where != EVERYTHING_SAID or not self.text


@dataclass(frozen=True, slots=True)
class FoundThings:
    """What was found.

    Attributes:
        said: Messages.
        archived: Passages; None where the search was about conversations, or the archive failed.
        lines: Of the blocks, those that ended too.
        endings: What is forgotten or superseded among them, with the change that made it so.
        weak: Passages of low relevance.
        fault: Why the archive could not be searched.
    """

    said: SearchPage[RecallHit]
    archived: SearchPage[ArchivalHit] | None
    lines: tuple[Explanation, ...]
    endings: Mapping[Target, MemoryChange]
    weak: frozenset[str] = frozenset()
    fault: ModelError | StoreError | None = None


def run(invocation: Invocation, console: Console) -> int:
    """Write what blocks, recall and archive hold about the words.

    Raises:
        UsageError: There are no words, or a date makes no sense.
        ModelError: The archive needs the embedder, and it is missing; the rest is written.
        StoreError: The same, where the archive cannot be read.
    """
    search = _search(invocation)
    with open_memory(invocation.options, console) as memory:
        if search.where.thread_id:
            memory.threads.get(search.where.thread_id)
        found = look_up(memory, search)
    if invocation.json:
        console.emit({"query": search.text, **_fields(found, search)})
    else:
        write_found(found, console)
    if found.fault:
        raise found.fault
    return 0


def look_up(memory: Memory, search: Search) -> FoundThings:
    """Search all that memory holds; what is at fault with the archive hides nothing else."""
    queries = [search.text] if search.text else []
    said = memory.recall.search(queries, where=search.where, page=search.page)
    endings = _endings(memory.state)
    if search.in_conversations_only:
        return FoundThings(said, None, (), endings)
    lines = _lines(memory, search.text)
    try:
        archived = memory.archival.search(queries, page=search.page)
    except (ModelError, StoreError) as error:
        return FoundThings(said, None, lines, endings, fault=error)
    weak = {hit.passage_id for hit in archived.hits if not is_relevant(hit, queries)}
    return FoundThings(said, archived, lines, endings, frozenset(weak))


def write_found(found: FoundThings, console: Console) -> None:
    """Write it, each thing with the name that `why` and `forget` take."""
    for line in found.lines:
        text = one_line(line.text, _LONGEST_LINE)
        until = f"  (until {day(line.until)})" if line.until else ""
        console.line(f"{block_title(line.target.name)}: {text}{until}")
    console.line(_heading("Conversations", found.said))
    for hit in found.said.hits:
        target = Target(TargetKind.MESSAGE, str(hit.message.seq))
        text = one_line(hit.message.text, _LONGEST_LINE)
        console.line(
            f"  {target_named(target)}  {minute(hit.message.created_at)}  "
            f"{speaker(hit.message)}: {text}{_mark(found.endings.get(target))}"
        )
    if found.archived is None:
        return
    console.line(_heading("Notes and documents", found.archived))
    for passage in found.archived.hits:
        target = Target(TargetKind.PASSAGE, passage.passage_id)
        text = one_line(passage.passage.text, _LONGEST_LINE)
        weak = "  (low relevance)" if passage.passage_id in found.weak else ""
        mark = _mark(found.endings.get(target))
        console.line(f"  {target_named(target)}  {_source(passage)}: {text}{mark}{weak}")


def _search(invocation: Invocation) -> Search:
    given = invocation.arguments
    text = storable_text(" ".join(given.text)).strip()
    start, end = _span(given.when, given.start, given.end)
    where = RecallFilter(
        speaker=_SPEAKERS[given.by] if given.by else None,
        start=start,
        end=end,
        thread_id=given.thread,
    )
    if is_blank(text) and (given.text or where == EVERYTHING_SAID):
        raise UsageError("there is nothing to search for: the text is empty")
    return Search(text, where, given.page)


def _span(when: str | None, first: str | None, last: str | None) -> tuple[datetime | None, ...]:
    if when is not None:
        if first is not None or last is not None:
            raise UsageError("--when says it all: leave out --from and --to")
        meant = _range(when)
        return meant.start, meant.end
    start = None if first is None else _range(first).start
    end = None if last is None else _range(last).end
    if start and end and start >= end:
        raise UsageError("--from is later than --to")
    return start, end


def _range(phrase: str) -> DateRange:
    clock = SystemClock()
    meant = find_range(phrase, clock.to_local(clock.now()))
    if meant is None:
        raise UsageError(
            f"'{phrase}' is no date that I understand; say it like 2026-03-01, yesterday, "
            "'last week', 'in March'"
        )
    return meant


def _endings(state: StateStore) -> dict[Target, MemoryChange]:
    passages = state.newest_changes(TargetKind.PASSAGE)
    changes = [*passages.values(), *state.newest_changes(TargetKind.MESSAGE).values()]
    ended = [change for change in changes if change.action is ChangeAction.FORGET]
    ended += superseded_among(passages.values()).values()
    return {change.target: change for change in ended}


def _lines(memory: Memory, text: str) -> tuple[Explanation, ...]:
    """Lines of the blocks that hold all the words, of each block those first that hold now."""
    provenance, words = memory.provenance(), folded(text).split()
    return tuple(
        line
        for name in memory.state.current_blocks()
        for line in provenance.why(Target(TargetKind.BLOCK, name))
        if all(word in folded(line.text) for word in words)
    )


def _mark(change: MemoryChange | None) -> str:
    if change is None:
        return ""
    if change.action is ChangeAction.FORGET:
        return f"  (forgotten {day(change.at)})"
    successor = target_named(Target(TargetKind.PASSAGE, change.successor))
    return f"  (until {day(change.at)}, now {successor})"


def _source(hit: ArchivalHit) -> str:
    return f"{hit.source}, {hit.passage.location}" if hit.passage.location else hit.source


def _heading(title: str, results: SearchPage[RecallHit] | SearchPage[ArchivalHit]) -> str:
    if not results.total:
        return f"{title}: nothing found"
    return f"{title}: {results.total} found, page {results.page} of {results.pages}"


def _fields(found: FoundThings, search: Search) -> dict[str, object]:
    """All results as JSON; the archive's are null when it could not be searched."""
    said = [_said_fields(hit, found.endings) for hit in found.said.hits]
    fields: dict[str, object] = {"conversations": {**_page_fields(found.said), "hits": said}}
    if search.in_conversations_only:
        return fields
    fields["blocks"] = [_line_fields(line) for line in found.lines]
    fields["archive"] = None
    if found.archived is not None:
        hits = [_archived_fields(hit, found) for hit in found.archived.hits]
        fields["archive"] = {**_page_fields(found.archived), "hits": hits}
    return fields


def _page_fields(results: SearchPage[RecallHit] | SearchPage[ArchivalHit]) -> dict[str, object]:
    return {"page": results.page, "pages": results.pages, "total": results.total}


def _line_fields(line: Explanation) -> dict[str, object]:
    return {
        "block": line.target.name,
        "text": line.text,
        "from": line.change.at.isoformat() if line.change else None,
        "until": line.until.isoformat() if line.until else None,
    }


def _said_fields(hit: RecallHit, endings: Mapping[Target, MemoryChange]) -> dict[str, object]:
    target = Target(TargetKind.MESSAGE, str(hit.message.seq))
    return {
        "id": target_named(target),
        "seq": hit.message.seq,
        "thread": hit.message.thread_id,
        "by": str(hit.message.kind),
        "at": hit.message.created_at.isoformat(),
        "text": hit.message.text,
        "score": hit.score,
        **_ending_fields(endings.get(target)),
    }


def _archived_fields(hit: ArchivalHit, found: FoundThings) -> dict[str, object]:
    target = Target(TargetKind.PASSAGE, hit.passage_id)
    return {
        "id": target_named(target),
        "source": hit.source,
        "location": hit.passage.location,
        "at": hit.created_at.isoformat(),
        "text": hit.passage.text,
        "score": hit.score,
        "low_relevance": hit.passage_id in found.weak,
        **_ending_fields(found.endings.get(target)),
    }


def _ending_fields(change: MemoryChange | None) -> dict[str, object]:
    if change is None:
        return {}
    is_forgotten = change.action is ChangeAction.FORGET
    return {"standing": "forgotten" if is_forgotten else "ended", "until": change.at.isoformat()}
