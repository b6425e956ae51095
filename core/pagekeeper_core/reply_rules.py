"""Which replies are not taken: a small model echoes, repeats itself, and stays in a language.

Such a reply is written once again under a narrower grammar, behind a hint that no later prompt
shows; then whatever comes is taken. While a reply is written, what may still turn out so is held
back.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pagekeeper_core import prompts
from pagekeeper_core.scripts import OTHER_LETTERS, has_letters, language_by_script, names_language
from pagekeeper_core.wording import echoes, folded, only_repeats, shared_gist, words_of

__all__ = ["ANY_REPLY", "ReplyRules", "Unwanted"]

SHORTEST_REPEAT = 6
"""Words of a reply that is not given twice."""


@dataclass(frozen=True, slots=True)
class Unwanted:
    """What a reply that is written again must not be.

    Attributes:
        hint: Why, for the model.
        beginning: The character with which it must not begin.
        letters: Those that it must not contain, as a regular expression's set without brackets.
    """

    hint: str = ""
    beginning: str = ""
    letters: str = ""


ANY_REPLY = Unwanted()


@dataclass(slots=True)
class ReplyRules:
    """The rules of one chain.

    Attributes:
        question: What is answered.
        heard: What the user said, as far as the model sees it.
        replied: What the assistant replied, likewise.
        may_echo: Whether a reply may repeat what stands there; once told not to, it may.
    """

    question: str = ""
    heard: Sequence[str] = ()
    replied: Sequence[str] = ()
    may_echo: bool = False
    _may_be_foreign: bool = field(default=False, init=False)

    def refuse(self, reply: str) -> Unwanted | None:
        """Why a reply is not taken, and what the next one must not be; None if it is taken."""
        unwanted = self.unwanted(reply)
        if unwanted is not None:
            self._may_be_foreign = self._may_be_foreign or bool(unwanted.letters)
            self.may_echo = self.may_echo or not unwanted.letters
        return unwanted

    def unwanted(self, reply: str) -> Unwanted | None:
        """The same, before the reply is judged for good."""
        if self._is_foreign(reply):
            return Unwanted(prompts.OTHER_LANGUAGE, letters=OTHER_LETTERS)
        if self._is_echo(reply):
            return Unwanted(prompts.ECHOED, beginning=reply.lstrip()[0])
        return Unwanted(prompts.REPEATED) if self._is_own_repeat(reply) else None

    def may_become_unwanted(self, beginning: str) -> bool:
        """Whether a reply that begins so may still turn out not to be taken."""
        if self._is_foreign(beginning):
            return True
        if self.may_echo:
            return False
        start, said = folded(beginning), [*self.heard, *self.replied]
        repeats = any(folded(text).startswith(start) for text in said)
        return repeats or only_repeats(beginning, self.question, unfinished=True)

    def _is_foreign(self, reply: str) -> bool:
        """Whether the question's letters are Latin and the reply's are not.

        Unless the question may be about that language.
        """
        if self._may_be_foreign or not has_letters(self.question):
            return False
        asked, answered = language_by_script(self.question), language_by_script(reply)
        return bool(answered) and not asked and not names_language(self.question)

    def _is_echo(self, reply: str) -> bool:
        """Whether a reply only repeats what the user said."""
        if self.may_echo:
            return False
        repeats = any(echoes(reply, text) for text in self.heard)
        return repeats or only_repeats(reply, self.question)

    def _is_own_repeat(self, reply: str) -> bool:
        """Whether a reply was given before, and has nothing to do with what the user says now.

        The same answer to the same question is none: it takes up a word of it. Nor is a phrase as
        short as "You're welcome".
        """
        if self.may_echo or len(words_of(reply)) < SHORTEST_REPEAT:
            return False
        repeated = any(echoes(reply, text) for text in self.replied)
        return repeated and not shared_gist(reply, self.question)
