"""Recall storage on DuckDB: every message ever, searched by words and by date."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import duckdb

from pagekeeper_core.messages import FunctionCall, Message, MessageKind, storable_text
from pagekeeper_core.records import RecallHit, SearchPage
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.paging import page_offset, page_with
from pagekeeper_core.storage.search_terms import index_terms, query_terms

__all__ = ["DuckDBRecallStore"]

_COUNT = "SELECT count(*) FROM messages"
_MESSAGES = "SELECT seq, kind, text, prompt_text, created_at, call FROM messages"

# BM25 (k1 = 1.2, b = 0.75) for each query by itself, then reciprocal rank fusion (k = 60). Scores
# are rounded so that equal texts tie, whatever the order of the sums. `found` is read twice, and
# scanning the terms is most of the work: hence MATERIALIZED.
_SEARCH = """
WITH wanted AS (SELECT unnest($numbers) AS query, unnest($terms) AS term),
collection AS (
    SELECT count(*) AS size, avg(term_count) AS mean FROM messages WHERE term_count > 0
),
found AS MATERIALIZED (
    SELECT query, term, seq, times FROM terms JOIN wanted USING (term)
    WHERE $before IS NULL OR seq < $before
),
rarity AS (
    SELECT query, term, ln(1 + (any_value(size) - count(*) + 0.5) / (count(*) + 0.5)) AS weight
    FROM found, collection GROUP BY query, term
),
scored AS (
    SELECT query, seq, round(sum(
        weight * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * term_count / mean))), 9) AS score
    FROM found JOIN rarity USING (query, term) JOIN messages USING (seq), collection
    GROUP BY query, seq
),
ranked AS (
    SELECT seq, rank() OVER (PARTITION BY query ORDER BY score DESC) AS place FROM scored
)
SELECT seq, round(sum(1 / (60 + place)), 9) AS fused, count(*) OVER () AS total
FROM ranked GROUP BY seq ORDER BY fused DESC, seq DESC LIMIT $limit OFFSET $offset
"""

_SAID_THEN = """
WHERE kind IN ('user', 'assistant') AND text <> '' AND created_at >= $start AND created_at < $end
"""


class DuckDBRecallStore:
    """The conversation, appended to and never changed."""

    def __init__(self, database: Database) -> None:
        """Take up the conversation in `database`; a gap in its numbers becomes a notice.

        Raises:
            StoreError: It cannot be read.
        """
        self._database = database
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

    def read(self, first_seq: int, last_seq: int | None = None) -> list[Message]:
        """Messages `first_seq` to `last_seq` (inclusive; None: the newest), in order."""
        query = f"{_MESSAGES} WHERE seq >= $first"
        parameters = {"first": max(first_seq, 0)}
        if last_seq is not None:
            query += " AND seq <= $last"
            parameters["last"] = max(last_seq, 0)
        return [_message(row) for row in self._database.rows(query + " ORDER BY seq", parameters)]

    def read_last(self, count: int, *, before_seq: int | None = None) -> list[Message]:
        """The newest `count` messages (of those before `before_seq`), in order."""
        query = _MESSAGES
        parameters = {"count": max(count, 0)}
        if before_seq is not None:
            query += " WHERE seq < $before"
            parameters["before"] = max(before_seq, 0)
        rows = self._database.rows(f"{query} ORDER BY seq DESC LIMIT $count", parameters)
        return [_message(row) for row in reversed(rows)]

    def count(self) -> int:
        """How many messages there are, which is the newest one's sequence number."""
        return int(self._database.rows("SELECT coalesce(max(seq), 0) FROM messages")[0][0])

    def search(
        self,
        queries: Sequence[str],
        *,
        page: int = 1,
        page_size: int = 5,
        before_seq: int | None = None,
    ) -> SearchPage[RecallHit]:
        """What was said that matches any query, best first, newer first among equals."""
        wanted = [(n, term) for n, query in enumerate(queries) for term in query_terms(query)]
        if not wanted:
            return page_with((), page, page_size, 0)
        parameters = {
            "numbers": [number for number, _ in wanted],
            "terms": [term for _, term in wanted],
            "before": before_seq,
            "limit": page_size,
            "offset": page_offset(page, page_size),
        }
        rows = self._database.rows(_SEARCH, parameters)
        if not rows and page > 1:
            total = self.search(queries, page_size=1, before_seq=before_seq).total
            return page_with((), page, page_size, total)
        return page_with(self._hits(rows), page, page_size, rows[0][2] if rows else 0)

    def search_dates(
        self, start: datetime, end: datetime, *, page: int = 1, page_size: int = 5
    ) -> SearchPage[RecallHit]:
        """What was said from `start` to before `end`, oldest first; every score is 1.

        Raises:
            ValueError: `start` or `end` has no time zone.
        """
        span = {"start": _in_utc(start), "end": _in_utc(end)}
        total = self._database.rows(f"{_COUNT} {_SAID_THEN}", span)[0][0]
        rows = self._database.rows(
            f"{_MESSAGES} {_SAID_THEN} ORDER BY created_at, seq LIMIT $limit OFFSET $offset",
            {**span, "limit": page_size, "offset": page_offset(page, page_size)},
        )
        return page_with([RecallHit(_message(row), 1.0) for row in rows], page, page_size, total)

    def _hits(self, rows: Sequence[tuple[int, float, int]]) -> list[RecallHit]:
        query = f"{_MESSAGES} WHERE list_contains(?, seq)"
        found = self._database.rows(query, [[seq for seq, _, _ in rows]])
        messages = {message.seq: message for message in map(_message, found)}
        return [RecallHit(messages[seq], score) for seq, score, _ in rows]


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
        "INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            message.seq,
            message.kind.value,
            message.text,
            message.prompt_text,
            message.created_at,
            _call_json(message.call),
            terms.total(),
        ],
    )
    connection.execute(
        "INSERT INTO terms SELECT unnest(?::VARCHAR[]), ?, unnest(?::UINTEGER[])",
        [list(terms), message.seq, list(terms.values())],
    )


def _message(row: Sequence[Any]) -> Message:
    seq, kind, text, prompt_text, created_at, call = row
    moment = created_at.astimezone(UTC)
    return Message(MessageKind(kind), text, prompt_text, moment, _call(call), seq)


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
