"""An agent over the real databases, which can be killed at any moment."""

import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from helpers.agent_rig import AgentRig
from pagekeeper_core.events import ThreadOpened
from pagekeeper_core.messages import PromptMessage
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.duckdb_recall import DuckDBRecallStore
from pagekeeper_core.storage.duckdb_state import DuckDBStateStore
from pagekeeper_core.storage.duckdb_threads import DuckDBThreadStore


@dataclass
class StoredRig(AgentRig):
    """The rig over DuckDB in a temporary folder.

    `kill` is what a power cut leaves: the agent goes on over a copy of the files as they lie on
    disk at this moment, the write-ahead log not folded in.

    Attributes:
        with_agent: Whether an agent is put together over the stores after each kill.
        since_kill: Operations since the last kill, counted by whoever wants to know.
    """

    with_agent: bool = True
    since_kill: int = 0
    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="pagekeeper-")))
    kills: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._open()

    def _open(self) -> None:
        self.database = Database(self.folder / str(self.kills) / "recall.duckdb")
        stores: dict[str, Any] = {
            "recall": DuckDBRecallStore(self.database),
            "state": DuckDBStateStore(self.database),
            "threads": DuckDBThreadStore(self.database),
        }
        for name, store in stores.items():
            setattr(self, name, store)
        if self.with_agent:
            self.restart()

    def kill(self) -> None:
        old, here = self.database, self.folder / str(self.kills)
        self.kills += 1
        shutil.copytree(here, self.folder / str(self.kills))
        old.close()
        shutil.rmtree(here)
        self.since_kill = 0
        self._open()

    def close(self) -> None:
        self.database.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def thread_id(self) -> int:
        return self.agent._queue_manager.thread_id

    def open_thread(self, thread_id: int) -> None:
        self.handle(ThreadOpened(thread_id))

    def queue_prompt(self) -> list[PromptMessage]:
        """The prompt behind the instructions: blocks and summary, then the messages."""
        return self.agent._context.prompt()[len(self.agent.instructions) :]
