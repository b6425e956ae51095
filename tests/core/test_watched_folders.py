"""Watched folders: what is new, what changed, what is gone; each told as it should be."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pagekeeper_core.records import DocumentInfo, DocumentRecord, ImportJob
from pagekeeper_core.watched_folders import WatchedFolders, is_away


class Rig:
    def __init__(self, tmp_path: Path) -> None:
        self.folder = tmp_path / "inbox"
        self.folder.mkdir()
        self.history: dict[str, ImportJob] = {}
        self.documents: list[DocumentInfo] = []
        self.watched = WatchedFolders(
            [self.folder],
            but=tmp_path / "inbox" / "data",
            history=lambda: self.history,
            documents=lambda: self.documents,
        )

    def file(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    def imported(self, path: Path) -> None:
        about = path.stat()
        modified = datetime.fromtimestamp(about.st_mtime, UTC)
        now = datetime.now(UTC)
        self.history[str(path)] = ImportJob(
            str(path), path.name, now, size=about.st_size, modified=modified
        )
        record = DocumentRecord(path.name, "text", path.name, str(path))
        self.documents.append(DocumentInfo(path.name, record, 1, now))

    def looks(self) -> list[str]:
        return [path.name for path in self.watched.look().changed]


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


def test_a_file_is_taken_once_it_has_stopped_growing(rig: Rig) -> None:
    path = rig.file("a.txt", "one")
    rig.file("data/recall.duckdb", "our own"), rig.file(".hidden", "x")
    first = rig.watched.look()
    assert (first.changed, first.growing) == ((), True)
    path.write_text("one two")
    assert rig.looks() == []
    assert rig.looks() == ["a.txt"]
    rig.imported(path)
    assert rig.looks() == rig.looks() == []
    path.write_text("one two three")
    assert rig.looks() == []
    assert rig.looks() == ["a.txt"]


def test_a_file_that_only_looks_new_to_the_eye_is_left_alone(rig: Rig) -> None:
    path = rig.file("a.txt", "one")
    rig.imported(path)
    rig.documents.clear()
    assert rig.looks() == rig.looks() == []
    os.utime(path, (1, 1))
    assert rig.looks() == []
    assert rig.looks() == ["a.txt"]


def test_what_is_gone_from_its_folder_is_marked(rig: Rig, tmp_path: Path) -> None:
    kept, gone = rig.file("kept.txt", "x"), rig.file("gone.txt", "y")
    elsewhere = tmp_path / "elsewhere.txt"
    elsewhere.write_text("z")
    for path in (kept, gone, elsewhere):
        rig.imported(path)
    gone.unlink()
    elsewhere.unlink()
    assert rig.watched.look().away == {"gone.txt"}
    assert is_away(rig.documents[1], [rig.folder])
    assert not is_away(rig.documents[1], [])


def test_a_folder_that_vanishes_is_told_once_and_marks_nothing(rig: Rig, tmp_path: Path) -> None:
    path = rig.file("a.txt", "x")
    rig.imported(path)
    rig.folder.rename(tmp_path / "taken out")
    seen = rig.watched.look()
    assert (seen.vanished, seen.away) == ((rig.folder,), frozenset())
    assert rig.watched.look().vanished == ()
    (tmp_path / "taken out").rename(rig.folder)
    assert rig.watched.look().vanished == ()
    rig.folder.rename(tmp_path / "taken out")
    assert rig.watched.look().vanished == (rig.folder,)


def test_no_folders_cost_nothing(rig: Rig) -> None:
    rig.watched.folders = ()
    assert rig.watched.look().changed == ()
