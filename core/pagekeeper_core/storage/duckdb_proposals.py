"""What idle work proposes, what became of it, and how far it has read, on DuckDB."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import duckdb

from pagekeeper_core.errors import StoreError
from pagekeeper_core.messages import storable_text
from pagekeeper_core.records import Proposal, ProposalState, Target, TargetKind
from pagekeeper_core.storage.duckdb_database import Database, next_number

__all__ = ["DuckDBProposalStore"]

_PROPOSALS = """
SELECT target_kind, target_name, before, after, reason, sources, proposals.made_at,
    successor, proposal_id
FROM proposals LEFT JOIN proposal_decisions USING (proposal_id)
WHERE coalesce(state, 'open') = ? ORDER BY proposal_id
"""


class DuckDBProposalStore:
    """Appended to and never changed: a decision is a row of its own."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, proposal: Proposal) -> Proposal:
        """Store a proposal durably, open; gives it back as it is stored, with its number.

        Raises:
            StoreError: It could not be written; nothing was.
        """
        with self._database.transaction() as connection:
            stored = replace(
                proposal,
                before=storable_text(proposal.before),
                after=storable_text(proposal.after),
                reason=storable_text(proposal.reason),
                at=proposal.at.astimezone(UTC),
                state=ProposalState.OPEN,
                proposal_id=next_number(connection, "proposals", "proposal_id"),
            )
            _insert(connection, stored)
        return stored

    def proposals(self, state: ProposalState = ProposalState.OPEN) -> list[Proposal]:
        """The proposals in this state, oldest first."""
        rows = self._database.rows(_PROPOSALS, [state.value])
        return [_proposal(row, state) for row in rows]

    def decide(self, proposal_id: int, state: ProposalState, at: datetime) -> None:
        """Note what became of it.

        Raises:
            StoreError: There is no such proposal, it is decided already, or it could not be
                written.
        """
        with self._database.transaction() as connection:
            _check_open(connection, proposal_id)
            connection.execute(
                "INSERT INTO proposal_decisions VALUES (?, ?, ?)",
                [proposal_id, state.value, at.astimezone(UTC)],
            )

    def read_until(self) -> int:
        """The newest message that consolidation has read; 0 before the first."""
        rows = self._database.rows("SELECT coalesce(max(read_until), 0) FROM consolidations")
        return int(rows[0][0])

    def mark_read(self, seq: int, at: datetime) -> None:
        """Note that consolidation has read up to this message.

        Raises:
            StoreError: It could not be written; nothing was.
        """
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO consolidations VALUES (?, ?)", [seq, at.astimezone(UTC)]
            )


def _check_open(connection: duckdb.DuckDBPyConnection, proposal_id: int) -> None:
    found = connection.execute(
        "SELECT state FROM proposals LEFT JOIN proposal_decisions USING (proposal_id) "
        "WHERE proposal_id = ?",
        [proposal_id],
    ).fetchone()
    if found is None:
        raise StoreError(f"There is no proposal {proposal_id}.", hint="Choose one from the list.")
    if found[0] is not None:
        raise StoreError(f"Proposal {proposal_id} is decided already: {found[0]}.")


def _insert(connection: duckdb.DuckDBPyConnection, proposal: Proposal) -> None:
    connection.execute(
        "INSERT INTO proposals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            proposal.proposal_id,
            proposal.target.kind.value,
            proposal.target.name,
            proposal.before,
            proposal.after,
            proposal.reason,
            list(proposal.sources),
            proposal.at,
            proposal.successor,
        ],
    )


def _proposal(row: tuple[Any, ...], state: ProposalState) -> Proposal:
    kind, name, before, after, reason, sources, made_at, successor, proposal_id = row
    return Proposal(
        Target(TargetKind(kind), name),
        before,
        after,
        reason,
        tuple(sources),
        made_at.astimezone(UTC),
        state=state,
        successor=successor,
        proposal_id=proposal_id,
    )
