"""Constrained decoding: the model writes one JSON value that a schema admits.

Outlines compiles the schema with its llguidance backend and supplies the tokenizer; the loop, the
mask and the choice are ours, so that an error in them is raised and not lost in a callback.
"""

import codecs
import ctypes
import json
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from types import SimpleNamespace

import llama_cpp
import numpy as np
from llguidance import LLMatcher, LLTokenizer
from outlines.backends.llguidance import LLGuidanceBackend

from pagekeeper_core.errors import ModelError
from pagekeeper_core.protocols import JsonSchema
from pagekeeper_models.kv_cache import KvCache
from pagekeeper_models.llama_library import LlamaModel
from pagekeeper_models.token_mask import TokenMask, Tokens

__all__ = ["Grammar", "GrammarCompiler", "JsonWriter"]

_LAYOUT = {
    "whitespace_flexible": False,
    "item_separator": ", ",
    "key_separator": ": ",
    "json_allowed_escapes": 'nt"\\',
}
"""One way to write each value. `\\u` escapes are left out: with them a model can write half of a
surrogate pair, and every character can be written as itself."""
_KEPT_GRAMMARS = 32
_FEW = 64
"""With more tokens to choose from the model writes free text, and chooses its own spelling."""


class _Backend(LLGuidanceBackend):  # type: ignore[misc]  # Outlines is untyped to mypy
    """Outlines' llguidance backend, with the vocabulary that has been read already.

    By itself it wants a `llama_cpp.Llama`, which would load the weights again, and asks llama.cpp
    for every token once more.
    """

    def __init__(self, model: LlamaModel) -> None:
        super().__init__(SimpleNamespace(tensor_library_name="numpy", vocabulary=model))

    def _create_llg_tokenizer(self, model: SimpleNamespace) -> LLTokenizer:
        """The tokenizer that llguidance's `lltokenizer_from_vocab` would make."""
        vocabulary: LlamaModel = model.vocabulary
        tokenize = llama_cpp.llama_cpp._lib.llama_tokenize  # noqa: SLF001 - it has no public name
        return LLTokenizer.from_llamacpp(
            tokens=list(map(_marked, vocabulary.pieces, vocabulary.attributes)),
            vocab_ptr=vocabulary.vocab,
            tokenize_fptr=ctypes.cast(tokenize, ctypes.c_void_p).value,
            eos_token=llama_cpp.llama_vocab_eos(vocabulary.vocab),
        )


def _marked(piece: bytes, attributes: int) -> bytes:
    """A token's bytes as llguidance wants them: those of a control token begin with 0xFF."""
    is_control = attributes & llama_cpp.LLAMA_TOKEN_ATTR_CONTROL or (
        attributes & llama_cpp.LLAMA_TOKEN_ATTR_USER_DEFINED
        and piece.startswith(b"<")
        and piece.endswith(b">")
    )
    return b"\xff" + piece if is_control else piece


class Grammar:
    """A compiled schema, ready to be used again and again.

    Attributes:
        end_token: The token that ends a text.
    """

    def __init__(self, model: LlamaModel, matcher: LLMatcher, end_token: int) -> None:
        self.end_token = end_token
        self._model = model
        self._matcher = matcher

    def start(self) -> LLMatcher:
        """A matcher at the beginning of a value."""
        return self._matcher.deep_copy()

    def token_bytes(self, token: int) -> bytes:
        """The bytes that a token stands for."""
        return self._model.token_bytes(token)


class GrammarCompiler:
    """Compiles JSON schemas for one model, each once. Takes half a second to build."""

    def __init__(self, model: LlamaModel) -> None:
        self._backend = _Backend(model)
        self._model = model
        self._grammars: OrderedDict[str, Grammar] = OrderedDict()

    def compile(self, schema: JsonSchema) -> Grammar:
        """The grammar of a schema.

        Raises:
            ModelError: The schema uses what llguidance does not know.
        """
        text = json.dumps({**schema, "x-guidance": _LAYOUT}, ensure_ascii=False)
        if text not in self._grammars:
            self._grammars[text] = self._build(text)
        self._grammars.move_to_end(text)
        if len(self._grammars) > _KEPT_GRAMMARS:
            self._grammars.popitem(last=False)
        return self._grammars[text]

    def _build(self, schema_text: str) -> Grammar:
        tokenizer = self._backend.llg_tokenizer
        processor = self._backend.get_json_schema_logits_processor(schema_text)
        matcher = LLMatcher(tokenizer, processor.grammar, log_level=0)
        if matcher.is_error():
            raise ModelError(f"The schema cannot be compiled: {matcher.get_error()}")
        return Grammar(self._model, matcher, tokenizer.eos_token)


class JsonWriter:
    """Writes one JSON value behind the prompt that the cache holds: always the likeliest token.

    Attributes:
        tokens: What has been written so far.
        text: The same as text, as far as its characters are whole.
        forced: How many of the tokens the grammar left no choice about.
        complete: Whether the value is whole.
    """

    def __init__(self, cache: KvCache, grammar: Grammar) -> None:
        self.tokens: list[int] = []
        self.text = ""
        self.forced = 0
        self.complete = False
        self._cache = cache
        self._grammar = grammar
        self._matcher = grammar.start()
        self._unevaluated: list[int] = []
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    @property
    def spelling(self) -> tuple[int, ...]:
        """The tokens that spell `text`; empty when the last of them ends within a character."""
        return () if self._decoder.getstate()[0] else tuple(self.tokens)

    def write(self, max_tokens: int, cancel: threading.Event) -> Iterator[str]:
        """The text piece by piece, in whole characters.

        Raises:
            Cancelled: `cancel` was set.
            ModelError: llama.cpp or the grammar failed.
        """
        while not self._matcher.is_stopped() and len(self.tokens) < max_tokens:
            tokens = self._force(max_tokens - len(self.tokens)) or self._choose(cancel)
            piece = self._decoder.decode(b"".join(self._grammar.token_bytes(t) for t in tokens))
            if piece:
                self.text += piece
                yield piece
        if self._matcher.is_error():
            raise ModelError(f"The grammar failed: {self._matcher.get_error()}")
        self.complete = self._matcher.is_accepting()
        if self.complete:
            _check(self.text)

    def _force(self, room: int) -> list[int]:
        tokens: list[int] = self._matcher.compute_ff_tokens()[:room]
        self._take(tokens)
        self.forced += len(tokens)
        return tokens

    def _choose(self, cancel: threading.Event) -> list[int]:
        """The next token; empty if it is the end of the text."""
        mask = TokenMask(self._matcher)
        if not mask.size:
            raise ModelError(f"The grammar admits no token: {self._matcher.get_error()}")
        few = self._without_fragments(mask.tokens()) if mask.size <= _FEW else None
        if few is not None and few.size == 1:
            token, is_forced = int(few[0]), True
        else:
            token, is_forced = self._likeliest(mask, few, cancel), False
        if token == self._grammar.end_token:
            self._matcher.consume_token(token)
            return []
        self._take([token])
        self.forced += is_forced
        return [token]

    def _likeliest(self, mask: TokenMask, few: Tokens | None, cancel: threading.Event) -> int:
        """The admitted token of the highest score, of the `few` where the choice is theirs."""
        self._cache.append(self._unevaluated, cancel)
        self._unevaluated = []
        scores = self._cache.logits()
        return mask.best(scores) if few is None else int(few[np.argmax(scores[few])])

    def _without_fragments(self, allowed: Tokens) -> Tokens:
        """Drop tokens of which a longer one spells more, whatever follows.

        Where function names are to choose from, the grammar admits "s", "se" and "send". The single
        letter may be likely for reasons that have nothing to do with the name, and it leads to a
        spelling that the model has never been shown.
        """
        spelling = {int(token): self._grammar.token_bytes(int(token)) for token in allowed}
        whole = [token for token in spelling if not self._is_fragment(token, spelling)]
        return np.array(whole, dtype=np.intp)

    def _is_fragment(self, token: int, spelling: Mapping[int, bytes]) -> bool:
        start = spelling[token]
        longer = tuple(s for s in spelling.values() if len(s) > len(start) and s.startswith(start))
        if not longer:
            return False
        after = self._matcher.deep_copy()
        after.consume_token(token)
        following = TokenMask(after)
        return 0 < following.size <= _FEW and all(
            (start + self._grammar.token_bytes(int(token))).startswith(longer)
            for token in following.tokens()
        )

    def _take(self, tokens: list[int]) -> None:
        if not self._matcher.consume_tokens(tokens):
            raise ModelError(f"The grammar refuses its own token: {self._matcher.get_error()}")
        self.tokens += tokens
        self._unevaluated += tokens


def _check(text: str) -> None:
    try:
        json.loads(text)
    except ValueError as error:
        raise ModelError(f"The model's text is not JSON ({error}).", retryable=True) from error
