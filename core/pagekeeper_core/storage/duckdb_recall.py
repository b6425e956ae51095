"""Recall storage on DuckDB: every message ever, searched by words, meaning, date and speaker."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import duckdb

from pagekeeper_core.messages import FunctionCall, Message, MessageKind, storable_text
from pagekeeper_core.protocols import EVERYTHING_SAID
from pagekeeper_core.records import RecallFilter, RecallHit, SearchPage
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.lancedb_recall_index import LanceDBRecallIndex
from pagekeeper_core.storage.paging import page_offset, page_with
from pagekeeper_core.storage.search_terms import index_terms, query_terms

__all__ = ["DuckDBRecallStore"]

_COUNT = "SELECT count(*) FROM messages"
_MESSAGES = "SELECT seq, kind, text, prompt_text, created_at, call, thread_id FROM messages"

# BM25 (k1 = 1.2, b = 0.75) for each query by itself. Half of what the messages beside it in its
# conversation score is added, calls and results between them not counted: the question says what an
# answer is about. Then weighted reciprocal rank fusion with the rankings by meaning.
#
# On LoCoMo, by the same formulas outside the store: messages found of those that hold an answer,
# at 5 and 10, on two of five dialogues (377 questions): each message by its own words .497 / .576,
# with those beside it .564 / .640, with meaning .565 / .643. These two were seen while the weights
# were chosen on the other three, so the figures may flatter.
#
# Scores are rounded so that equal texts tie, whatever the order of the sums. `found` is read twice,
# and scanning the terms is most of the work: hence MATERIALIZED.
_SEARCH = """
WITH wanted AS (SELECT unnest($numbers) AS query, unnest($terms) AS term),
collection AS (
    SELECT count(*) AS size, avg(term_count) AS mean FROM messages WHERE term_count > 0
),
found AS MATERIALIZED (
    SELECT query, term, seq, times FROM terms JOIN wanted USING (term) {admitted}
),
rarity AS (
    SELECT query, term, ln(1 + (any_value(size) - count(*) + 0.5) / (count(*) + 0.5)) AS weight
    FROM found, collection GROUP BY query, term
),
own AS (
    SELECT query, thread_id, seq, sum(
        weight * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * term_count / mean))) AS score
    FROM found JOIN rarity USING (query, term) JOIN messages USING (seq), collection
    GROUP BY query, thread_id, seq
),
scored AS (
    SELECT query, seq, round(score
        + if(seq - lag(seq) OVER beside <= {beside}, lag(score) OVER beside / 2, 0)
        + if(lead(seq) OVER beside - seq <= {beside}, lead(score) OVER beside / 2, 0), 9) AS score
    FROM own WINDOW beside AS (PARTITION BY query, thread_id ORDER BY seq)
),
ranked AS (
    SELECT seq, 1 / ({constant} + rank() OVER (PARTITION BY query ORDER BY score DESC)) AS part
    FROM scored
    UNION ALL
    SELECT seq, {meaning} / ({constant} + place)
    FROM (SELECT unnest($near)::UBIGINT AS seq, unnest($places) AS place) JOIN messages USING (seq)
    {admitted}
)
SELECT seq, round(sum(part), 9) AS fused, count(*) OVER () AS total
FROM ranked GROUP BY seq ORDER BY fused DESC, seq DESC LIMIT $limit OFFSET $offset
"""
_FUSION_CONSTANT = 10
_MEANING_WEIGHT = 0.3
_MEANING_DEPTH = 50

# Numbers from a message to the one beside it: a call and its result may stand between them.
_BESIDE = 3

_SAID = "kind IN ('user', 'assistant') AND text <> ''"


class DuckDBRecallStore:
    """The conversation, appended to and never changed."""

    def __init__(self, database: Database, index: LanceDBRecallIndex | None = None) -> None:
        """Take up the conversation in `database`; a gap in its numbers becomes a notice.

        With an `index`, searches find by meaning too, while it is ready.

        Raises:
            StoreError: It cannot be read.
        """
        self._database = database
        self._index = index
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
        cleaned = _storable(message)
        terms = Counter(index_terms(cleaned.text) if _is_said(cleaned) else ())
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
        wanted = [(n, term) for n, query in enumerate(queries) for term in query_terms(query)]
        near = self._near(queries, where)
        if not wanted and not near:
            return page_with((), page, page_size, 0)
        statement, parameters = _search_statement(where)
        rows = self._database.rows(
            statement,
            {
                **parameters,
                "near": [seq for seq, _ in near],
                "places": [place for _, place in near],
                "numbers": [number for number, _ in wanted],
                "terms": [term for _, term in wanted],
                "limit": page_size,
                "offset": page_offset(page, page_size),
            },
        )
        if not rows and page > 1:
            total = self.search(queries, where=where, page_size=1).total
            return page_with((), page, page_size, total)
        return page_with(self._hits(rows), page, page_size, rows[0][2] if rows else 0)

    def _near(self, queries: Sequence[str], where: RecallFilter) -> list[tuple[int, int]]:
        """Messages near to any query in meaning, each with its place in that ranking."""
        if self._index is None:
            return []
        return [
            (seq, place)
            for query in queries
            if query.strip()
            for place, seq in enumerate(
                self._index.nearest(storable_text(query), where, _MEANING_DEPTH), start=1
            )
        ]

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

    def _hits(self, rows: Sequence[tuple[int, float, int]]) -> list[RecallHit]:
        query = f"{_MESSAGES} WHERE list_contains(?, seq)"
        found = self._database.rows(query, [[seq for seq, _, _ in rows]])
        messages = {message.seq: message for message in map(_message, found)}
        return [RecallHit(messages[seq], score) for seq, score, _ in rows]


def _search_statement(where: RecallFilter) -> tuple[str, dict[str, object]]:
    """The search for what `where` admits: only what was said has terms, so all needs no look-up."""
    admitted, parameters = _conditions(where)
    seqs = f"SELECT seq FROM messages WHERE {admitted}"  # noqa: S608 - conditions of our own
    statement = _SEARCH.format(
        admitted=f"WHERE seq IN ({seqs})" if parameters else "",
        beside=_BESIDE,
        constant=_FUSION_CONSTANT,
        meaning=_MEANING_WEIGHT,
    )
    return statement, parameters


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


def _storable(message: Message) -> Message:
    return replace(
        message,
        text=storable_text(message.text),
        prompt_text=storable_text(message.prompt_text),
        created_at=_in_utc(message.created_at),
        call=_call(_call_json(message.call)),
    )


def _insert(connection: duckdb.DuckDBPyConnection, message: Message, terms: Counter[str]) -> None:
    connection.execute(
        "INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            message.seq,
            message.kind.value,
            message.text,
            message.prompt_text,
            message.created_at,
            _call_json(message.call),
            terms.total(),
            message.thread_id,
        ],
    )
    connection.execute(
        "INSERT INTO terms SELECT unnest(?::VARCHAR[]), ?, unnest(?::UINTEGER[])",
        [list(terms), message.seq, list(terms.values())],
    )


def _message(row: Sequence[Any]) -> Message:
    seq, kind, text, prompt_text, created_at, call, thread_id = row
    moment = created_at.astimezone(UTC)
    return Message(MessageKind(kind), text, prompt_text, moment, _call(call), seq, thread_id)


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
