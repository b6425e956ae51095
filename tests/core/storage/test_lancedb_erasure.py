"""Deleted text is gone from the files; what a kill left of a deletion is finished later."""

from pathlib import Path

import pytest

from helpers.memory_stores import HashEmbedder
from pagekeeper_core.errors import StoreError
from pagekeeper_core.records import DocumentRecord, Passage
from pagekeeper_core.storage import lancedb_erasure, lancedb_tables
from pagekeeper_core.storage.lancedb_archival import LanceDBArchivalStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "archive.lance"


def filled(path: Path) -> tuple[LanceDBArchivalStore, str]:
    """An archive in which one document of many is small, in one large piece of the table."""
    store = LanceDBArchivalStore(path, HashEmbedder())
    for number in range(3):
        many = [Passage(f"clause {n} of lease {number}") for n in range(1500)]
        store.add_document(DocumentRecord(f"{number}.txt", "text", str(number)), many)
    secret = [Passage(f"xylophone {n}") for n in range(20)]
    info = store.add_document(DocumentRecord("secret.txt", "text", "s"), secret)
    store.insert_note("Ana lives in Porto")
    with store._tables() as tables:
        for table in (tables.passages, tables.documents):
            table.optimize(cleanup_older_than=lancedb_tables.OLD)
    return store, info.document_id


def files(path: Path) -> set[str]:
    """The files that hold text: those of rows and of the index of words.

    Text is compressed in them, so looking for words would prove nothing: no file that held the
    document may be there any more.
    """
    found = (file for file in path.rglob("*.lance") if file.is_file())
    return {str(file.relative_to(path)) for file in found}


@pytest.mark.thorough
def test_no_file_that_held_a_deleted_document_is_left(path: Path) -> None:
    store, document_id = filled(path)
    before = files(path)
    assert before
    store.delete_document(document_id)
    assert before & files(path) == set()
    assert not (path / "erasing").exists()
    assert not any("xylophone" in hit.passage.text for hit in store.search(["xylophone"]).hits)
    assert store.count() == 4501
    assert store.search(["Porto"]).hits[0].passage.text == "Ana lives in Porto"
    assert len(store.documents()) == 3


@pytest.mark.thorough
def test_no_file_that_held_a_replaced_version_is_left(path: Path) -> None:
    store, document_id = filled(path)
    before = files(path)
    record = DocumentRecord("secret.txt", "text", "s2")
    store.add_document(record, [Passage("a harmless text")], replaces=document_id)
    assert before & files(path) == set()
    assert not any("xylophone" in hit.passage.text for hit in store.search(["xylophone"]).hits)


@pytest.mark.thorough
def test_an_erasure_that_was_cut_off_is_finished_at_the_next_opening(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, document_id = filled(path)
    before = files(path)

    def fail(*_: object) -> None:
        raise OSError(5, "the disk is unwilling")

    with monkeypatch.context() as patch:
        patch.setattr(lancedb_erasure, "_clean", fail)
        with pytest.raises(StoreError):
            store.delete_document(document_id)
    assert store.document(document_id) is None
    assert (path / "erasing").exists()
    again = LanceDBArchivalStore(path, HashEmbedder())
    again.open()
    assert before & files(path) == set()
    assert not (path / "erasing").exists()
    assert again.count() == 4501


def test_an_archive_of_the_first_version_opens_unchanged(path: Path) -> None:
    store = LanceDBArchivalStore(path, HashEmbedder())
    info = store.add_document(DocumentRecord("a.txt", "text", "a1"), [Passage("one")])
    with store._tables() as tables:
        tables.documents.drop_columns(["size", "modified"])
    store.close()
    again = LanceDBArchivalStore(path, HashEmbedder())
    assert again.documents() == [info]
    again.add_document(DocumentRecord("b.txt", "text", "b1", size=3), [Passage("two")])
    assert [d.record.size for d in again.documents()] == [3, 0]
