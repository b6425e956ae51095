"""Conversations: each has its own queue and summary, over one shared memory."""

import pytest

from helpers.agent_rig import AgentRig, append, replies, reply, search
from pagekeeper_core.conversations import title_of
from pagekeeper_core.errors import StoreError
from pagekeeper_core.events import Login, ThreadArchived, ThreadOpened, ThreadRenamed
from pagekeeper_core.updates import ChainFailed, ThreadsChanged, Update


@pytest.fixture
def rig() -> AgentRig:
    return AgentRig()


def open_thread(rig: AgentRig, thread_id: int = 0) -> ThreadsChanged:
    return changed(rig.handle(ThreadOpened(thread_id)))


def changed(updates: list[Update]) -> ThreadsChanged:
    (update,) = [u for u in updates if isinstance(u, ThreadsChanged)]
    return update


def prompt_of(rig: AgentRig) -> str:
    """What the model was shown last, the instructions and the example apart."""
    return "\n".join(m.text for m in rig.model.prompts[-1][len(rig.agent.instructions) :])


def test_a_new_conversation_does_not_see_the_words_of_the_other(rig: AgentRig) -> None:
    rig.say("The zeppelin lands at noon.")
    assert open_thread(rig).open_id == 2
    rig.say("Good morning")
    assert "zeppelin" not in prompt_of(rig)
    open_thread(rig, 1)
    rig.say("And now?")
    assert "zeppelin" in prompt_of(rig)
    assert "Good morning" not in prompt_of(rig)


def test_what_was_said_in_another_conversation_is_found(rig: AgentRig) -> None:
    rig.say("The zeppelin lands at noon.")
    open_thread(rig)
    rig.model.enqueue(search("zeppelin"), reply("At noon."))
    assert replies(rig.say("When does it land?")) == ["At noon."]
    assert "The zeppelin lands at noon." in prompt_of(rig)


def test_read_ahead_brings_up_the_other_conversation(rig: AgentRig) -> None:
    rig.say("The zeppelin lands at noon.")
    open_thread(rig)
    rig.say("Tell me about the zeppelin.")
    assert "The zeppelin lands at noon." in prompt_of(rig)


@pytest.mark.thorough
def test_blocks_changed_elsewhere_are_shown_anew_on_switching(rig: AgentRig) -> None:
    rig.say("Hello")
    open_thread(rig)
    rig.model.enqueue(append("Name: Ana"), reply("Hi Ana."))
    rig.say("I'm Ana, name Ana")
    open_thread(rig, 1)
    rig.say("Who am I?")
    assert "Name: Ana" in prompt_of(rig)


def test_a_restart_opens_the_conversation_of_the_newest_message(rig: AgentRig) -> None:
    rig.say("first")
    open_thread(rig)
    rig.say("second")
    rig.restart()
    assert rig.agent.threads().open_id == 2
    open_thread(rig, 1)
    rig.say("third")
    rig.restart()
    assert rig.agent.threads().open_id == 1


def test_an_unused_conversation_is_not_begun_twice(rig: AgentRig) -> None:
    assert open_thread(rig).open_id == 1
    rig.say("hi")
    assert open_thread(rig).open_id == 2
    assert open_thread(rig).open_id == 2


def test_a_note_of_the_time_does_not_make_a_conversation_used(rig: AgentRig) -> None:
    rig.say("hi")
    open_thread(rig)
    rig.handle(Login())
    assert rig.recall.read_last(1)[0].thread_id == 2
    assert open_thread(rig).open_id == 2


@pytest.mark.parametrize("broken", ["latest_checkpoint", "append_checkpoint", "read", "append"])
def test_a_switch_that_fails_leaves_the_open_conversation_whole(
    rig: AgentRig, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.say("The zeppelin lands at noon.")
    rig.recall.append(rig.agent._steps.call_message(append("Name: Ana")))
    open_thread(rig)
    rig.say("Good morning")

    def fail(*_: object, **__: object) -> None:
        raise StoreError("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(rig.state if "checkpoint" in broken else rig.recall, broken, fail)
        assert isinstance(rig.handle(ThreadOpened(1))[-1], ChainFailed)
    assert rig.agent.threads().open_id == 2
    rig.say("And now?")
    assert "Good morning" in prompt_of(rig)
    assert "zeppelin" not in prompt_of(rig)
    assert rig.recall.read_last(1)[0].thread_id == 2


def test_an_unused_conversation_with_a_title_is_left_as_it_is(rig: AgentRig) -> None:
    rig.handle(ThreadRenamed(1, "Trip"))
    assert open_thread(rig).open_id == 2


def test_a_conversation_is_named_after_its_first_message(rig: AgentRig) -> None:
    named = changed(rig.say("What did the vet say about Bento?"))
    assert named.threads[0].title == "What did the vet say about Bento?"
    assert not [u for u in rig.say("Thanks") if isinstance(u, ThreadsChanged)]
    renamed = changed(rig.handle(ThreadRenamed(1, "The vet")))
    assert renamed.threads[0].title == "The vet"


def test_putting_the_open_conversation_away_opens_another(rig: AgentRig) -> None:
    rig.say("one")
    open_thread(rig)
    rig.say("two")
    update = changed(rig.handle(ThreadArchived(2, archived=True)))
    assert (update.open_id, [t.thread_id for t in update.threads]) == (1, [1])
    update = changed(rig.handle(ThreadArchived(1, archived=True)))
    assert (update.open_id, [t.thread_id for t in update.threads]) == (3, [3])


def test_writing_in_a_conversation_that_was_put_away_fetches_it_back(rig: AgentRig) -> None:
    rig.say("one")
    open_thread(rig)
    rig.say("two")
    rig.handle(ThreadArchived(1, archived=True))
    open_thread(rig, 1)
    assert not changed(rig.say("again")).threads[0].archived


def test_an_unknown_conversation_leaves_the_open_one(rig: AgentRig) -> None:
    updates = rig.handle(ThreadOpened(9))
    assert isinstance(updates[-1], ChainFailed)
    assert rig.agent.threads().open_id == 1


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("  Hi \n there ", "Hi there"),
        ("word " * 30, "word word word word word word word word word…"),
        ("字" * 60, "字" * 48 + "…"),
    ],
)
def test_titles(text: str, title: str) -> None:
    assert title_of(text) == title
