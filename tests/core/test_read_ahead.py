"""What a message brings to mind before the first step."""

import pytest

from helpers.agent_rig import AgentRig, reply, said, search
from pagekeeper_core.events import MemoryEdited
from pagekeeper_core.results import lines_about

FACTS = "\n".join(
    (
        "Suzanne is a pastry chef with a bakery in Paris",
        "Suzanne made a dessert inspired by a novel of Eliza",
        "Joren is a marine biologist",
    )
)


@pytest.fixture
def rig() -> AgentRig:
    rig = AgentRig()
    rig.handle(MemoryEdited("human", FACTS))
    for number in range(5):
        rig.say(f"Let us count: {number}")
    return rig


def test_the_lines_with_most_words_of_the_question_come_last() -> None:
    asked = "Who made a dessert inspired by one of Eliza's novels, was it Suzanne?"
    assert lines_about(FACTS, asked) == FACTS.splitlines()[:2]
    assert lines_about(FACTS, asked, words=3) == FACTS.splitlines()[1:2]
    assert lines_about(FACTS, "What is the capital of Iceland?") == []


def test_the_line_that_answers_stands_behind_the_question(rig: AgentRig) -> None:
    rig.say("Who made a dessert inspired by a novel?")
    assert rig.model.prompts[-1][-1].text.splitlines()[-1] == "- " + FACTS.splitlines()[1]


def test_a_message_about_something_else_brings_none(rig: AgentRig) -> None:
    rig.say("Tell me more.")
    rig.say("What is the capital of Iceland?")
    assert "dessert" not in rig.model.prompts[-1][-1].text


def test_a_search_in_vain_ends_with_the_lines_that_fit(rig: AgentRig) -> None:
    rig.model.enqueue(search("xylophone"), reply("Suzanne."))
    rig.say("Who made that dessert?")
    shown = rig.model.prompts[-1][-1].text
    assert FACTS.splitlines()[1] in shown
    assert "marine biologist" not in shown
    assert said(rig)[-1] == "Suzanne."
