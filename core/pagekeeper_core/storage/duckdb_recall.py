"""Recall storage on DuckDB: every message ever, searched by words, meaning, date and speaker."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import duckdb

from pagekeeper_core.errors import Cancelled
from pagekeeper_core.messages import Citation, FunctionCall, Message, MessageKind, storable_text
from pagekeeper_core.protocols import EVERYTHING_SAID
from pagekeeper_core.records import RecallFilter, RecallHit, Retrieval, SearchPage
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.lancedb_recall_index import LanceDBRecallIndex
from pagekeeper_core.storage.paging import page_offset, page_with
from pagekeeper_core.storage.search_terms import index_terms, query_terms, term_number

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from pagekeeper_core.storage.recall_postings import Postings
    from pagekeeper_core.storage.recall_ranking import Ranking

__all__ = ["DuckDBRecallStore", "message_row", "message_terms", "posting_rows", "storable"]

_COUNT = "SELECT count(*) FROM messages"
_NUMBERS = "SELECT seq FROM messages"
_PLACES = "SELECT seq, thread_id FROM messages"
_MESSAGES = (
    "SELECT seq, kind, text, prompt_text, created_at, call, thread_id, citations FROM messages"
)

_COLLECTION = "SELECT count(*), avg(term_count) FROM messages WHERE term_count > 0"

_MEANING_DEPTH = 50

_SAID = "kind IN ('user', 'assistant') AND text <> ''"


class DuckDBRecallStore:
    """The conversation, appended to and never changed."""

    def __init__(
        self,
        database: Database,
        index: LanceDBRecallIndex | None = None,
        *,
        retrieval: Retrieval = Retrieval.HYBRID,
    ) -> None:
        """Take up the conversation in `database`; a gap in its numbers becomes a notice.

        With an `index`, searches find by meaning too, while it is ready; `retrieval` says whether
        they go by both.

        Raises:
            StoreError: It cannot be read.
        """
        self._database = database
        self._index = index if retrieval is not Retrieval.WORDS else None
        self._goes_by_words = retrieval is not Retrieval.VECTORS
        stored, newest = database.rows("SELECT count(*), coalesce(max(seq), 0) FROM messages")[0]
        if stored != newest:
            database.notice(
                f"{newest - stored} of {newest} messages are missing from {database.path}: "
                "the file was damaged. All others are there."
            )

    def append(self, message: Message) -> Message:
        """Store a message and its search terms in one transaction.

        Gives it back as it is stored: with its number, in UTC, without what no database can hold.

        Raises:
            StoreError: It could not be written; nothing was.
            ValueError: `created_at` has no time zone.
        """
        cleaned = storable(message)
        terms = message_terms(cleaned)
        with self._database.transaction() as connection:
            newest = connection.execute("SELECT coalesce(max(seq), 0) FROM messages").fetchone()
            stored = replace(cleaned, seq=int(newest[0]) + 1 if newest else 1)
            _insert(connection, stored, terms)
        return stored

    def read(
        self, first_seq: int, last_seq: int | None = None, *, thread_id: int | None = None
    ) -> list[Message]:
        """Messages `first_seq` to `last_seq` (inclusive; None: the newest), in order."""
        rows = self._database.rows(
            f"{_MESSAGES} WHERE seq >= $first AND ($last IS NULL OR seq <= $last) "
            "AND ($thread IS NULL OR thread_id = $thread) ORDER BY seq",
            {
                "first": max(first_seq, 0),
                "last": None if last_seq is None else max(last_seq, 0),
                "thread": thread_id,
            },
        )
        return [_message(row) for row in rows]

    def read_last(
        self, count: int, *, before_seq: int | None = None, thread_id: int | None = None
    ) -> list[Message]:
        """The newest `count` messages (of those before `before_seq`), in order."""
        rows = self._database.rows(
            f"{_MESSAGES} WHERE ($before IS NULL OR seq < $before) "
            "AND ($thread IS NULL OR thread_id = $thread) ORDER BY seq DESC LIMIT $count",
            {
                "count": max(count, 0),
                "before": None if before_seq is None else max(before_seq, 0),
                "thread": thread_id,
            },
        )
        return [_message(row) for row in reversed(rows)]

    def count(self) -> int:
        """How many messages there are, which is the newest one's sequence number."""
        return int(self._database.rows("SELECT coalesce(max(seq), 0) FROM messages")[0][0])

    def search(
        self,
        queries: Sequence[str],
        *,
        where: RecallFilter = EVERYTHING_SAID,
        page: int = 1,
        page_size: int = 5,
    ) -> SearchPage[RecallHit]:
        """What was said that matches any query, best first, newer first among equals.

        Without a query, all that `where` admits, oldest first; every score is 1.

        Raises:
            ValueError: A date in `where` has no time zone.
        """
        if not queries:
            return self._in_order_of_time(where, page, page_size)
        with_words = self._by_words(queries, where) if self._goes_by_words else []
        rankings = [*with_words, *self._by_meaning(queries, where)]
        if not rankings:
            return page_with((), page, page_size, 0)
        from pagekeeper_core.storage.recall_ranking import fused  # noqa: PLC0415 - slow import

        found, total = fused(rankings, page_offset(page, page_size), page_size)
        return page_with(self._hits(found), page, page_size, total)

    def tidy(self, cancel: threading.Event) -> None:
        """Pack the older postings, so that a search by words reads less.

        Raises:
            Cancelled: `cancel` was set; what is packed is kept.
            StoreError: The database cannot be read or written.
        """
        from pagekeeper_core.storage.recall_postings import (  # noqa: PLC0415 - slow import
            pack_postings,
        )

        while pack_postings(self._database):
            if cancel.is_set():
                raise Cancelled

    def _by_words(self, queries: Sequence[str], where: RecallFilter) -> "list[Ranking]":
        from pagekeeper_core.storage.recall_postings import (  # noqa: PLC0415 - slow import
            find_postings,
        )
        from pagekeeper_core.storage.recall_ranking import (  # noqa: PLC0415 - slow import
            Said,
            by_words,
        )

        wanted = [query_terms(query) for query in queries]
        found = find_postings(self._database, sorted({term for terms in wanted for term in terms}))
        if not found:
            return []
        admitted = self._admission(where)
        found = {term: admitted(postings) for term, postings in found.items()}
        said = Said(*self._database.rows(_COLLECTION)[0])
        return [by_words([found[t] for t in terms if t in found], said) for terms in wanted]

    def _by_meaning(self, queries: Sequence[str], where: RecallFilter) -> "list[Ranking]":
        from pagekeeper_core.storage.recall_ranking import by_meaning  # noqa: PLC0415 - slow import

        if self._index is None:
            return []
        asked = [storable_text(query) for query in queries if query.strip()]
        near = [self._index.nearest(query, where, _MEANING_DEPTH) for query in asked]
        there = self._there({seq for seqs in near for seq in seqs}, where)
        return [
            by_meaning((seq, there[seq], rank) for rank, seq in enumerate(seqs, 1) if seq in there)
            for seqs in near
        ]

    def _there(self, seqs: Collection[int], where: RecallFilter) -> dict[int, int]:
        """Those of these messages that are stored and `where` admits, with their conversations."""
        if not seqs:
            return {}
        admitted, parameters = _conditions(where)
        query = f"{_PLACES} WHERE {_among(seqs)} AND {admitted}"
        return dict(self._database.rows(query, parameters))

    def _admission(self, where: RecallFilter) -> "Callable[[Postings], Postings]":
        """Takes out of postings those of messages that `where` does not admit."""
        from pagekeeper_core.storage.recall_postings import admission  # noqa: PLC0415 - slow

        in_dates = in_gap = None
        if where.start is not None or where.end is not None:
            in_dates = self._between(where.start, where.end)
        if where.outside is not None:
            in_gap = self._between(*where.outside)
        return admission(where, in_dates=in_dates, in_gap=in_gap)

    def _between(self, start: datetime | None, end: datetime | None) -> "npt.NDArray[np.uint64]":
        """Numbers of the messages of that time, as an array."""
        then, parameters = _conditions(RecallFilter(start=start, end=end))
        numbers: npt.NDArray[np.uint64]
        numbers = self._database.columns(f"{_NUMBERS} WHERE {then}", parameters)["seq"]
        return numbers

    def _in_order_of_time(
        self, where: RecallFilter, page: int, page_size: int
    ) -> SearchPage[RecallHit]:
        admitted, parameters = _conditions(where)
        total = self._database.rows(f"{_COUNT} WHERE {admitted}", parameters)[0][0]
        rows = self._database.rows(
            f"{_MESSAGES} WHERE {admitted} ORDER BY created_at, seq LIMIT $limit OFFSET $offset",
            {**parameters, "limit": page_size, "offset": page_offset(page, page_size)},
        )
        return page_with([RecallHit(_message(row), 1.0) for row in rows], page, page_size, total)

    def _hits(self, found: Sequence[tuple[int, float]]) -> list[RecallHit]:
        if not found:
            return []
        query = f"{_MESSAGES} WHERE {_among([seq for seq, _ in found])}"
        messages = {message.seq: message for message in map(_message, self._database.rows(query))}
        return [RecallHit(messages[seq], score) for seq, score in found]


def _among(seqs: Iterable[int]) -> str:
    """An SQL condition on messages: DuckDB finds literal numbers by its index, a list by a scan."""
    return f"seq IN ({', '.join(map(str, seqs))})"


def _conditions(where: RecallFilter) -> tuple[str, dict[str, object]]:
    """A filter as an SQL condition on `messages`, and its parameters."""
    wanted: list[tuple[str, dict[str, object]]] = [(_SAID, {})]
    if where.speaker is not None:
        wanted.append(("kind = $speaker", {"speaker": where.speaker.value}))
    if where.start is not None:
        wanted.append(("created_at >= $start", {"start": _in_utc(where.start)}))
    if where.end is not None:
        wanted.append(("created_at < $end", {"end": _in_utc(where.end)}))
    if where.outside is not None:
        start, end = map(_in_utc, where.outside)
        wanted.append(
            ("(created_at < $gap OR created_at >= $gap_end)", {"gap": start, "gap_end": end})
        )
    if where.thread_id is not None:
        wanted.append(("thread_id = $thread", {"thread": where.thread_id}))
    if where.before_seq is not None:
        wanted.append(("seq < $before", {"before": max(where.before_seq, 0)}))
    if where.seen is not None:
        thread, first = where.seen
        wanted.append(
            ("(thread_id <> $seen_in OR seq < $seen_from)", {"seen_in": thread, "seen_from": first})
        )
    if where.hidden:
        wanted.append(("NOT list_contains($hidden, seq)", {"hidden": sorted(where.hidden)}))
    parameters = {name: value for _, given in wanted for name, value in given.items()}
    return " AND ".join(condition for condition, _ in wanted), parameters


def _is_said(message: Message) -> bool:
    return message.kind in {MessageKind.USER, MessageKind.ASSISTANT}


def _in_utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no time zone")
    return moment.astimezone(UTC)


def message_terms(message: Message) -> Counter[str]:
    """The words by which a message is found, and how often it has each."""
    return Counter(index_terms(message.text) if _is_said(message) else ())


def storable(message: Message) -> Message:
    """The message in UTC, without what no database can hold.

    Raises:
        ValueError: `created_at` has no time zone.
    """
    return replace(
        message,
        text=storable_text(message.text),
        prompt_text=storable_text(message.prompt_text),
        created_at=_in_utc(message.created_at),
        call=_call(_call_json(message.call)),
        citations=_citations(_citations_json(message.citations)),
    )


def message_row(message: Message, terms: Counter[str]) -> tuple[object, ...]:
    """A numbered message, as `storable` made it, as a row of `messages`."""
    return (
        message.seq,
        message.kind.value,
        message.text,
        message.prompt_text,
        message.created_at,
        _call_json(message.call),
        terms.total(),
        message.thread_id,
        _citations_json(message.citations),
    )


def posting_rows(
    message: Message, terms: Counter[str]
) -> list[tuple[int, int, int, int, int, bool]]:
    """The search terms of a numbered message as rows of `new_postings`."""
    by_user = message.kind is MessageKind.USER
    length = terms.total()
    return [
        (term_number(term), message.seq, times, length, message.thread_id, by_user)
        for term, times in terms.items()
    ]


def _insert(connection: duckdb.DuckDBPyConnection, message: Message, terms: Counter[str]) -> None:
    connection.execute(
        "INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", message_row(message, terms)
    )
    postings = posting_rows(message, terms)
    connection.execute(
        "INSERT INTO new_postings SELECT unnest(?::UBIGINT[]), ?, unnest(?::UINTEGER[]), ?, ?, ?",
        [
            [row[0] for row in postings],
            message.seq,
            [row[2] for row in postings],
            terms.total(),
            message.thread_id,
            message.kind is MessageKind.USER,
        ],
    )


def _message(row: Sequence[Any]) -> Message:
    seq, kind, text, prompt_text, created_at, call, thread_id, citations = row
    return Message(
        MessageKind(kind),
        text,
        prompt_text,
        created_at.astimezone(UTC),
        _call(call),
        seq,
        thread_id,
        _citations(citations),
    )


def _call_json(call: FunctionCall | None) -> str | None:
    if call is None:
        return None
    fields = {
        "name": call.name,
        "arguments": dict(call.arguments),
        "inner_thoughts": call.inner_thoughts,
        "request_heartbeat": call.request_heartbeat,
    }
    return storable_text(json.dumps(fields, ensure_ascii=False))


def _call(text: str | None) -> FunctionCall | None:
    return None if text is None else FunctionCall(**json.loads(text))


def _citations_json(citations: Sequence[Citation]) -> str | None:
    if not citations:
        return None
    return storable_text(json.dumps([asdict(cited) for cited in citations], ensure_ascii=False))


def _citations(text: str | None) -> tuple[Citation, ...]:
    return () if text is None else tuple(Citation(**fields) for fields in json.loads(text))
