"""What the person wants forgotten leaves the model's view at once, and stays out of it."""

import hashlib

import pytest

from helpers.agent_rig import AgentRig, append, reply, search
from pagekeeper_core.events import ChangeUndone, Forgotten, MessageMarked, ThreadOpened
from pagekeeper_core.messages import FunctionCall
from pagekeeper_core.records import (
    ChangeAction,
    DocumentRecord,
    MemoryChange,
    Passage,
    Target,
    TargetKind,
)
from pagekeeper_core.updates import ChainFailed, MemoryChanged

SECRET = "My locker opens with the word zeppelin."


@pytest.fixture
def rig() -> AgentRig:
    """An agent that was told a secret, then found it by a search."""
    rig = AgentRig()
    rig.say(SECRET)
    rig.model.enqueue(search("locker"), reply("You told me."))
    rig.handle(ThreadOpened(0))
    rig.say("What about my locker?")
    return rig


def forget(rig: AgentRig, seq: int = 1) -> None:
    rig.handle(Forgotten(Target(TargetKind.MESSAGE, str(seq))))


def shown(rig: AgentRig) -> str:
    rig.say("Go on.")
    return "\n".join(message.text for message in rig.model.prompts[-1])


def test_results_and_reminders_that_quote_it_leave_the_queue(rig: AgentRig) -> None:
    assert "zeppelin" in shown(rig)
    forget(rig)
    assert "zeppelin" not in shown(rig)


def test_it_is_gone_from_its_own_conversation_too(rig: AgentRig) -> None:
    forget(rig)
    rig.handle(ThreadOpened(1))
    assert "zeppelin" not in shown(rig)


def test_it_is_gone_after_a_restart(rig: AgentRig) -> None:
    forget(rig)
    rig.restart()
    assert "zeppelin" not in shown(rig)


def test_the_rest_of_the_conversation_stays(rig: AgentRig) -> None:
    rig.say("The boiler man comes at ten.")
    forget(rig)
    assert "boiler man" in shown(rig)
    rig.restart()
    assert "boiler man" in shown(rig)


def test_the_only_message_of_a_conversation_can_be_forgotten() -> None:
    rig = AgentRig()
    rig.say(SECRET)
    forget(rig)
    rig.restart()
    assert "zeppelin" not in shown(rig)


def mark_forgotten(rig: AgentRig, seq: int = 1) -> None:
    """Forget it as a program does that has no model loaded."""
    rig.state.append_change(
        MemoryChange(
            Target(TargetKind.MESSAGE, str(seq)),
            ChangeAction.FORGET,
            before=rig.recall.read(seq, seq)[0].text,
            after="",
            at=rig.clock.now(),
            actor="user",
        )
    )


def test_results_that_quote_it_are_gone_from_other_conversations(rig: AgentRig) -> None:
    rig.handle(ThreadOpened(0))
    rig.say("Good morning.")
    forget(rig)
    rig.handle(ThreadOpened(2))
    assert "zeppelin" not in shown(rig)


def test_what_was_forgotten_without_a_model_is_gone_at_the_next_start(rig: AgentRig) -> None:
    mark_forgotten(rig)
    rig.restart()
    assert "zeppelin" not in shown(rig)


def test_it_is_gone_although_nobody_reads_the_updates_to_their_end(rig: AgentRig) -> None:
    updates = rig.agent.handle(Forgotten(Target(TargetKind.MESSAGE, "1")), rig.cancel)
    while not isinstance(next(updates), MemoryChanged):
        pass
    updates.close()  # type: ignore[attr-defined]
    assert "zeppelin" not in shown(rig)


@pytest.mark.parametrize(
    ("text", "call", "word"),
    [
        (SECRET, append("Locker: zeppelin"), "zeppelin"),
        ("PIN 4711", append("PIN 4711"), "4711"),
        ("PIN 4711.", search("door code"), "4711"),
        (
            "PIN 4711.",
            FunctionCall("archival_memory_insert", {"text": "PIN 4711"}, "I", True),
            "47",
        ),
    ],
)
def test_calls_and_results_of_its_own_exchange_that_quote_it_leave(
    text: str, call: FunctionCall, word: str
) -> None:
    rig = AgentRig()
    rig.model.enqueue(call, reply("Noted."))
    rig.say(text)
    rig.say("The boiler man comes at ten.")
    assert word in said_to_the_model(rig)
    forget(rig)
    after = said_to_the_model(rig)
    assert word not in after
    assert "boiler man" in after
    rig.restart()
    assert word not in said_to_the_model(rig)


def said_to_the_model(rig: AgentRig) -> str:
    """The queue and its summary as the model sees them; the blocks are the person's to edit."""
    context = rig.agent._context
    return "\n".join(
        [context.queue.summary, *(e.message.prompt_text for e in context.queue.entries)]
    )


@pytest.mark.parametrize(
    "line",
    [
        "Found 1 (page 1 of 1):\n1. (2026-11-24 10:00, user) My locker op…\nGo on.",
        "Your memory says about the user:\n- (2026-11-24 10:00, user) My locker",
        'Found nothing. The user said: "My locker opens',
        "(note) My locker opens with the word zeppelin.",
        'The user marked a message as important: "My locker opens with the word zeppelin."',
    ],
)
def test_shortened_lines_and_quotations_leave(line: str) -> None:
    rig = AgentRig()
    rig.say(SECRET)
    rig.say("The boiler man comes at ten.")
    list(rig.agent._intake.note(line))
    forget(rig)
    assert line not in said_to_the_model(rig)


@pytest.mark.parametrize(
    "line",
    [
        "(2026-11-24 10:00, user) My locksmith comes at ten.",
        'The user said: "My lock is new." Go on.',
        'The user said: "My locker opens with a key." Go on.',
        "(note) My locker's door is red.",
        "The user put the document 'My locker' (3 passages) into the archive.",
    ],
)
def test_other_lines_stay(line: str) -> None:
    rig = AgentRig()
    rig.say(SECRET)
    rig.say("The boiler man comes at ten.")
    list(rig.agent._intake.note(line))
    forget(rig)
    assert line in said_to_the_model(rig)


def test_a_short_text_is_no_quotation_in_the_midst_of_another() -> None:
    rig = AgentRig()
    rig.say("Tea")
    rig.say("The boiler man comes at ten.")
    list(rig.agent._intake.note("Your memory says about the user:\n- Likes tea with milk"))
    forget(rig)
    assert "Likes tea" in said_to_the_model(rig)


@pytest.mark.parametrize(
    "line",
    [
        "user: My locker opens with the word zeppelin.",
        "The user said that my locker opens with the word zeppelin.",
        "The user's locker opens with the word zeppelin.",
    ],
)
def test_the_summary_loses_the_lines_that_say_it(rig: AgentRig, line: str) -> None:
    queue = rig.agent._context.queue
    queue.summary = f"{line}\nThe user has a boat."
    forget(rig)
    assert rig.agent._context.queue.summary == "The user has a boat."
    rig.restart()
    assert rig.agent._context.queue.summary == "The user has a boat."


def test_marking_it_does_not_show_it_again(rig: AgentRig) -> None:
    forget(rig)
    assert isinstance(rig.handle(MessageMarked(1))[-1], ChainFailed)
    assert "zeppelin" not in shown(rig)


LONG = " ".join(
    f"Fact {n} of my will: the {word} is for Rita." for n, word in enumerate("abcdefgh")
)
"""As long as a message that is archived, because it does not fit the window."""


def archive(rig: AgentRig, text: str, kind: str = "paste") -> None:
    record = DocumentRecord("Message", kind, hashlib.sha256(text.encode()).hexdigest())
    half = text.index("Fact 4")
    rig.archival.add_document(record, [Passage(text[:half]), Passage(text[half:])])


def lookup(rig: AgentRig) -> str:
    query = FunctionCall("archival_memory_search", {"queries": ["will"]}, "I look.", True)
    rig.model.enqueue(query, reply("Yes."))
    rig.say("Who inherits?")
    return said_to_the_model(rig)


def test_the_archived_copy_of_a_long_message_is_hidden_with_it() -> None:
    rig = AgentRig()
    rig.say(LONG)
    archive(rig, LONG)
    rig.handle(ThreadOpened(0))
    assert "Fact 5" in lookup(rig)
    forget(rig)
    assert "Fact" not in said_to_the_model(rig)
    assert "Fact" not in lookup(rig)
    change = rig.state.changes(Target(TargetKind.MESSAGE, "1"))[-1]
    rig.handle(ChangeUndone(change.change_id))
    assert "Fact 5" in lookup(rig)


def test_a_document_of_the_same_words_stays_searchable() -> None:
    rig = AgentRig()
    rig.say(LONG)
    archive(rig, LONG, kind="text")
    forget(rig)
    assert "Fact 5" in lookup(rig)
