"""A corpus of files: each ends as passages that hold what it says, or as a plain reason."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from helpers.memory_stores import HashEmbedder
from pagekeeper_core.documents.importing import DocumentImporter, ImportFinished
from pagekeeper_core.documents.zip_archive import is_archive, unpacking_folder
from pagekeeper_core.errors import DocumentError
from pagekeeper_core.storage.lancedb_archival import LanceDBArchivalStore

__all__ = ["CorpusFile", "Outcome", "imported"]


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file of the corpus, and how it must end.

    Attributes:
        name: Its name on disk; unique.
        content: Its bytes, or what makes it at a path.
        says: A text that one of its passages holds; empty where it cannot be read.
        reason: What the reason says where it cannot be read.
        kind: What is tried with it: "encoding", "DOCX", "fault".
        password: What opens it.
    """

    name: str
    content: bytes | Callable[[Path], object]
    says: str = ""
    reason: str = ""
    kind: str = ""
    password: str = ""

    def write(self, folder: Path) -> Path:
        """Make it; gives its path."""
        path = folder / self.name
        if isinstance(self.content, bytes):
            path.write_bytes(self.content)
        else:
            self.content(path)
        return path


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a file ended.

    Attributes:
        file: The file.
        passages: How many it became.
        places: Where the first of them stands.
        reason: Why it could not be read; empty where it was.
        fault: What is wrong with that; empty where it is as it must be.
    """

    file: CorpusFile
    passages: int
    places: str
    reason: str
    fault: str


def imported(files: list[CorpusFile], folder: Path, archive_folder: Path) -> Iterator[Outcome]:
    """Import every file for real; what is wrong with an outcome is told in its `fault`."""
    archival = LanceDBArchivalStore(archive_folder, HashEmbedder())
    importer = DocumentImporter(archival, HashEmbedder())
    for file in files:
        before = archival.count()
        try:
            documents = _documents_of(importer, file, file.write(folder), archive_folder)
        except DocumentError as error:
            left = archival.count() - before
            yield Outcome(file, 0, "", error.with_hint, _fault_of(file, error, left))
            continue
        hits = [
            hit
            for document in documents
            for page in range(1, 4)
            for hit in archival.document_passages(document, page, 50).hits
        ]
        said = any(file.says in " ".join(hit.passage.text.split()) for hit in hits)
        fault = "" if file.says and said else f"none of {len(hits)} passages says {file.says!r}"
        passages = sum(len(archival.passages_of(document)) for document in documents)
        yield Outcome(file, passages, hits[0].passage.location if hits else "", "", fault)


def _documents_of(
    importer: DocumentImporter, file: CorpusFile, path: Path, scratch: Path
) -> list[str]:
    """The documents that a file becomes; an archive becomes as many as it holds."""
    cancel = threading.Event()
    if not (path.is_file() and is_archive(path)):
        return [_finished(importer, path, cancel, file.password, "")]
    documents: list[str] = []
    with unpacking_folder(scratch) as folder:
        for member in importer.expand(path, folder, cancel, password=file.password):
            if isinstance(member, DocumentError):
                if file.reason:
                    raise member
                continue
            documents.append(_finished(importer, member.path, cancel, "", member.name))
    return documents


def _finished(
    importer: DocumentImporter, path: Path, cancel: threading.Event, password: str, name: str
) -> str:
    *_, last = importer.import_file(path, cancel, password=password, name=name)
    assert isinstance(last, ImportFinished)
    return last.info.document_id


def _fault_of(file: CorpusFile, error: DocumentError, left: int) -> str:
    """What is wrong with a refusal."""
    sentence = str(error)
    checks = {
        f"it should have been read: {sentence}": not file.reason,
        f"{file.reason!r} is not in the reason": file.reason not in error.with_hint,
        "the reason does not name the file": _shown(file.name) not in sentence,
        "the reason is no sentence": not sentence.endswith((".", "!", "?")),
        "the reason is no plain language": any(
            word in sentence for word in ("Traceback", "Error", "Exception", "0x", "object at")
        ),
        f"{left} passages were left behind": left != 0,
    }
    return "; ".join(words for words, is_wrong in checks.items() if is_wrong)


def _shown(name: str) -> str:
    """The part of a name that every reason repeats: a long one may be shortened."""
    return name.encode(errors="replace").decode()[:20].partition("?")[0]
