"""How the rules read words: what open words mean, and the values of words of a kind."""

from dataclasses import dataclass
from datetime import date, datetime

from pagekeeper_core.dates.tokens import COMING, Token

__all__ = ["Reading", "Words", "steps_of", "value_of"]

Words = list[Token]


@dataclass(frozen=True, slots=True)
class Reading:
    """How open words are read: "Friday", "in March", "3 May".

    Attributes:
        now: The person's wall clock; naive.
        future: Whether the next one is meant; else the last one.
    """

    now: datetime
    future: bool = False

    @property
    def today(self) -> date:
        """The day of `now`."""
        return self.now.date()


def value_of(words: Words, kinds: str, otherwise: int = 0) -> int:
    """The value of the first word of one of these kinds."""
    return next((word.value for word in words if word.kind in kinds), otherwise)


def steps_of(words: Words) -> int:
    """So many units from now: the one that comes is the next."""
    relative = value_of(words, "r")
    return 1 if relative == COMING else relative
