"""Search results as the model reads them: numbered lines within a budget.

Plain lines that end by repeating the question are read better by small models than JSON (measured
on the deep-memory-retrieval task: 15 of 20 against 13).
"""

from collections.abc import Sequence
from typing import Any

from pagekeeper_core import fence, prompts
from pagekeeper_core.facts import Fact
from pagekeeper_core.messages import Message
from pagekeeper_core.protocols import Clock, TokenCounter
from pagekeeper_core.records import ArchivalHit, MemoryChange, SearchPage
from pagekeeper_core.wording import shared_gist

__all__ = [
    "cut_to_tokens",
    "lines_about",
    "newest_lines",
    "passage_line",
    "past_fact_line",
    "recall_line",
    "result_page",
]

SHORTEST_LINE = 40
"""Characters of a result that are always shown."""

LONGEST_TITLE = 80
"""Characters of a document's title, and of a place in it, that a line shows."""


def lines_about(text: str, question: str, *, words: int = 1, most: int = 3) -> list[str]:
    """The lines of a text that share so many words with a question, the one with most of them last.

    A small model reads the last thing best.
    """
    shared = {line: shared_gist(line, question) for line in text.splitlines()}
    about = sorted((line for line in shared if shared[line] >= words), key=shared.__getitem__)
    return about[-most:]


def cut_to_tokens(text: str, limit: int, counter: TokenCounter) -> str:
    """The longest beginning of `text`, cut between characters, of at most `limit` tokens."""
    if counter.count(text) <= limit:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if counter.count(text[:middle]) <= limit:
            low = middle
        else:
            high = middle - 1
    return text[:low]


def newest_lines(text: str, limit: int, counter: TokenCounter) -> str:
    """The last lines of `text` that fit into `limit` tokens: what was added last is among them."""
    lines = text.splitlines()
    shown = len(lines)
    while shown > 1 and counter.count("\n".join(lines[-shown:])) > limit:
        shown -= 1
    kept = lines[len(lines) - shown :]
    return "\n".join(kept if shown == len(lines) else ["…", *kept])


def passage_line(hit: ArchivalHit, superseded: MemoryChange | None, clock: Clock) -> str:
    """A passage as a line: where it is from, from when until when it held, what it says.

    Text of documents stands in its fence; notes are the assistant's own.
    """
    names = (hit.source, hit.passage.location)
    source = ", ".join(fence.name_line(name, LONGEST_TITLE) for name in names if name)
    if superseded is not None:
        began, ended = (clock.to_local(at) for at in (hit.created_at, superseded.at))
        source += f", from {began:%Y-%m-%d} until {ended:%Y-%m-%d}"
    text = fence.fenced(hit.passage.text) if hit.document_id else hit.passage.text
    return f"{source}: {text}"


def past_fact_line(fact: Fact, clock: Clock) -> str:
    """A line that stood in a block once: from when until when, what it said, what holds instead."""
    began = f"from {clock.to_local(fact.valid_from):%Y-%m-%d} " if fact.valid_from else ""
    ended = f"until {clock.to_local(fact.valid_to):%Y-%m-%d}" if fact.valid_to else "once"
    now = f" (now: {fact.replaced_by})" if fact.replaced_by else ""
    return f"({began}{ended}) {fact.text}{now}"


def recall_line(message: Message, clock: Clock) -> str:
    """A message as a line: when, who, what."""
    at = clock.to_local(message.created_at)
    return f"({at:%Y-%m-%d %H:%M}, {message.kind}) {' '.join(message.text.split())}"


def result_page(
    lines: Sequence[str],
    found: SearchPage[Any],
    *,
    what: str,
    question: str,
    limit: int,
    counter: TokenCounter,
    numbered: bool = True,
) -> str:
    """One page of results, at least one, never longer than `limit` tokens.

    Lines that are too long are shortened evenly, so that every result stays visible. They get
    numbers, unless they bring what tells one from the other.
    """
    head = f"Found {cut_to_tokens(what, limit // 6, counter)} (page {found.page} of {found.pages}):"
    tail = prompts.after_results(cut_to_tokens(question, limit // 6, counter))
    room = limit - counter.count(head) - counter.count(tail) - 6 * len(lines)
    share = max(room // len(lines), 1)
    longest = max(len(line) for line in lines)
    if sum(counter.count(line) for line in lines) > room:
        longest = max(SHORTEST_LINE, *(len(cut_to_tokens(line, share, counter)) for line in lines))
    shown = [_shortened(line, longest) for line in lines]
    body = "\n".join(f"{i}. {line}" if numbered else line for i, line in enumerate(shown, 1))
    return f"{head}\n{fence.closed(cut_to_tokens(body, max(room, 1), counter))}\n{tail}"


def _shortened(line: str, longest: int) -> str:
    flat = " ".join(line.split())
    return flat if len(flat) <= longest else fence.closed(flat[: longest - 1] + "…")
