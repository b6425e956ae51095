"""What importing a document costs beyond the embedding model itself.

The whole path (splitting, counting, embedding, writing to LanceDB, and packing) is set against
`SentenceTransformer.encode` alone on the very passages that come out, at whichever of four batch
sizes is fastest here. The document is this repository's own prose. The sides take turns.
"""

import statistics
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure, at_least, reported
from pagekeeper_core.documents.importing import DocumentImporter, ImportFinished
from pagekeeper_core.documents.reading import PageText
from pagekeeper_core.documents.splitting import PassageSplitter
from pagekeeper_core.storage.lancedb_archival import LanceDBArchivalStore
from pagekeeper_desktop.model_choice import embedder_folder
from pagekeeper_models.sentence_embedder import SentenceEmbedder

PASSAGES = 160
TURNS = 3
BATCHES = (8, 16, 32, 64)
REPOSITORY = Path(__file__).resolve().parents[2]


def measure() -> Iterator[Figure]:
    """Passages a second by both ways."""
    embedder = SentenceEmbedder(embedder_folder())
    embedder.embed(["The libraries are loaded now."])
    text, passages = _document(embedder)
    bare = embedder._model
    batches = {size: _seconds_bare(bare, passages, size) for size in BATCHES}
    best = min(batches, key=lambda size: batches[size])
    times = [
        (_seconds_bare(bare, passages, best), _seconds_imported(embedder, text))
        for _ in range(TURNS)
    ]
    alone, imported = (statistics.median(side) for side in zip(*times, strict=True))
    rates = statistics.median(bare_time / whole for bare_time, whole in times)
    yield at_least("passages imported a second / bare encode", rates, 0.9)
    yield reported("passages imported a second", len(passages) / imported, "1/s")
    yield reported("passages a second by bare encode", len(passages) / alone, "1/s")
    yield reported("best batch of bare encode", best, "passages")
    yield from _short_texts(embedder, bare)


def _short_texts(embedder: SentenceEmbedder, bare: Any) -> Iterator[Figure]:
    """Messages as idle time indexes them, eight at once."""
    texts = [f"Did you see what the neighbour number {n} said of it?" for n in range(160)]
    times = [(_seconds_bare(bare, texts, 64), _seconds_in_eights(embedder, texts)) for _ in "abc"]
    ratio = statistics.median(alone / eights for alone, eights in times)
    yield reported("messages indexed a second / bare encode", ratio, "ratio")


def _document(embedder: SentenceEmbedder) -> tuple[str, list[str]]:
    """A text and its passages."""
    files = sorted(p for p in REPOSITORY.glob("**/*.py") if ".venv" not in p.parts)
    prose = [REPOSITORY / "README.md", REPOSITORY / "CHANGELOG.md", *files]
    text = "\n\n".join(path.read_text(encoding="utf-8") for path in prose)
    text = text[: PASSAGES * embedder.max_tokens * 4]
    splitter = PassageSplitter(embedder.count, embedder.max_tokens)
    passages = [passage.text for passage in splitter.split([PageText(text)])][:PASSAGES]
    end = text.index(passages[-1]) + len(passages[-1])
    return text[:end], passages


def _seconds_bare(model: Any, texts: Sequence[str], batch: int) -> float:
    began = time.perf_counter()
    model.encode(list(texts), batch_size=batch, normalize_embeddings=True, show_progress_bar=False)
    return time.perf_counter() - began


def _seconds_imported(embedder: SentenceEmbedder, text: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        archive = LanceDBArchivalStore(Path(folder) / "archive.lance", embedder)
        archive.open()
        importer = DocumentImporter(archive, embedder)
        began = time.perf_counter()
        *_, last = importer.import_text("prose", text, threading.Event())
        seconds = time.perf_counter() - began
        archive.close()
    if not isinstance(last, ImportFinished):
        raise TypeError(last)
    return seconds


def _seconds_in_eights(embedder: SentenceEmbedder, texts: Sequence[str]) -> float:
    began = time.perf_counter()
    for start in range(0, len(texts), 8):
        embedder.embed(texts[start : start + 8])
    return time.perf_counter() - began
