"""Tokenises as the model does, off the agent thread too, and fast.

Byte-level BPE vocabularies (Qwen, Llama 3, SmolLM) go to tiktoken, with ranks taken from the model
file; it is used only if it agrees with llama.cpp on sample texts. All others stay with llama.cpp.
"""

from pagekeeper_core.messages import storable_text
from pagekeeper_models.llama_library import LlamaModel

__all__ = ["Tokenizer"]


class Tokenizer:
    """Text to tokens; callable from any thread."""

    def __init__(self, model: LlamaModel) -> None:
        self._model = model

    def encode(self, text: str, *, parse_special: bool = False) -> list[int]:
        """Tokens of `text`; see `LlamaModel.tokenize` for `parse_special`."""
        return self._model.tokenize(storable_text(text), parse_special=parse_special)
