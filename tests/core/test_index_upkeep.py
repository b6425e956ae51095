"""Idle work that keeps the index of recall storage up: what it reads, when it stops."""

import logging
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from helpers.children import read_lines_then_kill, start_child
from helpers.memory_stores import HashEmbedder, MemoryRecallStore
from pagekeeper_core.errors import Cancelled, ModelError, StoreError
from pagekeeper_core.index_upkeep import EMBEDDED_AT_ONCE, READ_AT_ONCE, IndexUpkeep
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.records import RecallFilter
from pagekeeper_core.storage.lancedb_recall_index import LanceDBRecallIndex

NOON = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)


class Rig:
    """A conversation, an index over it, and the job between them."""

    def __init__(self, folder: Path, *, max_tokens: int = 256) -> None:
        self.folder = folder / "index.lance"
        self.recall = MemoryRecallStore()
        self.embedder = HashEmbedder(max_tokens=max_tokens)
        self.cancel = threading.Event()
        self.start()

    def start(self) -> None:
        self.index = LanceDBRecallIndex(self.folder, self.embedder)
        self.upkeep = IndexUpkeep(self.recall, self.index, self.embedder)

    def say(self, text: str, kind: MessageKind = MessageKind.USER, thread_id: int = 1) -> Message:
        at = NOON + timedelta(minutes=self.recall.count())
        return self.recall.append(Message(kind, text, text, at, thread_id=thread_id))

    def work(self) -> None:
        assert list(self.upkeep.work(self.cancel)) == []

    def nearest(self, query: str) -> list[int]:
        return self.index.nearest(query, RecallFilter(), 5)


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


def test_what_was_said_is_indexed_and_nothing_else(rig: Rig) -> None:
    rig.say("the dog sleeps")
    rig.say("dog result", MessageKind.FUNCTION)
    rig.say("dog alert", MessageKind.SYSTEM)
    rig.say("", MessageKind.ASSISTANT)
    rig.say("the dog sleeps well", MessageKind.ASSISTANT)
    rig.work()
    assert sorted(rig.nearest("the dog")) == [1, 5]


def test_an_answer_is_indexed_with_its_question(rig: Rig) -> None:
    rig.say("Where did you leave the bicycle?", MessageKind.ASSISTANT)
    rig.say("bicycle", thread_id=2)
    rig.say("call", MessageKind.FUNCTION)
    rig.say("In Porto")
    rig.work()
    assert 4 in rig.nearest("Where did you leave the bicycle")


def test_nothing_new_costs_nothing(rig: Rig) -> None:
    rig.work()
    assert not rig.folder.exists()
    rig.say("the dog sleeps")
    rig.work()
    embedded = rig.embedder.embedded
    rig.work()
    assert rig.embedder.embedded == embedded


def test_words_are_tidied_once_after_something_was_said(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    tidied: list[int] = []
    monkeypatch.setattr(rig.recall, "tidy", lambda cancel: tidied.append(rig.recall.count()))
    rig.work()
    rig.say("the dog sleeps")
    rig.work()
    rig.work()
    rig.say("the dog sleeps well")
    rig.work()
    assert tidied == [1, 2]


def test_words_that_cannot_be_tidied_do_not_end_the_indexing(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(cancel: threading.Event) -> None:
        raise StoreError("The disk is full.")

    monkeypatch.setattr(rig.recall, "tidy", fail)
    rig.say("the dog sleeps")
    with caplog.at_level(logging.WARNING):
        rig.work()
    assert rig.nearest("the dog") == [1]
    assert "not tidied" in caplog.text


def test_it_goes_on_where_the_last_run_stopped(rig: Rig) -> None:
    rig.say("one dog")
    rig.work()
    rig.say("two dogs")
    rig.start()
    embedded = rig.embedder.embedded
    rig.work()
    assert rig.embedder.embedded == embedded + 2
    assert rig.index.newest()[0] == 2


def test_it_stops_at_once_and_loses_nothing(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3 * READ_AT_ONCE):
        rig.say(f"message number {number}")
    add = rig.index.add

    def add_and_interrupt(entries: list[object]) -> None:
        add(entries)  # type: ignore[arg-type]
        rig.cancel.set()

    monkeypatch.setattr(rig.index, "add", add_and_interrupt)
    with pytest.raises(Cancelled):
        rig.work()
    assert rig.index.newest()[0] == EMBEDDED_AT_ONCE
    monkeypatch.undo()
    rig.cancel.clear()
    rig.work()
    assert rig.index.newest()[0] == 3 * READ_AT_ONCE
    assert rig.embedder.embedded == 3 * READ_AT_ONCE + 1


def test_the_user_does_not_wait_while_the_embedder_is_loaded(rig: Rig) -> None:
    loading, loaded = threading.Event(), threading.Event()

    def come_back() -> None:
        loading.wait()
        rig.cancel.set()

    embed = rig.embedder.embed

    def embed_slowly(texts: list[str]) -> list[list[float]]:
        loading.set()
        loaded.wait()
        rig.embedder.is_loaded = True
        return embed(texts)

    rig.embedder.is_loaded = False
    rig.embedder.embed = embed_slowly  # type: ignore[method-assign, assignment]
    rig.say("the dog sleeps")
    threading.Thread(target=come_back).start()
    with pytest.raises(Cancelled):
        rig.work()
    assert rig.nearest("dog") == []
    loaded.set()
    rig.cancel.clear()
    rig.work()
    assert rig.nearest("dog") == [1]


def test_a_message_too_long_for_the_embedder_is_found_by_its_end(tmp_path: Path) -> None:
    rig = Rig(tmp_path, max_tokens=40)
    rig.say(" ".join(f"Sentence {n} is about the weather." for n in range(40)) + " The dog sleeps.")
    rig.work()
    assert rig.nearest("the dog sleeps") == [1]


def test_an_index_of_another_conversation_is_made_anew(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    rig.say("a dog")
    rig.say("a cat")
    rig.work()
    rig.recall.messages.clear()
    rig.say("a bird")
    rig.start()
    with caplog.at_level(logging.WARNING):
        rig.work()
    assert rig.index.newest()[0] == 1
    assert rig.nearest("a bird") == [1]
    assert "made anew" in caplog.text


def test_one_that_broke_is_filled_again(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    rig.say("a dog")
    rig.work()
    for file in (rig.folder / "said.lance" / "data").iterdir():
        file.write_bytes(b"")
    with caplog.at_level(logging.WARNING):
        assert rig.nearest("a dog") == []
        rig.work()
    assert rig.nearest("a dog") == [1]


def test_a_missing_embedder_is_told_once(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    def fail(texts: list[str]) -> list[list[float]]:
        raise ModelError("The embedder is missing.")

    rig.embedder.is_loaded = False
    rig.embedder.embed = fail  # type: ignore[method-assign, assignment]
    rig.say("a dog")
    with caplog.at_level(logging.WARNING):
        rig.work()
        rig.work()
    assert len(caplog.records) == 1


@pytest.mark.thorough
def test_a_kill_at_any_moment_leaves_what_was_indexed(rig: Rig) -> None:
    child = start_child(
        """
        import sys, threading
        from pathlib import Path
        from core.test_index_upkeep import Rig

        rig = Rig(Path(sys.argv[1]))
        for number in range(2000):
            rig.say(f"message number {number}")
        add = rig.index.add

        def add_and_tell(entries):
            add(entries)
            print(rig.index.newest()[0], flush=True)

        rig.index.add = add_and_tell
        rig.work()
        """,
        rig.folder.parent,
    )
    told = int(read_lines_then_kill(child, 5)[-1])
    for number in range(2000):
        rig.say(f"message number {number}")
    rig.index.make_ready()
    assert told <= rig.index.newest()[0] < 2000
    rig.work()
    assert rig.index.newest()[0] == 2000
    assert rig.embedder.embedded <= 2000 - told + 2
