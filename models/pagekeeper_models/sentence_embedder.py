"""Sentence embeddings from a folder on disk, by sentence-transformers; never from the network."""

import contextlib
import gc
import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from pagekeeper_core.errors import ModelError
from pagekeeper_core.messages import storable_text
from pagekeeper_models.native_library import load_libtorch

__all__ = ["SentenceEmbedder"]

# Read by the libraries when they are imported.
_OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRANSFORMERS_VERBOSITY": "error",
}
_BATCH = 16
_MOST_THREADS = 4
_HINT = "Fetch it with: pagekeeper models download"


class SentenceEmbedder:
    """An embedding model in a folder of the sentence-transformers layout.

    Making one reads nothing. Sizes and counts need the folder's small files only; torch, which
    takes seconds to import, is loaded by the first `embed`. Callable from any thread.
    """

    def __init__(self, folder: Path, *, verify: Callable[[], object] | None = None) -> None:
        """Read from `folder`; `verify` is called once before the weights are, and may refuse them.

        Damaged weights of the right size give vectors like any others, only wrong ones.
        """
        self.folder = folder
        self._verify = verify
        self._lock = threading.Lock()
        self._model: Any = None

    @property
    def name(self) -> str:
        """The folder's name, such as "all-MiniLM-L6-v2"."""
        return self.folder.name

    @cached_property
    def dimension(self) -> int:
        """Length of a vector.

        Raises:
            ModelError: The folder is missing or damaged.
        """
        return int(self._setting("1_Pooling/config.json", "word_embedding_dimension"))

    @cached_property
    def max_tokens(self) -> int:
        """Word pieces that are read of a text, the two special ones included.

        Raises:
            ModelError: The folder is missing or damaged.
        """
        return int(self._setting("sentence_bert_config.json", "max_seq_length"))

    @property
    def is_loaded(self) -> bool:
        """Whether the weights are in memory."""
        return self._model is not None

    def count(self, text: str) -> int:
        """Word pieces of `text`, the two special ones included; needs no torch.

        Raises:
            ModelError: The folder is missing or damaged.
        """
        return len(self._tokenizer.encode(storable_text(text)).ids)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text: float32 values, unit length.

        Raises:
            ModelError: The folder is missing or damaged, or the model failed.
        """
        if not texts:
            return []
        cleaned = [storable_text(text) for text in texts]
        with self._lock:
            if self._model is None:
                self._model = self._load()
            return self._encode(cleaned)

    def _encode(self, texts: list[str]) -> list[list[float]]:
        try:
            vectors = self._model.encode(
                texts,
                batch_size=_BATCH,
                show_progress_bar=False,
                convert_to_numpy=True,
                normalize_embeddings=True,
            ).tolist()
        except (RuntimeError, ValueError) as error:
            raise ModelError(f"The embedding model {self.name} failed: {error}") from error
        return [[float(value) for value in vector] for vector in vectors]

    def _load(self) -> object:
        self._require("model.safetensors")
        if self._verify is not None:
            self._verify()
        os.environ.update(_OFFLINE)
        with _without_collecting():
            return self._load_libraries_and_model()

    def _load_libraries_and_model(self) -> object:
        load_libtorch()
        import torch  # noqa: PLC0415 - takes seconds
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - takes seconds
        from transformers.utils.logging import disable_progress_bar  # noqa: PLC0415 - as above

        disable_progress_bar()  # type: ignore[no-untyped-call]
        # The language model and the window may be at work beside it.
        torch.set_num_threads(min(_MOST_THREADS, os.cpu_count() or 1))
        try:
            return SentenceTransformer(str(self.folder), device="cpu", local_files_only=True)
        except Exception as error:
            # safetensors and tokenizers raise errors of their own, and bare ones.
            raise self._damaged(error) from error

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        path = self._require("tokenizer.json")
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:
            # tokenizers raises a bare Exception.
            raise self._damaged(error) from error
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    def _setting(self, file: str, key: str) -> int:
        path = self._require(file)
        try:
            return int(json.loads(path.read_text(encoding="utf-8"))[key])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise self._damaged(error) from error

    def _require(self, file: str) -> Path:
        path = self.folder / file
        if not path.is_file():
            raise ModelError(
                f"The embedding model {self.name} is not there: {path} is missing.",
                hint=_HINT,
            )
        return path

    def _damaged(self, error: Exception) -> ModelError:
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        return ModelError(
            f"The embedding model in {self.folder} cannot be loaded: {reason}",
            hint=_HINT,
        )


@contextlib.contextmanager
def _without_collecting() -> Iterator[None]:
    """Keep the garbage collector off what is loaded in the block, now and later.

    The libraries make some hundred thousand objects that live as long as the program. The collector
    would look through them again and again while they are made, and each time hold every other
    thread, the window's too, for tenths of a second.
    """
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        gc.enable()
