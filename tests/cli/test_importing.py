"""`import`: files and folders into the archive; one bad file does not stop the others."""

import json
import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers.memory_stores import HashEmbedder
from helpers.pdf_files import pdf_bytes
from helpers.terminal import Streams
from pagekeeper_core.documents.files_below import files_below, last_change
from pagekeeper_core.documents.importing import DocumentImporter, ImportProgress
from pagekeeper_core.errors import Cancelled
from pagekeeper_core.records import JobState
from pagekeeper_desktop import composition
from pagekeeper_desktop.__main__ import run
from pagekeeper_desktop.cli import importing
from pagekeeper_desktop.cli.arguments import parse
from pagekeeper_desktop.options import Options
from pagekeeper_models import sentence_embedder


@pytest.fixture(autouse=True)
def quick_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Real stores and readers, and an embedder that loads no torch."""
    monkeypatch.setattr(sentence_embedder, "SentenceEmbedder", lambda folder, **_: HashEmbedder())


def import_paths(data: Path, *paths: Path | str, as_json: bool = False) -> tuple[int, Streams]:
    streams = Streams()
    words = ["--data-dir", str(data), "import", *(["--json"] if as_json else []), "--"]
    return run(parse([*words, *map(str, paths)]), streams.console), streams


def archive_titles(data: Path) -> list[str]:
    memory = composition.open_memory(Options(data))
    try:
        return sorted(info.record.title for info in memory.archival.documents())
    finally:
        memory.close()


def test_a_folder_is_read_file_by_file_and_the_bad_ones_are_named(tmp_path: Path) -> None:
    papers, data = tmp_path / "papers", tmp_path / "data"
    (papers / "deep").mkdir(parents=True)
    (papers / "letter.txt").write_text("Dear Ana, Bento is well.")
    (papers / "deep" / "信.txt").write_text("亲爱的安娜，咪咪很好。")
    (papers / "empty.txt").touch()
    (papers / "picture.bin").write_bytes(bytes(range(256)) * 40)
    (papers / ".hidden.txt").write_text("not for it")
    code, streams = import_paths(data, papers)
    assert code == 1
    assert archive_titles(data) == ["letter.txt", "信.txt"]
    assert "letter.txt: read, 1 passage\n" in streams.result
    assert streams.remarks.count("pagekeeper: ") == 2
    assert "empty.txt" in streams.remarks
    assert "picture.bin" in streams.remarks


def test_the_assistant_hears_of_a_document_at_its_next_start(tmp_path: Path) -> None:
    data, letter = tmp_path / "data", tmp_path / "letter.txt"
    letter.write_text("Dear Ana, Bento is well.")
    import_paths(data, letter)
    memory = composition.open_memory(Options(data))
    try:
        (message,) = memory.recall.read(1)
    finally:
        memory.close()
    assert message.kind == "system"
    assert "letter.txt" in message.text


def test_documents_that_were_lost_are_named_and_can_be_read_again(tmp_path: Path) -> None:
    data, letter = tmp_path / "data", tmp_path / "letter.txt"
    letter.write_text("Dear Ana, Bento is well.")
    import_paths(data, letter)
    shutil.rmtree(data / "memory" / "archive.lance" / "passages.lance")
    code, streams = import_paths(data, letter)
    assert code == 0
    assert "letter.txt: read, 1 passage\n" in streams.result
    assert "Import again: letter.txt." in streams.remarks


@pytest.mark.thorough
def test_what_is_there_is_not_read_twice_and_not_told_twice(tmp_path: Path) -> None:
    data, letter, copy = tmp_path / "data", tmp_path / "letter.txt", tmp_path / "copy.txt"
    letter.write_text("Dear Ana, Bento is well.")
    copy.write_text("Dear Ana, Bento is well.")
    assert import_paths(data, letter)[0] == 0
    code, streams = import_paths(data, copy, as_json=True)
    assert code == 0
    ((file),) = streams.objects()[0]["files"]
    assert file["status"] == "already there"
    assert file["title"] == "letter.txt"
    memory = composition.open_memory(Options(data))
    assert memory.recall.count() == 1
    memory.close()


def test_results_for_a_program(tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Ana, Bento is well.")
    code, streams = import_paths(tmp_path / "data", letter, tmp_path / "gone.txt", as_json=True)
    assert code == 1
    report: dict[str, Any] = json.loads(streams.result)
    read, gone = report["files"]
    assert report["failed"] == 1
    assert (read["status"], read["title"], read["passages"]) == ("imported", "letter.txt", 1)
    assert gone["status"] == "failed"
    assert gone["error"]["message"]


def test_a_name_that_is_no_text_is_read_and_shown(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/caf\xe9 \xff.txt"
    Path(os.fsdecode(name)).write_text("un café")
    code, streams = import_paths(tmp_path / "data", tmp_path, as_json=True)
    assert code == 0
    assert "caf" in streams.objects()[0]["files"][0]["path"]


@pytest.mark.thorough
def test_names_that_differ_in_what_is_no_text_are_two_files(tmp_path: Path) -> None:
    data, papers = tmp_path / "data", tmp_path / "papers"
    papers.mkdir()
    first, second = (papers / os.fsdecode(name) for name in (b"\xe9t\xe9.txt", b"\xe8t\xe8.txt"))
    first.write_text("The summer of Ana."), second.write_text("The summer of Bento.")
    assert import_paths(data, papers)[0] == 0
    memory = composition.open_memory(Options(data))
    try:
        kept = {Path(info.record.path) for info in memory.archival.documents()}
    finally:
        memory.close()
    assert kept == {first, second}
    first.write_text("The winter of Ana.")
    _code, streams = import_paths(data, papers)
    assert "older version" in streams.result
    assert len(archive_titles(data)) == 2


def test_an_error_of_our_own_in_one_file_does_not_stop_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def import_file(importer: DocumentImporter, path: Path, cancel: Any, **named: Any) -> Any:
        if path.name == "a.txt":
            raise ZeroDivisionError
        return (yield from imported(importer, path, cancel, **named))

    imported: Any = DocumentImporter.import_file
    monkeypatch.setattr(DocumentImporter, "import_file", import_file)
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(f"The text of {name}.")
    code, streams = import_paths(tmp_path / "data", tmp_path / "a.txt", tmp_path / "b.txt")
    assert code == 1
    assert "a.txt could not be read because of an error in Pagekeeper." in streams.remarks
    assert "b.txt: read" in streams.result


def test_a_stop_while_the_files_are_looked_for_leaves_none_in_the_queue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Ana, Bento is well.")

    def far_too_many(*_: object, **__: object) -> Iterator[Path]:
        os.kill(os.getpid(), signal.SIGINT)
        while True:
            time.sleep(0.01)
            yield letter

    monkeypatch.setattr(importing, "files_below", far_too_many)
    code, _ = import_paths(tmp_path / "data", tmp_path)
    assert code == 130
    memory = composition.open_memory(Options(tmp_path / "data"))
    try:
        assert memory.imports.open_jobs() == []
    finally:
        memory.close()


def test_a_stop_takes_out_what_was_asked_for_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, earlier, letter = tmp_path / "data", tmp_path / "earlier.txt", tmp_path / "letter.txt"
    earlier.write_text("Left by the window when it was closed.")
    letter.write_text("Dear Ana, Bento is well.")
    memory = composition.open_memory(Options(data))
    memory.imports.add([earlier])
    memory.close()

    def import_file(_: object, path: Path, cancel: Any, **named: Any) -> Iterator[Any]:
        os.kill(os.getpid(), signal.SIGINT)
        assert cancel.wait(20)
        yield ImportProgress("reading", 0, 0)
        raise Cancelled

    monkeypatch.setattr(DocumentImporter, "import_file", import_file)
    assert import_paths(data, letter)[0] == 130
    memory = composition.open_memory(Options(data))
    try:
        assert [job.title for job in memory.imports.open_jobs()] == ["earlier.txt"]
        assert memory.imports.history()[str(letter)].state is JobState.CANCELLED
    finally:
        memory.close()


@pytest.mark.parametrize("length", [300, 5000])
def test_a_path_that_is_too_long_does_not_stop_the_next(tmp_path: Path, length: int) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Ana, Bento is well.")
    code, streams = import_paths(tmp_path / "data", "x" * length, letter)
    assert code == 1
    assert "has a name that is too long." in streams.remarks
    assert "letter.txt: read" in streams.result


def test_a_path_that_never_was_is_not_told_to_be_gone(tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Ana, Bento is well.")
    for path in (tmp_path / "lettre.txt", letter / "below"):
        code, streams = import_paths(tmp_path / "data", path)
        assert code == 1
        assert f"There is no file or folder {path}." in streams.remarks
        assert "any more" not in streams.remarks


def test_a_folder_with_nothing_to_read_is_told(tmp_path: Path) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / ".hidden.txt").write_text("not for it")
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Ana, Bento is well.")
    code, streams = import_paths(tmp_path / "data", papers, letter)
    assert code == 0
    assert "letter.txt: read" in streams.result
    assert f"There is nothing to read in {papers}." in streams.remarks
    code, streams = import_paths(tmp_path / "data", papers, as_json=True)
    assert streams.objects()[0] == {"files": [], "failed": 0}


def test_folders_are_walked_in_order_but_links_and_our_own(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "data").mkdir()
    for name in ("b/2.txt", "b/1.txt", "c.txt", ".hidden", "data/pagekeeper.lock"):
        (tmp_path / name).touch()
    (tmp_path / "b" / "loop").symlink_to(tmp_path)
    walked = [
        str(path.relative_to(tmp_path)) for path in files_below([tmp_path], but=tmp_path / "data")
    ]
    assert walked == ["c.txt", "b/1.txt", "b/2.txt"]
    assert list(files_below([tmp_path / "missing"], but=tmp_path)) == [tmp_path / "missing"]
    roundabout = tmp_path / "b" / ".." / "data"
    assert list(files_below([tmp_path / "data"], but=roundabout)) == []


@pytest.mark.parametrize("seconds", [1e12, -1e12, float("inf")])
def test_a_file_of_no_year_that_there_is_has_no_date(tmp_path: Path, seconds: float) -> None:
    about = tmp_path.stat()
    odd = os.stat_result((*about[:8], seconds, about[9]))
    assert last_change(about) is not None
    assert last_change(odd) is None


@pytest.mark.thorough
def test_a_file_named_another_way_is_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, letter = tmp_path / "data", tmp_path / "letter.txt"
    (tmp_path / "deep").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "deep")
    for number, name in enumerate((str(letter), "../letter.txt", "../link/../letter.txt")):
        monkeypatch.chdir(tmp_path / "deep")
        letter.write_text(f"Dear Ana, Bento is {number} years old.")
        assert import_paths(data, name)[0] == 0
        assert archive_titles(data) == ["letter.txt"]


@pytest.mark.thorough
def test_files_that_wait_for_a_password_are_not_promised_to_be_read(tmp_path: Path) -> None:
    locked, letter = tmp_path / "locked.pdf", tmp_path / "letter.txt"
    locked.write_bytes(pdf_bytes(["The rent is 700."], password="secret"))
    letter.write_text("Dear Ana, Bento is well.")
    code, streams = import_paths(tmp_path / "data", locked)
    assert code == 1
    assert "It waits for its password in the window" in streams.remarks
    code, streams = import_paths(tmp_path / "data", letter)
    assert code == 0
    assert "earlier import" not in streams.remarks
