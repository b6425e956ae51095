"""`memory show` and `memory search`: what is known, for a person and for a program."""

import contextlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from helpers.memory_stores import (
    MemoryArchivalStore,
    MemoryDocumentNews,
    MemoryProposalStore,
    MemoryRecallStore,
    MemoryReminderStore,
    MemoryStateStore,
    MemorySummaryStore,
    MemoryThreadStore,
)
from helpers.terminal import Streams
from pagekeeper_core.errors import ModelError, StoreError
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.records import (
    BlockDefinition,
    ChangeAction,
    DocumentRecord,
    MemoryChange,
    Passage,
    QueueCheckpoint,
    Target,
    TargetKind,
)
from pagekeeper_desktop import composition
from pagekeeper_desktop.__main__ import run
from pagekeeper_desktop.cli.arguments import parse
from pagekeeper_desktop.data_folder import DataFolder

if TYPE_CHECKING:
    from pagekeeper_core.documents.importing import DocumentImporter
    from pagekeeper_core.import_queue import ImportQueue
    from pagekeeper_core.watched_folders import WatchedFolders

WHEN = datetime(2026, 5, 3, 10, 42, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> composition.Memory:
    """Memory over doubles, which every command of this test opens."""
    recall = MemoryRecallStore()
    opened = composition.Memory(
        folder=DataFolder(tmp_path),
        recall=recall,
        state=MemoryStateStore(),
        archival=MemoryArchivalStore(),
        threads=MemoryThreadStore(recall),
        reminders=MemoryReminderStore(),
        proposals=MemoryProposalStore(),
        summaries=MemorySummaryStore(),
        news=MemoryDocumentNews(),
        importer=cast("DocumentImporter", None),
        imports=cast("ImportQueue", None),
        watched=cast("WatchedFolders", None),
        notices=[],
        _closing=contextlib.ExitStack(),
    )
    monkeypatch.setattr(composition, "open_memory", lambda options: opened)
    return opened


def command(memory: composition.Memory, *words: str) -> tuple[int, Streams]:
    streams = Streams()
    invocation = parse(["--data-dir", str(memory.folder.root), *words])
    return run(invocation, streams.console), streams


def say(memory: composition.Memory, *texts: str) -> None:
    for number, text in enumerate(texts):
        kind = MessageKind.ASSISTANT if number % 2 else MessageKind.USER
        memory.recall.append(Message(kind, text, text, WHEN))


def flush(memory: composition.Memory, first_seq: int, summary: str) -> None:
    memory.state.append_checkpoint(QueueCheckpoint(first_seq, summary, "", WHEN))


def test_a_new_memory_is_shown_as_empty(memory: composition.Memory) -> None:
    code, streams = command(memory, "memory", "show")
    assert code == 0
    assert "About you (human: 0 lines, at most 682 tokens)\n  (empty)\n" in streams.result
    assert "I am Keeper" in streams.result
    assert (
        "Conversations: 1, 0 messages\n  open: 1, (no title yet), 0 messages of it in view\n"
        in streams.result
    )
    assert "Archive: 0 documents, 0 passages\n" in streams.result
    assert streams.remarks == ""


def test_show_tells_blocks_summary_conversation_and_archive(memory: composition.Memory) -> None:
    human = Target(TargetKind.BLOCK, "human")
    facts = "Name: Ana\nDog: Bento"
    memory.state.append_change(MemoryChange(human, ChangeAction.EDIT, "", facts, WHEN, "user"))
    say(memory, *["words"] * 7)
    flush(memory, 5, "Ana told about her garden.")
    record = DocumentRecord("Tax 2025.pdf", "pdf", "a1", path="/papers/Tax 2025.pdf", pages=12)
    memory.archival.add_document(record, [Passage("vat", "page 1"), Passage("sums", "page 2")])
    code, streams = command(memory, "memory", "show", "--context-window", "3072")
    assert code == 0
    assert "(human: 2 lines, at most 256 tokens)\n  Name: Ana\n  Dog: Bento\n" in streams.result
    assert "Ana told about her garden." in streams.result
    assert "Conversations: 1, 7 messages\n" in streams.result
    assert "  Tax 2025.pdf (12 pages, 2 passages, " in streams.result


def test_show_for_a_program(memory: composition.Memory) -> None:
    say(memory, *["words"] * 7)
    flush(memory, 5, "They talked.")
    memory.archival.insert_note("Ana likes ginger.")
    code, streams = command(memory, "memory", "show", "--json")
    (figures,) = streams.objects()
    assert code == 0
    assert figures["queue"] == {"first_seq": 5, "messages": 3}
    assert figures["recall"] == {"messages": 7}
    assert figures["summary"] == "They talked."
    assert figures["archive"] == {"passages": 1, "documents": []}
    assert [block["name"] for block in figures["blocks"]] == ["persona", "human"]


def test_show_is_about_the_newest_conversation(memory: composition.Memory) -> None:
    say(memory, *["words"] * 7)
    thread = memory.threads.create(WHEN, "Trip to Porto")
    for number in range(4):
        text = f"Porto {number}"
        at = WHEN + timedelta(minutes=number)
        memory.recall.append(Message(MessageKind.USER, text, text, at, thread_id=thread.thread_id))
    memory.state.append_checkpoint(
        QueueCheckpoint(10, "They plan.", "", WHEN, thread_id=thread.thread_id, kept=(8,))
    )
    _, streams = command(memory, "memory", "show")
    assert "Conversations: 2, 11 messages\n" in streams.result
    assert "  open: 2, Trip to Porto, 3 messages of it in view\n" in streams.result
    assert "They plan." in streams.result
    (figures,) = command(memory, "memory", "show", "--json")[1].objects()
    assert figures["queue"] == {"first_seq": 8, "messages": 3}
    assert (figures["threads"], figures["thread"]["title"]) == (2, "Trip to Porto")


def test_blocks_of_ones_own_are_shown_with_what_belongs_in_them(
    memory: composition.Memory,
) -> None:
    memory.state.append_block(BlockDefinition("garden", "what grows where", 120, WHEN))
    garden = Target(TargetKind.BLOCK, "garden")
    edit = MemoryChange(garden, ChangeAction.EDIT, "", "Roses by the wall", WHEN, "assistant")
    memory.state.append_change(edit)
    code, streams = command(memory, "memory", "blocks")
    assert code == 0
    assert streams.result.endswith(
        "Garden (garden: 1 line, at most 120 tokens, about: what grows where)\n"
        "  Roses by the wall\n\n"
    )
    (listed,) = command(memory, "memory", "blocks", "--json")[1].objects()
    assert [(block["name"], block["made"]) for block in listed["blocks"]] == [
        ("persona", False),
        ("human", False),
        ("garden", True),
    ]
    assert "Roses by the wall" in command(memory, "memory", "show")[1].result


def test_search_finds_what_was_said_and_what_was_archived(memory: composition.Memory) -> None:
    say(memory, "The vet saw Bento", "I hope the vet was kind", "Something else")
    record = DocumentRecord("Bills.pdf", "pdf", "b2", pages=3)
    memory.archival.add_document(record, [Passage("vet: 40 euros", "page 2")])
    code, streams = command(memory, "memory", "search", "vet")
    assert code == 0
    assert "Conversations: 2 found, page 1 of 1\n" in streams.result
    local = WHEN.astimezone().strftime("%Y-%m-%d %H:%M")
    assert f"  m1  {local}  You: The vet saw Bento\n" in streams.result
    assert f"  m2  {local}  Keeper: I hope the vet was kind\n" in streams.result
    assert "  Bills.pdf, page 2: vet: 40 euros\n" in streams.result


def test_search_pages_and_says_when_nothing_is_found(memory: composition.Memory) -> None:
    say(memory, *[f"word {number}" for number in range(12)])
    _, streams = command(memory, "memory", "search", "--page", "3", "word")
    assert "Conversations: 12 found, page 3 of 3\n" in streams.result
    assert streams.result.count("word") == 2
    _, streams = command(memory, "memory", "search", "xylophone")
    assert "Conversations: nothing found\n" in streams.result


def test_search_for_a_program_in_any_script(memory: composition.Memory) -> None:
    say(memory, "我的猫叫咪咪", "הכלב שלי", "half an emoji \ud83d here")
    code, streams = command(memory, "memory", "search", "--json", "猫")
    (found,) = streams.objects()
    assert code == 0
    (hit,) = found["conversations"]["hits"]
    assert (hit["seq"], hit["by"], hit["text"]) == (1, "user", "我的猫叫咪咪")
    assert found["archive"]["total"] == 0
    code, streams = command(memory, "memory", "search", "--json", "emoji \ud83d \0")
    assert (code, streams.objects()[0]["conversations"]["total"]) == (0, 1)


def test_a_missing_embedder_is_said_and_what_was_said_is_found_all_the_same(
    memory: composition.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def embed(texts: Sequence[str]) -> list[list[float]]:
        raise ModelError("The embedding model is missing.", hint="pagekeeper models download")

    say(memory, "The vet saw Bento")
    memory.archival.insert_note("a note about the vet")
    monkeypatch.setattr(cast("MemoryArchivalStore", memory.archival).embedder, "embed", embed)
    code, streams = command(memory, "memory", "search", "vet")
    assert code == 1
    assert "The vet saw Bento" in streams.result
    assert "The embedding model is missing.\npagekeeper models download" in streams.remarks
    code, streams = command(memory, "memory", "search", "--json", "vet")
    assert code == 1
    assert streams.objects()[0]["conversations"]["total"] == 1
    assert streams.objects()[0]["archive"] is None


def test_an_archive_that_cannot_be_read_hides_nothing_else(
    memory: composition.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise StoreError("archive.lance cannot be read", hint="Put a backup in its place.")

    say(memory, "The vet saw Bento")
    for method in ("count", "search"):
        monkeypatch.setattr(memory.archival, method, fail)
    code, streams = command(memory, "memory", "show")
    assert code == 1
    assert "Conversations: 1, 1 message\n" in streams.result
    assert "Archive: cannot be read (archive.lance cannot be read)\n" in streams.result
    assert streams.remarks == "Put a backup in its place.\n"
    code, streams = command(memory, "memory", "show", "--json")
    assert code == 1
    assert streams.objects()[0]["archive"]["error"] == "archive.lance cannot be read"
    code, streams = command(memory, "memory", "search", "vet")
    assert code == 1
    assert "The vet saw Bento" in streams.result
    assert "archive.lance cannot be read\nPut a backup" in streams.remarks


def test_what_the_archive_finds_damaged_when_it_is_first_used_is_told(
    memory: composition.Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def count() -> int:
        cast("list[str]", memory.notices).append("The list of documents was missing.")
        return 0

    monkeypatch.setattr(memory.archival, "count", count)
    _, streams = command(memory, "memory", "show")
    assert streams.remarks == "The list of documents was missing.\n"


def test_a_long_message_takes_one_line(memory: composition.Memory) -> None:
    say(memory, "vet " + "and\nmore " * 10_000)
    _, streams = command(memory, "memory", "search", "vet")
    assert max(map(len, streams.result.splitlines())) < 250


def test_notices_about_the_data_reach_the_person(memory: composition.Memory) -> None:
    cast("list[str]", memory.notices).append("Two messages were lost with a damaged log.")
    _, streams = command(memory, "memory", "show", "--json")
    assert streams.remarks == "Two messages were lost with a damaged log.\n"
    assert streams.objects()
