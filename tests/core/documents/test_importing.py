"""Whole imports: every fault of a file has its sentence, and nothing is archived by halves."""

import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from helpers.memory_stores import HashEmbedder, MemoryArchivalStore
from helpers.pdf_files import pdf_bytes
from pagekeeper_core.documents.importing import (
    DocumentImporter,
    ImportFinished,
    ImportProgress,
)
from pagekeeper_core.errors import Cancelled, DocumentError, ModelError
from pagekeeper_core.protocols import ArchivalStore
from pagekeeper_core.storage.lancedb_archival import LanceDBArchivalStore

GOING = threading.Event()


@pytest.fixture(params=["memory", "lancedb"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ArchivalStore:
    if request.param == "memory":
        return MemoryArchivalStore()
    return LanceDBArchivalStore(tmp_path / "archive.lance", HashEmbedder())


@pytest.fixture
def importer(store: ArchivalStore) -> DocumentImporter:
    return DocumentImporter(store, HashEmbedder())


def finish(steps: Iterator[ImportProgress | ImportFinished]) -> ImportFinished:
    *progress, last = steps
    assert all(isinstance(step, ImportProgress) for step in progress)
    assert isinstance(last, ImportFinished)
    return last


def fail(importer: DocumentImporter, path: Path) -> DocumentError:
    with pytest.raises(DocumentError) as caught:
        finish(importer.import_file(path, GOING))
    assert path.name in str(caught.value)
    return caught.value


def test_a_text_is_read_split_and_found(
    importer: DocumentImporter, store: ArchivalStore, tmp_path: Path
) -> None:
    path = tmp_path / "diary 😀.txt"
    path.write_text("\n\n".join(f"Day {n}: saw a heron by the river. " * 20 for n in range(30)))
    finished = finish(importer.import_file(path, GOING))
    assert not finished.already_there
    assert finished.info.record.title == "diary 😀.txt"
    assert finished.info.record.kind == "text"
    assert finished.info.passages == store.count() >= 30
    assert store.documents() == [finished.info]
    hit = store.search(["day 17 heron"]).hits[0]
    assert "Day 17" in hit.passage.text
    assert hit.passage.location.startswith("line")
    assert hit.source == "diary 😀.txt"


def test_a_pdf_keeps_its_pages(
    importer: DocumentImporter, store: ArchivalStore, tmp_path: Path
) -> None:
    path = tmp_path / "lease.pdf"
    path.write_bytes(pdf_bytes(["The rent is 700 euros.", "", "Two keys were handed over."]))
    info = finish(importer.import_file(path, GOING)).info
    assert (info.record.kind, info.record.pages, info.passages) == ("pdf", 3, 2)
    assert info.record.path == str(path)
    assert store.search(["how many keys"]).hits[0].passage.location == "page 3"


@pytest.mark.thorough
def test_progress_is_told_by_stage(importer: DocumentImporter, tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("\n\n".join(f"Paragraph {n}. " + "words " * 150 for n in range(100)))
    steps = list(importer.import_file(path, GOING))
    stages = [step.stage for step in steps if isinstance(step, ImportProgress)]
    assert list(dict.fromkeys(stages)) == ["reading", "saving"]
    passages = [step.passages for step in steps if isinstance(step, ImportProgress)]
    assert passages == sorted(passages)
    assert len(set(passages)) > 4


def test_the_same_content_is_known_by_another_name(
    importer: DocumentImporter, store: ArchivalStore, tmp_path: Path
) -> None:
    first, copy = tmp_path / "one.txt", tmp_path / "two.txt"
    first.write_text("the same words")
    copy.write_text("the same words")
    info = finish(importer.import_file(first, GOING)).info
    again = finish(importer.import_file(copy, GOING))
    assert again == ImportFinished(info, already_there=True)
    assert store.count() == 1


def test_other_content_by_the_same_name_is_another_document(
    importer: DocumentImporter, store: ArchivalStore, tmp_path: Path
) -> None:
    path = tmp_path / "notes.txt"
    for text in ("monday", "tuesday"):
        path.write_text(text)
        assert not finish(importer.import_file(path, GOING)).already_there
    assert len(store.documents()) == 2


def test_a_document_takes_the_place_of_an_older_one(
    importer: DocumentImporter, store: ArchivalStore, tmp_path: Path
) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("monday")
    old = finish(importer.import_file(path, GOING)).info
    path.write_text("tuesday")
    new = finish(importer.import_file(path, GOING, replaces=old.document_id)).info
    assert store.documents() == [new]
    assert new.record.size == 7
    assert new.record.modified is not None
    assert finish(importer.import_file(path, GOING, replaces=new.document_id)).already_there
    assert store.documents() == [new]
    again = finish(importer.import_file(path, GOING, replaces=new.document_id, again=True))
    assert not again.already_there
    assert store.documents() == [again.info]


def test_a_file_out_of_an_archive_says_where_it_came_from(
    importer: DocumentImporter, tmp_path: Path
) -> None:
    path = tmp_path / "member-1"
    path.write_text("monday")
    steps = importer.import_file(path, GOING, name="all.zip › a.txt", origin="/home/ana/all.zip")
    record = finish(steps).info.record
    assert (record.title, record.path) == ("all.zip › a.txt", "/home/ana/all.zip")


def test_a_pasted_text_is_archived_once(importer: DocumentImporter, store: ArchivalStore) -> None:
    text = "A recipe for soup: onions, stock, patience. \ud83d\0"
    info = finish(importer.import_text("Pasted text", text, GOING)).info
    assert (info.record.kind, info.record.path, info.record.title) == ("paste", "", "Pasted text")
    assert finish(importer.import_text("Again", text, GOING)).already_there
    assert store.search(["soup recipe"]).hits[0].passage.location == "line 1"


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_a_blank_paste_is_refused(importer: DocumentImporter, text: str) -> None:
    with pytest.raises(DocumentError, match="no text"):
        finish(importer.import_text("Pasted text", text, GOING))


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("empty.txt", b"", "is empty"),
        ("blank.txt", b"\n \n", "has no text"),
        ("report.zip", b"PK\x03\x04\x14\0\x06\0\x08\0", "an archive"),
        ("model.gguf", b"GGUF\x03\0\0\0" + b"\0" * 50, "a language model"),
        ("data.bin", bytes(range(256)) * 10, "holds binary data"),
        ("scan.pdf", pdf_bytes(["", ""]), "none could be recognised"),
        ("locked.pdf", pdf_bytes(["x"], password="y"), "it needs a password"),
        ("broken.pdf", b"%PDF-1.7 and then nothing", "is damaged"),
    ],
)
def test_every_fault_has_its_sentence(
    importer: DocumentImporter,
    store: ArchivalStore,
    tmp_path: Path,
    name: str,
    content: bytes,
    reason: str,
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert reason in str(fail(importer, path))
    assert store.count() == 0
    assert store.documents() == []


def test_folders_and_files_that_vanished(importer: DocumentImporter, tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    assert "is a folder" in str(fail(importer, folder))
    assert "not there any more" in str(fail(importer, tmp_path / "gone.txt"))
    link = tmp_path / "link.txt"
    link.symlink_to(tmp_path / "nowhere.txt")
    assert "not there any more" in str(fail(importer, link))
    assert "not there any more" in str(fail(importer, tmp_path / "gone.txt" / "inside.txt"))


def test_devices_are_not_read(importer: DocumentImporter) -> None:
    assert "not a file" in str(fail(importer, Path(os.devnull)))


def test_a_file_that_may_not_be_read(
    importer: DocumentImporter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "private.txt"
    path.write_text("secret")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr(Path, "open", refuse)
    assert "may not be read" in str(fail(importer, path))


def test_what_could_not_be_read_of_a_document_is_told(
    importer: DocumentImporter, tmp_path: Path
) -> None:
    path = tmp_path / "partly.pdf"
    content = pdf_bytes(["first page", *["page"] * 4, "last page"])
    for number in range(6, 14, 2):
        wanted = b"%d 0 obj\n<< /Type /Page " % number
        assert wanted in content
        content = content.replace(wanted, wanted[:-5] + b"Nope ")
    path.write_bytes(content)
    finished = finish(importer.import_file(path, GOING))
    assert finished.faults == tuple(f"Page {page} is damaged." for page in (2, 3, 4, 5))
    assert finished.missing == (
        "Not all of it could be read: Page 2 is damaged. Page 3 is damaged. Page 4 is damaged. "
        "There is more that could not be read."
    )
    assert finished.info.record.pages == 6


def test_names_that_are_no_text(importer: DocumentImporter, tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9 " + b"n" * 200 + b".txt")
    path.write_text("a name of bytes")
    info = finish(importer.import_file(path, GOING)).info
    assert info.record.title.startswith("caf\ufffd nnn")


@pytest.mark.thorough
def test_cancel_archives_nothing(
    importer: DocumentImporter, store: ArchivalStore, tmp_path: Path
) -> None:
    path = tmp_path / "long.txt"
    path.write_text("\n\n".join(f"Paragraph {n}. " + "words " * 150 for n in range(100)))
    cancel = threading.Event()
    steps = importer.import_file(path, cancel)
    for step in steps:
        if isinstance(step, ImportProgress) and step.passages:
            break
    cancel.set()
    with pytest.raises(Cancelled):
        next(steps)
    assert store.count() == 0
    with pytest.raises(Cancelled):
        finish(importer.import_text("x", "some text", cancel))
    assert not finish(importer.import_file(path, threading.Event())).already_there


def test_an_embedder_that_fails_archives_nothing(store: ArchivalStore, tmp_path: Path) -> None:
    class Failing(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            if self.embedded:
                raise ModelError("The embedding model failed.")
            return super().embed(texts)

    path = tmp_path / "long.txt"
    path.write_text("\n\n".join(f"Paragraph {n}. " + "words " * 150 for n in range(100)))
    with pytest.raises(ModelError):
        finish(DocumentImporter(store, Failing()).import_file(path, GOING))
    assert store.count() == 0
