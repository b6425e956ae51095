"""What the person wants forgotten leaves the model's view at once, and stays out of it."""

import pytest

from helpers.agent_rig import AgentRig, reply, search
from pagekeeper_core.events import Forgotten, ThreadOpened
from pagekeeper_core.records import Target, TargetKind

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
