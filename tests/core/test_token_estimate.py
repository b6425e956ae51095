"""Tokens estimated without a model: near what Qwen2.5 counts, in every script."""

import pytest

from pagekeeper_core.messages import PromptMessage, PromptRole
from pagekeeper_core.token_estimate import TokenEstimate


@pytest.mark.parametrize(
    ("text", "counted"),
    [
        ("Name: Ana. Lives in Porto with her dog Bento, who sees the vet on 3 May.", 22),
        ("姓名：安娜。住在波尔图，养了一只叫咪咪的猫。每周三去学中文。", 24),
        ("Имя: Анна. Живёт в Порту с собакой Бенто, которую лечит доктор Коста.", 30),
        ("שם: אנה. גרה בפורטו עם הכלב בנטו. הווטרינר הוא דוקטור קוסטה.", 30),
        ("IBAN DE89 3704 0044 0532 0130 00, tel. +351 912 345 678", 47),
        ("", 0),
    ],
)
def test_an_estimate_is_near_the_count_of_a_model(text: str, counted: int) -> None:
    assert 0.85 * counted <= TokenEstimate().count(text) <= 1.5 * counted


def test_a_prompt_costs_more_than_its_texts() -> None:
    prompt = [PromptMessage(PromptRole.USER, "hello"), PromptMessage(PromptRole.ASSISTANT, "hi")]
    estimate = TokenEstimate()
    assert estimate.count_prompt(prompt) > estimate.count("hello") + estimate.count("hi")
    assert estimate.count("half \ud83d") > 1
