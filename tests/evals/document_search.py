"""How well documents are found, and how well "low relevance" is told.

Run: python tests/evals/document_search.py FILE [--n 300]

FILE is nq_open_oracle.jsonl.gz (Liu and others, 2023: questions with the passage that answers
them). All passages are imported as Markdown files of ten sections. R@5 is measured on odd rows: by
what the model's search calls (Notes.search) and by what the window's calls. The floor of relevance
is shown on even rows, for several values, and what the program's own gives on odd ones: how many
questions are called unanswered with their passage among the results, and with it taken out.
Writes build/eval/document-search.json.
"""

import argparse
import gzip
import json
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from pagekeeper_core import relevance
from pagekeeper_core.clock import SystemClock
from pagekeeper_core.documents.importing import DocumentImporter
from pagekeeper_core.memory_history import MemoryHistory
from pagekeeper_core.notes import Notes
from pagekeeper_core.records import ArchivalHit
from pagekeeper_core.relevance import is_relevant
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.duckdb_state import DuckDBStateStore
from pagekeeper_core.storage.lancedb_archival import LanceDBArchivalStore
from pagekeeper_desktop.model_choice import embedder_folder
from pagekeeper_models.sentence_embedder import SentenceEmbedder

REPORT = Path(__file__).parents[2] / "build" / "eval" / "document-search.json"
IN_A_FILE = 10
SHOWN = 5
FLOORS = (0.3, 0.35, 0.4, 0.45, 0.5, 0.55)


@dataclass(frozen=True, slots=True)
class Row:
    """A question and its passage."""

    question: str
    title: str
    text: str

    def is_in(self, hit: ArchivalHit) -> bool:
        """Whether a hit is this passage, or the first part of it."""
        begins = " ".join(self.text.split())[:60]
        return begins in " ".join(hit.passage.text.split())


def main() -> int:
    """Import, search, report; 1 if R@5 misses its aim."""
    arguments = _arguments()
    rows = list(_rows(arguments.file))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        archival = LanceDBArchivalStore(folder / "archive", SentenceEmbedder(embedder_folder()))
        seconds = _import(rows, archival, folder)
        print(f"{archival.count()} passages imported in {seconds:.0f} s", flush=True)
        database = Database(folder / "state.duckdb")
        notes = Notes(archival, MemoryHistory(DuckDBStateStore(database), SystemClock()))
        tune, report = rows[0::2][: arguments.n], rows[1::2][: arguments.n]
        _show_floors([(row, _hits(notes, row)) for row in tune])
        found = [(row, _hits(notes, row)) for row in report]
        in_window = [_recall(row, archival.search([row.question]).hits) for row in report]
        database.close()
        archival.close()
    return _report(found, in_window)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--n", type=int, default=300, help="questions of each half")
    return parser.parse_args()


def _rows(file: Path) -> Iterator[Row]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            fields = json.loads(line)
            (gold,) = (ctx for ctx in fields["ctxs"] if ctx["isgold"])
            yield Row(fields["question"], gold["title"], gold["text"])


def _import(rows: Sequence[Row], archival: LanceDBArchivalStore, folder: Path) -> float:
    start = time.perf_counter()
    importer = DocumentImporter(archival, SentenceEmbedder(embedder_folder()))
    sections = list(dict.fromkeys(f"# {row.title}\n\n{row.text}\n" for row in rows))
    for first in range(0, len(sections), IN_A_FILE):
        file = folder / f"part {first // IN_A_FILE + 1}.md"
        file.write_text("\n".join(sections[first : first + IN_A_FILE]), encoding="utf-8")
        for _ in importer.import_file(file, threading.Event()):
            pass
    return time.perf_counter() - start


def _hits(notes: Notes, row: Row) -> Sequence[ArchivalHit]:
    return notes.search([row.question], page=1, page_size=2 * SHOWN).hits


def _recall(row: Row, hits: Sequence[ArchivalHit]) -> bool:
    return any(row.is_in(hit) for hit in hits[:SHOWN])


def _called_low(found: Sequence[tuple[Row, Sequence[ArchivalHit]]]) -> tuple[float, float]:
    """The share of questions called unanswered: with their passage there, and without it."""
    there = [(row, hits[:SHOWN]) for row, hits in found if _recall(row, hits)]
    without = [(row, [h for h in hits if not row.is_in(h)][:SHOWN]) for row, hits in found]
    shares = []
    for half in (there, without):
        low = [not any(is_relevant(hit, [row.question]) for hit in hits) for row, hits in half]
        shares.append(sum(low) / max(len(low), 1))
    return shares[0], shares[1]


def _show_floors(found: Sequence[tuple[Row, Sequence[ArchivalHit]]]) -> None:
    for floor in FLOORS:
        for words in (0.5, 0.6, 0.7, 0.8, 0.9):
            with (
                mock.patch.object(relevance, "LEAST_SIMILARITY", floor),
                mock.patch.object(relevance, "LEAST_WORDS", words),
            ):
                there, without = _called_low(found)
            print(f"floor {floor:.2f}, words {words:.1f}: low {there:.3f}, taken out {without:.3f}")


def _report(found: Sequence[tuple[Row, Sequence[ArchivalHit]]], in_window: Sequence[bool]) -> int:
    by_model = sum(_recall(row, hits) for row, hits in found) / len(found)
    by_window = sum(in_window) / len(in_window)
    there, without = _called_low(found)
    rows = [
        {"name": "R@5, the model's search", "value": by_model, "aim": 0.9, "ok": by_model >= 0.9},
        {"name": "R@5, the window's search", "value": by_window, "aim": 0.9,
         "ok": by_window >= 0.9},
        {"name": "called low, the passage there", "value": there, "aim": None, "ok": True},
        {"name": "called low, the passage taken out", "value": without, "aim": None, "ok": True},
    ]  # fmt: skip
    for row in rows:
        print(f"{row['name']:35} {row['value']:.3f}  n = {len(found)}")
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.write_text(json.dumps({"n": len(found), "rows": rows}, indent=1), encoding="utf-8")
    return 0 if all(row["ok"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
