"""What importing a PDF of 500 pages costs: read in the reader process, embedded, archived.

The embedder should be what takes the time, and memory should not grow with the document: so the
peak of both processes is given for a fifth of the pages too.
"""

import itertools
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.figures import Figure, at_least, reported
from helpers.pdf_files import pdf_bytes
from pagekeeper_core.documents.importing import DocumentImporter, ImportFinished
from pagekeeper_core.documents.reader_process import ReaderProcess
from pagekeeper_core.storage.lancedb_archival import LanceDBArchivalStore
from pagekeeper_desktop.model_choice import embedder_folder
from pagekeeper_models.sentence_embedder import SentenceEmbedder

PAGES = 500
LINES = 38
_WATCH_SECONDS = 0.05
_MB = 1024 * 1024

_SUBJECTS = "The tenant|The landlady|Her neighbour|A new engine|The second ferry|Our committee"
_VERBS = "agreed to|kept|never found|wrote about|paid for|repaired|carefully measured"
_OBJECTS = "the old pump|a red door|two hundred letters|the northern harbour|its own weight in salt"
_WAYS = "before the winter|at 900 euros|on the first of May|without a word|in spite of the rain"


@dataclass(frozen=True, slots=True)
class Import:
    """What one import took.

    Attributes:
        seconds: Altogether.
        embedding: Of these, in the embedder.
        passages: That came out.
        own_peak: Bytes that this process held at most.
        reader_peak: Bytes that the reader process held at most.
    """

    seconds: float
    embedding: float
    passages: int
    own_peak: int
    reader_peak: int


class TimedEmbedder(SentenceEmbedder):
    """Counts the seconds that embedding takes."""

    seconds = 0.0

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """As ever."""
        began = time.perf_counter()
        try:
            return super().embed(texts)
        finally:
            self.seconds += time.perf_counter() - began


class Watch:
    """Looks at the memory of this process and its children now and then."""

    def __init__(self) -> None:
        self.own = self.children = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Look no more."""
        self._done.set()
        self._thread.join()

    def _look(self) -> None:
        process = psutil.Process()
        while not self._done.wait(_WATCH_SECONDS):
            self.own = max(self.own, process.memory_info().rss)
            for child in process.children():
                try:
                    self.children = max(self.children, child.memory_info().rss)
                except psutil.Error:
                    continue


def measure() -> Iterator[Figure]:
    """Pages a second, the embedder's share, and the peak of both processes."""
    yield from figures(PAGES)


def figures(pages: int) -> Iterator[Figure]:
    """The same for so many pages."""
    embedder = TimedEmbedder(embedder_folder())
    embedder.embed(["The libraries are loaded now."])
    some = imported(embedder, pages // 5)
    whole = imported(embedder, pages)
    yield at_least("share of an import in the embedder", whole.embedding / whole.seconds, 0.8)
    yield reported("pages imported a second", pages / whole.seconds, "1/s")
    yield reported("passages of a page", whole.passages / pages, "passages")
    for name, peak, fewer in (
        ("this process", whole.own_peak, some.own_peak),
        ("the reader process", whole.reader_peak, some.reader_peak),
    ):
        yield reported(f"peak memory of {name}, {pages} pages", peak / _MB, "MB")
        yield reported(f"peak memory of {name}, {pages // 5} pages", fewer / _MB, "MB")


def imported(embedder: TimedEmbedder, pages: int) -> Import:
    """Import a PDF of so many pages."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.pdf"
        path.write_bytes(pdf_bytes(list(itertools.islice(_pages(), pages))))
        archive = LanceDBArchivalStore(Path(folder) / "archive.lance", embedder)
        archive.open()
        files = ReaderProcess()
        watch, embedder.seconds, began = Watch(), 0.0, time.perf_counter()
        *_, last = DocumentImporter(archive, embedder, files=files).import_file(
            path, threading.Event()
        )
        seconds = time.perf_counter() - began
        watch.end()
        files.close()
        archive.close()
    if not isinstance(last, ImportFinished):
        raise TypeError(last)
    return Import(seconds, embedder.seconds, last.info.passages, watch.own, watch.children)


def _pages() -> Iterator[str]:
    """Prose without an end, no page like another."""
    parts = [words.split("|") for words in (_SUBJECTS, _VERBS, _OBJECTS, _WAYS)]
    for page in itertools.count(1):
        lines = (
            " ".join(part[(page * 7 + line * (n + 3)) % len(part)] for n, part in enumerate(parts))
            for line in range(LINES)
        )
        yield "\n".join(f"{line} {page}." for line in lines)
