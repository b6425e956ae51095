"""What the program keeps in memory beside the model's weights and its KV cache, part by part.

One process goes through the parts of a start and of use, in that order. After each it is reported
how much the memory grew that belongs to this process alone (unique set size: what would come free
if it ended). Two are counted apart: the weights, which are what loading the bare model adds (the
mapped file, and the copies of it that llama.cpp makes in the order which the processor likes best),
and the KV cache, whose size follows from the model's header.
"""

import gc
import importlib
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil

from benchmarks.figures import Figure, reported

MODEL = "qwen2.5-coder-1.5b"
WINDOW = 4096
THREADS = 2
PASSAGE = "The vet weighed Bento and said that he may run again from May on. "


def measure() -> Iterator[Figure]:
    """One part after another; what is loaded stays, as in the program."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        program = _Program(Path(folder))
        own = [_own_memory()]
        yield reported("memory: Python itself", own[0], "MB")
        for name, load in program.parts():
            own.append(grown := _growth(load))
            yield reported(f"memory: {name}", grown, "MB")
        weights = _growth(program.load_model)
        yield reported("memory, apart: weights of the 1.5B", weights, "MB")
        cache = program.cache_size()
        yield reported(f"memory, apart: KV cache of {WINDOW:,} tokens", cache, "MB")
        own.append(grown := _growth(program.make_context) - cache)
        yield reported("memory: llama.cpp's buffers to compute in", grown, "MB")
        for name, load in program.later_parts():
            own.append(grown := _growth(load))
            yield reported(f"memory: {name}", grown, "MB")
        yield reported("memory: all of it, weights and KV cache apart", sum(own), "MB")
        program.close()


def _own_memory() -> float:
    """MB that are this process's alone."""
    gc.collect()
    return float(psutil.Process().memory_full_info().uss) / 1e6


def _growth(load: Callable[[], None]) -> float:
    before = _own_memory()
    load()
    return _own_memory() - before


class _Program:
    """The parts of the program, loaded one by one. Nothing is imported before its part comes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kept: list[Any] = []

    def parts(self) -> Iterator[tuple[str, Callable[[], None]]]:
        """What stands before the model is loaded."""
        yield "core's code and the standard library", self._import_core
        yield "Qt and the empty window", self._show_window
        yield "DuckDB and LanceDB, loaded and opened", self._open_memory
        yield "the first search in both", self._search
        yield "libraries around llama.cpp: Outlines, llguidance, tiktoken", self._import_runtime

    def later_parts(self) -> Iterator[tuple[str, Callable[[], None]]]:
        """What comes behind the model."""
        yield "the vocabulary for tiktoken", self._make_tokenizer
        yield "the vocabulary for the grammar", self._make_compiler
        yield "512 tokens evaluated", self._evaluate
        yield "torch and sentence-transformers", self._import_torch
        yield "the embedding model, with its first texts", self._embed

    def _import_core(self) -> None:
        importlib.import_module("pagekeeper_core.assembly")

    def _show_window(self) -> None:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        app = importlib.import_module("PySide6.QtWidgets").QApplication([])
        settings, theme = _desktop("settings"), _desktop("theme")
        options = _desktop("options").Options(self._folder)
        session = _desktop("view_models.session").Session(_desktop("composition"), options)
        colours = theme.Theme(app, settings.ThemeChoice.LIGHT)
        make = _desktop("windows.main_window").MainWindow
        window = make(session, colours, self._folder, settings.Settings(), list)
        window.show()
        app.processEvents()
        self._kept += [app, window]

    def _open_memory(self) -> None:
        options = _desktop("options").Options(self._folder)
        self._memory = _desktop("composition").open_memory(options)

    def _search(self) -> None:
        self._memory.recall.search(["vet"])
        self._memory.archival.count()

    def _import_runtime(self) -> None:
        importlib.import_module("pagekeeper_models.llama_runtime")

    def load_model(self) -> None:
        """Map the weights."""
        choice, options = _desktop("model_choice"), _desktop("options").Options
        self._checked = choice.checked_model(options(self._folder, MODEL, WINDOW))
        self._model = _models("llama_library").LlamaModel.load(self._checked.path)

    def cache_size(self) -> float:
        """MB of keys and values, if the whole window is used."""
        header = _models("gguf_check").check_gguf(self._checked.path, context_window=WINDOW)
        return float(header.kv_bytes_per_token) * WINDOW / 1e6

    def make_context(self) -> None:
        """What llama.cpp computes in."""
        make = _models("kv_cache").KvCache
        self._cache = make(self._model, window=WINDOW, batch_size=128, threads=THREADS)

    def _make_tokenizer(self) -> None:
        self._kept.append(_models("token_counter").Tokenizer(self._model))

    def _make_compiler(self) -> None:
        self._kept.append(_models("decoding").GrammarCompiler(self._model))

    def _evaluate(self) -> None:
        for _ in self._cache.evaluate([*range(1000, 1512)], threading.Event()):
            pass

    def _import_torch(self) -> None:
        importlib.import_module("sentence_transformers")

    def _embed(self) -> None:
        folder = _desktop("model_choice").embedder_folder()
        embedder = _models("sentence_embedder").SentenceEmbedder(folder)
        embedder.embed([PASSAGE * 16] * 16)
        self._kept.append(embedder)

    def close(self) -> None:
        """Let go of what holds the folder."""
        self._cache.close()
        self._model.close()
        self._memory.close()


def _desktop(name: str) -> Any:
    return importlib.import_module(f"pagekeeper_desktop.{name}")


def _models(name: str) -> Any:
    return importlib.import_module(f"pagekeeper_models.{name}")
