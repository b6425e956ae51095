"""The LanceDB archive under everything that happens to files, embedders and threads."""

import io
import os
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow
import pytest

from helpers.children import run_child, start_child
from helpers.memory_stores import HashEmbedder
from pagekeeper_core.errors import ModelError, StoreError, StoreVersionError
from pagekeeper_core.records import DocumentRecord, Passage
from pagekeeper_core.storage import lancedb_tables
from pagekeeper_core.storage.faults import archive_error
from pagekeeper_core.storage.lancedb_archival import LanceDBArchivalStore

RECORD = DocumentRecord("lease.pdf", "pdf", "a1", "/tmp/lease.pdf", 2)
PASSAGES = [Passage(f"clause {number} of the lease", f"page {number}") for number in range(50)]


class BrokenEmbedder(HashEmbedder):
    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        raise ModelError("The embedding model is not there.")


class WrongEmbedder(HashEmbedder):
    def __init__(self, value: float, length: int) -> None:
        super().__init__()
        self.vector = [value] * length

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.vector for _ in texts]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory" / "archive.lance"


def archive(path: Path) -> LanceDBArchivalStore:
    return LanceDBArchivalStore(path, HashEmbedder())


def test_everything_is_there_after_a_restart(path: Path) -> None:
    store = archive(path)
    info = store.add_document(RECORD, PASSAGES)
    store.insert_note("Ana lives in Porto")
    store.close()
    again = archive(path)
    assert again.documents() == [info]
    assert again.count() == 51
    assert again.search(["where does Ana live"]).hits[0].passage.text == "Ana lives in Porto"
    assert not again.insert_note("Ana lives in Porto.").is_new


@pytest.mark.thorough
def test_making_a_store_loads_neither_database_nor_torch(path: Path) -> None:
    output = run_child(
        """
        import sys
        from pathlib import Path
        from helpers.memory_stores import HashEmbedder
        from pagekeeper_core.storage.lancedb_archival import LanceDBArchivalStore
        store = LanceDBArchivalStore(Path(sys.argv[1]), HashEmbedder())
        print(sorted({"lancedb", "pyarrow", "torch"} & set(sys.modules)))
        store.insert_note("x")
        print(sorted({"lancedb", "pyarrow", "torch"} & set(sys.modules)))
        """,
        path,
    )
    assert output == "[]\n['lancedb', 'pyarrow']\n"


@pytest.mark.thorough
def test_a_kill_in_the_middle_of_an_import_leaves_nothing_of_it(path: Path) -> None:
    child = start_child(
        """
        import os, signal, sys
        from pathlib import Path
        from helpers.memory_stores import HashEmbedder
        from pagekeeper_core.records import DocumentRecord, Passage
        from pagekeeper_core.storage.lancedb_archival import LanceDBArchivalStore

        store = LanceDBArchivalStore(Path(sys.argv[1]), HashEmbedder())
        store.insert_note("Ana lives in Porto")
        store.add_document(DocumentRecord("first", "text", "f1"), [Passage("the first one")])

        def die(rows):
            assert store._opened.passages.count_rows() == 2502
            print("half", flush=True)
            os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))

        store._opened.documents.add = die
        many = [Passage(f"clause {number} of the lease") for number in range(2500)]
        store.add_document(DocumentRecord("lease.pdf", "pdf", "a1"), many)
        """,
        path,
    )
    output, _ = child.communicate()
    assert output == "half\n"
    assert child.returncode != 0
    store = archive(path)
    assert store.count() == 2
    assert store.find_document("a1") is None
    assert store.search(["clause lease"]).total == 0
    assert store.add_document(RECORD, PASSAGES).passages == 50
    assert store.count() == 52


def test_an_error_in_the_middle_of_an_import_leaves_nothing_of_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = archive(path)
    store.open()

    def fail(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    assert store._opened is not None
    with monkeypatch.context() as patch:
        patch.setattr(store._opened.documents, "add", fail)
        with pytest.raises(StoreError) as caught:
            store.add_document(RECORD, PASSAGES)
    assert "disk is full" in caught.value.hint
    assert store.count() == 0
    assert store.add_document(RECORD, PASSAGES).passages == 50


def test_a_half_document_that_cannot_be_removed_at_once_is_removed_by_the_next_use(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A full disk refuses the row that makes it whole, and the deletion as well."""
    store = archive(path)
    store.insert_note("Ana lives in Porto")

    def fail(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    assert store._opened is not None
    with monkeypatch.context() as patch:
        patch.setattr(store._opened.documents, "add", fail)
        patch.setattr(store._opened.passages, "delete", fail)
        with pytest.raises(StoreError) as caught:
            store.add_document(RECORD, PASSAGES)
    assert "disk is full" in caught.value.hint
    assert "lease.pdf" in caplog.text
    assert store.search(["clause lease"]).total == 0
    assert store.count() == 1
    assert store.add_document(RECORD, PASSAGES).passages == 50
    assert store.count() == 51


class FullDisk(io.RawIOBase):
    """A file on a disk that refuses what is written, and what is left to write at the end."""

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        raise OSError(28, os.strerror(28))


def test_a_disk_that_is_full_before_the_document_is_whole_is_told_and_nothing_stays(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = archive(path)
    store.open()

    def on_a_full_disk(name: str, mode: str) -> pyarrow.PythonFile:
        Path(name).touch()
        return pyarrow.PythonFile(FullDisk(), mode[0])

    with monkeypatch.context() as patch:
        patch.setattr(pyarrow, "OSFile", on_a_full_disk)
        with pytest.raises(StoreError) as caught:
            store.add_document(RECORD, PASSAGES)
    assert "disk is full" in caught.value.hint
    assert list((path / "drafts").iterdir()) == []
    assert store.add_document(RECORD, PASSAGES).passages == 50


def test_an_embedder_that_fails_writes_nothing(path: Path) -> None:
    store = LanceDBArchivalStore(path, BrokenEmbedder())
    with pytest.raises(ModelError):
        store.add_document(RECORD, PASSAGES)
    with pytest.raises(ModelError):
        store.insert_note("x")
    assert store.count() == 0
    assert store.documents() == []


@pytest.mark.parametrize(("value", "length"), [(0.1, 63), (float("nan"), 64), (float("inf"), 64)])
def test_vectors_that_are_wrong_are_refused(path: Path, value: float, length: int) -> None:
    store = LanceDBArchivalStore(path, WrongEmbedder(value, length))
    with pytest.raises(ModelError, match="gave vectors"):
        store.insert_note("x")
    with pytest.raises(ModelError, match="gave vectors"):
        store.add_document(RECORD, PASSAGES[:1], vectors=[[value] * length])
    with pytest.raises(ModelError, match="gave vectors"):
        archive(path).add_document(RECORD, PASSAGES, vectors=[[0.1] * 64])
    assert store.count() == 0


@pytest.mark.parametrize("other", [HashEmbedder(name="other"), HashEmbedder(32)])
def test_another_embedder_is_refused(path: Path, other: HashEmbedder) -> None:
    archive(path).insert_note("x")
    store = LanceDBArchivalStore(path, other)
    with pytest.raises(StoreError, match="written with the embedding model hash") as caught:
        store.open()
    assert "Choose hash again" in caught.value.hint
    with pytest.raises(StoreError):
        store.search(["x"])


def test_a_newer_version_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(lancedb_tables, "_VERSION", 99)
        archive(path).insert_note("x")
    with pytest.raises(StoreVersionError):
        archive(path).open()


def test_a_file_in_place_of_the_folder(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("not a folder")
    with pytest.raises(StoreError) as caught:
        archive(path).open()
    assert str(path) in str(caught.value)


def test_damaged_files_are_reported(path: Path) -> None:
    archive(path).insert_note("x")
    for manifest in (path / "passages.lance" / "_versions").iterdir():
        manifest.write_bytes(b"garbage")
    with pytest.raises(StoreError, match="cannot be read") as caught:
        archive(path).open()
    assert "backup" in caught.value.hint


@pytest.mark.parametrize("part", ["", "_versions"])
def test_a_lost_list_of_documents_is_made_anew_from_the_passages(path: Path, part: str) -> None:
    store = archive(path)
    info = store.add_document(RECORD, PASSAGES)
    store.insert_note("Ana lives in Porto")
    store.close()
    shutil.rmtree(path / "documents.lance" / part)
    notices: list[str] = []
    again = LanceDBArchivalStore(path, HashEmbedder(), notice=notices.append)
    assert again.count() == 51
    (found,) = again.documents()
    assert (found.document_id, found.passages) == (info.document_id, 50)
    assert (found.record.title, found.record.kind) == ("lease.pdf", "pdf")
    assert found.created_at == info.created_at
    (notice,) = notices
    assert "lease.pdf" in notice
    third = LanceDBArchivalStore(path, HashEmbedder(), notice=notices.append)
    assert (third.count(), len(third.documents()), len(notices)) == (51, 1, 1)


@pytest.mark.parametrize("part", ["", "_versions"])
def test_documents_whose_passages_are_lost_can_be_imported_again(path: Path, part: str) -> None:
    archive(path).add_document(RECORD, PASSAGES)
    shutil.rmtree(path / "passages.lance" / part)
    notices: list[str] = []
    again = LanceDBArchivalStore(path, HashEmbedder(), notice=notices.append)
    assert again.documents() == []
    assert again.find_document("a1") is None
    (notice,) = notices
    assert "lease.pdf" in notice
    again.add_document(RECORD, PASSAGES)
    assert (archive(path).count(), len(archive(path).documents())) == (50, 1)


def spoil(folder: Path) -> None:
    for file in folder.rglob("*"):
        if file.is_file():
            file.write_bytes(b"\xa5" * max(file.stat().st_size, 16))


def filled(path: Path) -> LanceDBArchivalStore:
    store = archive(path)
    store.add_document(RECORD, PASSAGES)
    store.insert_note("Bento sees Dr. Costa")
    store.close()
    return archive(path)


def test_a_damaged_index_of_words_is_made_anew(path: Path) -> None:
    store = filled(path)
    spoil(path / "passages.lance" / "_indices")
    assert store.search(["Costa"]).hits[0].passage.text == "Bento sees Dr. Costa"
    assert store._index_made_anew
    assert store.insert_note("Costa is on holiday").is_new
    again = archive(path)
    assert again.search(["holiday"]).hits[0].passage.text == "Costa is on holiday"
    assert not again._index_made_anew


def test_without_an_index_of_words_meaning_finds(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store = filled(path)
    spoil(path / "passages.lance" / "_indices")

    def fail(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(lancedb_tables.ArchiveTables, "index_words", fail)
    assert store.search(["Costa"]).hits[0].passage.text == "Bento sees Dr. Costa"
    assert store.search(["clause"]).hits[0].source == "lease.pdf"
    assert "cannot be made anew" in caplog.text


@pytest.mark.parametrize("table", ["passages", "documents"])
def test_damage_is_told_as_damage_of_the_archive(path: Path, table: str) -> None:
    filled(path)
    shutil.rmtree(path / f"{table}.lance" / "data")
    with pytest.raises(StoreError, match="cannot be read") as caught:
        archive(path).open()
    assert "conversations are safe" in caught.value.hint
    assert ".rs:" not in str(caught.value)
    assert ".cargo" not in str(caught.value)


def test_what_lancedb_says_of_a_full_disk_is_understood(path: Path) -> None:
    cause = RuntimeError("lance error: No space left on device (os error 28), /x/src/local.rs:2:4")
    error = archive_error(path, cause, "read or written")
    assert "disk is full" in error.hint
    assert str(error).endswith("No space left on device (os error 28)")


def test_a_table_that_a_kill_left_without_a_version_is_made_anew(path: Path) -> None:
    (path / "passages.lance" / "data").mkdir(parents=True)
    assert archive(path).insert_note("x").is_new


@pytest.mark.thorough
def test_many_small_writes_do_not_leave_many_files(path: Path) -> None:
    store = archive(path)
    for number in range(40):
        store.insert_note(f"note {number}")
    before = sum(len(files) for _, _, files in os.walk(path))
    store.close()
    after = sum(len(files) for _, _, files in os.walk(path))
    assert after < before / 3
    assert archive(path).count() == 40


@pytest.mark.thorough
def test_threads_add_and_search_together(path: Path) -> None:
    store = archive(path)

    def add(start: int) -> None:
        for number in range(start, start + 5):
            store.insert_note(f"note {number}")
            record = DocumentRecord(f"d{number}", "text", f"sha{number % 7}")
            store.add_document(record, PASSAGES[:3])

    def search() -> None:
        for _ in range(10):
            store.search(["note", "clause"])
            store.documents()

    with ThreadPoolExecutor() as pool:
        work = [pool.submit(add, start) for start in (0, 5, 10)] + [pool.submit(search)]
    for done in work:
        done.result()
    assert len(store.documents()) == 7
    assert store.count() == 15 + 7 * 3
