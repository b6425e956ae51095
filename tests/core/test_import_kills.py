"""A kill at any moment: a document is whole or absent, and the next run reads the rest."""

import random
import threading
import time
from pathlib import Path

import pytest

from helpers.children import run_child, start_child
from helpers.import_stores import Stores
from pagekeeper_core.records import DocumentInfo

CHILD = """
import sys, threading
from pathlib import Path
from helpers.import_stores import Stores

stores = Stores(Path(sys.argv[1]))
stores.queue.restore()
stores.queue.add([Path(path) for path in sys.argv[2:]])
print("ready", flush=True)
for update in stores.queue.work(threading.Event()):
    pass
print("whole", flush=True)
"""


def whole_documents(stores: Stores) -> dict[str, DocumentInfo]:
    """The documents, each of which has all its passages in order."""
    documents = stores.archival.documents()
    for info in documents:
        page = stores.archival.document_passages(info.document_id, 1, info.passages + 9)
        assert [hit.position for hit in page.hits] == list(range(info.passages))
    assert stores.archival.count() == sum(info.passages for info in documents)
    return {info.record.title: info for info in documents}


@pytest.mark.thorough
def test_a_kill_at_any_moment_leaves_documents_whole_or_absent(tmp_path: Path) -> None:
    data, papers = tmp_path / "data", tmp_path / "papers"
    papers.mkdir()
    for number in range(4):
        lines = (f"Clause {n} of lease {number} is about the rent." for n in range(1500))
        (papers / f"{number}.txt").write_text("\n\n".join(lines))
    chance = random.Random(6)
    for _ in range(5):
        child = start_child(CHILD, data, papers)
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(chance.uniform(0.05, 1.5))
        child.kill()
        child.communicate()
        stores = Stores(data)
        whole_documents(stores)
        stores.close()
    assert run_child(CHILD, data) == "ready\nwhole\n"
    stores = Stores(data)
    assert sorted(whole_documents(stores)) == [f"{number}.txt" for number in range(4)]
    assert list((data / "archive.lance" / "drafts").glob("*")) == []
    stores.close()


@pytest.mark.thorough
def test_a_replacement_that_is_killed_leaves_one_of_both_versions(tmp_path: Path) -> None:
    data, path = tmp_path / "data", tmp_path / "lease.txt"
    chance = random.Random(7)
    for version in range(6):
        lines = (f"Version {version}, clause {n}." for n in range(800))
        path.write_text("\n\n".join(lines))
        child = start_child(CHILD, data, path)
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(chance.uniform(0.0, 1.0))
        child.kill()
        child.communicate()
        stores = Stores(data)
        assert len(whole_documents(stores)) <= 1
        assert len(stores.archival.documents()) <= 1
        stores.close()


@pytest.mark.slow
def test_memory_is_bounded_on_a_table_of_350_000_lines(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    with path.open("w") as file:
        file.write("number,place,amount\n")
        file.writelines(f"{n},Porto,{n % 997}\n" for n in range(350_000))
    output = run_child(
        """
        import sys, threading
        from pathlib import Path
        import psutil
        from helpers.import_stores import Stores

        stores = Stores(Path(sys.argv[1]))
        stores.archival.open()
        memory = psutil.Process().memory_info
        before = peak = memory().rss
        stores.queue.add([Path(sys.argv[2])])
        for update in stores.queue.work(threading.Event()):
            peak = max(peak, memory().rss)
        print(update.job.passages > 5000, (peak - before) // 1024 ** 2)
        stores.close()
        """,
        tmp_path / "data",
        path,
    )
    enough, grown = output.split()
    assert enough == "True"
    assert int(grown) < 400


def test_stopping_at_once_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("\n\n".join(f"Clause {n}." for n in range(300)))
    stores = Stores(tmp_path / "data")
    stores.queue.add([path])
    stopping = threading.Event()
    for update in stores.queue.work(stopping):
        if update.job.passages:
            stores.queue.stop(stopping)
    assert stores.archival.count() == 0
    stores.close()
    again = Stores(tmp_path / "data")
    assert [job.title for job in again.queue.restore()] == ["a.txt"]
    list(again.queue.work(threading.Event()))
    assert list(whole_documents(again)) == ["a.txt"]
    again.close()
