"""Writing one function call: with forced tokens, by the mask alone, and by llama.cpp's own grammar.

The program's functions, instructions and worked conversation, and messages that lead to calls of
several functions; all three sides write behind the same evaluated prompt, in turn. By the mask
alone, every token is chosen by its score and evaluated by itself. llama.cpp's grammar (GBNF) is
made from the same schema by llama-cpp-python, and weighs all tokens before each choice, as in that
package. It refuses the program's longest strings, so that they are shorter here, for all three.
Also: what a token costs outside llama.cpp, and a new schema up to its first use.
"""

import functools
import json
import re
import statistics
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from unittest import mock

import llama_cpp
from llama_cpp.llama_grammar import json_schema_to_gbnf

from benchmarks.figures import Figure, at_most, reported
from helpers.assistants import LARGE, SMALL, assistant, conversation, folder, runtime_of
from pagekeeper_core.config import MemoryPolicy
from pagekeeper_core.messages import PromptMessage, PromptRole
from pagekeeper_core.protocols import JsonSchema
from pagekeeper_desktop.composition import Assistant
from pagekeeper_models.decoding import GrammarCompiler, JsonWriter
from pagekeeper_models.llama_runtime import LlamaRuntime
from pagekeeper_models.token_mask import TokenMask

WINDOW = 4096
EXCHANGES = 4
MAX_TOKENS = 160
LONGEST_STRING = 500
ROUNDS = 2
NEVER = threading.Event()
SCHEMAS = 7
"""Sets of functions that are compiled, each with another list of values."""

ASKED = (
    "What is the chemical symbol of gold?",
    "My name is Ines and I live in Coimbra.",
    "What did I say about my sister?",
    "What do my documents say about the lease?",
)
"""Messages that lead to a reply, a saved line and searches; all functions are offered."""


Write = Callable[[LlamaRuntime, JsonSchema], int]
"""Writes a call behind the evaluated prompt; gives how many tokens it has."""


@dataclass
class Side:
    """What the calls cost that were written in one way."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    written: dict[str, int] = field(default_factory=dict)

    def add(self, call: str, seconds: float, tokens: int) -> None:
        """Note one call."""
        self.seconds.setdefault(call, []).append(seconds)
        self.written[call] = tokens

    def total(self) -> float:
        """Seconds of one call of each kind."""
        return sum(statistics.median(times) for times in self.seconds.values())

    def tokens(self) -> int:
        """Tokens of one call of each kind."""
        return sum(self.written.values())


def measure() -> Iterator[Figure]:
    """The default model, then the small one with fewer calls."""
    yield from _measure(LARGE, "1.5B", ASKED, has_aim=True)
    yield from _measure(SMALL, "0.5B", ASKED[:2], has_aim=False)


def _measure(model: str, label: str, calls: Sequence[str], *, has_aim: bool) -> Iterator[Figure]:
    with (
        folder() as data,
        assistant(data, model=model, window=WINDOW, said=conversation(EXCHANGES)) as loaded,
    ):
        ways = (_with_forced_tokens, _by_mask_alone, _by_gbnf)
        sides = _written(loaded, calls, ways)
        forced, mask, gbnf = (side.total() for side in sides)
        ratio = at_most if has_aim else _without_aim
        yield ratio(f"call with forced tokens / by the mask alone, {label}", forced / mask, 0.6)
        yield ratio(f"the same call / by llama.cpp's own grammar, {label}", forced / gbnf, 0.5)
        tokens = sides[0].tokens()
        yield reported(f"token of such a call, {label}", 1000 * forced / tokens, "ms")
        yield ratio(f"own work per token / llama.cpp's, {label}", _own_work(loaded, calls), 0.05)
        yield from _schemas(loaded, label)


def _without_aim(name: str, value: float, _aim: float) -> Figure:
    return reported(name, value, "ratio")


def _bounded(schema: JsonSchema) -> JsonSchema:
    """The schema with shorter strings: llama.cpp refuses the grammar of 4,000 characters."""
    text = re.sub(
        r'"maxLength": (\d+)',
        lambda found: f'"maxLength": {min(int(found[1]), LONGEST_STRING)}',
        json.dumps(schema),
    )
    bounded: JsonSchema = json.loads(text)
    return bounded


def _written(loaded: Assistant, calls: Sequence[str], ways: Sequence[Write]) -> list[Side]:
    """All calls in each of the ways, which take turns."""
    runtime = runtime_of(loaded)
    sides, schema = [Side() for _ in ways], _bounded(action_schema(loaded))
    _gbnf(json.dumps(schema))
    for call in calls:
        tokens = asked(loaded, call)
        evaluated(runtime, tokens)  # From now on only its last token is, for all alike.
        for _ in range(ROUNDS):
            for side, write in zip(sides, ways, strict=True):
                evaluated(runtime, tokens)
                start = time.perf_counter()
                written = write(runtime, schema)
                side.add(call, time.perf_counter() - start, written)
    return sides


def _own_work(loaded: Assistant, calls: Sequence[str]) -> float:
    """Seconds per token outside llama.cpp, over the median of llama.cpp's for one token."""
    runtime = runtime_of(loaded)
    cache = runtime._cache
    inside: list[float] = []
    singles: list[float] = []
    decode = cache._decode

    def timed(tokens: Sequence[int], cancel: threading.Event) -> None:
        start = time.perf_counter()
        decode(tokens, cancel)
        inside.append(time.perf_counter() - start)
        if len(tokens) == 1:
            singles.append(inside[-1])

    seconds, written = 0.0, 0
    for call in calls:
        evaluated(runtime, asked(loaded, call))
        with mock.patch.object(cache, "_decode", timed):
            start = time.perf_counter()
            written += _with_forced_tokens(runtime, action_schema(loaded))
            seconds += time.perf_counter() - start
    return (seconds - sum(inside)) / written / statistics.median(singles)


def _schemas(loaded: Assistant, label: str) -> Iterator[Figure]:
    """The compiler of a model, and a schema that it has not seen, up to its first mask."""
    start = time.perf_counter()
    compiler = GrammarCompiler(runtime_of(loaded)._model)
    building = time.perf_counter() - start
    times = []
    for number in range(SCHEMAS):
        schema = _with_another_value(action_schema(loaded), number)
        start = time.perf_counter()
        TokenMask(compiler.compile(schema).start())
        times.append(1000 * (time.perf_counter() - start))
    yield at_most(f"schema of all functions, new, compiled, {label}", max(times), 50, "ms")
    yield reported(f"the compiler itself, once a model, {label}", building, "s")


def _with_another_value(schema: JsonSchema, number: int) -> JsonSchema:
    """The schema with one more value in each of its lists of values."""
    text = json.dumps(schema).replace('"enum": [', f'"enum": ["a block {number}", ')
    changed: JsonSchema = json.loads(text)
    return changed


def asked(loaded: Assistant, question: str) -> list[int]:
    """The prompt after a message of the user."""
    message = PromptMessage(PromptRole.USER, question)
    return runtime_of(loaded)._prompts.encode([*loaded.agent.prompt(), message])


def action_schema(loaded: Assistant) -> JsonSchema:
    """The schema of one step: a call of any function."""
    functions = loaded.agent._functions
    return functions.schema(functions, thoughts=MemoryPolicy().thoughts)


def evaluated(runtime: LlamaRuntime, tokens: list[int]) -> None:
    """Have the cache hold a prompt, and its last token's scores ready."""
    for _ in runtime._evaluate(tokens, NEVER):
        pass


def _with_forced_tokens(runtime: LlamaRuntime, schema: JsonSchema) -> int:
    writer = JsonWriter(runtime._cache, runtime._compiler.compile(schema))
    for _ in writer.write(MAX_TOKENS, NEVER):
        pass
    return len(writer.tokens)


def _by_mask_alone(runtime: LlamaRuntime, schema: JsonSchema) -> int:
    grammar, cache = runtime._compiler.compile(schema), runtime._cache
    matcher = grammar.start()
    written = 0
    while not matcher.is_stopped() and written < MAX_TOKENS:
        token = TokenMask(matcher).best(cache.logits())
        matcher.consume_token(token)
        if not matcher.is_stopped():
            cache.append([token], NEVER)
        written += 1
    return written


@functools.cache
def _gbnf(schema: str) -> bytes:
    grammar: str = json_schema_to_gbnf(schema)
    return grammar.encode()


def _by_gbnf(runtime: LlamaRuntime, schema: JsonSchema) -> int:
    cache, vocab = runtime._cache, runtime._model.vocab
    grammar = _gbnf(json.dumps(schema))
    sampler = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())
    llama_cpp.llama_sampler_chain_add(
        sampler, llama_cpp.llama_sampler_init_grammar(vocab, grammar, b"root")
    )
    llama_cpp.llama_sampler_chain_add(sampler, llama_cpp.llama_sampler_init_greedy())
    written = 0
    try:
        while written < MAX_TOKENS:
            token = llama_cpp.llama_sampler_sample(sampler, cache._handle, -1)
            if llama_cpp.llama_vocab_is_eog(vocab, token):
                break
            cache.append([token], NEVER)
            written += 1
    finally:
        llama_cpp.llama_sampler_free(sampler)
    return written
