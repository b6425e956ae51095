"""How well recall storage finds: dialogues with known answers.

Run: python tests/evals/recall_quality.py locomo FILE
     python tests/evals/recall_quality.py dmr FOLDER

`locomo` reads locomo10.json or a part of it (Maharana and others, 2024), `dmr` a folder with
dialogues.jsonl and questions.jsonl made from Multi-Session Chat. Both report the share of the
messages that hold an answer which are among the first 5 and 10, by words alone and with meaning.
"""

import json
import re
import statistics
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pagekeeper_core.index_upkeep import IndexUpkeep
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.duckdb_recall import DuckDBRecallStore
from pagekeeper_core.storage.lancedb_recall_index import LanceDBRecallIndex
from pagekeeper_desktop.model_choice import embedder_folder
from pagekeeper_models.sentence_embedder import SentenceEmbedder

NOON = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)
DEPTHS = (5, 10)


@dataclass(frozen=True, slots=True)
class Dialogue:
    """What was said, in order, and questions with the numbers of the messages that answer them."""

    name: str
    said: list[tuple[MessageKind, str]]
    questions: list[tuple[str, frozenset[int]]]


def locomo(file: Path) -> Iterator[Dialogue]:
    """The dialogues of LoCoMo; questions without an answer (category 5) are left out."""
    for sample in json.loads(file.read_text(encoding="utf-8")):
        talk = sample["conversation"]
        names = sorted(
            (name for name in talk if re.fullmatch(r"session_\d+", name)),
            key=lambda name: int(name.rpartition("_")[2]),
        )
        turns = [turn for name in names for turn in talk[name]]
        numbers = {turn["dia_id"]: number for number, turn in enumerate(turns, start=1)}
        kinds = {talk["speaker_a"]: MessageKind.USER, talk["speaker_b"]: MessageKind.ASSISTANT}
        questions = [
            (question["question"], evidence)
            for question in sample["qa"]
            if question["category"] != 5 and (evidence := _evidence(question["evidence"], numbers))
        ]
        said = [(kinds[turn["speaker"]], turn["text"].strip()) for turn in turns]
        yield Dialogue(sample["sample_id"], said, questions)


def _evidence(named: Sequence[str], numbers: dict[str, int]) -> frozenset[int]:
    identifiers = " ".join(named).replace(";", " ").split()
    return frozenset(numbers[name] for name in identifiers if name in numbers)


def dmr(folder: Path) -> Iterator[Dialogue]:
    """Deep memory retrieval: one store a dialogue, the question about its last session."""
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [json.loads(line) for line in lines]
    for line in (folder / "dialogues.jsonl").read_text(encoding="utf-8").splitlines():
        dialogue = json.loads(line)
        turns = [turn for session in dialogue["sessions"] for turn in session]
        kinds = {1: MessageKind.USER, 2: MessageKind.ASSISTANT}
        said = [(kinds[turn["speaker"]], turn["text"]) for turn in turns]
        questions = [
            (question["question"], numbers)
            for question in asked
            if question["id"] == dialogue["id"] and (numbers := _saying(question["evidence"], said))
        ]
        if questions:
            yield Dialogue(dialogue["id"], said, questions)


def _saying(evidence: str, said: Sequence[tuple[MessageKind, str]]) -> frozenset[int]:
    return frozenset(n for n, (_, text) in enumerate(said, start=1) if text == evidence)


def report(dialogues: Iterator[Dialogue]) -> None:
    """Print a line a dialogue, and the mean over all questions."""
    embedder = SentenceEmbedder(embedder_folder())
    means: dict[str, list[tuple[float, ...]]] = {"words": [], "with meaning": []}
    for dialogue in dialogues:
        with tempfile.TemporaryDirectory() as folder:
            found = _found(dialogue, Path(folder), embedder)
        for way, shares in found.items():
            means[way] += shares
            print(f"{dialogue.name:12} {way:13} {_line(shares)}", flush=True)
    for way, shares in means.items():
        print(f"{'all':12} {way:13} {_line(shares)}")


def _found(
    dialogue: Dialogue, folder: Path, embedder: SentenceEmbedder
) -> dict[str, list[tuple[float, ...]]]:
    database = Database(folder / "recall.duckdb")
    index = LanceDBRecallIndex(folder / "index.lance", embedder)
    store = DuckDBRecallStore(database, index)
    for number, (kind, text) in enumerate(dialogue.said):
        store.append(Message(kind, text, text, NOON + timedelta(minutes=number)))
    words = [_shares(store, *question) for question in dialogue.questions]
    for _ in IndexUpkeep(store, index, embedder).work(threading.Event()):
        pass
    both = [_shares(store, *question) for question in dialogue.questions]
    database.close()
    return {"words": words, "with meaning": both}


def _shares(store: DuckDBRecallStore, question: str, evidence: frozenset[int]) -> tuple[float, ...]:
    seqs = [hit.message.seq for hit in store.search([question], page_size=max(DEPTHS)).hits]
    return tuple(len(evidence & set(seqs[:depth])) / len(evidence) for depth in DEPTHS)


def _line(shares: Sequence[tuple[float, ...]]) -> str:
    figures = (
        f"R@{depth} {statistics.mean(share[n] for share in shares):.3f}"
        for n, depth in enumerate(DEPTHS)
    )
    return f"{'  '.join(figures)}  ({len(shares)} questions)"


def main(arguments: Sequence[str]) -> None:
    match arguments:
        case ["locomo", file]:
            report(locomo(Path(file)))
        case ["dmr", folder]:
            report(dmr(Path(folder)))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
