"""Calls that copy from the context, and calls that do not: with guesses and without.

Behind some hundred tokens, the model is asked to give back words, keys and file names of the
context; and, for calls that copy nothing, to answer from what it knows. The same prompt, schema and
cache, in turn. What is written must be the same to the token. The drafting learns as it does in the
program: it is made once for each cache.

Drafting stays off where batches do not give the very scores of single tokens: on a processor, that
is so with a 16-bit KV cache, which the program uses. So a cache of 8-bit numbers is measured too.
"""

import statistics
import time
from collections.abc import Iterator, Sequence

from benchmarks.assistants import LARGE, SMALL
from benchmarks.decoding import NEVER, evaluated
from benchmarks.figures import Figure, at_least, at_most, reported
from helpers.generation import call_schema, messages, model_path
from pagekeeper_models.decoding import JsonWriter
from pagekeeper_models.drafting import Drafting
from pagekeeper_models.kv_cache import CacheType, KvCache
from pagekeeper_models.llama_library import LlamaModel
from pagekeeper_models.llama_runtime import BATCH_SIZE, LlamaRuntime, physical_cores

WINDOW = 2048
MAX_TOKENS = 120
SCHEMA = call_schema({"send_message": ["message"]}, bound=500)
TALK = (
    ("system", "You are a friendly assistant. Answer with a function call in JSON."),
    *(
        (role, text)
        for number in range(1, 9)
        for role, text in (
            (
                "user",
                f"This is note {number}: the harbour list names two colliers and a mail boat.",
            ),
            (
                "assistant",
                '{"inner_thoughts": "A note.", "function": "send_message", "params": {"message": '
                f'"Thank you, I have read note {number}."}}}}',
            ),
        )
    ),
)
COPYING = (
    "Read back to me, word for word: The landlord, Mr. Ferreira, returns the deposit of 1,450 "
    "euros within thirty days of the end of the lease, less the cost of repairs that are not wear.",
    "Write this list of files again as it is: 2024-tax-return-final.pdf, lease-rua-das-flores-12"
    ".docx, vet_invoice_bento_0314.png, passwords-old-laptop.kdbx, minutes-school-board-03.odt",
)
ORDINARY = ("How do bees make honey?", "What should I pack for a week of walking in the rain?")


def measure() -> Iterator[Figure]:
    """The default model with the program's cache, and both models with an 8-bit one."""
    yield from _measure(LARGE, CacheType.F16, "1.5B", has_aim=True)
    yield from _measure(LARGE, CacheType.Q8_0, "1.5B, 8-bit cache", has_aim=False)
    yield from _measure(SMALL, CacheType.Q8_0, "0.5B, 8-bit cache", has_aim=False)


def _measure(model: str, cache_type: CacheType, label: str, *, has_aim: bool) -> Iterator[Figure]:
    runtime = _runtime(model, cache_type)
    try:
        drafting = Drafting(runtime._cache)
        copied = [_compare(runtime, drafting, question) for question in COPYING]
        others = [_compare(runtime, drafting, question) for question in ORDINARY]
    finally:
        runtime.close()
    ratio = at_most if has_aim else _without_aim
    yield ratio(f"calls that copy, with drafting / without, {label}", _mean(copied), 0.7)
    yield ratio(f"calls that do not copy, with drafting / without, {label}", _mean(others), 1.03)
    same = [is_same for _, _, is_same in copied + others]
    yield at_least(f"calls of the same tokens with drafting, {label}", _share(same), 1, "share")


def _runtime(model: str, cache_type: CacheType) -> LlamaRuntime:
    loaded = LlamaModel.load(model_path(model))
    cache = KvCache(
        loaded,
        window=WINDOW,
        batch_size=BATCH_SIZE,
        threads=physical_cores(),
        cache_type=cache_type,
    )
    return LlamaRuntime(loaded, cache, name=model)


def _without_aim(name: str, value: float, _aim: float) -> Figure:
    return reported(name, value, "ratio")


def _mean(pairs: Sequence[tuple[float, float, bool]]) -> float:
    return sum(drafted for drafted, _, _ in pairs) / sum(plain for _, plain, _ in pairs)


def _share(values: Sequence[bool]) -> float:
    return statistics.mean(map(float, values))


def _compare(runtime: LlamaRuntime, drafting: Drafting, question: str) -> tuple[float, float, bool]:
    """Seconds with drafting, seconds without, and whether the same tokens were written."""
    prompt = runtime._prompts.encode(messages(*TALK, ("user", question)))
    evaluated(runtime, prompt)  # From now on only its last token is, for both alike.
    plain, written = _written(runtime, prompt, None)
    drafted, again = _written(runtime, prompt, drafting)
    return drafted, plain, written == again


def _written(
    runtime: LlamaRuntime, prompt: list[int], drafting: Drafting | None
) -> tuple[float, list[int]]:
    evaluated(runtime, prompt)
    writer = JsonWriter(runtime._cache, runtime._compiler.compile(SCHEMA), drafting)
    start = time.perf_counter()
    for _ in writer.write(MAX_TOKENS, NEVER):
        pass
    return time.perf_counter() - start, writer.tokens
