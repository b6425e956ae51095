"""One part of a document into a few sentences, each with the line that says so.

Each sentence has its share of the part's lines, which the grammar holds it to: left to itself, a
small model says all it has to say of the beginning. The sentences are checked against the lines:
one with a figure that no line has, or with no word of theirs, is left out; and where the model
names another line than the one whose words a sentence uses, the words decide. What is left out,
copied from a longer line, or said of the lines of another sentence, is asked for once more with
the lines of its share alone. Where the model gives nothing usable, the document's own sentences
stand in.
"""

import re
import threading
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

from pydantic_core import from_json

from pagekeeper_core import document_words
from pagekeeper_core.generated import whole_text
from pagekeeper_core.messages import PromptMessage, PromptRole
from pagekeeper_core.protocols import JsonSchema, LanguageModel
from pagekeeper_core.records import SummarySentence
from pagekeeper_core.scripts import language_by_script
from pagekeeper_core.updates import PromptProgress
from pagekeeper_core.wording import STEM, gist, words_of

__all__ = ["TOKENS_A_SENTENCE", "Line", "SummaryWriter", "quoted_from"]

LONGEST_SENTENCE = 240
SHORTEST_SENTENCE = 8
"""Bounds of a sentence, in characters."""

TOKENS_A_SENTENCE = 60
"""What the JSON of one sentence takes at most, nearly always; a longer one is cut off."""

CLEARLY_BETTER = 1.5
"""How many times as much of a sentence a line must hold to be believed over the one named."""

SHORTEST_COPY = 12
"""Words; fewer in the order of the text are often the only way to say it."""

_SENTENCE = re.compile(r".+?(?:[.!?…](?=\s|$)|[。！？]|$)", re.DOTALL)
_FIGURE = re.compile(r"\d[\d.,\u00a0\u202f ]*\d|\d")

_AGAIN = PromptMessage(PromptRole.SYSTEM, document_words.SAY_AGAIN)


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is summarised: a passage, or a sentence of a part's summary."""

    text: str
    passage_id: str
    location: str


@dataclass(frozen=True, slots=True)
class _Share:
    """The lines of one sentence, numbered from 1, and the letter that it must not begin with."""

    first: int
    last: int
    not_with: str = ""


class SummaryWriter:
    """Asks the model for the sentences of one part."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    def room(self, before: Sequence[PromptMessage], title: str, most: int) -> int:
        """Tokens that the lines of one request may take."""
        request = [*_request(before, title, [], most, "Ukrainian"), _AGAIN]
        empty = self._model.count_prompt(request)
        return self._model.context_window - most * TOKENS_A_SENTENCE - empty

    def cost(self, line: Line) -> int:
        """Tokens that a line takes in a request."""
        return self._model.count(document_words.part_text([line.text]))

    def write(
        self,
        before: Sequence[PromptMessage],
        title: str,
        lines: Sequence[Line],
        most: int,
        language: str,
        cancel: threading.Event,
    ) -> Generator[PromptProgress, None, tuple[SummarySentence, ...]]:
        """What the lines say in at most `most` sentences, from the first lines to the last.

        None when the model wrote none usable.

        Args:
            before: What stands in front of the request: the prompt that the model's cache holds,
                where there is room behind it.
            title: The document's.
            lines: What is summarised.
            most: Sentences at most.
            language: The English name of the language to write in; empty for the document's.
            cancel: Stops it.

        Raises:
            Cancelled: `cancel` was set.
            ModelError: The model or its runtime failed.
        """
        prompt = _request(before, title, lines, most, language)
        shares = _shares(len(lines), most)
        needed = _needed(len(lines), most)
        said = yield from self._said(prompt, shares, needed, lines, cancel)
        again = [n for n in range(needed) if _is_poor(said[n], shares[n], lines)]
        if again:
            wanted, shown = _apart([(shares[n], _beginning(said[n])) for n in again], lines)
            prompt = [*_request(before, title, shown, len(wanted), language), _AGAIN]
            better = yield from self._said(prompt, wanted, len(wanted), shown, cancel)
            for number, sentence in zip(again, better, strict=True):
                if said[number] is None or not _is_poor(sentence, shares[number], lines):
                    said[number] = sentence
        each_once = {sentence.text: sentence for sentence in reversed(said) if sentence}
        return tuple(reversed(each_once.values()))

    def _said(
        self,
        prompt: Sequence[PromptMessage],
        shares: Sequence[_Share],
        needed: int,
        lines: Sequence[Line],
        cancel: threading.Event,
    ) -> Generator[PromptProgress, None, list[SummarySentence | None]]:
        """One request's sentence for each share; None where it has none that is borne out."""
        writing = self._model.generate(
            prompt,
            _schema(shares, needed),
            max_tokens=len(shares) * TOKENS_A_SENTENCE,
            cancel=cancel,
        )
        text = yield from whole_text(writing)
        said = [_checked(says, number, lines) for number, says in _points(text)[: len(shares)]]
        return [*said, *[None] * (len(shares) - len(said))]


def quoted_from(lines: Sequence[Line], most: int) -> tuple[SummarySentence, ...]:
    """The first sentences of lines that stand evenly apart: what is kept without the model."""
    step = max(len(lines) / most, 1.0)
    chosen = [lines[int(number * step)] for number in range(min(most, len(lines)))]
    return tuple(SummarySentence(_first_sentence(c.text), c.passage_id, c.location) for c in chosen)


def _request(
    before: Sequence[PromptMessage], title: str, lines: Sequence[Line], most: int, language: str
) -> list[PromptMessage]:
    order = document_words.part_request(title, most, language)
    text = document_words.part_text([line.text for line in lines])
    return [*before, PromptMessage(PromptRole.SYSTEM, order), PromptMessage(PromptRole.USER, text)]


def _shares(lines: int, most: int) -> list[_Share]:
    """The lines in `most` shares from the first to the last; some have the same line if few."""
    starts = [number * lines // most for number in range(most + 1)]
    return [_Share(first + 1, max(end, first + 1)) for first, end in pairwise(starts)]


def _apart(
    wanted: Sequence[tuple[_Share, str]], lines: Sequence[Line]
) -> tuple[list[_Share], list[Line]]:
    """The shares, each with the letter it must not begin with, among their lines alone."""
    numbers = sorted({n for share, _ in wanted for n in range(share.first, share.last + 1)})
    place = {number: index for index, number in enumerate(numbers, 1)}
    shares = [_Share(place[share.first], place[share.last], letter) for share, letter in wanted]
    return shares, [lines[number - 1] for number in numbers]


def _needed(lines: int, most: int) -> int:
    """How many of the shares must be filled so that the last line is among them."""
    return min(ceil((lines - 1) * most / lines) + 1, most)


def _schema(shares: Sequence[_Share], needed: int) -> JsonSchema:
    """A list of points: a small model fills it with facts where it rambles in free text."""
    points = {
        "type": "array",
        "prefixItems": [_point(share) for share in shares],
        "items": False,
        "minItems": needed,
        "maxItems": len(shares),
    }
    return {
        "type": "object",
        "properties": {"points": points},
        "required": ["points"],
        "additionalProperties": False,
    }


def _point(share: _Share) -> JsonSchema:
    says: dict[str, object] = {"type": "string", "minLength": 1, "maxLength": LONGEST_SENTENCE}
    if share.not_with:
        says["pattern"] = f"^[^{share.not_with}]"
    return {
        "type": "object",
        "properties": {
            "line": {"type": "integer", "minimum": share.first, "maximum": share.last},
            "says": says,
        },
        "required": ["line", "says"],
        "additionalProperties": False,
    }


def _points(text: str) -> list[tuple[int, str]]:
    """The whole points in the JSON text, also when its end is missing."""
    try:
        fields = from_json(text, allow_partial=True)
    except ValueError:
        return []
    points = fields.get("points", []) if isinstance(fields, dict) else []
    return [
        (int(point["line"]), " ".join(str(point["says"]).split()))
        for point in points
        if isinstance(point, dict) and {"line", "says"} <= point.keys()
    ]


def _is_poor(said: SummarySentence | None, share: _Share, lines: Sequence[Line]) -> bool:
    """Whether a second try is worth it: there is none, it is of another share, or copied."""
    own = {line.passage_id for line in lines[share.first - 1 : share.last]}
    if said is None or said.passage_id not in own:
        return True
    return any(_is_copied(said.text, line.text) for line in lines)


def _is_copied(says: str, text: str) -> bool:
    """Whether a long sentence stands word for word in a text that says more than it."""
    said, words = words_of(says), words_of(text)
    if not SHORTEST_COPY <= len(said) < len(words):
        return False
    return f" {' '.join(said)} " in f" {' '.join(words)} "


def _beginning(said: SummarySentence | None) -> str:
    """The letter with which a copied sentence begins: another one begins another sentence."""
    return said.text[0] if said and said.text[0].isalnum() else ""


def _checked(says: str, number: int, lines: Sequence[Line]) -> SummarySentence | None:
    """The sentence with its source; None where the lines do not bear it out."""
    if len(says) < SHORTEST_SENTENCE or not 1 <= number <= len(lines):
        return None
    if not _figures(says) <= set().union(*(_figures(line.text) for line in lines)):
        return None
    named = lines[number - 1]
    if language_by_script(says) != language_by_script(named.text):
        return SummarySentence(says, named.passage_id, named.location)
    source = _source(says, number - 1, lines)
    return SummarySentence(says, source.passage_id, source.location) if source else None


def _source(says: str, named: int, lines: Sequence[Line]) -> Line | None:
    """The line whose words a sentence uses, rare ones counting more; None if none's."""
    words_of_lines = [_stems(line.text) for line in lines]
    times = Counter(word for words in words_of_lines for word in words)
    said = _stems(says)
    shares = [sum(1 / times[word] for word in said & words) for words in words_of_lines]
    best = max(range(len(lines)), key=lambda index: shares[index])
    if not shares[best]:
        return None
    return lines[best if shares[best] > CLEARLY_BETTER * shares[named] else named]


def _stems(text: str) -> set[str]:
    return {word[: STEM + 1] for word in gist(text)}


def _figures(text: str) -> set[str]:
    """The numbers of a text by their digits: 12,000 and 12 000 are the same."""
    return {re.sub(r"\D", "", figure) for figure in _FIGURE.findall(text)}


def _first_sentence(text: str) -> str:
    flat = " ".join(text.split())
    first = _SENTENCE.match(flat)
    said = first.group().strip() if first else flat
    return said if len(said) <= LONGEST_SENTENCE else said[: LONGEST_SENTENCE - 1] + "…"
