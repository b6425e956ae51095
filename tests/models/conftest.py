"""Real models in small windows, loaded once a session."""

import threading
from collections.abc import Iterator

import pytest

from helpers.generation import model_path
from pagekeeper_models.llama_runtime import LlamaRuntime

WINDOW = 512


@pytest.fixture(scope="session")
def tiny_runtime() -> Iterator[LlamaRuntime]:
    """SmolLM2 135M: quick, and careless enough to test that the grammar holds."""
    runtime = LlamaRuntime.load(model_path("smollm2-135m"), context_window=WINDOW)
    yield runtime
    runtime.close()


@pytest.fixture(scope="session")
def small_runtime() -> Iterator[LlamaRuntime]:
    """Qwen2.5 Coder 0.5B: writes Chinese and follows simple orders."""
    runtime = LlamaRuntime.load(model_path("qwen2.5-coder-0.5b"), context_window=WINDOW)
    yield runtime
    runtime.close()


@pytest.fixture
def never() -> threading.Event:
    """A cancel event that nobody sets."""
    return threading.Event()
