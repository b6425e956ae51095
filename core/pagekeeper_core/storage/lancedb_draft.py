"""A document on its way into the archive: its passages lie in a file until it is whole."""

import shutil
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from pagekeeper_core.messages import storable_text
from pagekeeper_core.records import DocumentInfo, DocumentRecord, Passage
from pagekeeper_core.storage.faults import archive_error
from pagekeeper_core.storage.lancedb_rows import passage_row, storable_record

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["LanceDBDraft", "remove_drafts"]

Vectors = Sequence[Sequence[float]]


class LanceDBDraft:
    """Writes passages to an Arrow stream file, of which `finish` makes a document in one step.

    Not for several threads at once; no lock is held between the calls, so searches go on.
    """

    def __init__(
        self,
        folder: Path,
        record: DocumentRecord,
        schema: "pa.Schema",
        *,
        vectors_of: Callable[[Sequence[Passage], Vectors | None], Vectors],
        archive: Callable[[DocumentInfo, Path, str], DocumentInfo],
    ) -> None:
        """Begin a document in the archive `folder`.

        Args:
            folder: Where the archive lies.
            record: The document.
            schema: The columns of a passage.
            vectors_of: Gives vectors to passages, or checks those that are given.
            archive: Puts the document in, from its file, in place of another or of none.
        """
        self._info = DocumentInfo(uuid4().hex, storable_record(record), 0, datetime.now(UTC))
        self._file = _drafts(folder) / f"{self._info.document_id}.arrow"
        self._schema = schema
        self._vectors_of = vectors_of
        self._archive = archive
        self._sink: Any = None
        self._writer: Any = None

    def add(self, passages: Sequence[Passage], vectors: Vectors | None = None) -> None:
        """Put passages at its end.

        Raises:
            StoreError: They could not be written.
            ModelError: The embedder failed, or the vectors are of a wrong kind.
        """
        cleaned = [Passage(storable_text(p.text), storable_text(p.location)) for p in passages]
        if not cleaned:
            return
        vectors = self._vectors_of(cleaned, vectors)
        count = self._info.passages
        rows = [
            passage_row(passage, vector, info=self._info, position=position)
            for position, (passage, vector) in enumerate(
                zip(cleaned, vectors, strict=True), start=count
            )
        ]
        try:
            self._write(rows)
        except OSError as error:
            raise archive_error(self._file.parent, error, "written") from error
        self._info = replace(self._info, passages=count + len(rows))

    def finish(self, *, pages: int | None = None, replaces: str = "") -> DocumentInfo:
        """Archive it, in place of another document or of none.

        Raises:
            StoreError: It could not be written; nothing of it is there.
        """
        record = self._info.record
        info = replace(
            self._info, record=replace(record, pages=record.pages if pages is None else pages)
        )
        try:
            self._close()
            return self._archive(info, self._file, replaces)
        except OSError as error:
            raise archive_error(self._file.parent, error, "written") from error
        finally:
            self.discard()

    def discard(self) -> None:
        """Throw it away; nothing happens when it is finished.

        What is left of it where that fails, the next opening of the archive removes.
        """
        # A full disk refuses even to close it, and the error of the document is the one to tell.
        with suppress(OSError):
            self._close()
        with suppress(OSError):
            self._file.unlink(missing_ok=True)

    def _write(self, rows: Sequence[Any]) -> None:
        import pyarrow as pa  # noqa: PLC0415 - slow import

        if self._writer is None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._sink = pa.OSFile(str(self._file), "wb")
            self._writer = pa.ipc.new_stream(self._sink, self._schema)
        self._writer.write_batch(pa.RecordBatch.from_pylist(rows, schema=self._schema))

    def _close(self) -> None:
        with ExitStack() as closing:
            for part in (self._sink, self._writer):
                if part is not None:
                    closing.callback(part.close)
            self._writer = self._sink = None


def remove_drafts(folder: Path) -> None:
    """Remove what a kill left of documents that were never finished."""
    shutil.rmtree(_drafts(folder), ignore_errors=True)


def _drafts(folder: Path) -> Path:
    return folder / "drafts"
