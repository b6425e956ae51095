"""The evaluated prompt on disk: a restart need not evaluate it, and a bad file does no harm."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from helpers.children import start_child
from helpers.generation import Outcome, call_schema, finish, messages, model_path
from pagekeeper_models.llama_runtime import LlamaRuntime
from pagekeeper_models.state_file import SavedState, read_state, write_state

CALLS = call_schema({"send_message": ["message"]})
INSTRUCTIONS = messages(
    ("system", "Answer with a function call in JSON. " * 10),
    ("user", "An example"),
    ("assistant", '{"inner_thoughts": "An example."}'),
)
QUESTION = [*INSTRUCTIONS, *messages(("user", "Who are you?"))]
NEVER = threading.Event()
STATE = SavedState("model 1", (1, 2, 3), bytearray(b"image" * 100))


def load(window: int = 512) -> LlamaRuntime:
    return LlamaRuntime.load(model_path("smollm2-135m"), context_window=window)


def answer(runtime: LlamaRuntime) -> Outcome:
    return finish(runtime.generate(QUESTION, CALLS, max_tokens=100, cancel=NEVER))


@pytest.fixture
def other_runtime() -> Iterator[LlamaRuntime]:
    runtime = load()
    yield runtime
    runtime.close()


@pytest.fixture(scope="module")
def saved(
    tiny_runtime: LlamaRuntime, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Outcome]:
    """A state file, and what the model that wrote it says next."""
    path = tmp_path_factory.mktemp("state") / "instructions.kv"
    finish(tiny_runtime.evaluate(QUESTION, cancel=NEVER))
    tiny_runtime.save_state(path, INSTRUCTIONS)
    return path, answer(tiny_runtime)


@pytest.mark.model
def test_a_restart_goes_on_where_the_state_ends(
    saved: tuple[Path, Outcome], other_runtime: LlamaRuntime
) -> None:
    path, before = saved
    assert other_runtime.load_state(path, INSTRUCTIONS)
    held = len(other_runtime._cache.tokens)
    after = answer(other_runtime)
    assert after.usage.evaluated_tokens == after.usage.prompt_tokens - held
    assert after.usage.evaluated_tokens == before.usage.evaluated_tokens < 20
    assert after.text == before.text


@pytest.mark.model
def test_the_scores_are_the_same_to_the_last_bit(
    tiny_runtime: LlamaRuntime, other_runtime: LlamaRuntime, tmp_path: Path
) -> None:
    path = tmp_path / "question.kv"
    finish(tiny_runtime.evaluate(QUESTION, cancel=NEVER))
    tiny_runtime.save_state(path, QUESTION)
    finish(tiny_runtime.evaluate(QUESTION, cancel=NEVER))
    assert other_runtime.load_state(path, QUESTION)
    finish(other_runtime.evaluate(QUESTION, cancel=NEVER))
    assert np.array_equal(tiny_runtime._cache.logits(), other_runtime._cache.logits())


@pytest.mark.model
def test_the_same_prompt_costs_one_token_after_a_restart(
    tiny_runtime: LlamaRuntime, other_runtime: LlamaRuntime, tmp_path: Path
) -> None:
    path = tmp_path / "question.kv"
    finish(tiny_runtime.evaluate(QUESTION, cancel=NEVER))
    tiny_runtime.save_state(path, QUESTION)
    other_runtime.load_state(path, QUESTION)
    opening = other_runtime.count_prompt(QUESTION) - len(other_runtime._cache.tokens)
    usage = finish(other_runtime.evaluate(QUESTION, cancel=NEVER)).usage
    assert usage.evaluated_tokens == opening
    usage = finish(other_runtime.evaluate(QUESTION, cancel=NEVER)).usage
    assert usage.evaluated_tokens == 1


@pytest.mark.model
def test_of_a_state_what_the_prompt_still_says_is_taken(
    tiny_runtime: LlamaRuntime, other_runtime: LlamaRuntime, tmp_path: Path
) -> None:
    path = tmp_path / "question.kv"
    finish(tiny_runtime.evaluate(QUESTION, cancel=NEVER))
    tiny_runtime.save_state(path, QUESTION)
    other_question = [*INSTRUCTIONS, *messages(("user", "How old are you?"))]
    held = other_runtime.load_state(path, other_question)
    wanted = other_runtime._prompts.encode(other_question)
    assert other_runtime._cache.tokens == wanted[:held]
    usage = finish(other_runtime.evaluate(other_question, cancel=NEVER)).usage
    assert usage.evaluated_tokens == usage.prompt_tokens - held < 20
    assert other_runtime.load_state(path, messages(("user", "No instructions."))) < 5


@pytest.mark.model
def test_a_reply_keeps_its_own_spelling_across_a_restart(
    tiny_runtime: LlamaRuntime, other_runtime: LlamaRuntime, tmp_path: Path
) -> None:
    path, text = tmp_path / "spelled.kv", '{"inner_thoughts": "猫 in single letters"}'
    letters = [token for letter in text for token in tiny_runtime._tokenizer.encode(letter)]
    said = [*QUESTION, *messages(("assistant", text), ("user", "And?"))]
    usual = tiny_runtime.count_prompt(said)
    tiny_runtime._prompts.record(text, letters)
    finish(tiny_runtime.evaluate(said, cancel=NEVER))
    tiny_runtime.save_state(path, said)
    tiny_runtime._prompts.record(text, tiny_runtime._tokenizer.encode(text))
    held = other_runtime.load_state(path, said)
    assert held == len(other_runtime._prompts.encode(said, opening=False))
    assert other_runtime.count_prompt(said) > usual


@pytest.mark.model
def test_a_text_is_not_taken_for_spelled_by_control_tokens(tiny_runtime: LlamaRuntime) -> None:
    prompts, said = tiny_runtime._prompts, messages(("user", "a<|im_end|>"), ("user", "b"))
    plain = prompts.encode(said, opening=False)
    forged = prompts.encode(messages(("user", "a"), ("user", "b")), opening=False)
    prompts.learn(said, forged)
    assert prompts.encode(said, opening=False) == plain


@pytest.mark.model
def test_what_a_file_lacks_is_counted(tiny_runtime: LlamaRuntime, tmp_path: Path) -> None:
    path, longer = tmp_path / "a.kv", [*QUESTION, *messages(("assistant", "I am new."))]
    finish(tiny_runtime.evaluate(QUESTION, cancel=NEVER))
    whole = len(tiny_runtime._prompts.encode(QUESTION, opening=False))
    assert tiny_runtime.unsaved(path, QUESTION) == whole
    tiny_runtime.save_state(path, QUESTION)
    assert tiny_runtime.unsaved(path, QUESTION) == 0
    finish(tiny_runtime.evaluate(longer, cancel=NEVER))
    held = len(tiny_runtime._prompts.encode(longer, opening=False))
    assert tiny_runtime.unsaved(path, longer) == held - whole
    assert tiny_runtime.unsaved(path, INSTRUCTIONS) > 0, "the file holds what has left the prompt"


@pytest.mark.model
def test_a_state_of_another_window_is_not_taken(saved: tuple[Path, Outcome]) -> None:
    path, _ = saved
    runtime = load(window=256)
    assert not runtime.load_state(path, INSTRUCTIONS)
    runtime.close()


@pytest.mark.model
def test_nothing_is_written_when_nothing_of_the_prompt_is_held(
    tiny_runtime: LlamaRuntime, tmp_path: Path
) -> None:
    tiny_runtime._cache.keep_prefix([])
    tiny_runtime.save_state(tmp_path / "empty.kv", INSTRUCTIONS)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.model
def test_a_well_formed_file_with_a_wrong_image_is_refused(
    tiny_runtime: LlamaRuntime, tmp_path: Path
) -> None:
    path = tmp_path / "wrong.kv"
    finish(tiny_runtime.evaluate(QUESTION, cancel=NEVER))
    image = bytearray(tiny_runtime._cache.image())
    tokens = tuple(tiny_runtime._cache.tokens[:3])
    for part in (image, image[:1000], bytearray(b"x" * 99)):
        write_state(path, SavedState(tiny_runtime._identity(), tokens, part))
        assert not tiny_runtime.load_state(path, QUESTION)
    outcome = answer(tiny_runtime)
    assert outcome.usage.evaluated_tokens == outcome.usage.prompt_tokens


def test_a_file_comes_back_as_it_was_written(tmp_path: Path) -> None:
    write_state(tmp_path / "a.kv", STATE)
    assert read_state(tmp_path / "a.kv", "model 1") == STATE
    assert read_state(tmp_path / "a.kv", "model 2") is None
    assert read_state(tmp_path / "missing.kv", "model 1") is None
    assert read_state(tmp_path, "model 1") is None


def test_the_name_of_a_model_may_be_no_text(tmp_path: Path) -> None:
    identity = f"{os.fsdecode(b'b' + bytes([255]))}.gguf 1"
    write_state(tmp_path / "a.kv", SavedState(identity, (1, 2), bytearray(b"image")))
    assert read_state(tmp_path / "a.kv", identity) == SavedState(
        identity, (1, 2), bytearray(b"image")
    )


def test_a_damaged_file_is_ignored_wherever_the_damage_is(tmp_path: Path) -> None:
    path = tmp_path / "a.kv"
    write_state(path, STATE)
    whole = path.read_bytes()
    for position in range(0, len(whole), 7):
        path.write_bytes(whole[:position])
        assert read_state(path, "model 1") is None
        path.write_bytes(whole[:position] + bytes([whole[position] ^ 0x15]) + whole[position + 1 :])
        assert read_state(path, "model 1") is None


def test_a_failed_write_leaves_the_old_file_and_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.kv"
    write_state(path, STATE)

    def disk_full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", disk_full)
    with pytest.raises(OSError, match="No space left"):
        write_state(path, SavedState("model 1", (9,), bytearray()))
    assert read_state(path, "model 1") == STATE
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_kill_left_of_a_write_is_overwritten_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "a.kv"
    child = start_child(
        """
        import os, signal, sys
        from pathlib import Path
        from pagekeeper_models.state_file import SavedState, write_state

        Path.replace = lambda *_: os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
        write_state(Path(sys.argv[1]), SavedState("model 1", (9,), bytearray(b"image" * 1000)))
        """,
        path,
    )
    child.communicate()
    assert child.returncode != 0
    assert read_state(path, "model 1") is None
    assert len(list(tmp_path.iterdir())) == 1
    write_state(path, STATE)
    assert read_state(path, "model 1") == STATE
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps no such bits")
def test_only_the_owner_may_read_a_file(tmp_path: Path) -> None:
    write_state(tmp_path / "a.kv", STATE)
    assert (tmp_path / "a.kv").stat().st_mode & 0o777 == 0o600
