"""What leaves the queue with something that was forgotten: the thing itself, and what repeats it.

Results, notes and calls repeat it whole, cut off ("…") or in quotation marks. A short text is taken
for repeated only where it stands by itself: between quotation marks, or as a whole line of a
result. The calls and replies that answer a forgotten message leave also when they say it in other
words.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from pagekeeper_core.function_calls import SEND_MESSAGE
from pagekeeper_core.message_queue import MessageQueue, QueueEntry
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.records import MemoryChange, TargetKind
from pagekeeper_core.scripts import language_by_script
from pagekeeper_core.wording import QUOTE, SHORTEST_QUOTE, folded, gist, is_said_in

__all__ = ["repeating", "without_lines"]

SHORTEST_BEGINNING = 6
"""Characters of a text that is cut off; a result shows nine of a message at least."""

_OPENERS = (") ", ": ", '"', "'")
"""What a repeated text stands behind: a line's date or source, a speaker, a quotation mark."""

_CLOSERS = frozenset("\"'.…")


def repeating(queue: MessageQueue, forgotten: Sequence[MemoryChange]) -> list[QueueEntry]:
    """The entries that are forgotten or repeat it; a call and its result always together."""
    if not forgotten:
        return []
    numbers = {c.target.name for c in forgotten if c.target.kind is TargetKind.MESSAGE}
    texts = [folded(change.before) for change in forgotten]
    answers = _answers(queue.entries, forgotten)
    return [
        entry
        for group in queue.groups()
        if any(
            str(e.message.seq) in numbers
            or _repeats_one(e.message, texts)
            or _says(e.message, answers.get(e.message.seq, ""))
            for e in group
        )
        for entry in group
    ]


def without_lines(summary: str, forgotten: Sequence[MemoryChange]) -> str:
    """A summary without the lines that repeat or say what was forgotten."""
    kept = summary.splitlines()
    for change in forgotten:
        text = folded(change.before)
        kept = [
            line
            for line in kept
            if not (_Pieces((line,)).repeat(text) or _say_the_same(line, change.before))
        ]
    return "\n".join(kept)


class _Pieces:
    """Where in some texts a repeated text can stand."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._whole: list[str] = []
        self._beginnings: dict[str, set[str]] = defaultdict(set)
        for text in texts:
            self._whole.append(folded(text))
            for unit in dict.fromkeys((text, *text.splitlines())):
                for piece in _behind_openers(folded(unit)):
                    self._beginnings[piece[:1]].add(piece)

    def repeat(self, text: str) -> bool:
        """Whether one of them repeats this text, which is folded."""
        if not text:
            return False
        quote = text[:QUOTE]
        if len(quote) >= SHORTEST_QUOTE and any(quote in whole for whole in self._whole):
            return True
        if any(_begins_with(piece, text) for piece in self._beginnings.get(text[0], ())):
            return True
        return len(text) > QUOTE and any(
            _is_from_within(piece, text) for pieces in self._beginnings.values() for piece in pieces
        )


def _behind_openers(text: str) -> Iterator[str]:
    yield text[: QUOTE + 1]
    for opener in _OPENERS:
        place = text.find(opener)
        while place >= 0:
            start = place + len(opener)
            yield text[start : start + QUOTE + 1]
            place = text.find(opener, start)


def _begins_with(piece: str, text: str) -> bool:
    """Whether the piece is this text's beginning, as far as it goes or long enough."""
    common = next(
        (i for i, (a, b) in enumerate(zip(piece, text, strict=False)) if a != b),
        min(len(piece), len(text)),
    )
    ends = common == len(piece) or piece[common] in _CLOSERS
    if common == len(text):
        return ends or common >= SHORTEST_QUOTE
    is_cut = common == len(piece) or piece[common] == "…"
    return common >= (SHORTEST_BEGINNING if is_cut else SHORTEST_QUOTE) and ends


def _is_from_within(piece: str, text: str) -> bool:
    """Whether the piece is a part of a long text, such as a passage of its archived copy."""
    part = piece.partition("…")[0]
    return len(part) >= QUOTE // 2 and part in text


def _repeats_one(message: Message, texts: Iterable[str]) -> bool:
    if message.kind is MessageKind.USER:
        return False
    pieces = _Pieces((message.prompt_text, *_arguments(message)))
    return any(pieces.repeat(text) for text in texts)


def _answers(entries: Sequence[QueueEntry], forgotten: Iterable[MemoryChange]) -> dict[int, str]:
    """The calls and replies to a forgotten message, by number, with its text."""
    asked = {int(c.target.name): c.before for c in forgotten if c.target.kind is TargetKind.MESSAGE}
    answers: dict[int, str] = {}
    for seq, text in asked.items():
        for entry in entries:
            message = entry.message
            if message.seq > seq and message.kind is MessageKind.USER:
                break
            if message.seq > seq and message.kind is MessageKind.ASSISTANT:
                answers[message.seq] = text
    return answers


def _says(message: Message, text: str) -> bool:
    """Whether a call's argument, or a reply, is made of the words of this text."""
    return bool(text) and any(
        gist(argument) and is_said_in(argument, [text]) for argument in _arguments(message)
    )


def _say_the_same(line: str, text: str) -> bool:
    if not gist(line) or language_by_script(line) != language_by_script(text):
        return False
    return is_said_in(line, [text]) and is_said_in(text, [line])


def _arguments(message: Message) -> Iterator[str]:
    """The texts in a call; its thoughts too, unless it is a reply."""
    call = message.call
    if call is None:
        return
    if call.name != SEND_MESSAGE:
        yield call.inner_thoughts
    for value in call.arguments.values():
        if isinstance(value, str):
            yield value
        elif isinstance(value, Sequence):
            yield from (str(item) for item in value)
