"""The agent thread: it alone owns memory, model and agent, and turns events into updates.

    open memory -> (download the model) -> load the assistant -> answer events until told to end

Commands reach it through a queue; what it does leaves it through a relay, which emits the signals
in the window's thread. What falls due by itself comes after the commands and before idle work. Stop
cannot be a command, since the thread sits inside the agent's generator then: it sets a
`threading.Event` directly.
"""

import logging
import queue
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from PySide6.QtCore import QObject, Signal

from pagekeeper_core.errors import Cancelled, ModelError, PagekeeperError, is_refusal
from pagekeeper_core.events import DocumentsArrived, Event, Login, TimedEvent
from pagekeeper_core.messages import Message
from pagekeeper_core.records import Thread
from pagekeeper_core.updates import ChainCancelled, ChainFailed, Update, WorkingContextChanged
from pagekeeper_desktop.assistant_parts import (
    AgentPart,
    AssistantPart,
    Composition,
    MemoryPart,
    MissingModel,
)
from pagekeeper_desktop.due_alarm import ring_when_due
from pagekeeper_desktop.model_choice import planned_window
from pagekeeper_desktop.options import Options
from pagekeeper_desktop.relay import Relay
from pagekeeper_desktop.without_agent import carry_out, is_quick, needs_no_agent

__all__ = [
    "HISTORY_LENGTH",
    "AgentWorker",
    "AssistantReady",
    "BlockView",
    "LoadFailed",
    "MemoryOpened",
    "Task",
]

log = logging.getLogger(__name__)

HISTORY_LENGTH = 100
"""Messages of the newest conversation that are shown at the start."""

TYPING_SECONDS = 4.0
"""Since the last key, within which the assistant does not speak of new documents."""


class Task(Enum):
    """What the thread can be asked for besides answering an event."""

    LOAD = auto()
    """Go on with loading, after it failed or was stopped."""
    DOWNLOAD = auto()
    """Download the missing model, then load."""
    END = auto()
    """Close everything and end the thread."""


@dataclass(frozen=True, slots=True)
class MemoryOpened:
    """The stores are open.

    Attributes:
        memory: For readers on other threads; the agent thread closes it.
        threads: The conversations, the newest one first: it is the one that is open.
        history: The newest messages of that one, in order.
    """

    memory: MemoryPart
    threads: tuple[Thread, ...]
    history: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class BlockView:
    """A block of working context as the window shows it; sizes in tokens."""

    name: str
    description: str
    text: str
    tokens: int
    limit: int


@dataclass(frozen=True, slots=True)
class AssistantReady:
    """The model is loaded; events are answered from now on.

    Attributes:
        model_name: What the person calls the model.
    """

    model_name: str


@dataclass(frozen=True, slots=True)
class LoadFailed:
    """Memory or model could not be opened; Task.LOAD tries again."""

    error: PagekeeperError


class AgentWorker(QObject):
    """The thread and its queue. All signals are emitted in the thread that made the worker.

    Signals:
        memory_opened (MemoryOpened): The past conversation can be shown.
        models_missing (tuple[MissingModel, ...]): They must be downloaded (Task.DOWNLOAD) first.
        stage (Stage): How far loading or downloading is.
        ready (AssistantReady): Events are answered from now on.
        load_failed (LoadFailed): See the error's hint; Task.LOAD tries again.
        load_stopped: The person stopped the download; Task.DOWNLOAD goes on with it.
        event_started (Event): It is being answered.
        update (Update): What the agent does; deltas at most 30 a second.
        blocks (tuple[BlockView, ...]): The working context as it is now.
        event_done (Event): The agent waits for the next.
        finished: The thread has ended; nothing more comes.
    """

    memory_opened = Signal(object)
    models_missing = Signal(object)
    stage = Signal(object)
    ready = Signal(object)
    load_failed = Signal(object)
    load_stopped = Signal()
    event_started = Signal(object)
    update = Signal(object)
    blocks = Signal(object)
    event_done = Signal(object)
    finished = Signal()

    def __init__(self, composition: Composition[Any], options: Options) -> None:
        super().__init__()
        self._composition = composition
        self._options = options
        self._relay = Relay(self)
        self._commands: queue.Queue[Event | Task] = queue.Queue()
        self._early: list[Event] = []
        self._lock = threading.Lock()
        self._cancel = threading.Event()
        self._ending = False
        self._is_idle = False
        self._typed_at = -TYPING_SECONDS
        self._memory: MemoryPart | None = None
        self._assistant: AssistantPart | None = None
        self._thread = threading.Thread(target=self._run, name="agent")

    def start(self) -> None:
        """Start the thread; it begins by opening memory."""
        self._thread.start()

    def post(self, event: Event) -> None:
        """Have an event answered, after those posted before it; idle work makes way at once."""
        self._commands.put(event)
        self._interrupt_idle_work()

    def request(self, task: Task) -> None:
        """Have a task done, after what was posted before it."""
        self._commands.put(task)
        self._interrupt_idle_work()

    def typed(self) -> None:
        """The person presses keys: what the assistant would say of new documents waits."""
        self._typed_at = time.monotonic()

    def stop(self) -> None:
        """Interrupt what the thread does now; returns at once, from any thread."""
        with self._lock:
            self._cancel.set()

    def end(self) -> None:
        """Interrupt everything and end the thread; `finished` follows. A write is never cut off."""
        with self._lock:
            self._ending = True
            self._cancel.set()
        if self._thread.ident is None:
            self._relay.post(self.finished)
        self.request(Task.END)

    def join(self, seconds: float | None = None) -> bool:
        """Wait for the thread's end; False when it still runs."""
        if self._thread.is_alive():
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            if self._load_until_ready():
                self._answer_events()
        finally:
            self._close()
            self._relay.post(self.finished)

    def _load_until_ready(self) -> bool:
        """Load, trying again whenever asked; False when the thread is to end instead.

        A boundary: whatever fails is logged, told, and can be tried again.
        """
        task = Task.LOAD
        while task is not Task.END:
            try:
                if self._load(download=task is Task.DOWNLOAD):
                    return True
            except Cancelled:
                self._relay.post(self.load_stopped)
            except PagekeeperError as error:
                log.warning("Loading failed: %s", error)
                self._relay.post(self.load_failed, LoadFailed(error))
            except Exception:
                log.exception("Loading failed")
                self._relay.post(self.load_failed, LoadFailed(_unexpected()))
            task = self._next_task()
        return False

    def _next_task(self) -> Task:
        """The next task; what needs the assistant is kept for it, the rest is done at once."""
        while True:
            command = self._commands.get()
            if isinstance(command, Task):
                return command
            if needs_no_agent(command):
                window = planned_window(self._options)
                self._relay.post(self.event_started, command)
                self._follow(carry_out(command, self._memory, window), None)
                self._relay.post(self.event_done, command)
            else:
                self._early.append(command)

    def _load(self, *, download: bool) -> bool:
        cancel = self._fresh_cancel()
        if self._memory is None:
            self._open_memory()
        if download:
            for stage in self._composition.download_models(self._options, cancel):
                self._relay.post(self.stage, stage)
        missing: tuple[MissingModel, ...] = tuple(self._composition.missing_models(self._options))
        if missing:
            self._relay.post(self.models_missing, missing)
            return False
        self._load_assistant(cancel)
        return True

    def _open_memory(self) -> None:
        memory = self._composition.open_memory(self._options)
        self._memory = memory
        threads = tuple(memory.threads.threads())
        history: tuple[Message, ...] = ()
        if threads:
            newest = threads[0].thread_id
            history = tuple(memory.recall.read_last(HISTORY_LENGTH, thread_id=newest))
        self._relay.post(self.memory_opened, MemoryOpened(memory, threads, history))

    def _load_assistant(self, cancel: threading.Event) -> None:
        loading = self._composition.load_assistant(self._memory, self._options, cancel)
        while True:
            try:
                self._relay.post(self.stage, next(loading))
            except StopIteration as loaded:
                assistant: AssistantPart = loaded.value
                break
        self._assistant = assistant
        self._emit_blocks(assistant.agent)
        self._relay.post(self.update, assistant.agent.usage())
        self._relay.post(self.update, assistant.agent.threads())
        self._relay.post(self.ready, AssistantReady(assistant.model_name))

    def _answer_events(self) -> None:
        if self._assistant is None:
            return
        agent = self._assistant.agent
        self._answer(Login(), agent)
        for event in self._early:
            self._answer(event, agent)
        while not self._ending:
            command = self._next_command(agent)
            if not isinstance(command, Task):
                self._answer(command, agent)
        self._finish(agent)

    def _finish(self, agent: AgentPart) -> None:
        """Store what the person did by hand just before the end; nothing long is begun."""
        while not self._commands.empty():
            command = self._commands.get()
            if not isinstance(command, Task):
                self._answer(command, agent)

    def _next_command(self, agent: AgentPart) -> Event | Task:
        """What was posted; else what is due; else, after idle work, whatever comes first."""
        if self._commands.empty():
            if due := self._due(agent):
                return due
            self._idle(agent)
        while True:
            try:
                return self._commands.get(timeout=self._seconds_to_due(agent))
            except queue.Empty:
                if due := self._due(agent):
                    return due

    def _due(self, agent: AgentPart) -> TimedEvent | DocumentsArrived | None:
        """What falls due by itself; new documents wait while the person types."""
        due = agent.timed_event()
        return None if isinstance(due, DocumentsArrived) and self._typing_seconds() else due

    def _seconds_to_due(self, agent: AgentPart) -> float | None:
        seconds = agent.seconds_to_timed_event()
        return seconds if seconds is None else max(seconds, min(self._typing_seconds(), 1.0))

    def _typing_seconds(self) -> float:
        """How long the person counts as typing from now on."""
        return max(self._typed_at + TYPING_SECONDS - time.monotonic(), 0.0)

    def _answer(self, event: Event, agent: AgentPart) -> None:
        cancel = self._fresh_cancel()
        if self._ending and not is_quick(event):
            return
        self._relay.post(self.event_started, event)
        self._follow(agent.handle(event, cancel), agent)
        self._relay.post(self.event_done, event)

    def _idle(self, agent: AgentPart) -> None:
        """Work ahead while nobody waits. What is posted or falls due cuts it short."""
        self._fresh_cancel()
        with self._lock:
            self._is_idle = self._commands.empty()
        if self._is_idle:
            with ring_when_due(agent.seconds_to_timed_event, self._interrupt_idle_work):
                self._follow(agent.idle(self._cancel), agent)
        with self._lock:
            self._is_idle = False

    def _interrupt_idle_work(self) -> None:
        with self._lock:
            if self._is_idle:
                self._cancel.set()

    def _follow(self, updates: Iterator[Update], agent: AgentPart | None) -> None:
        """Pass on what the agent does: a boundary where every error is logged and told."""
        try:
            for update in updates:
                self._relay.post(self.update, update)
                if agent is not None and isinstance(update, WorkingContextChanged):
                    self._emit_blocks(agent)
        except Cancelled:
            self._relay.post(self.update, ChainCancelled())
        except PagekeeperError as error:
            if not is_refusal(error):
                log.warning("An event was not answered: %s", error)
            self._relay.post(self.update, ChainFailed(error))
        except Exception:
            log.exception("An event was not answered")
            self._relay.post(self.update, ChainFailed(_unexpected()))

    def _emit_blocks(self, agent: AgentPart) -> None:
        context = agent.working_context
        self._relay.post(
            self.blocks,
            tuple(
                BlockView(b.name, b.description, b.text, context.tokens_of(b), b.limit)
                for b in context.blocks
            ),
        )

    def _fresh_cancel(self) -> threading.Event:
        """A new event for the work that begins now: a late Stop cannot hit the next reply."""
        with self._lock:
            self._cancel = threading.Event()
            if self._ending:
                self._cancel.set()
            return self._cancel

    def _close(self) -> None:
        for part in (self._assistant, self._memory):
            try:
                if part is not None:
                    part.close()
            except Exception:
                log.exception("Closing failed")


def _unexpected() -> ModelError:
    return ModelError(
        "Something went wrong inside Pagekeeper.",
        hint="What you wrote is kept. The log file says more; trying again may help.",
        retryable=True,
    )
