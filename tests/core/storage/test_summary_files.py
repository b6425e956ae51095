"""Parts of summaries: durable, whole or absent, and gone from the disk with their document."""

from pathlib import Path

import pytest

from helpers.memory_stores import MemorySummaryStore
from pagekeeper_core.protocols import DocumentSummaryStore
from pagekeeper_core.records import SummaryPart, SummarySentence
from pagekeeper_core.storage.summary_files import SummaryFiles


def part(first: int, text: str = "A harbour 港\u2028 with \r\n lines.") -> SummaryPart:
    said = SummarySentence(text, "p1", "page 3")
    return SummaryPart(0, first, first + 3, 12, (said,), quoted=first > 3, language="Chinese")


@pytest.fixture(params=["double", "real"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> DocumentSummaryStore:
    return MemorySummaryStore() if request.param == "double" else SummaryFiles(tmp_path / "made")


def test_parts_come_back_in_the_order_in_which_they_were_made(store: DocumentSummaryStore) -> None:
    assert store.parts("a1") == []
    assert store.documents() == []
    for first in (0, 4, 8):
        store.add("a1", part(first))
    store.add("b2", part(0))
    assert store.parts("a1") == [part(0), part(4), part(8)]
    assert store.documents() == ["a1", "b2"]


def test_a_document_takes_its_parts_along(store: DocumentSummaryStore) -> None:
    store.add("a1", part(0))
    store.delete("a1")
    store.delete("a1")
    assert (store.parts("a1"), store.documents()) == ([], [])


def test_nothing_of_it_stays_on_the_disk(tmp_path: Path) -> None:
    store = SummaryFiles(tmp_path)
    store.add("a1", part(0))
    assert any("harbour" in path.read_text(encoding="utf-8") for path in tmp_path.rglob("*"))
    store.delete("a1")
    assert list(tmp_path.rglob("*")) == []


def test_whatever_a_kill_cuts_off_the_parts_before_it_stay_and_it_goes_on(tmp_path: Path) -> None:
    whole = SummaryFiles(tmp_path)
    for first in (0, 4):
        whole.add("a1", part(first))
    written = (tmp_path / "a1.jsonl").read_bytes()
    line = written.index(b"\n") + 1
    for length in range(line, len(written)):
        (tmp_path / "a1.jsonl").write_bytes(written[:length])
        assert SummaryFiles(tmp_path).parts("a1") == [part(0)]
    SummaryFiles(tmp_path).add("a1", part(4))
    assert (tmp_path / "a1.jsonl").read_bytes() == written


def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no identifier"):
        SummaryFiles(tmp_path / "made").delete("../a1")
