"""The queue of imports: what waits, rests, fails and goes on, over both stores."""

import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from zipfile import ZipFile

import pytest

from helpers.memory_stores import MemoryArchivalStore, MemoryImportJobStore
from pagekeeper_core.clock import SystemClock
from pagekeeper_core.documents.importing import ImportFinished, ImportProgress
from pagekeeper_core.documents.reading import SourceFile
from pagekeeper_core.errors import Cancelled, DocumentError, DocumentLocked, ModelError
from pagekeeper_core.import_pace import BatchProgress, Pace
from pagekeeper_core.import_queue import ImportQueue, ImportUpdate
from pagekeeper_core.import_steps import ImportSteps
from pagekeeper_core.protocols import ImportJobStore
from pagekeeper_core.records import DocumentRecord, ImportJob, JobState, Passage
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.duckdb_import_jobs import DuckDBImportJobs

GOING = threading.Event()


class FileImporter:
    """Archives a file's text as one passage a line; its name says what goes wrong."""

    def __init__(self, archival: MemoryArchivalStore) -> None:
        self.archival = archival
        self.read: list[str] = []

    def import_file(
        self,
        path: Path,
        cancel: threading.Event,
        *,
        password: str = "",
        name: str = "",
        origin: str = "",
        replaces: str = "",
        again: bool = False,
    ) -> Iterator[ImportProgress | ImportFinished]:
        self.read.append(name)
        if name.startswith("locked") and password != "secret":
            raise DocumentLocked(f"{name} is locked with a password.")
        if name.startswith("bad"):
            raise DocumentError(f"{name} is damaged.", hint="Get it again.")
        if name.startswith("bug"):
            raise ZeroDivisionError
        if name.startswith("sick"):
            raise ModelError("The embedder is ill.")
        lines = path.read_text().splitlines()
        there = self.archival.find_document(path.read_text())
        if there is not None and not (again and there.document_id == replaces):
            yield ImportFinished(there, already_there=True)
            return
        for number, _ in enumerate(lines, start=1):
            if cancel.is_set():
                raise Cancelled
            yield ImportProgress("reading", number, len(lines), number)
        about = path.stat()
        modified = datetime.fromtimestamp(about.st_mtime, UTC)
        record = DocumentRecord(
            name, "text", path.read_text(), origin or str(path), 0, about.st_size, modified
        )
        info = self.archival.add_document(record, [Passage(x) for x in lines], replaces=replaces)
        yield ImportFinished(info, already_there=False)

    def import_text(
        self, title: str, text: str, cancel: threading.Event
    ) -> Iterator[ImportProgress | ImportFinished]:
        record = DocumentRecord(title, "paste", text)
        yield ImportFinished(self.archival.add_document(record, [Passage(text)]), False)

    def expand(
        self,
        path: Path,
        folder: Path,
        cancel: threading.Event,
        *,
        password: str = "",
        name: str = "",
    ) -> Iterator[SourceFile | DocumentError]:
        with ZipFile(path) as archive:
            for number, member in enumerate(archive.infolist()):
                if member.filename.startswith("broken"):
                    yield DocumentError(f"{name} › {member.filename} is broken.")
                    continue
                target = folder / str(number)
                target.write_bytes(archive.read(member))
                yield SourceFile(target, member.filename, password)


class Rig:
    def __init__(self, tmp_path: Path, store: ImportJobStore) -> None:
        self.folder = tmp_path / "papers"
        self.folder.mkdir(exist_ok=True)
        self.data = tmp_path / "data"
        self.store = store
        self.archival = MemoryArchivalStore()
        self.importer = FileImporter(self.archival)
        self.arrived: list[str] = []
        self.queue = self.restarted()

    def restarted(self) -> ImportQueue:
        incoming = self.data / "incoming"
        self.queue = ImportQueue(
            self.store,
            ImportSteps(self.importer, self.archival, incoming),
            incoming,
            SystemClock(),
            own_folder=self.data,
        )
        return self.queue

    def file(self, name: str, text: str = "") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text or f"text of {name}")
        return path

    def work(self) -> list[ImportUpdate]:
        updates = list(self.queue.work(threading.Event()))
        for update in updates:
            if not update.already_there:
                self.arrived += [info.record.title for info in update.documents]
        return updates

    def states(self) -> dict[str, JobState]:
        return {job.title: job.state for job in self.queue.jobs()}

    def titles(self) -> list[str]:
        return sorted(info.record.title for info in self.archival.documents())


@pytest.fixture(params=["memory", "duckdb"])
def rig(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Rig]:
    if request.param == "memory":
        yield Rig(tmp_path, MemoryImportJobStore())
        return
    database = Database(tmp_path / "recall.duckdb")
    yield Rig(tmp_path, DuckDBImportJobs(database))
    database.close()


def test_files_and_folders_are_read_in_turn(rig: Rig) -> None:
    rig.file("b/two.txt"), rig.file("b/.hidden.txt"), rig.file("b/.git/config")
    rig.data.mkdir()
    (rig.data / "recall.duckdb").write_text("x")
    jobs = rig.queue.add([rig.file("one.txt"), rig.folder / "b", rig.data])
    assert [job.title for job in jobs] == ["one.txt", "two.txt"]
    assert len({job.batch for job in jobs}) == 1
    updates = rig.work()
    assert rig.titles() == rig.arrived == ["one.txt", "two.txt"]
    assert [job.state for job in rig.queue.jobs()] == [JobState.DONE] * 2
    assert (updates[-1].files_done, updates[-1].files) == (2, 2)
    assert [j.state for j in rig.store.newest(9)] == [JobState.DONE] * 2
    assert rig.store.open_jobs() == []


def test_a_file_that_waits_is_not_noted_once_more(rig: Rig) -> None:
    path = rig.file("one.txt")
    assert len(rig.queue.add([path, path])) == 1
    rig.restarted().restore()
    assert [job.title for job in rig.queue.add([path, rig.file("two.txt")])] == ["two.txt"]
    assert len(rig.queue.add([path], watched=True)) == 1
    rig.work()
    assert rig.titles() == ["one.txt", "two.txt"]
    assert rig.importer.read == ["one.txt", "two.txt"]
    assert len(rig.queue.add([path])) == 1


def test_one_bad_file_never_stops_the_rest(rig: Rig) -> None:
    names = ("bad.txt", "bug.txt", "sick.txt", "locked.txt", "good.txt")
    rig.queue.add([rig.file(name) for name in names])
    errors = [update.error for update in rig.work() if update.error]
    assert [type(error) for error in errors] == [
        DocumentError,
        DocumentError,
        ModelError,
        DocumentLocked,
    ]
    assert rig.titles() == ["good.txt"]
    assert [*rig.states().values()] == [JobState.FAILED] * 3 + [JobState.LOCKED, JobState.DONE]
    (bad,) = [job for job in rig.store.newest(9) if job.title == "bad.txt"]
    assert (bad.note, bad.hint) == ("bad.txt is damaged.", "Get it again.")


def test_a_locked_file_waits_for_its_password(rig: Rig) -> None:
    (job,) = rig.queue.add([rig.file("locked.txt")])
    rig.work()
    rig.queue.retry(job.job_id, "wrong")
    rig.work()
    assert rig.states() == {"locked.txt": JobState.LOCKED}
    rig.queue.retry(job.job_id, "secret")
    rig.work()
    assert rig.states() == {"locked.txt": JobState.DONE}
    assert "secret" not in repr(rig.store.newest(9))


def test_the_same_content_is_read_once_and_said(rig: Rig) -> None:
    rig.queue.add([rig.file("one.txt", "same"), rig.file("copy.txt", "same")])
    *_, last = rig.work()
    assert last.already_there
    assert "one.txt" in last.job.note
    assert rig.titles() == rig.arrived == ["one.txt"]


def test_files_of_one_name_are_two_documents(rig: Rig) -> None:
    rig.queue.add([rig.file("a/notes.txt", "monday"), rig.file("b/notes.txt", "tuesday")])
    rig.work()
    assert rig.titles() == ["notes.txt", "notes.txt"]


def test_a_changed_file_takes_the_place_of_its_older_version(rig: Rig) -> None:
    rig.queue.add([rig.file("notes.txt", "monday")])
    rig.work()
    rig.queue.add([rig.file("notes.txt", "tuesday it is")])
    *_, last = rig.work()
    assert [hit.passage.text for hit, _ in rig.archival.entries] == ["tuesday it is"]
    assert "older version" in last.job.note
    assert len(rig.store.newest(9)) == 2
    rig.file("other.txt", "wednesday")
    rig.queue.add([rig.folder / "other.txt"])
    rig.work()
    rig.queue.add([rig.file("notes.txt", "wednesday")])
    rig.work()
    assert rig.titles() == ["other.txt"]


def test_an_unchanged_file_is_not_even_read(rig: Rig) -> None:
    path = rig.file("notes.txt", "monday")
    rig.queue.add([path])
    rig.work()
    rig.queue.add([path])
    *_, last = rig.work()
    assert last.already_there
    assert "not changed" in last.job.note
    assert rig.importer.read == ["notes.txt"]
    rig.queue.reimport(rig.archival.documents()[0])
    *_, last = rig.work()
    assert rig.importer.read == ["notes.txt", "notes.txt"]
    assert not last.already_there
    assert rig.titles() == ["notes.txt"]


def test_a_file_of_a_new_date_and_the_old_content_is_not_archived_anew(rig: Rig) -> None:
    path, archive = rig.file("notes.txt", "monday"), rig.folder / "all.zip"
    with ZipFile(archive, "w") as files:
        files.writestr("one.txt", "text of one")
    rig.queue.add([path, archive])
    rig.work()
    before = {info.document_id for info in rig.archival.documents()}
    for touched in (path, archive):
        os.utime(touched, (1, 1))
    rig.queue.add([path, archive])
    ended = [update.job for update in rig.work() if update.job.state is JobState.DONE]
    assert {info.document_id for info in rig.archival.documents()} == before
    assert ended[0].note == "It has not changed since then."


def test_a_file_of_an_archive_that_became_like_another_is_there_once(rig: Rig) -> None:
    archive = rig.folder / "all.zip"
    for text in ("text of one", "monday"):
        with ZipFile(archive, "w") as files:
            files.writestr("one.txt", text)
        rig.queue.add([rig.file("notes.txt", "monday"), archive])
        rig.work()
    assert rig.titles() == ["notes.txt"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_files_of_one_name_in_an_archive_are_all_kept(rig: Rig) -> None:
    archive = rig.folder / "all.zip"
    with ZipFile(archive, "w") as files:
        for text in ("monday", "tuesday"):
            files.writestr("one.txt", text)
    rig.queue.add([archive])
    rig.work()
    assert rig.titles() == ["one.txt", "one.txt"]


def test_a_name_has_no_line_ends_and_no_commands_for_terminals(rig: Rig) -> None:
    (job,) = rig.queue.add([rig.file("new\nline \x1b[31m\x85.txt")])
    assert job.title == "new\ufffdline \ufffd[31m\ufffd.txt"
    rig.work()
    (info,) = rig.archival.documents()
    rig.queue.reimport(info)
    *_, last = rig.work()
    assert not last.already_there
    assert rig.titles() == [job.title]


def test_a_pasted_text_is_read_and_leaves_no_file(rig: Rig) -> None:
    job = rig.queue.add_text("Pasted text", "soup \ud83d")
    assert Path(job.path).is_file()
    rig.work()
    assert rig.titles() == ["Pasted text"]
    assert not Path(job.path).exists()
    with pytest.raises(DocumentError, match="pasted"):
        rig.queue.reimport(rig.archival.documents()[0])
    again = rig.queue.add_text("Pasted text", "bread")
    rig.queue.cancel(again.job_id)
    rig.work()
    assert not Path(again.path).exists()


def test_the_files_of_an_archive_are_documents(rig: Rig) -> None:
    path = rig.folder / "all.zip"
    with ZipFile(path, "w") as archive:
        for name in ("one.txt", "broken.txt", "bad.txt", "two.txt"):
            archive.writestr(name, f"text of {name}")
    rig.queue.add([path])
    *_, last = rig.work()
    assert rig.titles() == ["one.txt", "two.txt"]
    assert {info.record.path for info in rig.archival.documents()} == {str(path)}
    assert last.job.note.startswith("2 of 4 files in it were read.")
    assert "bad.txt is damaged." in last.job.note
    assert list((rig.data / "incoming").iterdir()) == []
    with ZipFile(path, "w") as archive:
        archive.writestr("one.txt", "another text")
    rig.queue.add([path])
    rig.work()
    assert {hit.passage.text for hit, _ in rig.archival.entries} == {
        "another text",
        "text of two.txt",
    }


def test_an_archive_of_nothing_that_can_be_read_fails(rig: Rig) -> None:
    path = rig.folder / "all.zip"
    with ZipFile(path, "w") as archive:
        archive.writestr("bad.txt", "x")
    rig.queue.add([path])
    *_, last = rig.work()
    assert "no file in it that can be read. bad.txt is damaged." in str(last.error)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no channels among the files there")
def test_a_channel_among_the_files_holds_nothing_up(rig: Rig) -> None:
    os.mkfifo(rig.folder / "bad.txt")
    rig.queue.add([rig.folder / "bad.txt"])
    working = threading.Thread(target=rig.work, daemon=True)
    working.start()
    working.join(20)
    assert rig.states() == {"bad.txt": JobState.FAILED}


def test_a_file_that_vanishes_is_no_error_of_the_program(rig: Rig) -> None:
    (job,) = rig.queue.add([rig.file("gone.txt")])
    Path(job.path).unlink()
    (error,) = [update.error for update in rig.work() if update.error]
    assert str(error) == "gone.txt is not there any more."


def test_pause_and_resume_of_one_and_of_all(rig: Rig) -> None:
    first, second = rig.queue.add([rig.file("one.txt", "a\nb\nc\nd"), rig.file("two.txt")])
    seen: list[tuple[str, JobState]] = []
    for update in rig.queue.work(GOING):
        seen.append((update.job.title, update.job.state))
        if update.job.job_id == first.job_id and update.job.done == 2:
            rig.queue.pause(first.job_id)
    assert rig.states() == {"one.txt": JobState.PAUSED, "two.txt": JobState.DONE}
    assert ("one.txt", JobState.PAUSED) in seen
    rig.queue.resume()
    rig.work()
    assert rig.importer.read == ["one.txt", "two.txt"]
    assert set(rig.states().values()) == {JobState.DONE}
    rig.queue.add([rig.file("three.txt"), rig.file("four.txt")])
    rig.queue.pause()
    rig.work()
    assert rig.states()["four.txt"] is JobState.PAUSED
    rig.queue.resume()
    rig.work()
    assert set(rig.states().values()) == {JobState.DONE}
    assert second.title == "two.txt"


def test_cancel_leaves_nothing_and_can_be_taken_back(rig: Rig) -> None:
    (job,) = rig.queue.add([rig.file("one.txt", "a\nb\nc\nd")])
    for update in rig.queue.work(GOING):
        if update.job.done == 2:
            rig.queue.cancel(job.job_id)
    assert rig.states() == {"one.txt": JobState.CANCELLED}
    assert rig.titles() == []
    rig.queue.retry(job.job_id)
    rig.work()
    assert rig.titles() == ["one.txt"]


def test_a_stop_that_comes_while_another_job_is_told_of_is_heeded(rig: Rig) -> None:
    one, two, _ = rig.queue.add([rig.file(f"{n}.txt", "a\nb") for n in ("one", "two", "three")])
    rig.queue.cancel(one.job_id)
    for update in rig.queue.work(GOING):
        if update.job.job_id == one.job_id:
            rig.queue.cancel(two.job_id)
    assert rig.states()["two.txt"] is JobState.CANCELLED
    assert rig.titles() == ["three.txt"]


def test_what_waits_or_runs_goes_on_after_a_restart(rig: Rig) -> None:
    rig.queue.add([rig.file(f"{n}.txt", "a\nb\nc") for n in ("one", "two", "three")])
    stopping = threading.Event()
    rig.file("two.txt", "second\nfile"), rig.file("three.txt", "third")
    for update in rig.queue.work(stopping):
        if update.job.title == "two.txt" and update.job.done == 1:
            rig.queue.stop(stopping)
    assert rig.titles() == ["one.txt"]
    rig.restarted()
    assert [job.title for job in rig.queue.restore()] == ["two.txt", "three.txt"]
    rig.work()
    assert rig.titles() == ["one.txt", "three.txt", "two.txt"]


def test_a_job_that_a_kill_left_running_waits_again(rig: Rig) -> None:
    (job,) = rig.queue.add([rig.file("one.txt")])
    rig.store.change(replace(job, state=JobState.RUNNING, done=3, total=9))
    rig.restarted()
    assert [job.state for job in rig.queue.open_jobs()] == [JobState.WAITING]
    (left,) = rig.queue.restore()
    assert (left.state, left.done) == (JobState.WAITING, 0)


def test_names_that_are_no_text_come_back_as_they_are(rig: Rig) -> None:
    path = rig.folder / "caf\udce9.txt"
    path.write_text("a name of bytes")
    rig.queue.add([path])
    (job,) = rig.store.open_jobs()
    assert job.path == str(path)
    assert rig.store.newest_by_path()[str(path)].job_id == job.job_id
    rig.work()
    assert len(rig.titles()) == 1


def test_a_job_comes_back_from_the_store_as_it_was(rig: Rig) -> None:
    moment = datetime(2026, 5, 3, 12, tzinfo=UTC)
    job = ImportJob("/a", "a \ud83d", moment, watched=True, size=2**40, modified=moment)
    (stored,) = rig.store.add([job])
    changed = replace(stored, title="a", note="n", hint="h", passages=7, document_id="d")
    rig.store.change(changed)
    assert rig.store.open_jobs() == [changed]
    assert rig.store.newest(1) == [changed]
    assert rig.store.add([]) == []


def test_nothing_is_said_before_there_is_a_pace() -> None:
    now = [0.0]
    pace = Pace(lambda: now[0])
    assert pace.seconds_for(10) is None
    for second in range(100):
        now[0] = float(second)
        pace.note(second * (1 if second < 30 else 4))
        if second < 3:
            assert pace.seconds_for(10) is None
    assert pace.seconds_for(40) == pytest.approx(10, abs=3)
    now[0] = 1000.0
    pace.restart()
    assert pace.seconds_for(40) is None


def test_a_batch_is_measured_by_its_bytes() -> None:
    now = [0.0]
    batch = BatchProgress(lambda: now[0])
    moment = datetime(2026, 5, 3, tzinfo=UTC)
    jobs = [ImportJob(f"/{n}", "a", moment, 1, size=100, job_id=n) for n in range(10)]
    for job in jobs:
        batch.put(job)
    assert (batch.files, batch.ended, batch.seconds_left()) == (10, 0, None)
    for number in range(5):
        now[0] += 10
        batch.put(replace(jobs[number], state=JobState.DONE))
    assert (batch.files, batch.ended, batch.seconds_left()) == (10, 5, 50)
