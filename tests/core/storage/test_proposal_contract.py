"""What every proposal store does: the real one and the double."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from helpers.memory_stores import MemoryProposalStore
from pagekeeper_core.errors import StoreError
from pagekeeper_core.protocols import ProposalStore
from pagekeeper_core.records import Proposal, ProposalState, Target, TargetKind
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.duckdb_proposals import DuckDBProposalStore

NOON = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)
HUMAN = Target(TargetKind.BLOCK, "human")


@pytest.fixture(params=["memory", "duckdb"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ProposalStore]:
    if request.param == "memory":
        yield MemoryProposalStore()
        return
    database = Database(tmp_path / "recall.duckdb")
    yield DuckDBProposalStore(database)
    database.close()


def proposal(after: str, *sources: int) -> Proposal:
    return Proposal(HUMAN, "", after, "You said so.", sources, NOON)


def test_a_proposal_comes_back_whole_and_waits(store: ProposalStore) -> None:
    merged = Proposal(
        Target(TargetKind.PASSAGE, "a1"),
        "Bento is a dog 🐶",
        "",
        "Another note says the same.",
        (3, 17),
        NOON,
        successor="b2",
    )
    first = store.add(proposal("Lives in Porto", 5))
    second = store.add(merged)
    assert (first.proposal_id, second.proposal_id) == (1, 2)
    assert second == replace(merged, proposal_id=2)
    assert store.proposals() == [first, second]
    assert store.proposals(ProposalState.DISMISSED) == []


def test_moments_are_kept_in_utc_and_text_storable(store: ProposalStore) -> None:
    lisbon = datetime.fromisoformat("2026-05-03T13:00:00+01:00")
    stored = store.add(replace(proposal("half \ud800"), at=lisbon))
    assert store.proposals() == [stored]
    assert (stored.at, stored.at.tzinfo, stored.after) == (NOON, UTC, "half \ufffd")


def test_a_new_proposal_is_open_whatever_it_says(store: ProposalStore) -> None:
    store.add(replace(proposal("Likes tea"), state=ProposalState.ACCEPTED))
    assert [p.state for p in store.proposals()] == [ProposalState.OPEN]


def test_a_decided_proposal_waits_no_more_and_stays_on_record(store: ProposalStore) -> None:
    for text in ("Lives in Porto", "Likes tea", "Has a cat", "Has a dog"):
        store.add(proposal(text))
    store.decide(1, ProposalState.ACCEPTED, NOON)
    store.decide(2, ProposalState.DISMISSED, NOON)
    store.decide(4, ProposalState.WITHDRAWN, NOON)
    assert [p.after for p in store.proposals()] == ["Has a cat"]
    accepted = store.proposals(ProposalState.ACCEPTED)
    assert [(p.after, p.state) for p in accepted] == [("Lives in Porto", ProposalState.ACCEPTED)]
    assert [p.after for p in store.proposals(ProposalState.DISMISSED)] == ["Likes tea"]
    assert [p.after for p in store.proposals(ProposalState.WITHDRAWN)] == ["Has a dog"]


def test_a_proposal_is_decided_once(store: ProposalStore) -> None:
    store.add(proposal("Lives in Porto"))
    with pytest.raises(StoreError, match="no proposal 2"):
        store.decide(2, ProposalState.ACCEPTED, NOON)
    store.decide(1, ProposalState.DISMISSED, NOON)
    with pytest.raises(StoreError, match="decided already"):
        store.decide(1, ProposalState.ACCEPTED, NOON)
    assert store.proposals(ProposalState.ACCEPTED) == []


def test_how_far_was_read_never_goes_back(store: ProposalStore) -> None:
    assert store.read_until() == 0
    store.mark_read(40, NOON)
    store.mark_read(12, NOON + timedelta(hours=1))
    assert store.read_until() == 40


def test_proposals_and_reading_outlive_the_program(tmp_path: Path) -> None:
    database = Database(tmp_path / "recall.duckdb")
    store = DuckDBProposalStore(database)
    kept = store.add(proposal("Lives in Porto", 2, 3))
    store.mark_read(7, NOON)
    database.close()
    again = Database(tmp_path / "recall.duckdb")
    reopened = DuckDBProposalStore(again)
    assert (reopened.proposals(), reopened.read_until()) == ([kept], 7)
    again.close()
