"""Commands in the chat at a terminal: conversations, history, why, undo, forget."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from helpers.agent_rig import append, reply
from helpers.keyboard import CTRL_D, ENTER, Keyboard
from helpers.terminal import memory_of
from pagekeeper_core.events import Event
from pagekeeper_core.records import Proposal, Target, TargetKind
from pagekeeper_core.updates import ProposalsChanged, Update
from pagekeeper_desktop.cli.chat_commands import COMMANDS, CommandCompleter

TAB = "\t"
PROPOSAL = Proposal(
    Target(TargetKind.BLOCK, "human"),
    before="",
    after="Lives in Porto",
    reason="You said where you live.",
    sources=(3, 5),
    at=datetime(2026, 5, 3, tzinfo=UTC),
)


@pytest.fixture
def person() -> Iterator[Keyboard]:
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        yield Keyboard(keys)


def lines(*typed: str) -> str:
    return "".join(line + ENTER for line in typed) + CTRL_D


def test_conversations_are_begun_opened_named_and_put_away(person: Keyboard) -> None:
    person.rig.model.enqueue(reply("It grows."), reply("By train."))
    typed = lines(
        "the garden", "/new Trip to Porto", "how?", "/rename Porto", "/open 1", "/threads"
    )
    assert person.run(typed) == 0
    assert [
        m.thread_id for m in person.rig.recall.messages if m.text in {"the garden", "how?"}
    ] == [
        1,
        2,
    ]
    assert "Conversation 2: Trip to Porto\n" in person.streams.remarks.replace("\x1b[0m", "")
    assert "  You: the garden" in person.streams.remarks
    assert "  Keeper: It grows." in person.streams.remarks
    listed = person.streams.result.splitlines()[-2:]
    assert listed[0].startswith("  2  ")
    assert listed[0].endswith("  Porto")
    assert listed[1].startswith("* 1  ")
    assert person.said == ["the garden", "how?"]


def test_the_open_conversation_makes_room_when_it_is_put_away(person: Keyboard) -> None:
    assert person.run(lines("the garden", "/archive", "next", "/open 1")) == 0
    assert "/open 1 brings it back." in person.streams.remarks
    assert [(t.thread_id, t.title, t.archived) for t in person.rig.threads.threads(archived=True)][
        -1
    ] == (1, "the garden", True)
    assert person.rig.agent.threads().open_id == 1


def test_a_change_is_explained_and_taken_back(person: Keyboard) -> None:
    person.rig.model.enqueue(append("Name: Ana."), reply("Hello Ana."))
    assert person.run(lines("I'm Ana", "/history", "/why ana", "/undo c1", "/undo 2")) == 0
    assert "Keeper changed “About you”\n    + Name: Ana" in person.streams.result
    assert "because of m1, " in person.streams.result
    assert "(takes back c1)\n    - Name: Ana" in person.streams.result
    assert "(takes back c2)\n    + Name: Ana" in person.streams.result
    assert "/undo c3 takes this back." in person.streams.remarks
    assert "Ana" in person.rig.agent.working_context.block("human").text


def test_a_message_is_forgotten_and_found_again(person: Keyboard) -> None:
    person.rig.model.enqueue(reply("Noted."))
    assert person.run(lines("the code is 1234", "/forget the code", "/restore m1")) == 0
    assert "you had m1 forgotten" in person.streams.result
    assert "you put m1 back" in person.streams.result
    (forgot,) = [m for m in person.rig.recall.messages if "forgotten" in m.prompt_text]
    assert "1234" not in forgot.prompt_text


def test_memory_is_searched_and_shown(person: Keyboard) -> None:
    person.rig.model.enqueue(append("Name: Ana."), reply("Hello Ana."))
    assert person.run(lines("I'm Ana", "/search ana", "/blocks")) == 0
    assert "About you: Name: Ana" in person.streams.result
    assert "Conversations: 2 found, page 1 of 1\n" in person.streams.result
    assert "Notes and documents: nothing found\n" in person.streams.result
    assert "About you (human: 1 line, at most " in person.streams.result


@pytest.mark.thorough
def test_proposals_are_listed_and_dismissed(person: Keyboard) -> None:
    person.rig.proposals.add(PROPOSAL)
    typed = lines("/proposals", "/dismiss 1", "/dismiss 1", "/proposals")
    assert person.run(typed) == 0
    assert person.streams.result == (
        "  1  About you: You said where you live.\n     + Lives in Porto\n     from m3, m5\n"
    )
    assert "Proposal 1 is dismissed." in person.streams.remarks
    assert "Nothing is proposed." in person.streams.remarks


def test_what_is_proposed_is_told_with_the_next_message(
    person: Keyboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    def handle(event: Event, cancel: threading.Event) -> Iterator[Update]:
        yield ProposalsChanged((PROPOSAL,))
        yield from answering(event, cancel)

    answering = person.rig.agent.handle
    monkeypatch.setattr(person.rig.agent, "handle", handle)
    assert person.run(lines("hi")) == 0
    assert "1 change of its memory proposed: /proposals" in person.streams.remarks


def test_an_accepted_proposal_changes_memory_and_can_be_taken_back(person: Keyboard) -> None:
    person.rig.proposals.add(PROPOSAL)
    assert person.run(lines("/accept 1")) == 0
    assert "    + Lives in Porto\n" in person.streams.result
    assert "/undo c1 takes this back." in person.streams.remarks
    assert person.rig.agent.working_context.block("human").text == "Lives in Porto"


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("/open", "Right use: /open N"),
        ("/open one", "'one' is no number of the list. Right use: /open N"),
        ("/open 9", "There is no conversation 9."),
        ("/threads please", "Right use: /threads"),
        ("/rename", "Right use: /rename TITLE"),
        ("/rename \u200b", "The title is empty. Right use: /rename TITLE"),
        ("/undo Bento", "Right use: /undo ID"),
        ("/undo c9", "There is no change 9."),
        ("/why xylophone", "Nothing in memory says that."),
        ("/forget xylophone", "No note and no message says that."),
        ("/restore m1", "There is no message 1."),
        ("/forgt x", "There is no /forgt; did you mean /forget?"),
        ("/zzz", "There is no /zzz. /help shows what there is."),
    ],
)
def test_wrong_use_is_answered_and_the_chat_goes_on(
    typed: str, answer: str, person: Keyboard
) -> None:
    assert person.run(lines(typed, "hi")) == 0
    assert answer in person.streams.remarks
    assert person.said == ["hi"]


def test_what_only_looks_like_a_command_is_a_message(person: Keyboard) -> None:
    texts = ["/etc/hosts is empty", " /threads", "/", "//", "1/2", "/3 of it"]
    assert person.run(lines(*texts)) == 0
    assert person.said == texts


def test_help_fits_a_screen(person: Keyboard) -> None:
    assert person.run(lines("/help")) == 0
    shown = person.streams.result.splitlines()
    assert len(shown) <= 23
    assert max(map(len, shown)) <= 80
    for command in COMMANDS:
        assert any(line.startswith(f"{command.usage}  ") for line in shown)


def test_tab_completes_names_and_numbers(person: Keyboard) -> None:
    typed = lines("the garden", "/new", "the trip", "/thr" + TAB, "/open 1" + TAB)
    assert person.run(typed) == 0
    assert person.rig.agent.threads().open_id == 1
    assert "* 2  " in person.streams.result


def test_completions_say_what_they_stand_for(person: Keyboard) -> None:
    person.rig.model.enqueue(append("Name: Ana."), reply("Hello."))
    person.rig.say("I'm Ana")

    def offered(typed: str) -> list[tuple[str, str]]:
        found = CommandCompleter(memory_of(person.rig)).get_completions(
            Document(typed), CompleteEvent()
        )
        return [(completion.text, completion.display_text) for completion in found]

    assert offered("/op") == [("open", "/open")]
    assert [name for name, _ in offered("/re")] == ["remind", "reminders", "rename", "restore"]
    assert offered("/open ") == [("1", "1 I'm Ana")]
    assert offered("/undo ") == [("c1", "c1 Keeper changed “About you”")]
    assert offered("hello /") == []
    assert offered("/threads ") == []
