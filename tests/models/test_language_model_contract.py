"""What every `LanguageModel` keeps to: one suite for the real runtime and the scripted double."""

import json
import threading

import pytest

from helpers.generation import Outcome, finish, messages
from helpers.scripted_model import ScriptedModel
from pagekeeper_core.errors import Cancelled, ContextWindowError
from pagekeeper_core.protocols import JsonSchema, LanguageModel
from pagekeeper_core.updates import PromptProgress

NEVER = threading.Event()


def _string(bound: int) -> dict[str, object]:
    return {"type": "string", "maxLength": bound}


SEND_MESSAGE: JsonSchema = {
    "type": "object",
    "properties": {
        "inner_thoughts": _string(20),
        "function": {"const": "send_message"},
        "params": {
            "type": "object",
            "properties": {"message": _string(20)},
            "required": ["message"],
            "additionalProperties": False,
        },
    },
    "required": ["inner_thoughts", "function", "params"],
    "additionalProperties": False,
}

PROMPT = messages(("system", "Answer in JSON."), ("user", "Hello. 你好 🎉"))


@pytest.fixture(scope="module", params=["scripted", pytest.param("real", marks=pytest.mark.model)])
def model(request: pytest.FixtureRequest) -> LanguageModel:
    if request.param == "scripted":
        return ScriptedModel()
    runtime: LanguageModel = request.getfixturevalue("tiny_runtime")
    return runtime


@pytest.fixture(scope="module")
def outcome(model: LanguageModel) -> Outcome:
    """One generation, looked at from many sides."""
    return finish(model.generate(PROMPT, SEND_MESSAGE, max_tokens=200, cancel=NEVER))


class TestLanguageModel:
    def test_it_has_a_name_and_a_window(self, model: LanguageModel) -> None:
        assert model.name
        assert model.context_window >= 512

    def test_text_comes_in_pieces_that_join_to_json(self, outcome: Outcome) -> None:
        call = json.loads(outcome.text)
        assert call["function"] == "send_message"
        assert len(outcome.pieces) > 1
        assert outcome.usage.complete
        assert outcome.usage.generated_tokens > 0

    def test_no_piece_ends_within_a_character(self, outcome: Outcome) -> None:
        assert all(piece.encode().decode() == piece for piece in outcome.pieces)
        assert "" not in outcome.pieces

    def test_progress_comes_before_text_and_ends_at_the_total(self, model: LanguageModel) -> None:
        items = list(model.generate(PROMPT, SEND_MESSAGE, max_tokens=40, cancel=NEVER))
        kinds = [isinstance(item, PromptProgress) for item in items]
        assert kinds == sorted(kinds, reverse=True)
        progress = [item for item in items if isinstance(item, PromptProgress)]
        assert progress[-1].done == progress[-1].total

    def test_usage_agrees_with_the_counts(self, model: LanguageModel, outcome: Outcome) -> None:
        assert outcome.usage.prompt_tokens == model.count_prompt(PROMPT)
        assert 0 < outcome.usage.evaluated_tokens <= outcome.usage.prompt_tokens
        assert outcome.usage.forced_tokens <= outcome.usage.generated_tokens

    def test_a_prompt_counts_more_than_its_texts(self, model: LanguageModel) -> None:
        assert model.count("") == 0
        assert model.count_prompt(PROMPT) > sum(model.count(m.text) for m in PROMPT)
        assert model.count_prompt(PROMPT) > model.count_prompt(PROMPT[:1])

    def test_evaluating_ahead_gives_progress_and_usage(self, model: LanguageModel) -> None:
        outcome = finish(model.evaluate(PROMPT, cancel=NEVER))
        assert outcome.progress[-1].done == outcome.progress[-1].total
        assert outcome.usage.prompt_tokens == model.count_prompt(PROMPT)
        assert outcome.usage.generated_tokens == 0

    def test_what_does_not_fit_is_refused(self, model: LanguageModel) -> None:
        with pytest.raises(ContextWindowError):
            finish(
                model.generate(PROMPT, SEND_MESSAGE, max_tokens=model.context_window, cancel=NEVER)
            )

    def test_cancel_before_it_begins(self, model: LanguageModel) -> None:
        cancel = threading.Event()
        cancel.set()
        with pytest.raises(Cancelled):
            finish(model.generate(PROMPT, SEND_MESSAGE, max_tokens=200, cancel=cancel))
        with pytest.raises(Cancelled):
            finish(model.evaluate(PROMPT, cancel=cancel))

    def test_cancel_within_the_text_and_go_on_afterwards(self, model: LanguageModel) -> None:
        cancel = threading.Event()
        generation = model.generate(PROMPT, SEND_MESSAGE, max_tokens=200, cancel=cancel)
        assert any(isinstance(item, str) for item in generation)
        cancel.set()
        with pytest.raises(Cancelled):
            finish(generation)
        outcome = finish(model.generate(PROMPT, SEND_MESSAGE, max_tokens=200, cancel=NEVER))
        assert json.loads(outcome.text)
