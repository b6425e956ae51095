"""Guesses from the context, when they pay, and that they change nothing of what is written."""

import hashlib
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.generation import call_schema, messages
from pagekeeper_core.errors import Cancelled
from pagekeeper_core.protocols import JsonSchema
from pagekeeper_models.decoding import JsonWriter
from pagekeeper_models.drafting import Drafting, Pace, PromptLookup
from pagekeeper_models.kv_cache import KvCache, Logits
from pagekeeper_models.llama_runtime import LlamaRuntime

# Guesses.


def test_what_followed_the_same_tokens_is_guessed() -> None:
    lookup = PromptLookup([1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3])
    assert lookup.guess(2) == [4, 5]
    assert lookup.guess(1) == [4]
    assert lookup.matched == 3


def test_three_equal_tokens_go_before_two_and_newer_before_older() -> None:
    assert PromptLookup([1, 2, 3, 4, 0, 9, 2, 3, 5, 0, 1, 2, 3]).guess(1) == [4]
    assert PromptLookup([1, 2, 3, 4, 0, 1, 2, 3, 5, 0, 1, 2, 3]).guess(1) == [5]


def test_nothing_is_guessed_where_nothing_alike_stands_before() -> None:
    for context in ([], [1], [1, 2, 3], [1, 2, 3, 4, 3]):
        assert PromptLookup(context).guess(4) == []


def test_a_guess_that_was_right_goes_on_from_its_place() -> None:
    lookup = PromptLookup([1, 2, 3, 4, 5, 6, 0, 3, 4, 9, 1, 2])
    lookup.extend([3, 4])
    assert (lookup.matched, lookup.guess(2)) == (4, [5, 6])


def test_what_is_written_can_be_looked_up_too() -> None:
    lookup = PromptLookup([])
    lookup.extend([7, 8, 9, 7, 8])
    assert lookup.guess(5) == [9, 7, 8]


@given(st.lists(st.integers(0, 3), max_size=40), st.integers(0, 40))
def test_reading_a_context_and_being_told_it_are_the_same(tokens: list[int], cut: int) -> None:
    told = PromptLookup(tokens[:cut])
    told.extend(tokens[cut:])
    place = len(tokens)
    if told.matched:
        start = told._source - told.matched
        assert tokens[start : told._source] == tokens[place - told.matched :]
    assert bool(told.matched) == bool(PromptLookup(tokens).matched)


# When they pay.


def taught(*, cost: float, right: bool) -> Pace:
    pace = Pace()
    for _ in range(60):
        pace.took(1, 0.1)
        pace.took(2, 0.1 * cost)
        pace.took(3, 0.1 * (2 * cost - 1))
        for matched in range(1, 12):
            pace.was(right=right, matched=matched)
    return pace


def test_cheap_batches_with_right_guesses_are_drafted() -> None:
    assert taught(cost=1.3, right=True).best(5, 2) == 2
    assert taught(cost=1.3, right=True).best(5, 1) == 1
    assert taught(cost=1.3, right=True).best(5, 0) == 0


def test_wrong_guesses_and_dear_batches_are_not() -> None:
    assert taught(cost=1.3, right=False).best(5, 2) == 0
    assert taught(cost=2.2, right=True).best(5, 2) == 0


def test_a_guess_is_tried_before_anything_is_known() -> None:
    assert Pace().best(3, 2) > 0


# Nothing of them is seen in what is written.

CALLS = call_schema(
    {"send_message": ["message"], "core_memory_append": ["block", "text"]}, bound=120
)
SYSTEM = ("system", "Answer with a function call in JSON.")
CALL = (
    '{"inner_thoughts": "They greet.", "function": "send_message", '
    '"params": {"message": "Hello there, Ana! How are you today?"}}'
)
PROMPTS = {
    "copied": [SYSTEM, ("user", "Hi"), ("assistant", CALL), ("user", "Hi")],
    "quoted": [
        SYSTEM,
        ("user", 'Repeat: Dr. Costa said "Bento is fine" on 14 May at half past 9.'),
    ],
    "scripts": [
        SYSTEM,
        ("user", "Repeat: 你好，世界 🎉 35bf992d-c9e9, 你好，世界 🎉 35bf992d-c9e9"),
    ],
    "long": [SYSTEM, ("user", "Say it again: " + "The small cat sat on the red mat. " * 21)],
    "plain": [SYSTEM, ("user", "Tell me how bees make honey.")],
}


class Eager(Pace):
    """Always guesses as much as it may."""

    def best(self, _matched: int, most: int) -> int:
        return most


class SetAfter(threading.Event):
    """An event that is set once it has been asked so many times."""

    def __init__(self, polls: int) -> None:
        super().__init__()
        self._polls = polls

    def is_set(self) -> bool:
        self._polls -= 1
        return self._polls < 0


def write(
    runtime: LlamaRuntime,
    prompt: str,
    *,
    drafting: bool,
    max_tokens: int = 90,
    schema: JsonSchema = CALLS,
    cancel: threading.Event | None = None,
) -> JsonWriter:
    """A call, with as many guesses as possible or none."""
    tokens, cache = runtime._prompts.encode(messages(*PROMPTS[prompt])), runtime._cache
    cache.keep(0)
    list(runtime._evaluate(tokens, threading.Event()))
    guesses = Drafting(cache, Eager()) if drafting else None
    writer = JsonWriter(cache, runtime._compiler.compile(schema), guesses)
    list(writer.write(max_tokens, cancel or threading.Event()))
    return writer


def left_in(cache: KvCache) -> tuple[list[int], str]:
    return list(cache.tokens), hashlib.sha256(cache.image()).hexdigest()


def assert_same(runtime: LlamaRuntime, prompt: str, max_tokens: int) -> JsonWriter:
    plain = write(runtime, prompt, drafting=False, max_tokens=max_tokens)
    after_plain = left_in(runtime._cache)
    drafted = write(runtime, prompt, drafting=True, max_tokens=max_tokens)
    assert drafted.tokens == plain.tokens
    assert drafted.text == plain.text
    assert (drafted.complete, drafted.forced) == (plain.complete, plain.forced)
    assert left_in(runtime._cache) == after_plain
    assert plain.drafted == 0
    return drafted


@pytest.mark.model
@pytest.mark.parametrize("max_tokens", [1, 2, 17, 18, 19, 20, 21, 22, 23, 24, 90])
def test_a_call_ends_the_same_wherever_its_tokens_run_out(
    tiny_runtime: LlamaRuntime, max_tokens: int
) -> None:
    assert_same(tiny_runtime, "copied", max_tokens)


@pytest.mark.model
@pytest.mark.parametrize("prompt", PROMPTS)
def test_the_same_is_written_and_kept(tiny_runtime: LlamaRuntime, prompt: str) -> None:
    assert_same(tiny_runtime, prompt, 90)


@pytest.mark.model
@pytest.mark.parametrize("prompt", PROMPTS)
def test_the_same_is_written_and_kept_by_another_model(
    small_runtime: LlamaRuntime, prompt: str
) -> None:
    assert_same(small_runtime, prompt, 60)


@pytest.mark.model
def test_what_is_copied_is_drafted(small_runtime: LlamaRuntime) -> None:
    assert assert_same(small_runtime, "copied", 90).drafted > 5


@pytest.mark.model
def test_an_end_that_is_guessed_too_ends_the_text(tiny_runtime: LlamaRuntime) -> None:
    numbers = {"type": "array", "items": {"type": "integer"}, "maxItems": 30}
    plain = write(tiny_runtime, "plain", drafting=False, schema=numbers)
    after_plain = left_in(tiny_runtime._cache)
    drafted = write(tiny_runtime, "plain", drafting=True, schema=numbers)
    assert drafted.tokens == plain.tokens
    assert left_in(tiny_runtime._cache) == after_plain


@pytest.mark.model
@pytest.mark.parametrize("polls", range(1, 16, 2))
def test_a_stop_within_a_draft_leaves_what_was_written(
    tiny_runtime: LlamaRuntime, polls: int
) -> None:
    prompt = tiny_runtime._prompts.encode(messages(*PROMPTS["copied"]))
    whole = write(tiny_runtime, "copied", drafting=False)
    with pytest.raises(Cancelled):
        write(tiny_runtime, "copied", drafting=True, cancel=SetAfter(polls))
    held = tiny_runtime._cache.tokens
    assert held == [*prompt, *whole.tokens][: len(held)]
    assert write(tiny_runtime, "copied", drafting=True).tokens == whole.tokens


@pytest.mark.model
def test_a_processor_that_computes_batches_otherwise_gets_no_drafts(
    tiny_runtime: LlamaRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = write(tiny_runtime, "copied", drafting=False)
    after_plain = left_in(tiny_runtime._cache)
    cache, append, logits = tiny_runtime._cache, KvCache.append, KvCache.logits
    batches: list[int] = []

    def noted(
        cache: KvCache, tokens: list[int], cancel: threading.Event, *, scored: int = 1
    ) -> None:
        batches.append(scored)
        append(cache, tokens, cancel, scored=scored)

    def other(cache: KvCache, *, back: int = 0) -> Logits:
        scores = logits(cache, back=back)
        return np.nextafter(scores, np.float32(0)) if batches[-1:] > [1] else scores

    monkeypatch.setattr(KvCache, "append", noted)
    monkeypatch.setattr(KvCache, "logits", other)
    drafted = write(tiny_runtime, "copied", drafting=True)
    monkeypatch.undo()
    assert drafted.tokens == plain.tokens
    assert drafted.drafted == 0
    assert left_in(cache) == after_plain
    assert sum(scored > 1 for scored in batches) == 1
