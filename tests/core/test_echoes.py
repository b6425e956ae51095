"""A reply that is the user's own words is written again, once, and not shown before."""

import json

import pytest

from helpers.agent_rig import AgentRig, append, replies, reply, said
from pagekeeper_core.updates import ReplyDelta, Update
from pagekeeper_core.wording import echoes

SHELLFISH = "I can't eat shellfish, it makes me ill."


@pytest.fixture
def rig() -> AgentRig:
    return AgentRig()


def shown(updates: list[Update]) -> str:
    return "".join(u.text for u in updates if isinstance(u, ReplyDelta))


def test_an_echo_is_written_again_and_never_shown(rig: AgentRig) -> None:
    rig.model.enqueue(reply(SHELLFISH), reply("Then no mussels for you."))
    updates = rig.say(SHELLFISH)
    assert replies(updates) == ["Then no mussels for you."]
    assert shown(updates) == "Then no mussels for you."
    assert said(rig) == [SHELLFISH, "Then no mussels for you."]


def test_the_second_reply_begins_otherwise(rig: AgentRig) -> None:
    rig.model.enqueue(reply(SHELLFISH), reply("Then no mussels for you."))
    rig.say(SHELLFISH)
    assert '"pattern": "^[^iI' in json.dumps(rig.model.schemas[-1])
    rig.say("Thanks")
    assert "pattern" not in json.dumps(rig.model.schemas[-1])


def test_a_part_of_what_was_told_is_an_echo_too(rig: AgentRig) -> None:
    rig.model.enqueue(reply("Maja works in a bakery."), reply("Then you have fresh bread!"))
    assert shown(rig.say("My sister Maja works in a bakery.")) == "Then you have fresh bread!"


def test_an_answer_in_the_words_of_the_question_stands(rig: AgentRig) -> None:
    rig.model.enqueue(reply("Maja works in a bakery."))
    asked = "Which works in a bakery, Maja or Rita?"
    assert shown(rig.say(asked)) == "Maja works in a bakery."


def test_the_hint_is_for_that_one_inference(rig: AgentRig) -> None:
    rig.model.enqueue(reply(SHELLFISH), reply("Then no mussels for you."))
    rig.say(SHELLFISH)
    assert "only repeats" in rig.model.prompts[-1][-1].text
    rig.say("Thanks")
    assert not any("only repeats" in m.text for m in rig.model.prompts[-1])


def test_an_older_message_is_not_repeated_either(rig: AgentRig) -> None:
    rig.say(SHELLFISH)
    rig.model.enqueue(reply(SHELLFISH), reply("At noon."))
    assert replies(rig.say("When do we eat?")) == ["At noon."]


def test_a_second_echo_is_taken_rather_than_no_answer(rig: AgentRig) -> None:
    rig.say("We had soup yesterday evening.")
    rig.model.enqueue(reply(SHELLFISH), reply("We had soup yesterday evening."))
    updates = rig.say(SHELLFISH)
    assert replies(updates) == ["We had soup yesterday evening."]
    assert shown(updates) == "We had soup yesterday evening."


def test_a_reply_that_begins_alike_is_shown_whole(rig: AgentRig) -> None:
    rig.model.enqueue(reply("I can't eat shellfish either."))
    assert shown(rig.say(SHELLFISH)) == "I can't eat shellfish either."


@pytest.mark.parametrize("text", ["My wife is a violin maker.", "Where do I live now?"])
def test_a_reply_in_another_script_is_written_again_without_it(rig: AgentRig, text: str) -> None:
    rig.model.enqueue(reply("你的妻子是做什么的？"), reply("She makes violins!"))
    assert shown(rig.say(text)) == "She makes violins!"
    assert "\u4e00" in str(rig.model.schemas[-1])


@pytest.mark.parametrize("text", ["How do I say thanks in Chinese?", "我住在波尔图。", "42"])
def test_another_script_may_be_what_is_wanted(rig: AgentRig, text: str) -> None:
    rig.model.enqueue(reply("谢谢你，非常感谢。"))
    assert shown(rig.say(text)) == "谢谢你，非常感谢。"


def test_a_fact_is_saved_in_the_language_of_the_user(rig: AgentRig) -> None:
    rig.model.enqueue(append("妻子是小提琴制作师"), reply("Good."))
    rig.say("My wife is a violin maker.")
    assert "did not write in that language" in rig.model.prompts[-1][-1].text


FILLER = "That's great! What do you do for fun?"


def test_a_reply_given_before_is_written_again(rig: AgentRig) -> None:
    rig.model.enqueue(reply(FILLER))
    rig.say("I have moved to Porto.")
    rig.model.enqueue(reply(FILLER), reply("How old is she?"))
    updates = rig.say("My daughter is called Rita.")
    assert shown(updates) == "How old is she?"
    assert "You said that before" in rig.model.prompts[-1][-1].text


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where do I live?", "You live in Porto, on the river."),
        ("Thank you", "You're very welcome, Ana."),
    ],
)
def test_the_same_answer_to_the_same_question_stands(
    rig: AgentRig, question: str, answer: str
) -> None:
    for _ in range(2):
        rig.model.enqueue(reply(answer))
        assert replies(rig.say(question)) == [answer]


def test_a_reply_that_is_given_twice_all_the_same_is_shown(rig: AgentRig) -> None:
    rig.model.enqueue(reply(FILLER))
    rig.say("I have moved to Porto.")
    rig.model.enqueue(reply(FILLER), reply(FILLER))
    assert shown(rig.say("My daughter is called Rita.")) == FILLER


@pytest.mark.parametrize(
    ("text", "other", "echo"),
    [
        ("Good night!", "good night!", False),
        ("how  are you today", "How are you today.", True),
        ("我的女儿叫什么名字？", "我的女儿叫什么名字？", True),
        ("How are you today? Fine.", "How are you today?", False),
    ],
)
def test_what_an_echo_is(text: str, other: str, *, echo: bool) -> None:
    assert echoes(text, other) is echo


CHINESE = "我住在波尔图。"


def test_the_language_of_the_message_is_asked_for_behind_another_one(rig: AgentRig) -> None:
    rig.say(CHINESE)
    rig.say("And my wife is a violin maker.")
    assert rig.model.prompts[-1][-1].text.endswith("(Answer in the language of this message.)")


@pytest.mark.parametrize("text", ["And my wife is a violin maker.", "42"])
def test_nothing_is_asked_for_where_the_language_is_plain(rig: AgentRig, text: str) -> None:
    rig.say("I live in Porto.")
    rig.say(text)
    assert "(Answer" not in rig.model.prompts[-1][-1].text
