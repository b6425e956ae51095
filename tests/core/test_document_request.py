"""A question that the documents may answer begins with a search of them."""

import json

import pytest

from helpers.agent_rig import AgentRig, reply
from pagekeeper_core.config import MemoryPolicy
from pagekeeper_core.events import MemoryEdited
from pagekeeper_core.messages import FunctionCall
from pagekeeper_core.records import DocumentRecord, Passage

FAIR = "The harvest fair in Bree opens on the second Sunday of October."
ASKED = "When does the harvest fair in Bree open?"
SEARCH = FunctionCall(
    "archival_memory_search", {"queries": ["harvest fair"], "page": 1}, "I look.", True
)


@pytest.fixture
def rig() -> AgentRig:
    return with_fair(AgentRig())


def with_fair(rig: AgentRig) -> AgentRig:
    rig.archival.add_document(DocumentRecord("fair.txt", "text", "1"), [Passage(FAIR)])
    return rig


def must_search(rig: AgentRig) -> bool:
    first = json.dumps(rig.model.schemas[0])
    return "archival_memory_search" in first and "send_message" not in first


def test_a_question_begins_with_a_search(rig: AgentRig) -> None:
    rig.model.enqueue(SEARCH, reply("On the second Sunday of October [1]."))
    rig.say(ASKED)
    assert must_search(rig)
    assert "send_message" in json.dumps(rig.model.schemas[1])


@pytest.mark.parametrize(
    "text", ["The harvest fair in Bree was lovely.", "What is the capital of Iceland?"]
)
def test_other_messages_begin_as_ever(rig: AgentRig, text: str) -> None:
    rig.say(text)
    assert not must_search(rig)


def test_nothing_is_searched_without_documents() -> None:
    rig = AgentRig()
    rig.archival.insert_note(FAIR)
    rig.say(ASKED)
    assert not must_search(rig)


def test_what_the_block_says_needs_no_search(rig: AgentRig) -> None:
    rig.handle(MemoryEdited("human", "Sells cheese at the harvest fair in Bree"))
    rig.say(ASKED)
    assert not must_search(rig)


def test_without_read_ahead_the_model_decides() -> None:
    rig = with_fair(AgentRig(policy=MemoryPolicy(read_ahead=False)))
    rig.say(ASKED)
    assert not must_search(rig)
