"""The queue of imports over real stores and real readers, in this process or in a child."""

from pathlib import Path

from helpers.memory_stores import HashEmbedder
from pagekeeper_core.clock import SystemClock
from pagekeeper_core.documents.importing import DocumentImporter
from pagekeeper_core.import_queue import ImportQueue
from pagekeeper_core.import_steps import ImportSteps
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.duckdb_import_jobs import DuckDBImportJobs
from pagekeeper_core.storage.lancedb_archival import LanceDBArchivalStore


class Stores:
    """All of one data folder; the embedder loads no model."""

    def __init__(self, folder: Path) -> None:
        self.database = Database(folder / "recall.duckdb")
        self.archival = LanceDBArchivalStore(folder / "archive.lance", HashEmbedder())
        self.importer = DocumentImporter(self.archival, HashEmbedder())
        incoming = folder / "incoming"
        self.queue = ImportQueue(
            DuckDBImportJobs(self.database),
            ImportSteps(self.importer, self.archival, incoming),
            incoming,
            SystemClock(),
            own_folder=folder,
        )

    def close(self) -> None:
        self.archival.close()
        self.database.close()
