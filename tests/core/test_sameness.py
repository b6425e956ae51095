"""What is one fact, what is another value of the same thing, what a question asks for."""

import pytest

from pagekeeper_core.contradiction import Contradiction, contradiction
from pagekeeper_core.sameness import is_about, says_nothing_new


@pytest.mark.parametrize(
    ("known", "text"),
    [
        ("Ana's dog is Bento", "Ana has a dog called Bento"),
        ("The user lives in Porto", "Lives in Porto"),
        ("Name: Ana", "The user's name is Ana"),
        ("Works as a nurse in Lisbon", "The user works in Lisbon as a nurse"),
        ("Bento's vet is Dr. Costa", "The vet of Bento is Dr. Costa"),
        ("Likes tea with milk", "Likes tea"),
        ("用户有一只叫豆豆的猫", "有一只猫叫豆豆"),
        ("养了一只猫叫团子", "猫叫团子"),
    ],
)
def test_one_fact_in_two_wordings(known: str, text: str) -> None:
    assert says_nothing_new(text, known)


@pytest.mark.parametrize(
    ("known", "text"),
    [
        ("Bento is 3", "Bento is 4"),
        ("Ana's dog is Bento", "Ana's dog is Luna"),
        ("Ana's boss is Rita", "Rita's boss is Ana"),
        ("Ana does not like fish", "Ana likes fish"),
        ("Ana likes ginger tea", "Ana liked ginger tea"),
        ("Rita lives in Porto", "Lives in Porto"),
        ("Likes tea", "Likes tea with milk"),
        ("Writes in C++", "Writes in C"),
        ("The scale reads 3.5", "The scale reads 5.3"),
        ("The meeting is on 3 May at 10:00", "The meeting is on 3 May at 11:00"),
        ("用户不喜欢红茶", "用户喜欢红茶"),
        ("用户喜欢红茶", "用户喜欢绿茶"),
        ("有两只猫叫团子和豆豆", "有一只猫叫团子"),
        ("Name: Ana", "..."),
    ],
)
def test_two_facts(known: str, text: str) -> None:
    assert not says_nothing_new(text, known)


@pytest.mark.parametrize(
    ("fact", "other"),
    [
        ("Lives in Porto", "Lives in Lyon"),
        ("The user moved from Lyon to Porto", "I live in Lyon."),
        ("Moved to Porto, Portugal", "Lives in Lyon"),
        ("搬到波尔图", "住在里昂"),
        ("Sister Rita lives in Faro", "Sister Rita lives in Braga"),
        ("Name: Anna", "The user's name is Ana"),
        ("Bento is 4", "Bento is 3 years old"),
        ("Birthday: 3 March", "Birthday is on 13 March"),
        ("住在波尔图", "用户住在里昂"),
        ("Lives in Porto, Portugal", "Lives in Porto"),
    ],
)
def test_another_value_of_what_has_one_takes_its_place(fact: str, other: str) -> None:
    others = ["Likes tea", other, "Dog: Bento"]
    assert contradiction(fact, others) == Contradiction(other, certain=True)


@pytest.mark.parametrize(
    ("fact", "other"),
    [
        ("Lives in a small flat", "Lives in Lyon"),
        ("Dog: Luna", "Dog: Bento"),
        ("The rent is 950 euros", "The rent is 900 euros"),
        ("Ana's boss is Paulo", "Ana's boss is Rita"),
        ("Dog's name is Luna", "Dog's name is Bento"),
        ("Daughter's name: Zoe", "Daughter's name: Mia"),
        ("Daughter is 4", "My daughter is 7 years old"),
        ("狗的名字叫豆豆", "狗的名字叫团子"),
        ("Moved to Linux", "Lives in Porto"),
    ],
)
def test_what_may_hold_beside_it_is_only_pointed_at(fact: str, other: str) -> None:
    assert contradiction(fact, ["Likes tea", other]) == Contradiction(other, certain=False)


@pytest.mark.parametrize(
    ("fact", "other"),
    [
        ("Lives in Porto", "Lives in Porto"),
        ("Sister lives in Porto", "Lives in Lyon"),
        ("Lives with Marta", "Lives in Lyon"),
        ("Likes tea", "Likes coffee"),
        ("Cat: Felix", "Dog: Bento"),
        ("Has a dog called Bento", "Name: Ana"),
        ("Was born in Lyon", "Lives in Porto"),
        ("Lives at 12 High Street", "Lives in Porto"),
        ("", "Lives in Lyon"),
    ],
)
def test_facts_about_other_things_do_not_contradict(fact: str, other: str) -> None:
    assert contradiction(fact, [other]) is None


@pytest.mark.parametrize(
    ("query", "text", "is_asked_for"),
    [
        ("Where did I live before Porto?", "Lives in Lyon", True),
        ("dog", "Has a dog called Bento", True),
        ("where did I work before", "Works as a nurse at the hospital in Braga", True),
        ("我以前住在哪里", "住在里昂", True),
        ("What is the capital of Iceland?", "Lives in Lyon", False),
        ("what was it", "Lives in Lyon", False),
    ],
)
def test_what_a_question_asks_for(query: str, text: str, *, is_asked_for: bool) -> None:
    assert is_about(text, query) == is_asked_for
