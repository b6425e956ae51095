"""Prompts to tokens: the chat template, the tokenizer, and what the model itself has written."""

import threading
from collections import OrderedDict
from collections.abc import Sequence

import llama_cpp

from pagekeeper_core.messages import PromptMessage, storable_text
from pagekeeper_models.chat_template import ChatTemplate, Piece
from pagekeeper_models.llama_library import LlamaModel
from pagekeeper_models.token_counter import Tokenizer

__all__ = ["PromptTokens"]

_KEPT_TOKENS = 400_000
"""Tokens remembered of texts that were written or seen: a few megabytes."""


class PromptTokens:
    """Encodes prompts; callable from any thread.

    A text can be tokenised in several ways, and the model need not choose the usual one. When a
    text that it wrote comes back in a prompt, the tokens that it chose are used, so that they match
    what the KV cache holds.
    """

    def __init__(self, model: LlamaModel, tokenizer: Tokenizer) -> None:
        bos = llama_cpp.llama_vocab_bos(model.vocab)
        eos = llama_cpp.llama_vocab_eos(model.vocab)
        self.template = ChatTemplate(
            model.metadata("tokenizer.chat_template"),
            bos_token=model.token_text(bos),
            eos_token=model.token_text(eos),
        )
        self._model = model
        self._tokenizer = tokenizer
        self._first = [bos] if llama_cpp.llama_vocab_get_add_bos(model.vocab) else []
        self._lock = threading.Lock()
        self._known: OrderedDict[Piece, tuple[int, ...]] = OrderedDict()
        self._known_tokens = 0

    def encode(self, prompt: Sequence[PromptMessage], *, opening: bool = True) -> list[int]:
        """Tokens of a prompt; `opening`: with the beginning of the assistant's turn."""
        tokens: list[int] = []
        for piece in self.template.render(prompt, opening=opening):
            tokens.extend(self._encode_piece(piece))
        return tokens if tokens[:1] == self._first else [*self._first, *tokens]

    def record(self, text: str, tokens: Sequence[int]) -> None:
        """Remember the tokens that the model wrote this text with; without any, do nothing."""
        if tokens:
            self._remember(Piece(text, is_content=True), tuple(tokens))

    def learn(self, prompt: Sequence[PromptMessage], tokens: Sequence[int]) -> None:
        """Remember how texts were spelled in an earlier run.

        Args:
            prompt: What stands in the prompt now.
            tokens: Of the prompt as that run evaluated it; as far as the two agree, they count.
        """
        pieces = self.template.render(prompt, opening=False)
        begins_itself = bool(pieces) and self._encode_piece(pieces[0])[:1] == tuple(self._first)
        place = 0 if begins_itself else len(self._first)
        for piece in pieces:
            spelling = self._encode_piece(piece)
            if tuple(tokens[place : place + len(spelling)]) != spelling:
                spelling = self._spelling(piece, tokens[place:])
                if not spelling:
                    return
                self._remember(piece, spelling)
            place += len(spelling)

    def _spelling(self, piece: Piece, tokens: Sequence[int]) -> tuple[int, ...]:
        """The first of the tokens, if they spell the text of a message; else none."""
        wanted, spelled = storable_text(piece.text).encode(), b""
        for count, token in enumerate(tokens, 1):
            is_control = self._model.token_attributes(token) & llama_cpp.LLAMA_TOKEN_ATTR_CONTROL
            if not piece.is_content or is_control:
                break
            spelled += self._model.token_bytes(token)
            if spelled == wanted:
                return tuple(tokens[:count])
            if not wanted.startswith(spelled):
                break
        return ()

    def _encode_piece(self, piece: Piece) -> tuple[int, ...]:
        with self._lock:
            known = self._known.get(piece)
            if known is not None:
                self._known.move_to_end(piece)
                return known
        tokens = tuple(self._tokenizer.encode(piece.text, parse_special=not piece.is_content))
        self._remember(piece, tokens)
        return tokens

    def _remember(self, piece: Piece, tokens: tuple[int, ...]) -> None:
        with self._lock:
            self._known_tokens += len(tokens) - len(self._known.pop(piece, ()))
            self._known[piece] = tokens
            while self._known_tokens > _KEPT_TOKENS:
                self._known_tokens -= len(self._known.popitem(last=False)[1])
