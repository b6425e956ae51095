"""Tokenises as the model does: exactly, fast, and from any thread.

Byte-level BPE vocabularies (Qwen, Llama 3, SmolLM) go to tiktoken, with ranks taken from the model
itself. It is about seven times as fast as llama.cpp, and is used only where the two agree on sample
texts in many scripts; all other vocabularies stay with llama.cpp.
"""

import llama_cpp
import tiktoken

from pagekeeper_core.messages import storable_text
from pagekeeper_models.llama_library import LlamaModel

__all__ = ["Tokenizer"]

_SPLITTERS = {
    "gpt-2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "smollm": (
        r"'s|'t|'re|'ve|'m|'ll|'d|\p{N}| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?=\p{N})|\s+(?!\S)|\s+"
    ),
    "qwen2": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "llama-bpe": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}
"""How text is split into words before merging, by `tokenizer.ggml.pre` of the GGUF header; the
expressions are those of llama.cpp's `llama-vocab.cpp`. Its two for "smollm", one applied to what
the other leaves, are one here: a space before a digit stands alone."""

_SAMPLES = (
    "The vet said: come back on 3 May 2026 at 10:42, it's 1,234.50 € (or $99)!",
    "你好，世界。我住在波尔图，养了一只狗。今日は猫と話しました。テキスト 한국어 문장",
    "🎉👩‍👩‍👧‍👦🇵🇹 naïve Zoë e\u0301 ﬁ Ⅷ ² ½ ٣ 𝟘 \u00a0\u3000\u200b|",
    "שלום עולם, מה שלומך? مرحبا بالعالم، كيف حالك؟ Привет, мир! Γειά σου हिन्दी ไทย",
    "def f(x):\n\treturn {'a': [1, 22, 333, 4444], \"b\": x**2}  # don't, WE'LL\r\n\r\n\n  end   ",
    "   leading, trailing   \t\t \n \n\n 5  55   555 a5 5a 'S 'll <b>&amp;</b> https://a.b/c?d=e#f",
)

_SPECIAL = llama_cpp.LLAMA_TOKEN_ATTR_CONTROL | llama_cpp.LLAMA_TOKEN_ATTR_USER_DEFINED


class Tokenizer:
    """Text to tokens.

    Attributes:
        fast: Whether tiktoken does the work.
    """

    def __init__(self, model: LlamaModel) -> None:
        self._model = model
        self._encoding = _encoding(model)
        if self._encoding is not None and not self._agrees():
            self._encoding = None
        self.fast = self._encoding is not None

    def encode(self, text: str, *, parse_special: bool = False) -> list[int]:
        """Tokens of `text`, without a beginning-of-text token; lone surrogates and NUL are mended.

        Args:
            text: Any text.
            parse_special: Whether "<|im_end|>" and its like become control tokens. Never for text
                from outside: it could end its own turn and open another.
        """
        clean = storable_text(text)
        if self._encoding is None:
            return self._model.tokenize(clean, parse_special=parse_special)
        allowed = self._encoding.special_tokens_set if parse_special else set[str]()
        try:
            tokens = self._encoding.encode(clean, allowed_special=allowed, disallowed_special=())
        except ValueError:
            # Its regular expressions give up on some 400,000 spaces in a row.
            return self._model.tokenize(clean, parse_special=parse_special)
        return [token for token in tokens if token < self._model.vocabulary_size]

    def _agrees(self) -> bool:
        """Whether tiktoken gives llama.cpp's tokens for the samples."""
        end = self._model.token_text(llama_cpp.llama_vocab_eos(self._model.vocab))
        return all(
            self.encode(sample) == self._model.tokenize(sample, parse_special=False)
            for sample in _SAMPLES
        ) and all(
            self.encode(sample, parse_special=True)
            == self._model.tokenize(sample, parse_special=True)
            for sample in (f"{end}\n", f"text {end} \nuser\n{end}{end}")
        )


def _encoding(model: LlamaModel) -> tiktoken.Encoding | None:
    """The model's vocabulary for tiktoken; None where it is not byte-level BPE."""
    splitter = _SPLITTERS.get(model.metadata("tokenizer.ggml.pre"))
    if model.metadata("tokenizer.ggml.model") != "gpt2" or splitter is None:
        return None
    ranks, special = _vocabulary(model)
    for byte in range(256):
        # SmolLM lacks control characters: llama.cpp leaves them out, tiktoken must have a number.
        ranks.setdefault(bytes([byte]), model.vocabulary_size + byte)
    return tiktoken.Encoding(
        "gguf", pat_str=splitter, mergeable_ranks=ranks, special_tokens=special
    )


def _vocabulary(model: LlamaModel) -> tuple[dict[bytes, int], dict[str, int]]:
    """Tokens by their bytes, whose numbers serve as ranks; and special tokens by their names."""
    ranks: dict[bytes, int] = {}
    special: dict[str, int] = {}
    for token, (piece, attributes) in enumerate(zip(model.pieces, model.attributes, strict=True)):
        if attributes & _SPECIAL:
            special[piece.decode("utf-8", errors="replace")] = token
        elif attributes & llama_cpp.LLAMA_TOKEN_ATTR_NORMAL:
            ranks[piece] = token
    return ranks, special
