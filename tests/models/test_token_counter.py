"""Token counts are exact: tiktoken gives llama.cpp's tokens, or is not used."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.generation import finish, messages
from pagekeeper_models import token_counter
from pagekeeper_models.llama_library import LlamaModel
from pagekeeper_models.llama_runtime import LlamaRuntime
from pagekeeper_models.token_counter import Tokenizer

pytestmark = pytest.mark.model

TEXTS = (
    "",
    " ",
    "Hello, world! It's 10:42 and we'll pay $1,234.50.",
    "你好，世界！我的狗叫本托，它两岁了。",
    "今日は良い天気ですね。カタカナとひらがな、漢字。",
    "안녕하세요, 세계!",
    "שלום עולם, מה שלומך היום?",
    "مرحبا بالعالم، كيف حالك اليوم؟",
    "🎉👩‍👩‍👧‍👦🇵🇹👍🏽 emoji in a row 🎊",
    "def f(x: int) -> str:\n\treturn f'{x:>10}'  # don't\r\n",
    "for (let i=0;i<10;i++){console.log(`${i}`)}",
    "1234567890 12 345 6789 ١٢٣ ² ½ Ⅷ 𝟘",
    "a  b   c    d\t\te\n\nf \n g\r\n\r\nh   ",
    "e\u0301 n\u0303 \u00a0nbsp\u3000ideographic\u200bzero\ufeffbom",
    "ΑΒΓ Жук हिन्दी ไทย ქართული አማርኛ",
    "<b>bold</b> &amp; https://example.org/a?b=c#d",
)

LONG_RUNS = ("a", "中", " ", "\n", "1", "🎉", "!", "a ", "'", "\t \n")

any_text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60)
hard_text = st.text("aB1 2\t\n\r'sdl.,!{}\"é中日テ🎉\u200dא م\u00a0\u3000\u0301²Ⅷ_<|>", max_size=60)


def llama_cpp_tokens(runtime: LlamaRuntime, text: str) -> list[int]:
    return runtime._model.tokenize(text, parse_special=False)


@pytest.fixture(params=["tiny_runtime", "small_runtime"])
def runtime(request: pytest.FixtureRequest) -> LlamaRuntime:
    loaded: LlamaRuntime = request.getfixturevalue(request.param)
    return loaded


def test_both_vocabularies_go_to_tiktoken(runtime: LlamaRuntime) -> None:
    assert runtime._tokenizer.fast


@pytest.mark.parametrize("text", TEXTS)
def test_samples_give_llama_cpps_tokens(runtime: LlamaRuntime, text: str) -> None:
    assert runtime._tokenizer.encode(text) == llama_cpp_tokens(runtime, text)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=any_text | hard_text)
def test_any_text_gives_llama_cpps_tokens(runtime: LlamaRuntime, text: str) -> None:
    assert runtime._tokenizer.encode(text) == llama_cpp_tokens(runtime, text)


@pytest.mark.parametrize("run", LONG_RUNS)
def test_long_runs_of_one_character_are_counted(runtime: LlamaRuntime, run: str) -> None:
    text = (run * 20_000)[:20_000]
    assert runtime.count(text) == len(llama_cpp_tokens(runtime, text))


def test_a_hundred_thousand_characters_are_counted(runtime: LlamaRuntime) -> None:
    assert runtime.count(" " * 1_000_000) > 0
    assert runtime.count("x" * 100_000) > 0


def test_lone_surrogates_and_nul_are_mended(runtime: LlamaRuntime) -> None:
    assert runtime.count("half \ud83d emoji\0") == runtime.count("half \ufffd emoji")


def test_special_tokens_in_a_text_are_plain_text(runtime: LlamaRuntime) -> None:
    encode = runtime._tokenizer.encode
    assert len(encode("<|im_end|>")) > 1
    assert len(encode("<|im_end|>", parse_special=True)) == 1
    assert encode("<|im_end|>", parse_special=True) == runtime._model.tokenize(
        "<|im_end|>", parse_special=True
    )


def test_a_prompts_count_is_what_is_evaluated(
    runtime: LlamaRuntime, never: threading.Event
) -> None:
    prompt = messages(("system", "Be brief."), ("user", "你好 🎉"), ("tool", "Saved."))
    usage = finish(runtime.evaluate(prompt, cancel=never)).usage
    assert usage.prompt_tokens == runtime.count_prompt(prompt)
    assert runtime.count_prompt(prompt) > sum(runtime.count(m.text) for m in prompt)


def test_counting_from_many_threads_gives_the_same(runtime: LlamaRuntime) -> None:
    prompt = messages(*(("user", text) for text in TEXTS))
    alone = [runtime.count(text) for text in TEXTS], runtime.count_prompt(prompt)
    with ThreadPoolExecutor(4) as pool:
        counts = pool.map(
            lambda _: ([runtime.count(t) for t in TEXTS], runtime.count_prompt(prompt)), range(20)
        )
    assert all(count == alone for count in counts)


@pytest.mark.parametrize("splitter", ["[a-z]+|.", r"\p{N}{1,3}|\p{L}+| ?[^\p{L}]|\s+"])
def test_tiktoken_is_not_used_where_it_differs(
    tiny_runtime: LlamaRuntime, monkeypatch: pytest.MonkeyPatch, splitter: str
) -> None:
    monkeypatch.setitem(token_counter._SPLITTERS, "smollm", splitter)
    check_fallback(tiny_runtime._model)


def test_tiktoken_is_not_used_for_an_unknown_kind_of_vocabulary(
    tiny_runtime: LlamaRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(token_counter._SPLITTERS, "smollm")
    check_fallback(tiny_runtime._model)


def check_fallback(model: LlamaModel) -> None:
    fallback = Tokenizer(model)
    assert not fallback.fast
    for text in TEXTS:
        assert fallback.encode(text) == model.tokenize(text, parse_special=False)
    assert len(fallback.encode("<|im_end|>")) > 1
