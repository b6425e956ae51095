"""Memory and assistant put together for real, with the smallest model."""

import json
import shutil
import threading
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from helpers.memory_stores import HashEmbedder
from helpers.scripted_model import ScriptedModel
from pagekeeper_core.config import Eviction, MemoryPolicy
from pagekeeper_core.errors import Cancelled, ModelFileError, StoreBusyError, StoreError
from pagekeeper_core.events import DocumentImported, Login, UserMessage
from pagekeeper_core.messages import MessageKind
from pagekeeper_core.records import DocumentRecord, Passage
from pagekeeper_desktop import composition, kept_conversation, model_choice
from pagekeeper_desktop.kept_conversation import KeptConversation
from pagekeeper_desktop.options import Options
from pagekeeper_models import sentence_embedder

if TYPE_CHECKING:
    from pagekeeper_models.llama_runtime import LlamaRuntime


def finish(
    loading: Generator[composition.LoadStage, None, composition.Assistant],
) -> tuple[list[str], composition.Assistant]:
    """The labels of the stages, each once and in order, and the assistant."""
    labels: dict[str, None] = {}
    while True:
        try:
            labels[next(loading).label] = None
        except StopIteration as end:
            return list(labels), end.value


class UnsavedRuntime:
    """As much of a runtime as a kept conversation needs."""

    def __init__(self) -> None:
        self.saved: list[Path] = []
        self.unsaved_tokens = 1000
        self.error: OSError | None = None

    def unsaved(self, path: Path, prompt: object) -> int:
        return self.unsaved_tokens

    def state_size(self) -> int:
        return 1

    def save_state(self, path: Path, prompt: object) -> None:
        if self.error:
            raise self.error
        self.saved.append(path)
        self.unsaved_tokens = 0


def options_for(data_dir: Path) -> Options:
    return Options(data_dir, model="smollm2-135m", context_window=3072)


@pytest.mark.model
def test_the_instructions_are_evaluated_once_and_kept(tmp_path: Path) -> None:
    options, cancel = options_for(tmp_path), threading.Event()
    for start in (1, 2):
        memory = composition.open_memory(options)
        labels, assistant = finish(composition.load_assistant(memory, options, cancel))
        assert labels[0] == "Checking the model"
        assert ("Reading the instructions (the first time only)" in labels) is (start == 1)
        assert assistant.model_name == "SmolLM2 135M"
        assistant.close()
        memory.close()


@pytest.mark.model
def test_a_restart_goes_on_with_the_evaluated_conversation(tmp_path: Path) -> None:
    options, cancel = options_for(tmp_path), threading.Event()
    memory = composition.open_memory(options)
    _, assistant = finish(composition.load_assistant(memory, options, cancel))
    list(assistant.agent.handle(Login(), cancel))
    list(assistant.agent.handle(DocumentImported("lease.pdf " * 80, 12, 3), cancel))
    list(assistant.agent.prepare(cancel))
    said = assistant.agent.prompt()
    assistant.close()
    memory.close()
    memory = composition.open_memory(options)
    _, assistant = finish(composition.load_assistant(memory, options, cancel))
    assert assistant.agent.prompt() == said
    runtime = assistant._runtime
    assert runtime._cache.tokens == runtime._prompts.encode(said, opening=False)
    assistant.close()
    memory.close()


@pytest.mark.model
def test_a_full_disk_does_not_disturb_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options, cancel = options_for(tmp_path), threading.Event()
    monkeypatch.setattr(kept_conversation, "SPARE_DISK", 1 << 60)
    memory = composition.open_memory(options)
    _, assistant = finish(composition.load_assistant(memory, options, cancel))
    assistant.close()
    memory.close()
    assert [file.name for file in memory.folder.state.iterdir()] == ["instructions.kv"]


def test_a_long_quiet_saves_the_conversation_and_a_message_prevents_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime, cancel = UnsavedRuntime(), threading.Event()
    kept = KeptConversation(cast("LlamaRuntime", runtime), tmp_path / "conversation.kv")
    cancel.set()
    with pytest.raises(Cancelled):
        list(kept.work(cancel))
    assert runtime.saved == []
    monkeypatch.setattr(kept_conversation, "QUIET_SECONDS", 0.0)
    list(kept.work(threading.Event()))
    assert runtime.saved == [tmp_path / "conversation.kv"]
    list(kept.work(cancel))
    runtime.unsaved_tokens, runtime.error = 1000, OSError(28, "No space left on device")
    kept.save()
    assert len(runtime.saved) == 1


@pytest.mark.model
def test_loading_can_be_stopped_and_leaves_memory_open(tmp_path: Path) -> None:
    options, cancel = options_for(tmp_path), threading.Event()
    memory = composition.open_memory(options)
    loading = composition.load_assistant(memory, options, cancel)
    while not next(loading).label.startswith("Reading"):
        pass
    cancel.set()
    with pytest.raises(Cancelled):
        list(loading)
    assert memory.recall.count() == 0
    memory.close()


@pytest.mark.thorough
def test_a_message_too_long_for_the_window_is_kept_whole_and_can_be_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        sentence_embedder, "SentenceEmbedder", lambda folder, verify: HashEmbedder()
    )
    text = "word " * 20_000 + "and the treasure lies under the old oak"
    memory = composition.open_memory(Options(tmp_path))
    agent = composition._assemble(memory, cast("LlamaRuntime", ScriptedModel()))
    list(agent.handle(UserMessage(text), threading.Event()))
    assert [m.text for m in memory.recall.read(1) if m.kind is MessageKind.USER] == [text]
    (hit, *_) = memory.archival.search(["treasure under the oak"]).hits
    assert "the old oak" in hit.passage.text
    assert hit.source.startswith("Message of ")
    memory.close()


def test_the_chosen_policy_reaches_the_agent_and_what_made_no_sense_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        sentence_embedder, "SentenceEmbedder", lambda folder, verify: HashEmbedder()
    )
    chosen = {"eviction": "second-chance", "warning_level": "high"}
    (tmp_path / "settings.json").write_text(json.dumps({"memory": chosen}))
    memory = composition.open_memory(Options(tmp_path))
    (notice,) = memory.notices
    assert "memory.warning_level" in notice
    agent = composition._assemble(memory, cast("LlamaRuntime", ScriptedModel()))
    assert agent._context.policy == MemoryPolicy(eviction=Eviction.SECOND_CHANCE)
    memory.close()


def test_closing_memory_lets_the_next_one_open_it(tmp_path: Path) -> None:
    memory = composition.open_memory(Options(tmp_path))
    with pytest.raises(StoreBusyError):
        composition.open_memory(Options(tmp_path))
    memory.close()
    composition.open_memory(Options(tmp_path)).close()


def test_a_database_that_does_not_open_lets_go_of_the_lock(tmp_path: Path) -> None:
    (tmp_path / "memory" / "recall.duckdb").mkdir(parents=True)
    for _ in range(2):
        with pytest.raises(StoreError, match=r"recall\.duckdb"):
            composition.open_memory(Options(tmp_path))


@pytest.mark.model
def test_a_damaged_embedder_of_the_right_size_searches_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = model_choice.embedder_folder()
    copy = tmp_path / "models" / folder.name
    shutil.copytree(folder, copy)
    weights = copy / "model.safetensors"
    with weights.open("r+b") as file:
        file.seek(weights.stat().st_size // 2)
        file.write(b"damaged!")
    monkeypatch.setenv("PAGEKEEPER_MODELS_DIR", str(tmp_path / "models"))
    memory = composition.open_memory(Options(tmp_path / "data"))
    for _ in range(2):
        with pytest.raises(ModelFileError, match=r"model\.safetensors"):
            memory.archival.insert_note("Ana likes ginger.")
    memory.close()


def test_what_opening_the_archive_finds_is_among_the_notices_of_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        sentence_embedder, "SentenceEmbedder", lambda folder, verify: HashEmbedder()
    )
    memory = composition.open_memory(Options(tmp_path))
    record = DocumentRecord("lease.pdf", "pdf", "a1")
    memory.archival.add_document(record, [Passage("The rent is 700 euros.")])
    memory.close()
    shutil.rmtree(memory.folder.archive / "documents.lance")
    memory = composition.open_memory(Options(tmp_path))
    assert memory.archival.count() == 1
    (notice,) = memory.notices
    assert "lease.pdf" in notice
    memory.close()
