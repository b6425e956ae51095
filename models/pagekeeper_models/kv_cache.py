"""The context of a model: evaluates tokens, and knows which ones its KV cache holds."""

import contextlib
import ctypes
import sys
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager
from enum import Enum

import llama_cpp
import numpy as np
import numpy.typing as npt

from pagekeeper_core.errors import Cancelled, ContextWindowError, ModelError
from pagekeeper_core.updates import PromptProgress
from pagekeeper_models.llama_library import LlamaModel, library_log

__all__ = ["CacheType", "FlashAttention", "KvCache", "common_prefix"]

Logits = npt.NDArray[np.float32]

_SEQUENCE = 0
_ABORTED = 2
_WITH_DATA = True
_ABORT_POLL_SECONDS = 0.02


class FlashAttention(Enum):
    """Whether attention is computed in one go; the value is llama.cpp's number."""

    AUTO = llama_cpp.LLAMA_FLASH_ATTN_TYPE_AUTO
    """Where the hardware has it; a processor has, and is slower with it (see the benchmarks)."""
    ON = llama_cpp.LLAMA_FLASH_ATTN_TYPE_ENABLED
    OFF = llama_cpp.LLAMA_FLASH_ATTN_TYPE_DISABLED


class CacheType(Enum):
    """How a number of the KV cache is kept; the value is ggml's number of the type."""

    F16 = llama_cpp.GGML_TYPE_F16
    Q8_0 = llama_cpp.GGML_TYPE_Q8_0
    """A little more than half the memory; the values need flash attention."""


def common_prefix(left: Sequence[int], right: Sequence[int]) -> int:
    """How many tokens the two have in common at their beginning."""
    for index, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            return index
    return min(len(left), len(right))


class KvCache:
    """One sequence of tokens evaluated by a model. Belongs to one thread.

    Attributes:
        window: Tokens that it can hold.
        flash_attention: How attention is computed, which decides the layout of an image.
        tokens: Those that it holds, in order.
    """

    def __init__(
        self,
        model: LlamaModel,
        *,
        window: int,
        batch_size: int,
        threads: int,
        flash_attention: FlashAttention = FlashAttention.OFF,
        cache_type: CacheType = CacheType.F16,
    ) -> None:
        self.window = window
        self.flash_attention = flash_attention
        self.tokens: list[int] = []
        self._model = model
        self._batch_size = batch_size
        self._abort = _AbortFlag()
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = window
        params.n_batch = params.n_ubatch = batch_size
        params.n_threads = params.n_threads_batch = threads
        params.flash_attn_type = flash_attention.value
        params.type_k = params.type_v = cache_type.value
        params.abort_callback = self._abort.callback
        params.abort_callback_data = self._abort.address
        params.no_perf = True
        library_log.install()
        self._handle = llama_cpp.llama_init_from_model(model.handle, params)
        if not self._handle:
            raise _no_context(window)
        self._memory = llama_cpp.llama_get_memory(self._handle)

    def close(self) -> None:
        """Free the context; the model stays."""
        if self._handle:
            llama_cpp.llama_free(self._handle)
            self._handle = None
            self.tokens = []

    def stoppable(self, cancel: threading.Event) -> AbstractContextManager[None]:
        """While the block runs, `cancel` also interrupts a batch that is being evaluated."""
        return self._abort.follow(cancel)

    def keep_prefix(self, prompt: Sequence[int]) -> int:
        """Drop what differs from `prompt`; gives the number of its tokens that are held."""
        self._truncate(common_prefix(self.tokens, prompt))
        return len(self.tokens)

    def evaluate(
        self, tokens: Sequence[int], cancel: threading.Event
    ) -> Generator[PromptProgress, None, None]:
        """Evaluate a prompt behind what is held, in batches, with progress after each.

        `cancel` is looked at between batches; within one, see `stoppable`.

        Raises:
            Cancelled: `cancel` was set; what had been evaluated stays.
            ModelError: llama.cpp failed.
        """
        for start in range(0, len(tokens), self._batch_size):
            self._decode(tokens[start : start + self._batch_size], cancel)
            yield PromptProgress(min(start + self._batch_size, len(tokens)), len(tokens))

    def append(self, tokens: Sequence[int], cancel: threading.Event) -> None:
        """Evaluate a few tokens behind what is held; see `evaluate`."""
        for start in range(0, len(tokens), self._batch_size):
            self._decode(tokens[start : start + self._batch_size], cancel)
        if cancel.is_set():
            raise Cancelled

    def _decode(self, tokens: Sequence[int], cancel: threading.Event) -> None:
        """Evaluate up to a batch of tokens.

        Raises:
            Cancelled: `cancel` was set.
            ModelError: llama.cpp failed.
        """
        if cancel.is_set():
            raise Cancelled
        if not self._handle:
            raise ModelError("The model has been closed.", hint="Start Pagekeeper again.")
        array = (llama_cpp.llama_token * len(tokens))(*tokens)
        status = llama_cpp.llama_decode(
            self._handle, llama_cpp.llama_batch_get_one(array, len(tokens))
        )
        self.tokens.extend(tokens)
        if status != 0:
            self._truncate(llama_cpp.llama_memory_seq_pos_max(self._memory, _SEQUENCE) + 1)
            if status == _ABORTED:
                raise Cancelled
            raise _evaluation_failed(status)

    def logits(self) -> Logits:
        """The scores of every token to follow the last one; valid until the next evaluation."""
        pointer = llama_cpp.llama_get_logits_ith(self._handle, -1)
        return np.ctypeslib.as_array(pointer, shape=(self._model.vocabulary_size,))

    def image_size(self) -> int:
        """Bytes of `image`."""
        return int(llama_cpp.llama_state_seq_get_size(self._handle, _SEQUENCE))

    def image(self) -> memoryview:
        """What llama.cpp holds for the tokens, to be restored in another process."""
        size = self.image_size()
        buffer = (ctypes.c_uint8 * size)()
        written = llama_cpp.llama_state_seq_get_data(self._handle, buffer, size, _SEQUENCE)
        return memoryview(buffer)[:written]

    def restore(self, tokens: Sequence[int], image: bytearray | memoryview) -> bool:
        """Hold these tokens, of which this is the image; False, and empty, if it does not fit."""
        self._truncate(0)
        buffer = (ctypes.c_uint8 * len(image)).from_buffer(image)
        read = llama_cpp.llama_state_seq_set_data(self._handle, buffer, len(image), _SEQUENCE)
        held = llama_cpp.llama_memory_seq_pos_max(self._memory, _SEQUENCE) + 1
        if read != len(image) or held != len(tokens):
            llama_cpp.llama_memory_clear(self._memory, _WITH_DATA)
            return False
        self.tokens = list(tokens)
        return True

    def _truncate(self, length: int) -> None:
        if length >= len(self.tokens):
            return
        if not llama_cpp.llama_memory_seq_rm(self._memory, _SEQUENCE, length, -1):
            # Recurrent models keep one state, which cannot be cut: begin anew.
            llama_cpp.llama_memory_clear(self._memory, _WITH_DATA)
            length = 0
        del self.tokens[length:]


class _AbortFlag:
    """Lets a `threading.Event` interrupt llama.cpp inside a batch.

    llama.cpp asks its abort callback at every node of the graph, hundreds of times a token. A
    callback in Python would wait for the interpreter's lock each time, and the window's thread may
    hold that for milliseconds. So the callback is C's `strlen` on two bytes: an empty string goes
    on, a string of one character stops. A thread that watches the event writes the character.
    """

    def __init__(self) -> None:
        self._text = ctypes.create_string_buffer(2)
        self.address = ctypes.addressof(self._text)
        library = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)
        address = ctypes.cast(library.strlen, ctypes.c_void_p).value
        self.callback = llama_cpp.ggml_abort_callback(address)

    @contextlib.contextmanager
    def follow(self, cancel: threading.Event) -> Iterator[None]:
        """Stop llama.cpp when `cancel` is set, as long as the block runs."""
        done = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(cancel, done), daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()
            self._text[0] = b"\0"

    def _watch(self, cancel: threading.Event, done: threading.Event) -> None:
        while not done.wait(_ABORT_POLL_SECONDS):
            if cancel.is_set():
                self._text[0] = b"x"
                return


def _no_context(window: int) -> ContextWindowError:
    reason = library_log.reason() or "there is not enough memory for it"
    return ContextWindowError(
        f"A context window of {window:,} tokens cannot be made: {reason}.",
        hint="Choose a smaller context window or a smaller model.",
    )


def _evaluation_failed(status: int) -> ModelError:
    reason = library_log.reason() or f"status {status}"
    return ModelError(
        f"llama.cpp could not evaluate the text: {reason}.",
        hint="Try again; if it fails again, start Pagekeeper anew.",
        retryable=True,
    )
