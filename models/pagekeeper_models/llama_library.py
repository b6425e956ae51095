"""The llama.cpp library: its log kept quiet, a model file loaded, its vocabulary and metadata.

The functions called here are declared in llama.cpp's `include/llama.h`.
"""

import ctypes
import os
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import llama_cpp

from pagekeeper_core.errors import ModelError, ModelFileError

__all__ = ["LlamaModel", "library_log"]

LoadProgress = Callable[[float], None]

_LEVEL_ERROR = 4
"""GGML_LOG_LEVEL_ERROR of ggml.h."""
_FUNCTION = re.compile(r"^\w+: (error loading model: )?")
_KEPT_ERRORS = 8
_RENDER_CONTROL = True
_ADD_BOS = False


class LibraryLog:
    """Keeps llama.cpp's log off the terminal, and its errors for our own messages.

    llama.cpp has one log per process and calls it from any thread, until the process ends: there is
    one instance, and it lives as long as the module.
    """

    def __init__(self) -> None:
        self._errors: list[str] = []
        self._callback = llama_cpp.llama_log_callback(self._receive)

    def install(self) -> None:
        """Send llama.cpp's log here and forget earlier errors."""
        self._errors.clear()
        llama_cpp.llama_log_set(self._callback, ctypes.c_void_p(0))

    def reason(self) -> str:
        """The first error since `install`; the others follow from it. Empty if there was none."""
        return _FUNCTION.sub("", self._errors[0]) if self._errors else ""

    def _receive(self, level: int, text: bytes, _user_data: object) -> None:
        if level == _LEVEL_ERROR and len(self._errors) < _KEPT_ERRORS:
            self._errors.append(text.decode("utf-8", errors="replace").strip())


library_log = LibraryLog()


class LlamaModel:
    """A model in memory: weights, vocabulary, metadata. Tokenising is safe from any thread.

    Attributes:
        path: The GGUF file it came from.
        handle: llama.cpp's `llama_model *`.
        vocab: llama.cpp's `const llama_vocab *`, owned by the model.
        vocabulary_size: Number of tokens, and of logits.
        pieces: The bytes that each token stands for.
        attributes: llama.cpp's `llama_token_attr` bits of each token.
    """

    def __init__(self, path: Path, handle: int) -> None:
        self.path = path
        self.handle = handle
        self.vocab = llama_cpp.llama_model_get_vocab(handle)
        self.vocabulary_size: int = llama_cpp.llama_vocab_n_tokens(self.vocab)
        self.pieces, self.attributes = _vocabulary(self.vocab, self.vocabulary_size)
        self._lock = threading.Lock()

    @classmethod
    def load(
        cls, path: Path, *, n_gpu_layers: int = 0, progress: LoadProgress | None = None
    ) -> "LlamaModel":
        """Read a GGUF file.

        An exception that `progress` raises stops the loading and comes out here.

        Raises:
            ModelFileError: There is no such file, or llama.cpp cannot load it.
        """
        if not path.is_file():
            message = f"There is no model file at {path}."
            raise ModelFileError(message, hint="Download the model, or choose another file.")
        library_log.install()
        watcher = _ProgressWatcher(progress)
        params = llama_cpp.llama_model_default_params()
        params.n_gpu_layers = n_gpu_layers
        params.progress_callback = watcher.callback
        handle = llama_cpp.llama_model_load_from_file(_library_path(path), params)
        watcher.raise_again()
        if not handle:
            raise _load_error(path)
        return cls(path, handle)

    def close(self) -> None:
        """Free the weights. Contexts made from the model must be freed before."""
        with self._lock:
            if self.handle:
                llama_cpp.llama_model_free(self.handle)
                self.handle = 0

    def metadata(self, key: str) -> str:
        """A value of the GGUF header as text; empty when the header lacks the key."""
        size = 256
        while True:
            buffer = ctypes.create_string_buffer(size)
            length = llama_cpp.llama_model_meta_val_str(self.handle, key.encode(), buffer, size)
            if length < size:
                return buffer.value.decode("utf-8", errors="replace") if length > 0 else ""
            size = length + 1

    def token_text(self, token: int) -> str:
        """A token as the vocabulary spells it, such as "Ġthe"; empty for "no such token" (-1)."""
        text: bytes = llama_cpp.llama_vocab_get_text(self.vocab, token) if token >= 0 else b""
        return text.decode("utf-8", errors="replace")

    def token_attributes(self, token: int) -> int:
        """llama.cpp's `llama_token_attr` bits of a token."""
        return self.attributes[token]

    def token_bytes(self, token: int) -> bytes:
        """The bytes that a token stands for; for a control token, its name."""
        return self.pieces[token]

    def tokenize(self, text: str, *, parse_special: bool) -> list[int]:
        """Tokens of `text`, without a beginning-of-text token.

        Args:
            text: Any text without lone surrogates.
            parse_special: Whether "<|im_end|>" and its like become control tokens. Never for text
                from outside: it could end its own turn and open another.
        """
        data = text.encode()
        room = len(data) + 16
        with self._lock:
            if not self.handle:
                raise ModelError("The model has been closed.", hint="Start Pagekeeper again.")
            tokens = (llama_cpp.llama_token * room)()
            count = llama_cpp.llama_tokenize(
                self.vocab, data, len(data), tokens, room, _ADD_BOS, parse_special
            )
        if count < 0:
            raise ModelError(f"llama.cpp could not tokenise a text of {len(data)} bytes.")
        return list(tokens[:count])


class _ProgressWatcher:
    """Hands llama.cpp's loading progress on, and carries an exception past the C code."""

    def __init__(self, progress: LoadProgress | None) -> None:
        self._progress = progress
        self._error: BaseException | None = None
        self.callback = llama_cpp.llama_progress_callback(self._receive)

    def _receive(self, fraction: float, _user_data: object) -> bool:
        if self._progress is not None:
            try:
                self._progress(fraction)
            except BaseException as error:  # noqa: BLE001 - raised again once C has returned
                self._error = error
        return self._error is None

    def raise_again(self) -> None:
        if self._error is not None:
            raise self._error


def _vocabulary(vocab: int, size: int) -> tuple[list[bytes], list[int]]:
    """Bytes and attributes of each token.

    Read at once, by the bare functions of the library: there are 150,000 tokens, and whoever needs
    the vocabulary needs it all.
    """
    library = llama_cpp.llama_cpp._lib  # noqa: SLF001 - it has no public name
    write_piece, attribute = library.llama_token_to_piece, library.llama_vocab_get_attr
    pieces, attributes = [], []
    room = 256
    buffer = ctypes.create_string_buffer(room)
    for token in range(size):
        length = write_piece(vocab, token, buffer, room, 0, _RENDER_CONTROL)
        if length < 0:
            room = -length
            buffer = ctypes.create_string_buffer(room)
            length = write_piece(vocab, token, buffer, room, 0, _RENDER_CONTROL)
        pieces.append(buffer.raw[:length])
        attributes.append(attribute(vocab, token))
    return pieces, attributes


def _library_path(path: Path) -> bytes:
    """The path as llama.cpp wants it: UTF-8 on Windows, the file system's own bytes elsewhere."""
    return str(path).encode() if sys.platform == "win32" else os.fsencode(path)


def _load_error(path: Path) -> ModelFileError:
    reason = library_log.reason() or "llama.cpp gives no reason"
    return ModelFileError(
        f"The model file {path.name} cannot be loaded: {reason}.",
        hint="Download it again, or choose another model.",
    )
