"""The language model: llama.cpp behind the protocol that core knows.

One prompt follows another that it mostly repeats. So the runtime compares the new prompt's tokens
with those in the KV cache and evaluates what differs, from the first difference on.
"""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

import llama_cpp
import psutil

from pagekeeper_core.errors import ContextWindowError
from pagekeeper_core.messages import PromptMessage
from pagekeeper_core.protocols import JsonSchema
from pagekeeper_core.updates import PromptProgress, Usage
from pagekeeper_models.decoding import GrammarCompiler, JsonWriter
from pagekeeper_models.kv_cache import FlashAttention, KvCache, common_prefix
from pagekeeper_models.llama_library import LlamaModel
from pagekeeper_models.prompt_tokens import PromptTokens
from pagekeeper_models.state_file import SavedState, read_state, write_state
from pagekeeper_models.token_counter import Tokenizer

__all__ = ["BATCH_SIZE", "LlamaRuntime", "physical_cores"]

BATCH_SIZE = 128
"""Tokens evaluated at once: progress every second or so; larger batches are hardly faster."""


class LlamaRuntime:
    """A GGUF model that writes JSON under a schema; implements `protocols.LanguageModel`.

    `count` and `count_prompt` may be called from any thread, all else from one.
    """

    def __init__(self, model: LlamaModel, cache: KvCache, *, name: str) -> None:
        self.name = name
        self._model = model
        self._cache = cache
        self._tokenizer = Tokenizer(model)
        self._prompts = PromptTokens(model, self._tokenizer)
        self._compiler = GrammarCompiler(model)
        self._on_disk: dict[Path, tuple[int, ...]] = {}

    @classmethod
    def load(
        cls,
        path: Path,
        *,
        context_window: int,
        n_gpu_layers: int = 0,
        threads: int | None = None,
        name: str | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> "LlamaRuntime":
        """Load a model file and make a context for it.

        Args:
            path: The GGUF file.
            context_window: Tokens that prompt and reply may fill together.
            n_gpu_layers: Layers to put on a GPU, where the build has one; -1 for all.
            threads: Threads to compute with; by default one a physical core.
            name: What the person calls it; by default what the file calls itself.
            progress: Told the loaded fraction, 0 to 1. What it raises stops the loading.

        Raises:
            ModelFileError: The file is missing or cannot be loaded.
            ContextWindowError: The window cannot be made.
        """
        with contextlib.ExitStack() as failed:
            model = LlamaModel.load(path, n_gpu_layers=n_gpu_layers, progress=progress)
            failed.callback(model.close)
            _check_window(model, context_window)
            cache = KvCache(
                model,
                window=context_window,
                batch_size=BATCH_SIZE,
                threads=threads or physical_cores(),
                flash_attention=FlashAttention.AUTO if n_gpu_layers else FlashAttention.OFF,
            )
            failed.callback(cache.close)
            title = name or model.metadata("general.name") or path.stem
            runtime = cls(model, cache, name=title)
            failed.pop_all()
        return runtime

    @property
    def context_window(self) -> int:
        """Tokens that prompt and reply may fill together."""
        return self._cache.window

    def count(self, text: str) -> int:
        """Tokens of `text` alone; special tokens in it are plain text."""
        return len(self._tokenizer.encode(text))

    def count_prompt(self, prompt: Sequence[PromptMessage]) -> int:
        """Tokens of the whole prompt, with the chat template's own and the reply's opening."""
        return len(self._prompts.encode(prompt))

    def generate(
        self,
        prompt: Sequence[PromptMessage],
        schema: JsonSchema,
        *,
        max_tokens: int,
        cancel: threading.Event,
    ) -> Generator[PromptProgress | str, None, Usage]:
        """Write one JSON value that `schema` admits; see `protocols.LanguageModel.generate`.

        Raises:
            Cancelled: `cancel` was set; what has been evaluated stays in the cache.
            ContextWindowError: The prompt and `max_tokens` do not fit the window.
            ModelError: llama.cpp or the grammar failed.
        """
        tokens = self._prompts.encode(prompt)
        self._check_room(len(tokens), max_tokens)
        writer = JsonWriter(self._cache, self._compiler.compile(schema))
        start = time.perf_counter()
        with self._cache.stoppable(cancel):
            evaluated = yield from self._evaluate(tokens, cancel)
            middle = time.perf_counter()
            try:
                yield from writer.write(max_tokens, cancel)
            finally:
                self._prompts.record(writer.text, writer.spelling)
        return Usage(
            prompt_tokens=len(tokens),
            evaluated_tokens=evaluated,
            generated_tokens=len(writer.tokens),
            forced_tokens=writer.forced,
            prompt_seconds=middle - start,
            generation_seconds=time.perf_counter() - middle,
            complete=writer.complete,
        )

    def evaluate(
        self, prompt: Sequence[PromptMessage], *, cancel: threading.Event
    ) -> Generator[PromptProgress, None, Usage]:
        """Evaluate the prompt ahead of time, so that the next `generate` starts at once.

        Raises:
            Cancelled: `cancel` was set; what has been evaluated stays in the cache.
            ContextWindowError: The prompt does not fit the window.
            ModelError: llama.cpp failed.
        """
        tokens = self._prompts.encode(prompt)
        self._check_room(len(tokens), 0)
        start = time.perf_counter()
        with self._cache.stoppable(cancel):
            evaluated = yield from self._evaluate(tokens, cancel)
        seconds = time.perf_counter() - start
        return Usage(len(tokens), evaluated, prompt_seconds=seconds)

    def unsaved(self, path: Path, prompt: Sequence[PromptMessage]) -> int:
        """Evaluated tokens of this prompt that the file, as this run read or wrote it, lacks.

        Where the file also holds what is not in the prompt, all of them: it is to be replaced.
        """
        held = common_prefix(self._cache.tokens, self._prompts.encode(prompt, opening=False))
        on_disk = self._on_disk.get(path, ())
        is_part = len(on_disk) <= held and on_disk == tuple(self._cache.tokens[: len(on_disk)])
        return held - len(on_disk) if is_part else held

    def state_size(self) -> int:
        """Bytes that `save_state` would write, less a few."""
        return self._cache.image_size()

    def save_state(self, path: Path, prompt: Sequence[PromptMessage]) -> None:
        """Write what the KV cache holds of this prompt to a file; the cache drops all the rest.

        Nothing is evaluated for it: call it after `evaluate`. Nothing is written when the cache
        holds nothing of the prompt.

        Raises:
            OSError: The file cannot be written; an older one stays.
        """
        self._cache.keep_prefix(self._prompts.encode(prompt, opening=False))
        tokens = tuple(self._cache.tokens)
        if tokens:
            write_state(path, SavedState(self._identity(), tokens, self._cache.image()))
            self._on_disk[path] = tokens

    def load_state(self, path: Path, prompt: Sequence[PromptMessage]) -> int:
        """Fill the KV cache from a file that `save_state` wrote, as far as this prompt agrees.

        Args:
            path: The file.
            prompt: What is to be evaluated next.

        Returns:
            How many of the prompt's tokens need not be evaluated. 0 if there is no file, it is
            damaged, or it belongs to another model, window, version of llama.cpp or prompt.
        """
        state = read_state(path, self._identity())
        if state is None or len(state.tokens) > self.context_window:
            return 0
        self._on_disk[path] = state.tokens
        self._prompts.learn(prompt, state.tokens)
        wanted = self._prompts.encode(prompt, opening=False)
        if not common_prefix(state.tokens, wanted):
            return 0
        if not self._cache.restore(state.tokens, state.image):
            return 0
        return self._cache.keep_prefix(wanted)

    def close(self) -> None:
        """Free the model's memory."""
        self._cache.close()
        self._model.close()

    def _evaluate(
        self, tokens: list[int], cancel: threading.Event
    ) -> Generator[PromptProgress, None, int]:
        """Bring the cache to hold just these tokens; gives how many were evaluated.

        The last one is always evaluated, since the next token's scores come with it.
        """
        kept = self._cache.keep_prefix(tokens[:-1])
        yield from self._cache.evaluate(tokens[kept:], cancel)
        return len(tokens) - kept

    def _identity(self) -> str:
        """What an image of the KV cache depends on."""
        file = self._model.path.stat()
        return (
            f"{self._model.path.name} {file.st_size} {file.st_mtime_ns}"
            f" window {self.context_window} flash attention {self._cache.flash_attention.name}"
            f" llama.cpp {llama_cpp.__version__}"
        )

    def _check_room(self, prompt_tokens: int, max_tokens: int) -> None:
        if prompt_tokens + max_tokens > self.context_window:
            raise ContextWindowError(
                f"The prompt has {prompt_tokens:,} tokens and the reply may take {max_tokens:,}, "
                f"but the context window holds {self.context_window:,}.",
                hint="Choose a larger context window, or a shorter message.",
            )


def physical_cores() -> int:
    """Cores that this process may use; a second thread a core only makes llama.cpp slower."""
    cores = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return min(cores, len(os.sched_getaffinity(0)))
    return cores


def _check_window(model: LlamaModel, window: int) -> None:
    architecture = model.metadata("general.architecture")
    trained = model.metadata(f"{architecture}.context_length")
    if trained.isdigit() and window > int(trained):
        raise ContextWindowError(
            f"The model reads at most {int(trained):,} tokens; the context window asked for has "
            f"{window:,}.",
            hint=f"Choose a context window of {int(trained):,} tokens or less.",
        )
