"""What becomes of every file of the corpus: a table of passages and reasons.

    python tests/evals/document_corpus.py

Needs no model. Ends with 1 where a file did not end as it must, and writes
build/eval/document-corpus.json.
"""

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from helpers.corpus_documents import documents
from helpers.corpus_texts import broken_files, formatted_texts, plain_texts
from helpers.document_corpus import Outcome, imported

REPORT = Path(__file__).parents[2] / "build" / "eval" / "document-corpus.json"


def main() -> int:
    """Import the corpus, print the table, write the report."""
    files = [*plain_texts(), *formatted_texts(), *documents(), *broken_files()]
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "files"
        folder.mkdir()
        for outcome in imported(files, folder, Path(scratch) / "archive"):
            outcomes.append(outcome)
            print(_line(outcome), flush=True)
    _report(outcomes)
    return any(outcome.fault for outcome in outcomes)


def _line(outcome: Outcome) -> str:
    name = outcome.file.name.encode(errors="replace").decode()
    shown = name if len(name) <= 24 else f"{name[:23]}…"
    ended = outcome.reason or f"{outcome.passages} passages, {outcome.places or 'whole'}"
    fault = f"  !! {outcome.fault}" if outcome.fault else ""
    return f"{outcome.file.kind:14} {shown:24} {ended}{fault}"


def _report(outcomes: list[Outcome]) -> None:
    read = sum(not outcome.reason for outcome in outcomes)
    wrong = sum(bool(outcome.fault) for outcome in outcomes)
    kinds = Counter(outcome.file.kind for outcome in outcomes)
    print(", ".join(f"{kind} {count}" for kind, count in kinds.items()))
    print(
        f"{len(outcomes)} files: {read} as passages, {len(outcomes) - read} with a reason, "
        f"{wrong} not as they must"
    )
    rows = [
        {"name": "files", "value": len(outcomes), "aim": 120, "ok": len(outcomes) >= 120},
        {"name": "not as they must", "value": wrong, "aim": 0, "ok": wrong == 0},
    ]
    listed = [
        {
            "file": outcome.file.name.encode(errors="replace").decode(),
            "kind": outcome.file.kind,
            "passages": outcome.passages,
            "reason": outcome.reason,
            "fault": outcome.fault,
        }
        for outcome in outcomes
    ]
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.write_text(json.dumps({"rows": rows, "files": listed}, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    sys.exit(main())
