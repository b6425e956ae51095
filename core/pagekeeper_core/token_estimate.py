"""Tokens of a text while no model is loaded: an estimate."""

import math
from collections.abc import Sequence

from pagekeeper_core.messages import PromptMessage

__all__ = ["TokenEstimate"]

BYTES = 3.0
"""UTF-8 bytes of letters and spaces that one token is taken for."""

FRAME = 8
"""Tokens that a chat template puts around a message."""


class TokenEstimate:
    """Implements `TokenCounter` without a model.

    Digits and signs are counted singly, as Qwen2.5 does. Measured on sentences in Latin, Chinese,
    Japanese, Hebrew, Arabic and Cyrillic, a bank account and emoji it gives 0.86 to 1.5 times that
    model's count, and on plain sentences never less.
    """

    def count(self, text: str) -> int:
        """About as many tokens as a model would count in `text`."""
        words = "".join(sign for sign in text if sign.isalpha() or sign.isspace())
        letters = len(words.encode(errors="replace"))
        return len(text) - len(words) + math.ceil(letters / BYTES)

    def count_prompt(self, prompt: Sequence[PromptMessage]) -> int:
        """The same of a whole prompt, its frames included."""
        return sum(self.count(message.text) + FRAME for message in prompt) + FRAME
