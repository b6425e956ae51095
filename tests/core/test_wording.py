"""Which facts are the same, and which the user really said."""

import pytest

from pagekeeper_core.wording import gist, is_said_in, told_in

SAID = ["My daughter Rita turns nine and wants a telescope.", "What is the capital of Iceland?"]


@pytest.mark.parametrize(
    "fact",
    [
        "Daughter Rita turns nine",
        "Rita wants a telescope.",
        "Has a daughter called Rita",
        "女儿九岁",
    ],
)
def test_what_the_user_said_may_be_saved(fact: str) -> None:
    assert is_said_in(fact, SAID)


@pytest.mark.parametrize(
    "fact",
    [
        "The capital of Iceland is Reykjavík, known for its natural beauty and the Blue Lagoon.",
        "Likes to eat pizza and plans to visit her parents",
    ],
)
def test_what_the_model_made_up_may_not(fact: str) -> None:
    assert not is_said_in(fact, SAID)


def test_chinese_is_compared_by_its_signs() -> None:
    assert is_said_in("下个月去北京旅行", ["我下个月要去北京旅行。"])
    assert not is_said_in("喜欢吃苹果", ["我下个月要去北京旅行。"])


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        ("Works as a nurse", "I'm a nurse in Porto"),
        ("Lives in Lyon", "I moved to Lyon"),
        ("Allergic to peanuts", "peanuts make me sick"),
    ],
)
def test_the_model_may_use_words_of_its_own(fact: str, said: str) -> None:
    assert is_said_in(fact, [said])


def test_the_order_of_words_matters() -> None:
    assert gist("Ana is older than Tom") != gist("Tom is older than Ana")


def test_fillers_do_not_make_a_fact_new() -> None:
    assert gist("I am allergic to nuts.") == gist("Allergic to nuts")
    assert gist("Rita is allergic to nuts") != gist("Allergic to nuts")
    assert gist("he") == ("he",)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Can you suggest a quick dinner for two?", ""),
        ("I have a cat. What do cats eat? She is Miso.", "I have a cat.  She is Miso."),
        ("我住在北京。今天天气怎么样？", "我住在北京。"),
        ("ما هو اسمي؟", ""),
        ("We leave at 4.50 in the morning", "We leave at 4.50 in the morning"),
    ],
)
def test_what_is_asked_is_not_told(text: str, told: str) -> None:
    assert told_in(text) == told


def test_nothing_is_said_in_nothing() -> None:
    assert not is_said_in("喜欢吃苹果", [""])


def test_a_long_text_without_a_mark_is_read_once() -> None:
    text = "word " * 400_000
    assert told_in(text) == text.strip()
