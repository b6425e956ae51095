"""The command line's streams as texts, and a session over the scripted agent."""

import io
import json
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from helpers.agent_rig import AgentRig
from helpers.scripted_model import ScriptedModel
from pagekeeper_core.agent import Agent
from pagekeeper_core.messages import MessageKind
from pagekeeper_desktop.cli.agent_thread import AgentThread
from pagekeeper_desktop.cli.console import Console
from pagekeeper_desktop.cli.interrupts import Interrupts
from pagekeeper_desktop.cli.session import Session
from pagekeeper_desktop.composition import Memory
from pagekeeper_desktop.data_folder import DataFolder

if TYPE_CHECKING:
    from pagekeeper_core.documents.importing import DocumentImporter
    from pagekeeper_core.import_queue import ImportQueue
    from pagekeeper_core.watched_folders import WatchedFolders
    from pagekeeper_desktop.composition import Assistant


class Screen(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@dataclass
class Streams:
    """What a command wrote."""

    out: io.StringIO = field(default_factory=io.StringIO)
    err: io.StringIO = field(default_factory=io.StringIO)

    @classmethod
    def of_terminal(cls) -> "Streams":
        return cls(Screen(), Screen())

    @property
    def console(self) -> Console:
        return Console(self.out, self.err)

    @property
    def result(self) -> str:
        return self.out.getvalue()

    @property
    def remarks(self) -> str:
        return self.err.getvalue()

    def objects(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.result.splitlines()]


def roomy_rig() -> AgentRig:
    """A rig whose window never fills, so that idle time takes no step of the script."""
    return AgentRig(ScriptedModel(context_window=32_768))


def said(rig: AgentRig) -> list[str]:
    """What the person said, as recall has it."""
    return [m.text for m in rig.recall.messages if m.kind is MessageKind.USER]


@dataclass(frozen=True)
class ScriptedAssistant:
    """What a session needs of an assistant."""

    agent: Agent
    memory: Memory
    model_name: str = "Scripted"

    @classmethod
    def of(cls, rig: AgentRig) -> "Assistant":
        return cast("Assistant", cls(rig.agent, memory_of(rig)))

    def close(self) -> None:
        pass


@contextmanager
def scripted_session(rig: AgentRig) -> Iterator[Session]:
    """A session over the rig's agent, on a thread of its own as in the program."""
    with AgentThread() as thread:
        yield Session(ScriptedAssistant.of(rig), thread, Interrupts())


def memory_of(rig: AgentRig) -> Memory:
    """The rig's stores as the program hands them around."""
    return Memory(
        folder=DataFolder(Path()),
        recall=rig.recall,
        state=rig.state,
        archival=rig.archival,
        threads=rig.threads,
        reminders=rig.reminders,
        proposals=rig.proposals,
        summaries=rig.summaries,
        news=rig.news,
        importer=cast("DocumentImporter", None),
        imports=cast("ImportQueue", None),
        watched=cast("WatchedFolders", None),
        notices=[],
        _closing=ExitStack(),
    )


def interrupt_while_writing(rig: AgentRig, times: int = 1) -> None:
    """Ctrl+C is pressed in the middle of the next reply, which then waits to be stopped."""
    generate = rig.model.generate

    def interrupted(*arguments: Any, cancel: threading.Event, **named: Any) -> Any:
        rig.model.generate = generate  # type: ignore[method-assign]
        pieces = generate(*arguments, cancel=cancel, **named)
        for _ in range(8):
            yield next(pieces)
        for _ in range(times):
            os.kill(os.getpid(), signal.SIGINT)
            cancel.wait()
        return (yield from pieces)

    rig.model.generate = interrupted  # type: ignore[method-assign]
