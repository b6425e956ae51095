"""Exports of ChatGPT and Claude: the chosen branch, once, whatever is damaged."""

import json
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from helpers.memory_stores import HashEmbedder, MemoryArchivalStore
from pagekeeper_core.conversation_import import (
    ConversationsImported,
    import_conversations,
    is_conversation_export,
)
from pagekeeper_core.documents.importing import DocumentImporter
from pagekeeper_core.errors import Cancelled, DocumentError
from pagekeeper_core.import_steps import ImportOutcome, ImportSteps
from pagekeeper_core.messages import MessageKind
from pagekeeper_core.records import ImportJob
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.duckdb_imports import DuckDBImportedConversations
from pagekeeper_core.storage.duckdb_recall import DuckDBRecallStore
from pagekeeper_core.storage.duckdb_state import DuckDBStateStore
from pagekeeper_core.storage.duckdb_threads import DuckDBThreadStore

BEGUN = 1_700_000_000.5


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "memory" / "recall.duckdb")
    yield database
    database.close()


def content(text: str) -> dict[str, Any]:
    return {"content_type": "text", "parts": [text]}


def node(
    name: str, parent: str | None, role: str, what: str | dict[str, Any], at: float, **more: Any
) -> dict[str, Any]:
    body = content(what) if isinstance(what, str) else what
    message = {"id": name, "author": {"role": role}, "create_time": at, "content": body, **more}
    return {"id": name, "parent": parent, "children": [], "message": message}


def conversation(
    nodes: list[dict[str, Any]], current: str | None, name: str = "c1", title: str = "Bento"
) -> dict[str, Any]:
    return {
        "title": title,
        "create_time": BEGUN,
        "mapping": {each["id"]: each for each in nodes},
        "current_node": current,
        "conversation_id": name,
    }


def talk(name: str, rounds: int = 1) -> dict[str, Any]:
    nodes: list[dict[str, Any]] = [{"id": "root", "parent": None, "children": [], "message": None}]
    for number in range(rounds):
        asked, answered = f"q{number}", f"a{number}"
        nodes += [
            node(asked, nodes[-1]["id"], "user", f"Question {number} of {name}?", BEGUN + number),
            node(answered, asked, "assistant", f"Answer {number}. " * 20, BEGUN + number + 0.5),
        ]
    return conversation(nodes, nodes[-1]["id"], name, f"Talk {name}")


def written(path: Path, conversations: object) -> Path:
    path.write_text(json.dumps(conversations), encoding="utf-8")
    return path


def imported(path: Path, database: Database) -> ConversationsImported:
    store = DuckDBImportedConversations(database)
    return list(import_conversations(path, store, threading.Event()))[-1]


def said(database: Database, thread: int) -> list[str]:
    return [m.text for m in DuckDBRecallStore(database).read(1, thread_id=thread)]


def test_the_chosen_branch_becomes_a_thread(tmp_path: Path, database: Database) -> None:
    nodes = [
        {"id": "root", "parent": None, "children": ["s"], "message": None},
        node("s", "root", "system", "You are helpful.", 0),
        node("q", "s", "user", "What did the vet say about Bento?", BEGUN + 1),
        node("old", "q", "assistant", "A reply that was made anew.", BEGUN + 2),
        node("call", "q", "assistant", "search(…)", BEGUN + 3, recipient="browser"),
        node("tool", "call", "tool", "pages of results", BEGUN + 4),
        node("think", "tool", "assistant", {"content_type": "thoughts", "thoughts": []}, BEGUN),
        node("new", "think", "assistant", "That he is fine.", BEGUN + 5),
    ]
    path = written(tmp_path / "conversations.json", [conversation(nodes, "new")])
    done = imported(path, database)
    assert (done.conversations, done.messages, done.failed) == (1, 2, 0)
    assert done.read == done.size == path.stat().st_size
    thread = DuckDBThreadStore(database).threads()[-1]
    assert (thread.title, thread.origin) == ("Bento", "ChatGPT")
    assert thread.created_at == datetime.fromtimestamp(BEGUN, UTC)
    assert thread.last_at == datetime.fromtimestamp(BEGUN + 5, UTC)
    messages = DuckDBRecallStore(database).read(1, thread_id=thread.thread_id)
    assert [(m.kind, m.text) for m in messages] == [
        (MessageKind.USER, "What did the vet say about Bento?"),
        (MessageKind.ASSISTANT, "That he is fine."),
    ]
    assert [m.seq for m in messages] == [1, 2]


def test_words_are_found_at_once(tmp_path: Path, database: Database) -> None:
    imported(written(tmp_path / "conversations.json", [talk("Porto"), talk("Lisbon")]), database)
    (hit,) = DuckDBRecallStore(database).search(["lisbon"]).hits
    assert hit.message.text == "Question 0 of Lisbon?"


def test_pictures_code_and_files_are_words(tmp_path: Path, database: Database) -> None:
    dalle = {"content_type": "image_asset_pointer", "metadata": {"dalle": {"prompt": "a red dog"}}}
    seen = {
        "content_type": "multimodal_text",
        "parts": [{"content_type": "image_asset_pointer"}, "This?"],
    }
    nodes = [
        node("1", None, "user", seen, BEGUN, metadata={"attachments": [{"name": "lease.pdf"}]}),
        node(
            "2",
            "1",
            "assistant",
            {"content_type": "code", "language": "python", "text": "x = 1"},
            BEGUN,
        ),
        node("3", "2", "assistant", {"content_type": "multimodal_text", "parts": [dalle]}, BEGUN),
    ]
    imported(written(tmp_path / "conversations.json", [conversation(nodes, "3")]), database)
    assert said(database, 2) == [
        "[picture]\n\nThis?\n\n[file: lease.pdf]",
        "```python\nx = 1\n```",
        "[picture: a red dog]",
    ]


def test_a_second_import_adds_what_is_new(tmp_path: Path, database: Database) -> None:
    path = written(tmp_path / "conversations.json", [talk("Porto", 2), talk("Rome")])
    assert imported(path, database).messages == 6
    assert imported(path, database).messages == 0
    path = written(tmp_path / "conversations.json", [talk("Porto", 3), talk("Rome"), talk("Bonn")])
    assert imported(path, database).messages == 4
    assert len(DuckDBThreadStore(database).threads()) == 4
    assert [text for text in said(database, 2) if text.startswith("Q")] == [
        "Question 0 of Porto?",
        "Question 1 of Porto?",
        "Question 2 of Porto?",
    ]


def test_one_bad_conversation_does_not_cost_the_rest(
    tmp_path: Path, database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    bad = [7, {"mapping": 3, "id": "x"}, {"title": "x"}, {**talk("b"), "mapping": {"q": []}}]
    empty = conversation([], None, "empty")
    path = written(tmp_path / "conversations.json", [talk("Rome"), *bad, empty, talk("Bonn")])
    done = imported(path, database)
    assert (done.conversations, done.failed) == (2, len(bad) - 1)
    assert "Rome" not in caplog.text


def told(path: Path, database: Database) -> str:
    """What the person reads when the export is imported."""
    archival = MemoryArchivalStore()
    steps = ImportSteps(
        DocumentImporter(archival, HashEmbedder()),
        archival,
        path.parent,
        DuckDBImportedConversations(database),
    )
    job = ImportJob(str(path), path.name, datetime.now(UTC))
    *_, last = steps.of(job, threading.Event())
    assert isinstance(last, ImportOutcome)
    return last.note


def test_what_is_left_out_is_said(tmp_path: Path, database: Database) -> None:
    path = written(tmp_path / "conversations.json", [talk("Rome"), {"title": "x"}])
    note = told(path, database)
    assert note.startswith("1 conversation was read; 2 messages of it are new.")
    assert note.endswith("1 conversation is damaged and could not be read.")
    assert "damaged" not in told(written(path, [talk("Rome"), talk("Bonn")]), database)


def test_a_moment_before_all_time_costs_nothing(tmp_path: Path, database: Database) -> None:
    before = "0001-01-01T00:00:00+05:00"
    said = {"uuid": "m", "sender": "human", "text": "Peas?", "created_at": before}
    claude = {"uuid": "u", "name": "x", "created_at": BEGUN, "chat_messages": [said]}
    path = written(tmp_path / "conversations.json", [claude, talk("Rome")])
    done = imported(path, database)
    assert (done.conversations, done.failed) == (1, 1)


def test_a_cut_export_keeps_what_came_before(tmp_path: Path, database: Database) -> None:
    whole = json.dumps([talk("Rome"), talk("Bonn"), talk("Porto")])
    path = tmp_path / "conversations.json"
    path.write_text(whole[: len(whole) - 100], encoding="utf-8")
    with pytest.raises(DocumentError, match=r"cut off\. 2 conversations before") as caught:
        imported(path, database)
    assert "anew" in caught.value.hint
    assert said(database, 3)[0] == "Question 0 of Bonn?"


def test_the_zip_of_an_export(tmp_path: Path, database: Database) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("chat.html", "<html></html>")
        archive.writestr("x/conversations-000.json", json.dumps([talk("Rome")]))
        archive.writestr("x/conversations-001.json", json.dumps([talk("Bonn")]))
    assert is_conversation_export(path)
    done = imported(path, database)
    assert (done.conversations, done.read) == (2, path.stat().st_size)


def test_an_export_of_claude(tmp_path: Path, database: Database) -> None:
    export = [
        {
            "uuid": "u1",
            "name": "Garden",
            "created_at": "2026-05-03T10:00:00.123456Z",
            "chat_messages": [
                {
                    "uuid": "m1",
                    "sender": "human",
                    "text": "When do I sow peas?",
                    "content": [{"type": "text", "text": "When do I sow peas?"}],
                    "created_at": "2026-05-03T10:00:01Z",
                    "files": [{"file_name": "plan.png"}],
                },
                {"uuid": "m2", "sender": "assistant", "text": "In March.", "created_at": None},
            ],
        }
    ]
    path = written(tmp_path / "conversations.json", export)
    assert is_conversation_export(path)
    assert imported(path, database).messages == 2
    assert said(database, 2) == ["When do I sow peas?\n\n[file: plan.png]", "In March."]
    assert DuckDBThreadStore(database).threads()[-1].origin == "Claude"


@pytest.mark.parametrize("text", ["{}", "[]", "[1, 2]", '[{"name": "x"}]', "words", '[{"id": 1}]'])
def test_other_json_is_no_export(tmp_path: Path, text: str, database: Database) -> None:
    path = tmp_path / "conversations.json"
    path.write_text(text)
    assert not is_conversation_export(path)
    with pytest.raises(DocumentError, match="no export"):
        imported(path, database)


def test_a_stop_keeps_what_is_stored(tmp_path: Path, database: Database) -> None:
    path = written(tmp_path / "conversations.json", [talk(f"t{n}") for n in range(5)])
    cancel = threading.Event()
    importing = import_conversations(path, DuckDBImportedConversations(database), cancel)
    assert next(importing).conversations == 1
    cancel.set()
    with pytest.raises(Cancelled):
        next(importing)
    assert imported(path, database).messages == 8


def test_a_long_conversation_opens_near_its_end(tmp_path: Path, database: Database) -> None:
    imported(written(tmp_path / "conversations.json", [talk("long", 200), talk("short")]), database)
    state = DuckDBStateStore(database)
    checkpoint = state.latest_checkpoint(2)
    assert checkpoint is not None
    shown = DuckDBRecallStore(database).read(checkpoint.first_seq, thread_id=2)
    assert shown[0].kind is MessageKind.USER
    assert 10 < len(shown) < 40
    assert "ChatGPT" in checkpoint.summary
    assert state.latest_checkpoint(3) is None


def test_imported_conversations_stand_behind_until_they_are_gone_on_with(
    tmp_path: Path, database: Database
) -> None:
    recall, threads = DuckDBRecallStore(database), DuckDBThreadStore(database)
    imported(written(tmp_path / "conversations.json", [talk("Rome"), talk("Bonn")]), database)
    assert [thread.origin for thread in threads.threads()] == ["", "ChatGPT", "ChatGPT"]
    (message,) = recall.read(1, 1)
    recall.append(replace(message, created_at=datetime.now(UTC)))
    assert [(t.thread_id, t.origin) for t in threads.threads()] == [
        (2, ""),
        (1, ""),
        (3, "ChatGPT"),
    ]


@pytest.mark.thorough
def test_a_large_export_is_read_piece_by_piece(tmp_path: Path, database: Database) -> None:
    path = tmp_path / "conversations.json"
    filler = "é" * 200_000
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        for number in range(40):
            file.write(
                (",\n" if number else "")
                + json.dumps(talk(f"n{number}") | {"x": filler}, ensure_ascii=False)
            )
        file.write("]")
    assert imported(path, database).conversations == 40
