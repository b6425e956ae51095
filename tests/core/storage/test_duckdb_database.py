"""The DuckDB file under everything that happens to files."""

import logging
import os
import shutil
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from helpers.children import read_lines_then_kill, run_child, start_child
from pagekeeper_core.errors import StoreBusyError, StoreError, StoreVersionError
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.storage import duckdb_database, duckdb_opening, migrations
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.duckdb_recall import DuckDBRecallStore

NOON = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)

WRITER = """
    import sys
    from datetime import UTC, datetime
    from pathlib import Path
    from pagekeeper_core.messages import Message, MessageKind
    from pagekeeper_core.storage.duckdb_database import Database
    from pagekeeper_core.storage.duckdb_recall import DuckDBRecallStore

    store = DuckDBRecallStore(Database(Path(sys.argv[1])))
    while True:
        text = f"message number {store.count() + 1}"
        message = Message(MessageKind.USER, text, text, datetime.now(UTC))
        print(store.append(message).seq, flush=True)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory" / "recall.duckdb"


def write_messages(path: Path, count: int) -> None:
    database = Database(path)
    store = DuckDBRecallStore(database)
    for number in range(count):
        store.append(Message(MessageKind.USER, f"message {number}", "", NOON))
    database.close()


def kill_while_writing(path: Path, messages: int) -> int:
    """Leaves the file and its log as a kill leaves them; how many messages were acknowledged."""
    return int(read_lines_then_kill(start_child(WRITER, path), messages)[-1])


def stored_texts(path: Path) -> list[str]:
    with duckdb.connect(path) as connection:
        return [row[0] for row in connection.execute("SELECT text FROM messages").fetchall()]


def test_the_folder_is_made_and_closing_leaves_no_log(path: Path) -> None:
    write_messages(path, 3)
    assert {entry.name for entry in path.parent.iterdir()} == {
        "recall.duckdb",
        "recall.duckdb.commits",
    }
    assert Database(path).notices == []


def test_a_kill_while_the_file_was_created_does_no_harm(path: Path) -> None:
    path.parent.mkdir()
    path.with_name("recall.duckdb.new").write_bytes(b"half a file")
    write_messages(path, 1)
    assert stored_texts(path) == ["message 0"]


@pytest.mark.thorough
def test_nothing_acknowledged_is_lost_by_a_kill(path: Path) -> None:
    acknowledged = 0
    for messages in (3, 80):
        acknowledged = kill_while_writing(path, messages)
    database = Database(path)
    store = DuckDBRecallStore(database)
    assert store.count() in {acknowledged, acknowledged + 1}
    assert [m.text for m in store.read(1, acknowledged)] == [
        f"message number {n}" for n in range(1, acknowledged + 1)
    ]
    assert store.search([f"number {acknowledged}"]).hits[0].message.seq == acknowledged
    assert database.notices == []


@pytest.mark.thorough
def test_a_log_damaged_in_the_middle_is_kept_and_reported(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kill_while_writing(path, 40)
    log = path.with_name("recall.duckdb.wal")
    content = bytearray(log.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 8] = b"\xff" * 8
    log.write_bytes(content)
    with caplog.at_level(logging.WARNING):
        database = Database(path)
    (notice,) = database.notices
    (kept,) = path.parent.glob("recall.duckdb.wal.*")
    assert str(kept) in notice
    assert notice in caplog.text
    assert kept.read_bytes() == content
    store = DuckDBRecallStore(database)
    left = store.count()
    assert left < 40
    assert store.append(Message(MessageKind.USER, "go on", "", NOON)).seq == left + 1
    database.close()
    assert Database(path).notices == []


@pytest.mark.thorough
def test_a_log_that_cannot_be_replayed_is_set_aside(tmp_path: Path, path: Path) -> None:
    _, content = foreign_log(tmp_path, path)
    database = Database(path)
    (kept,) = path.parent.glob("recall.duckdb.wal.*")
    assert kept.read_bytes() == content
    assert str(kept) in database.notices[0]
    assert DuckDBRecallStore(database).count() == 3


def foreign_log(tmp_path: Path, path: Path) -> tuple[Path, bytes]:
    """A file with three messages, and beside it the log of another one."""
    other = tmp_path / "other.duckdb"
    kill_while_writing(other, 5)
    write_messages(path, 3)
    log = path.with_name("recall.duckdb.wal")
    shutil.copyfile(other.with_name("other.duckdb.wal"), log)
    return log, log.read_bytes()


def break_commits(path: Path) -> None:
    with duckdb.connect(path) as connection:
        connection.execute("DROP TABLE commits")


@pytest.mark.thorough
def test_an_error_after_the_log_was_set_aside_does_not_lose_it(tmp_path: Path, path: Path) -> None:
    log, content = foreign_log(tmp_path, path)
    log.unlink()
    break_commits(path)
    log.write_bytes(content)
    for _ in range(2):
        with pytest.raises(StoreError, match="cannot be read"):
            Database(path)
        assert log.read_bytes() == content
        assert not list(path.parent.glob("recall.duckdb.wal.*"))
    log.unlink()
    duckdb.connect(path).close()


@pytest.mark.thorough
def test_an_error_after_the_log_was_replayed_keeps_its_copy(path: Path) -> None:
    kill_while_writing(path, 3)
    log = path.with_name("recall.duckdb.wal")
    child = """
        import os, sys
        import duckdb
        connection = duckdb.connect(sys.argv[1])
        connection.execute("DROP TABLE commits")
        print("dropped", flush=True)
        os._exit(0)
    """
    assert run_child(child, path) == "dropped\n"
    content = log.read_bytes()
    with pytest.raises(StoreError, match="cannot be read"):
        Database(path)
    (kept,) = path.parent.glob("recall.duckdb.wal.*")
    assert kept.read_bytes() == content


@pytest.mark.thorough
def test_a_log_that_cannot_be_set_aside_is_an_error_with_a_sentence(
    tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, content = foreign_log(tmp_path, path)

    def refuse(*_: object) -> None:
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(StoreError, match="cannot be opened"):
        Database(path)
    assert log.read_bytes() == content


@pytest.mark.thorough
def test_want_of_memory_is_no_reason_to_set_the_log_aside(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill_while_writing(path, 40)
    with monkeypatch.context() as patch:
        patch.setitem(duckdb_opening._CONFIG, "memory_limit", "1MB")
        with pytest.raises(StoreError, match="cannot be opened") as caught:
            Database(path)
    assert "backup" not in caught.value.hint
    database = Database(path)
    assert DuckDBRecallStore(database).count() >= 40
    assert database.notices == []


def test_a_log_that_cannot_be_read_is_no_bad_log(path: Path) -> None:
    write_messages(path, 3)
    log = path.with_name("recall.duckdb.wal")
    log.mkdir()
    with pytest.raises(StoreError, match="cannot be opened"):
        Database(path)
    assert log.is_dir()


@pytest.mark.thorough
def test_an_older_file_in_its_place_is_reported(path: Path) -> None:
    write_messages(path, 2)
    backup = path.read_bytes()
    write_messages(path, 5)
    path.write_bytes(backup)
    assert "newest 5 entries" in Database(path).notices[0]


def test_missing_messages_are_reported_not_repaired(path: Path) -> None:
    write_messages(path, 6)
    with duckdb.connect(path) as connection:
        connection.execute("DELETE FROM messages WHERE seq IN (2, 4)")
    database = Database(path)
    store = DuckDBRecallStore(database)
    assert "2 of 6 messages are missing" in database.notices[0]
    assert [message.seq for message in store.read(1)] == [1, 3, 5, 6]
    assert store.append(Message(MessageKind.USER, "x", "", NOON)).seq == 7


def test_a_newer_version_is_refused_and_not_touched(path: Path) -> None:
    write_messages(path, 1)
    with duckdb.connect(path) as connection:
        connection.execute("INSERT INTO schema_version VALUES (999, now())")
    before = path.read_bytes()
    with pytest.raises(StoreVersionError) as caught:
        Database(path)
    assert "newest version" in caught.value.hint
    assert path.read_bytes() == before


@pytest.mark.thorough
def test_a_second_process_is_told_that_it_is_in_use(path: Path) -> None:
    database = Database(path)
    DuckDBRecallStore(database).append(Message(MessageKind.USER, "x", "", NOON))
    output = run_child(
        """
        import sys
        from pathlib import Path
        from pagekeeper_core.errors import StoreBusyError
        from pagekeeper_core.storage.duckdb_database import Database
        try:
            Database(Path(sys.argv[1]))
        except StoreBusyError as error:
            print(error, error.hint)
        """,
        path,
    )
    assert "in use" in output
    assert "Close the other" in output
    assert not list(path.parent.glob("recall.duckdb.wal.*"))
    database.close()
    Database(path).close()
    assert issubclass(StoreBusyError, StoreError)


@pytest.mark.parametrize("content", [b"", b"x", b"garbage" * 5000], ids=["empty", "short", "long"])
def test_a_damaged_file_is_reported_and_left(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(StoreError, match="cannot be read") as caught:
        Database(path)
    assert "backup" in caught.value.hint
    assert path.read_bytes() == content


@pytest.mark.thorough
def test_bytes_damaged_inside_the_file_are_reported(path: Path) -> None:
    write_messages(path, 50)
    content = bytearray(path.read_bytes())
    content[4096 : 4096 * 4] = b"\xee" * (4096 * 3)
    path.write_bytes(content)
    log = path.with_name("recall.duckdb.wal")
    log.write_bytes(b"the log of it")
    with pytest.raises(StoreError, match="cannot be read"):
        Database(path)
    assert log.read_bytes() == b"the log of it"


def test_a_folder_in_place_of_the_file(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(StoreError):
        Database(path)


def test_a_file_in_place_of_the_folder(path: Path) -> None:
    path.parent.write_text("not a folder")
    with pytest.raises(StoreError) as caught:
        Database(path)
    assert "A file stands where a folder is needed" in caught.value.hint


def test_a_folder_that_may_not_be_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(StoreError) as caught:
        Database(path)
    assert "--data-dir" in caught.value.hint


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of files")
def test_a_full_disk_loses_nothing_and_is_survived(path: Path) -> None:
    output = run_child(
        """
        import logging, os, resource, sys
        from datetime import UTC, datetime
        from pathlib import Path
        from pagekeeper_core.errors import StoreError
        from pagekeeper_core.messages import Message, MessageKind
        from pagekeeper_core.storage.duckdb_database import Database
        from pagekeeper_core.storage.duckdb_recall import DuckDBRecallStore

        logging.disable()
        path = Path(sys.argv[1])
        database = Database(path)
        store = DuckDBRecallStore(database)
        message = Message(MessageKind.USER, "filling the disk", "", datetime.now(UTC))
        full = path.stat().st_size + 300_000
        resource.setrlimit(resource.RLIMIT_FSIZE, (full, resource.RLIM_INFINITY))
        stored = failed = 0
        while failed < 3:
            try:
                store.append(Message(
                    MessageKind.USER, os.urandom(3000).hex(), "", datetime.now(UTC)))
                stored += 1
            except StoreError:
                failed += 1
        assert store.count() == stored, (store.count(), stored)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        assert store.append(message).seq == stored + 1
        database.close()
        again = Database(path)
        assert DuckDBRecallStore(again).count() == stored + 1
        print(stored, again.notices)
        """,
        path,
    )
    assert output.endswith("[]\n")
    assert int(output.split()[0]) > 64


def test_a_transaction_that_fails_leaves_nothing(path: Path) -> None:
    database = Database(path)
    store = DuckDBRecallStore(database)

    def fail_half_way() -> None:
        with database.transaction() as connection:
            connection.execute("INSERT INTO new_postings VALUES (1, 1, 1, 1, 1, true)")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_half_way()
    assert store.search(["half"]).total == 0
    assert store.append(Message(MessageKind.USER, "whole", "", NOON)).seq == 1


def test_a_migration_that_fails_is_undone(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_messages(path, 1)

    def fail(connection: duckdb.DuckDBPyConnection) -> None:
        connection.execute("CREATE TABLE later (n INTEGER)")
        connection.execute("SELECT * FROM nowhere")

    released = migrations.MIGRATIONS
    monkeypatch.setattr(migrations, "MIGRATIONS", (*released, fail))
    with pytest.raises(StoreError):
        Database(path)
    monkeypatch.setattr(migrations, "MIGRATIONS", released)
    database = Database(path)
    assert database.rows("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'later'") == [
        (0,)
    ]
    assert DuckDBRecallStore(database).count() == 1


@pytest.mark.thorough
def test_threads_read_their_own_rows_while_another_writes(path: Path) -> None:
    database = Database(path)
    store = DuckDBRecallStore(database)
    for number in range(40):
        store.append(Message(MessageKind.USER, f"word{number} fish", "", NOON))
    wrong: list[object] = []

    def read(number: int) -> None:
        for _ in range(15):
            (message,) = store.read(number + 1, number + 1)
            hit = store.search([f"word{number}"]).hits[0]
            if {message.text, hit.message.text} != {f"word{number} fish"}:
                wrong.append(message)

    readers = [threading.Thread(target=read, args=(number,)) for number in range(4)]
    for reader in readers:
        reader.start()
    for number in range(80):
        store.append(Message(MessageKind.ASSISTANT, f"later {number}", "", NOON))
    for reader in readers:
        reader.join()
    assert wrong == []
    assert store.count() == 120
    database.close()


def test_a_closed_database_is_an_error_with_a_sentence(path: Path) -> None:
    database = Database(path)
    store = DuckDBRecallStore(database)
    database.close()
    with pytest.raises(StoreError):
        store.append(Message(MessageKind.USER, "x", "", NOON))
    with pytest.raises(StoreError):
        store.count()


def test_closing_twice_is_fine(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    database = Database(path)
    database.close()
    database.close()
    assert caplog.records == []


def test_a_file_that_could_not_be_opened_anew_is_tried_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(path)
    store = DuckDBRecallStore(database)
    message = Message(MessageKind.USER, "x", "", NOON)
    store.append(message)
    database._connection.close()

    def refuse(*_: object) -> None:
        raise StoreError("not now")

    with monkeypatch.context() as patch:
        patch.setattr(duckdb_database, "open_database", refuse)
        with pytest.raises(StoreError, match="not now"):
            store.append(message)
        with pytest.raises(StoreError, match="not now"):
            store.count()
    assert store.count() == 1
    assert store.append(message).seq == 2
    assert database.notices == []


def test_a_time_without_a_zone_is_refused(path: Path) -> None:
    store = DuckDBRecallStore(Database(path))
    with pytest.raises(ValueError, match="no time zone"):
        store.append(Message(MessageKind.USER, "x", "", NOON.replace(tzinfo=None)))
    assert store.count() == 0
