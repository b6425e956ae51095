"""`threads`: several conversations over one memory, from the terminal."""

from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from helpers.agent_rig import AgentRig, reply
from helpers.terminal import ScriptedAssistant, Streams, roomy_rig, scripted_session
from pagekeeper_core.errors import StoreError
from pagekeeper_core.events import ThreadOpened
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_desktop import composition
from pagekeeper_desktop.__main__ import run
from pagekeeper_desktop.cli.arguments import parse
from pagekeeper_desktop.options import Options

WHEN = datetime(2026, 5, 3, 10, 42, tzinfo=UTC)


def keeper(data: Path, *words: str) -> tuple[int, Streams]:
    streams = Streams()
    return run(parse(["--data-dir", str(data), *words]), streams.console), streams


def say(data: Path, text: str, thread_id: int = 1) -> None:
    memory = composition.open_memory(Options(data))
    memory.recall.append(Message(MessageKind.USER, text, text, WHEN, thread_id=thread_id))
    memory.close()


def listed(data: Path, *words: str) -> list[tuple[int, str]]:
    _, streams = keeper(data, "threads", *words, "--json")
    return [(thread["id"], thread["title"]) for thread in streams.objects()[0]["threads"]]


def test_conversations_are_begun_named_and_listed(tmp_path: Path) -> None:
    say(tmp_path, "hello")
    code, streams = keeper(tmp_path, "threads", "new", "Trip", "to  Porto")
    assert (code, streams.result) == (0, "Conversation 2 (Trip to Porto) is open.\n")
    keeper(tmp_path, "threads", "rename", "1", "שלום 你好 😀")
    assert listed(tmp_path) == [(2, "Trip to Porto"), (1, "שלום 你好 😀")]
    code, streams = keeper(tmp_path, "threads")
    newest, oldest = streams.result.splitlines()
    assert newest.startswith("  2  2026-")
    assert newest.endswith("  Trip to Porto")
    assert oldest == f"  1  {WHEN.astimezone():%Y-%m-%d %H:%M}  שלום 你好 😀"


@pytest.mark.thorough
def test_a_conversation_in_which_nothing_was_said_is_used_first(tmp_path: Path) -> None:
    keeper(tmp_path, "threads", "new", "Porto")
    assert listed(tmp_path) == [(1, "Porto")]
    say(tmp_path, "hello")
    keeper(tmp_path, "threads", "new")
    keeper(tmp_path, "threads", "new")
    assert listed(tmp_path) == [(2, ""), (1, "Porto")]
    assert "(no title yet)" in keeper(tmp_path, "threads")[1].result


@pytest.mark.thorough
def test_a_conversation_with_a_title_is_never_taken_for_another(tmp_path: Path) -> None:
    keeper(tmp_path, "threads", "new", "Trip")
    keeper(tmp_path, "threads", "new", "Taxes")
    assert listed(tmp_path) == [(2, "Taxes"), (1, "Trip")]


@pytest.mark.thorough
def test_a_conversation_is_put_away_and_fetched_back(tmp_path: Path) -> None:
    code, streams = keeper(tmp_path, "threads", "archive", "1")
    assert code == 0
    assert "is put away" in streams.result
    code, streams = keeper(tmp_path, "threads")
    assert (code, streams.result) == (0, "")
    assert "threads --all" in streams.remarks
    assert "(put away)" in keeper(tmp_path, "threads", "--all")[1].result
    code, streams = keeper(tmp_path, "threads", "restore", "1", "--json")
    assert (code, streams.objects()[0]["archived"]) == (0, False)
    assert listed(tmp_path) == [(1, "")]


@pytest.mark.parametrize("words", [["rename", "9", "Porto"], ["archive", "9"], ["restore", "9"]])
def test_a_number_that_is_not_there_is_told_and_changes_nothing(
    words: list[str], tmp_path: Path
) -> None:
    code, streams = keeper(tmp_path, "threads", *words)
    assert (code, streams.result) == (1, "")
    assert "There is no conversation 9.\n" in streams.remarks
    assert listed(tmp_path, "--all") == [(1, "")]


@pytest.mark.parametrize("words", [["new", " "], ["rename", "1", "\u200b"]])
def test_a_blank_title_is_a_usage_error(words: list[str], tmp_path: Path) -> None:
    code, streams = keeper(tmp_path, "threads", *words)
    assert (code, streams.result) == (2, "")
    assert "the title is empty" in streams.remarks


def test_another_pagekeeper_that_holds_the_folder_is_told(tmp_path: Path) -> None:
    memory = composition.open_memory(Options(tmp_path))
    code, streams = keeper(tmp_path, "threads")
    memory.close()
    assert (code, streams.result) == (1, "")
    assert "Pagekeeper is open already" in streams.remarks


def load(rig: AgentRig, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program finds the rig where it opens memory and loads a model."""

    def loading(*_: object) -> Generator[composition.LoadStage, None, composition.Assistant]:
        yield from ()
        return assistant

    assistant = ScriptedAssistant.of(rig)
    monkeypatch.setattr(composition, "open_memory", lambda options: assistant.memory)
    monkeypatch.setattr(composition, "load_assistant", loading)


@pytest.mark.parametrize(("words", "expected"), [([], 2), (["--thread", "1"], 1)])
def test_ask_goes_on_in_the_newest_conversation_or_the_named_one(
    words: list[str], expected: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rig = roomy_rig()
    rig.say("about the garden")
    rig.handle(ThreadOpened(0))
    rig.say("about the trip")
    rig.model.enqueue(reply("The garden."))
    load(rig, monkeypatch)
    code, streams = keeper(tmp_path, "ask", "go on", *words)
    assert (code, streams.result) == (0, "The garden.\n")
    (asked,) = [message for message in rig.recall.messages if message.text == "go on"]
    assert asked.thread_id == expected


def test_ask_can_begin_a_conversation(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rig = roomy_rig()
    rig.say("about the garden")
    load(rig, monkeypatch)
    keeper(tmp_path, "ask", "--thread", "new", "where to?")
    assert [(t.thread_id, t.title) for t in rig.threads.threads()] == [
        (2, "where to?"),
        (1, "about the garden"),
    ]


@pytest.mark.parametrize("words", [["ask", "hi"], ["chat"]])
def test_a_wrong_number_is_told_before_the_model_is_loaded(
    words: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    load(roomy_rig(), monkeypatch)
    monkeypatch.setattr(composition, "load_assistant", None)
    code, streams = keeper(tmp_path, *words, "--thread", "7")
    assert (code, streams.result) == (1, "")
    assert "There is no conversation 7." in streams.remarks


def test_what_the_agent_refuses_reaches_whoever_asked_for_it() -> None:
    with scripted_session(roomy_rig()) as session, pytest.raises(StoreError, match="7"):
        session.act(ThreadOpened(7))
