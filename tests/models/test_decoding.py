"""Constrained decoding: valid JSON always, in one layout, in every script."""

import json
import threading

import jsonschema
import llguidance.llamacpp
import numpy as np
import pytest

from helpers.generation import Outcome, call_schema, finish, messages
from pagekeeper_core.errors import ModelError
from pagekeeper_core.protocols import JsonSchema
from pagekeeper_models import decoding
from pagekeeper_models.decoding import GrammarCompiler, JsonWriter
from pagekeeper_models.kv_cache import Logits
from pagekeeper_models.llama_runtime import LlamaRuntime
from pagekeeper_models.token_mask import TokenMask

pytestmark = pytest.mark.model

CALLS = call_schema(
    {
        "send_message": ["message"],
        "core_memory_append": ["block", "text"],
        "core_memory_replace": ["block", "old", "new"],
        "conversation_search": ["query"],
    }
)
ASK = messages(("system", "Answer with a function call in JSON."), ("user", "My dog is Bento."))
STRING = {"type": "string", "maxLength": 30}


def generate(
    runtime: LlamaRuntime, schema: JsonSchema, user: str = "", *, max_tokens: int = 200
) -> Outcome:
    prompt = [*ASK, *messages(("user", user))] if user else ASK
    return finish(runtime.generate(prompt, schema, max_tokens=max_tokens, cancel=threading.Event()))


def bits(runtime: LlamaRuntime, schema: JsonSchema, text: str) -> bool:
    """Whether the grammar of a schema admits a text, whole."""
    matcher = runtime._compiler.compile(schema).start()
    tokens = runtime._tokenizer.encode(text)
    return matcher.try_consume_tokens(tokens) == len(tokens) and bool(matcher.is_accepting())


@pytest.mark.parametrize("seed", range(6))
def test_any_choice_of_tokens_is_a_valid_call(
    tiny_runtime: LlamaRuntime, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """The likeliest under noise writes nonsense in all scripts; the grammar holds all the same.

    With Gumbel noise that is a draw by the model's own odds, here at a temperature of 1.8.
    """
    cache, random = tiny_runtime._cache, np.random.default_rng(seed)
    true_logits = cache.logits

    def noisy() -> Logits:
        logits = true_logits()
        return (logits + 1.8 * random.gumbel(size=logits.size)).astype(np.float32)

    monkeypatch.setattr(cache, "logits", noisy)
    outcome = generate(tiny_runtime, CALLS, max_tokens=400)
    assert outcome.usage.complete
    jsonschema.validate(json.loads(outcome.text), CALLS)


def test_greedy_calls_repeat_themselves(tiny_runtime: LlamaRuntime) -> None:
    first, second = generate(tiny_runtime, CALLS), generate(tiny_runtime, CALLS)
    assert first.usage.complete
    assert first.text == second.text


def test_chinese_and_emoji_come_through_whole(small_runtime: LlamaRuntime) -> None:
    schema = {
        "type": "object",
        "properties": {"echo": {"enum": ["你好，世界 🎉", "שלום 👩‍👩‍👧"]}, "free": STRING},
        "required": ["echo", "free"],
        "additionalProperties": False,
    }
    outcome = generate(small_runtime, schema, "请用中文说：你好，世界 🎉")
    value = json.loads(outcome.text)
    assert value["echo"] in ("你好，世界 🎉", "שלום 👩‍👩‍👧")
    assert "\ufffd" not in outcome.text
    assert "\\u" not in outcome.text


@pytest.mark.parametrize("text", ["波尔图很美", "🎉🦊👩‍👩‍👧", "שלום", "naïve Zoë"])
def test_a_forced_text_is_what_the_schema_says(tiny_runtime: LlamaRuntime, text: str) -> None:
    outcome = generate(tiny_runtime, {"const": text})
    assert json.loads(outcome.text) == text
    assert outcome.usage.forced_tokens > 0


def test_the_layout_is_that_of_json_dumps(tiny_runtime: LlamaRuntime) -> None:
    """So a call that core writes is tokenised as the model would have written it."""
    outcome = generate(tiny_runtime, CALLS)
    assert outcome.text == json.dumps(json.loads(outcome.text), ensure_ascii=False)


def test_what_has_one_continuation_is_not_sampled(tiny_runtime: LlamaRuntime) -> None:
    usage = generate(tiny_runtime, call_schema({"send_message": ["message"]})).usage
    assert usage.forced_tokens >= 12
    assert usage.forced_tokens < usage.generated_tokens


def test_a_spent_budget_is_told(tiny_runtime: LlamaRuntime) -> None:
    whole = generate(tiny_runtime, CALLS)
    for budget in (1, 5, 15):
        outcome = generate(tiny_runtime, CALLS, max_tokens=budget)
        assert not outcome.usage.complete
        assert outcome.usage.generated_tokens == budget
        assert whole.text.startswith(outcome.text)


def test_a_budget_that_just_suffices_is_complete(tiny_runtime: LlamaRuntime) -> None:
    needed = generate(tiny_runtime, CALLS).usage.generated_tokens
    assert generate(tiny_runtime, CALLS, max_tokens=needed).usage.complete
    assert not generate(tiny_runtime, CALLS, max_tokens=needed - 1).usage.complete


def test_a_value_without_a_closing_sign_ends(tiny_runtime: LlamaRuntime) -> None:
    outcome = generate(tiny_runtime, {"type": "integer", "minimum": 1, "maximum": 99})
    assert outcome.usage.complete
    assert 1 <= json.loads(outcome.text) <= 99


def test_names_are_chosen_by_their_usual_spelling(small_runtime: LlamaRuntime) -> None:
    outcome = generate(small_runtime, CALLS)
    name = json.loads(outcome.text)["function"]
    recorded = small_runtime._prompts.encode(messages(("assistant", outcome.text)))
    usual = small_runtime._tokenizer.encode(f'", "function": "{name}"')[:-1]
    assert ",".join(map(str, usual[2:])) in ",".join(map(str, recorded))


def test_dropping_fragments_loses_no_value(tiny_runtime: LlamaRuntime) -> None:
    """Values that begin alike can all be written: none is unreachable behind a longer token."""
    values = ["a", "ab", "abc", "se", "send", "sender", "1", "12", ""]
    for wanted in values:
        assert wanted in reachable(tiny_runtime, {"enum": values})


def reachable(runtime: LlamaRuntime, schema: JsonSchema) -> set[str]:
    """Every value that the writer's candidates lead to."""
    grammar = runtime._compiler.compile(schema)
    found: set[str] = set()
    open_texts: list[tuple[int, ...]] = [()]
    while open_texts:
        tokens = open_texts.pop()
        writer = JsonWriter(runtime._cache, grammar)
        writer._matcher.consume_tokens(list(tokens))
        if writer._matcher.is_accepting():
            text = b"".join(grammar.token_bytes(token) for token in tokens).decode()
            found.add(json.loads(text))
        if not writer._matcher.is_stopped():
            open_texts += [
                (*tokens, int(token))
                for token in writer._without_fragments(TokenMask(writer._matcher).tokens())
                if int(token) != grammar.end_token
            ]
    return found


def test_half_a_surrogate_pair_cannot_be_written(tiny_runtime: LlamaRuntime) -> None:
    assert bits(tiny_runtime, STRING, '"line\\nbreak \\"quoted\\" \\\\ tab\\t"')
    assert not bits(tiny_runtime, STRING, '"\\ud83d"')
    assert not bits(tiny_runtime, STRING, '"\\u00e9"')
    assert bits(tiny_runtime, STRING, '"é🎉"')


def test_white_space_is_not_free(tiny_runtime: LlamaRuntime) -> None:
    pair = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}
    assert bits(tiny_runtime, pair, "[1, 2]")
    assert not bits(tiny_runtime, pair, "[1,2]")
    assert not bits(tiny_runtime, pair, "[1,  2]")
    assert not bits(tiny_runtime, pair, " [1, 2]")


def test_bounds_count_characters_of_every_script(tiny_runtime: LlamaRuntime) -> None:
    for text in ("a" * 30, "中" * 30, "🎉" * 30):
        assert bits(tiny_runtime, STRING, json.dumps(text, ensure_ascii=False))
        assert not bits(tiny_runtime, STRING, json.dumps(text + text[0], ensure_ascii=False))


def test_a_schema_is_compiled_once(tiny_runtime: LlamaRuntime) -> None:
    compiler = tiny_runtime._compiler
    assert compiler.compile(CALLS) is compiler.compile(dict(CALLS))
    for bound in range(1, 40):
        compiler.compile({"type": "string", "maxLength": bound})
    assert len(compiler._grammars) <= 32


def test_a_schema_that_cannot_be_compiled_is_our_error(tiny_runtime: LlamaRuntime) -> None:
    with pytest.raises(ModelError, match="schema"):
        generate(tiny_runtime, {"type": "no such type"})


def test_the_compiler_knows_the_vocabulary_as_llguidance_would_read_it(
    tiny_runtime: LlamaRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[dict[str, object]] = []
    monkeypatch.setattr(llguidance.llamacpp, "LLTokenizer", Recorder(given))
    monkeypatch.setattr(decoding, "LLTokenizer", Recorder(given))
    with pytest.warns(DeprecationWarning, match="get_attr"):
        llguidance.llamacpp.lltokenizer_from_vocab(tiny_runtime._model.vocab)
    GrammarCompiler(tiny_runtime._model)
    theirs, ours = given
    assert {**ours, "slices": None} == theirs


class Recorder:
    """Stands for llguidance's tokenizer, and keeps what it was to be made of."""

    def __init__(self, given: list[dict[str, object]]) -> None:
        self._given = given

    def from_llamacpp(self, **arguments: object) -> None:
        self._given.append(arguments)
