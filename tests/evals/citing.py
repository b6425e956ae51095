"""How well the program tells which passage a reply takes from.

Run: python tests/evals/citing.py FILE [tune|report]

FILE is nq_open_oracle.jsonl.gz (Liu and others, 2023: questions with the passage that answers
them). Each question is put with its passage and the four others that share most of its words.
Replies that take from the passage: the answer alone, in a sentence, and the passage's sentence with
it. Replies that do not: a sentence of a passage that was not retrieved, another question's answer,
and small talk. `tune` reads the even rows, `report` the odd ones.
"""

import gzip
import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pagekeeper_core.citations import cited
from pagekeeper_core.records import ArchivalHit, Passage
from pagekeeper_core.sources import Sources
from pagekeeper_core.storage.search_terms import index_terms, query_terms

NOON = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)
OTHERS = 4
SMALL_TALK = (
    "I do not know. Your documents do not say.",
    "I could not find that in your documents.",
    "You are welcome! Is there anything else that I can do for you?",
    "That is a good question. Shall I look it up with other words?",
    "Yes, I think so.",
)


@dataclass(frozen=True, slots=True)
class Row:
    """A question with its answers, and the passage that holds them."""

    question: str
    answers: Sequence[str]
    passage: str
    terms: frozenset[str]


def rows_of(file: Path) -> list[Row]:
    """All rows of the file."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [_row(json.loads(line)) for line in lines]


def _row(fields: dict[str, list[dict[str, str]]]) -> Row:
    (gold,) = (ctx for ctx in fields["ctxs"] if ctx["isgold"])
    text = f"{gold['title']}: {gold['text']}"
    answers = [str(answer) for answer in fields["answers"]]
    return Row(str(fields["question"]), answers, text, frozenset(index_terms(text)))


def replies(row: Row, other: Row) -> Iterator[tuple[str, str, bool]]:
    """Way, reply, and whether it takes from the passage."""
    answer = next((a for a in row.answers if a.casefold() in row.passage.casefold()), "")
    if answer:
        yield "the answer alone", answer, True
        yield "the answer in a sentence", f"The answer is {answer}.", True
        holding = [s for s in re.split(r"(?<=[.!?]) ", row.passage) if answer in s]
        if holding:
            yield "the sentence with it", holding[0], True
    yield "a sentence from elsewhere", re.split(r"(?<=[.!?]) ", other.passage)[0], False
    yield "another question's answer", f"The answer is {other.answers[0]}.", False
    yield "small talk", SMALL_TALK[len(row.question) % len(SMALL_TALK)], False


def main(arguments: Sequence[str]) -> None:
    """Print the share of replies that were cited rightly, by way."""
    if len(arguments) not in {1, 2}:
        sys.exit(__doc__)
    rows = rows_of(Path(arguments[0]))
    first = 0 if arguments[1:] == ["tune"] else 1
    chance = random.Random(1)
    right: dict[str, list[bool]] = {}
    for row in rows[first::2]:
        others = _nearest(row, rows)
        elsewhere = chance.choice([r for r in rows if r.passage not in {row.passage, *others}])
        for way, reply, is_taken in replies(row, elsewhere):
            found = cited(reply, row.question, _sources(row, others))
            texts = [citation.passage_id for citation in found]
            right.setdefault(way, []).append((texts == [row.passage]) if is_taken else not texts)
    for way, results in right.items():
        print(f"{way:27} {sum(results) / len(results):.3f}  n = {len(results)}")


def _nearest(row: Row, rows: Sequence[Row]) -> list[str]:
    asked = set(query_terms(row.question))
    others = {other.passage: len(asked & other.terms) for other in rows}
    others.pop(row.passage)
    return sorted(others, key=lambda text: -others[text])[:OTHERS]


def _sources(row: Row, others: Sequence[str]) -> Sources:
    sources = Sources()
    for text in (*others[:2], row.passage, *others[2:]):
        sources.number(ArchivalHit(Passage(text), "nq", NOON, 1.0, text, document_id="nq"))
    return sources


if __name__ == "__main__":
    main(sys.argv[1:])
