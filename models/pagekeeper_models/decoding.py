"""Constrained decoding: the model writes one JSON value that a schema admits.

Outlines compiles the schema with its llguidance backend and supplies the tokenizer; the loop, the
mask and the choice are ours, so that an error in them is raised and not lost in a callback.
"""

import codecs
import json
import threading
import warnings
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
from llguidance import LLMatcher
from outlines.backends.llguidance import LLGuidanceBackend
from outlines.models import LlamaCpp

from pagekeeper_core.errors import ModelError
from pagekeeper_core.protocols import JsonSchema
from pagekeeper_models.drafting import PromptLookup
from pagekeeper_models.kv_cache import KvCache
from pagekeeper_models.llama_library import LlamaModel

__all__ = ["Grammar", "GrammarCompiler", "JsonWriter"]

Tokens = npt.NDArray[np.intp]
Scores = npt.NDArray[np.float32]

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

_SMALL_BATCH = 3
"""Up to so many tokens at once get the very scores that each would get alone: llama.cpp computes
larger batches by other kernels, and the scores differ by up to 0.25 (measured)."""
_CLOSE = 1.0
"""Lead of the best score below which a larger batch with a draft decides nothing."""


class _VocabularyOnly(LlamaCpp):  # type: ignore[misc]  # Outlines is untyped to mypy
    """What Outlines' llguidance backend reads of its model: llama.cpp's handle.

    `outlines.from_llamacpp` wants a `llama_cpp.Llama`, which would load the weights again.
    """

    def __init__(self, model: LlamaModel) -> None:
        self.model = SimpleNamespace(model=model.handle)


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
    """Compiles JSON schemas for one model, each once. Takes a second to build."""

    def __init__(self, model: LlamaModel) -> None:
        with warnings.catch_warnings():
            # llguidance calls a renamed function of llama.cpp once for every token.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._backend = LLGuidanceBackend(_VocabularyOnly(model))
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
        drafted: How many of them had been guessed from the context, and were right.
        complete: Whether the value is whole.
    """

    def __init__(self, cache: KvCache, grammar: Grammar, *, drafting: bool = True) -> None:
        """Write behind what `cache` holds; without `drafting` a token at a time, and the same."""
        self.tokens: list[int] = []
        self.text = ""
        self.forced = 0
        self.drafted = 0
        self.complete = False
        self._cache = cache
        self._grammar = grammar
        self._lookup = PromptLookup(cache.tokens if drafting and cache.can_step_back else ())
        self._drafting = drafting and cache.can_step_back
        self._is_close_call = False
        self._start = len(cache.tokens)
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
            room = max_tokens - len(self.tokens)
            tokens = self._force(room) or self._choose(room, cancel)
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

    def _choose(self, room: int, cancel: threading.Event) -> list[int]:
        """The next token, and those behind it that were guessed; empty at the end of the text."""
        allowed = self._allowed()
        if allowed.size == 1:
            self.forced += 1
            return self._take_or_end(int(allowed[0]))
        draft = self._draft(room - 1) if allowed.size > _FEW else []
        batch = [*self._unevaluated, *draft]
        self._cache.append(batch, cancel, scored=len(draft) + 1)
        self._unevaluated = []
        return self._verify(draft, allowed, is_exact=not draft or len(batch) <= _SMALL_BATCH)

    def _draft(self, room: int) -> list[int]:
        """What may follow, where the context has the like: only tokens that the grammar admits."""
        if not self._drafting or not self._unevaluated or room < 1:
            return []
        if self._is_close_call:
            self._is_close_call = False
            return []
        guess = list(self._lookup.propose(room))
        return guess[: self._matcher.validate_tokens(guess)]

    def _verify(self, draft: list[int], allowed: Tokens, *, is_exact: bool) -> list[int]:
        """Choose as without a draft, for as long as the draft says the same.

        The draft has been evaluated: what follows its first wrong token is dropped from the cache.
        """
        chosen: list[int] = []
        for place in range(len(draft) + 1):
            scores = self._cache.logits(len(draft) + 1 - place)[allowed]
            if not is_exact and _is_close(scores):
                self._step_back()
                break
            token = int(allowed[np.argmax(scores)])
            taken = self._take_or_end(token)
            chosen += taken
            if not taken or place == len(draft) or token != draft[place]:
                break
            self._unevaluated.pop()
            if self._matcher.is_stopped() or self._matcher.compute_ff_tokens():
                break
            allowed = self._allowed()
        if draft:
            self._drop_wrong(draft, chosen)
        return chosen

    def _step_back(self) -> None:
        """Have the last token evaluated again, alone, to decide a close call as it is without."""
        self._unevaluated = [self.tokens[-1]]
        self._is_close_call = True

    def _drop_wrong(self, draft: list[int], chosen: list[int]) -> None:
        held = self._start + len(self.tokens) - len(self._unevaluated)
        self._cache.drop_last(len(self._cache.tokens) - held)
        accepted = sum(1 for guess, token in zip(draft, chosen, strict=False) if guess == token)
        self.drafted += accepted
        self._lookup.learn(len(draft), accepted)

    def _take_or_end(self, token: int) -> list[int]:
        if token == self._grammar.end_token:
            self._matcher.consume_token(token)
            return []
        self._take([token])
        return [token]

    def _allowed(self) -> Tokens:
        allowed = _admitted(self._matcher)
        if not allowed.size:
            raise ModelError(f"The grammar admits no token: {self._matcher.get_error()}")
        return self._without_fragments(allowed) if allowed.size <= _FEW else allowed

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
        following = _admitted(after)
        return 0 < following.size <= _FEW and all(
            (start + self._grammar.token_bytes(int(token))).startswith(longer)
            for token in following
        )

    def _take(self, tokens: list[int]) -> None:
        if not self._matcher.consume_tokens(tokens):
            raise ModelError(f"The grammar refuses its own token: {self._matcher.get_error()}")
        self.tokens += tokens
        self._unevaluated += tokens
        if self._drafting:
            self._lookup.extend(tokens)


def _admitted(matcher: LLMatcher) -> Tokens:
    """The tokens that the grammar admits next, in ascending order."""
    mask = np.frombuffer(matcher.compute_bitmask(), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(mask, bitorder="little"))


def _is_close(scores: Scores) -> bool:
    """Whether the best score leads by so little that rounding may decide."""
    if scores.size < 2:
        return False
    second, best = np.partition(scores, -2)[-2:]
    return bool(best - second < _CLOSE)


def _check(text: str) -> None:
    try:
        json.loads(text)
    except ValueError as error:
        raise ModelError(f"The model's text is not JSON ({error}).", retryable=True) from error
