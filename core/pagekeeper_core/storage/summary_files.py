"""Summaries of documents: a file a document, a line a part.

Not in the conversation database, because a document that is deleted takes its summary along: the
text of a deleted row stays in DuckDB's file, while a file of its own is gone from the disk with it.
"""

import json
import logging
import os
from dataclasses import asdict
from pathlib import Path

from pagekeeper_core.records import SummaryPart, SummarySentence
from pagekeeper_core.storage.faults import read_error, write_error

__all__ = ["SummaryFiles"]

log = logging.getLogger(__name__)

_SUFFIX = ".jsonl"


class SummaryFiles:
    """Appended to; a part is on the disk when `add` returns. To be used on one thread at a time."""

    def __init__(self, folder: Path) -> None:
        """Keep the files in `folder`, which is made when the first part is."""
        self._folder = folder

    def parts(self, document_id: str) -> list[SummaryPart]:
        """The parts in the order in which they were made; those behind a damaged line are lost.

        Raises:
            StoreError: The file cannot be read.
        """
        path = self._path(document_id)
        try:
            lines = path.read_bytes().splitlines(keepends=True)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise read_error(path, error) from error
        parts: list[SummaryPart] = []
        for line in lines:
            part = _part(line)
            if part is None:
                log.warning("%s is cut off after %d parts", path.name, len(parts))
                break
            parts.append(part)
        return parts

    def add(self, document_id: str, part: SummaryPart) -> None:
        """Store a part durably, behind the whole ones that are there.

        Raises:
            StoreError: It could not be written.
        """
        path = self._path(document_id)
        kept = self._whole_length(path)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with path.open("ab") as file:
                file.truncate(kept)
                file.write(json.dumps(asdict(part), ensure_ascii=False).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise write_error(path, error) from error

    def delete(self, document_id: str) -> None:
        """Take all parts of a document away.

        Raises:
            StoreError: They could not be removed.
        """
        path = self._path(document_id)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise write_error(path, error, "deleted") from error

    def documents(self) -> list[str]:
        """Identifiers of the documents that have parts."""
        return sorted(path.stem for path in self._folder.glob(f"*{_SUFFIX}"))

    def _path(self, document_id: str) -> Path:
        if not document_id.replace("-", "").replace("_", "").isalnum():
            raise ValueError(f"{document_id!r} is no identifier of a document")
        return self._folder / f"{document_id}{_SUFFIX}"

    def _whole_length(self, path: Path) -> int:
        """Bytes of the file before its first damaged line: a kill may leave the last one cut."""
        try:
            lines = path.read_bytes().splitlines(keepends=True)
        except FileNotFoundError:
            return 0
        except OSError as error:
            raise read_error(path, error) from error
        length = 0
        for line in lines:
            if _part(line) is None:
                break
            length += len(line)
        return length


def _part(line: bytes) -> SummaryPart | None:
    """A line as a part; None for one that is cut off or damaged."""
    if not line.endswith(b"\n"):
        return None
    try:
        fields = json.loads(line)
        sentences = tuple(SummarySentence(**sentence) for sentence in fields.pop("sentences"))
        return SummaryPart(**fields, sentences=sentences)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
