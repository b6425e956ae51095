"""An assistant that follows a script: the real window is tested with it, without model or store.

A script is a list of steps, one list for each message of the person. A step is an Update, which is
passed on; a number, which waits that many seconds; a Gate, which waits until it is opened; an
exception, which is raised; `ADMIT`, which stores the message as the real agent does; or a `Reply`,
which streams and stores a text. Stop (the cancel event) interrupts every step.
"""

import threading
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from helpers.memory_stores import (
    MemoryArchivalStore,
    MemoryImportJobStore,
    MemoryProposalStore,
    MemoryRecallStore,
    MemoryReminderStore,
    MemoryStateStore,
    MemoryThreadStore,
)
from pagekeeper_core.assembly import assemble_user_actions
from pagekeeper_core.clock import SystemClock
from pagekeeper_core.documents.importing import ImportFinished, ImportProgress
from pagekeeper_core.documents.reading import SourceFile
from pagekeeper_core.errors import Cancelled, DocumentError, FunctionError, PagekeeperError
from pagekeeper_core.events import (
    BlockMade,
    ChangeUndone,
    Event,
    Forgotten,
    MemoryEdited,
    ProposalDecided,
    ReminderCancelled,
    ReminderSet,
    ThreadArchived,
    ThreadOpened,
    ThreadRenamed,
    TimedEvent,
    UserMessage,
)
from pagekeeper_core.import_queue import ImportQueue
from pagekeeper_core.import_steps import ImportSteps
from pagekeeper_core.memory_history import MemoryHistory
from pagekeeper_core.messages import FunctionCall, Message, MessageKind
from pagekeeper_core.provenance import Provenance
from pagekeeper_core.records import (
    ChangeAction,
    DocumentInfo,
    DocumentRecord,
    ProposalState,
    Target,
    TargetKind,
)
from pagekeeper_core.reminder_note import new_note
from pagekeeper_core.schedule import Reminders
from pagekeeper_core.updates import (
    ChainCancelled,
    ChainFailed,
    ChainFinished,
    ChainStarted,
    ContextUsage,
    MessageAdmitted,
    ProposalsChanged,
    ReplyDelta,
    ReplyFinished,
    StepFinished,
    ThreadsChanged,
    Update,
    Usage,
    WorkingContextChanged,
)
from pagekeeper_core.user_actions import UserActions
from pagekeeper_core.watched_folders import WatchedFolders
from pagekeeper_core.working_context import Block
from pagekeeper_desktop.model_choice import LoadStage, MissingModel
from pagekeeper_desktop.options import Options

__all__ = [
    "ADMIT",
    "Gate",
    "Reply",
    "ScriptedAgent",
    "ScriptedComposition",
    "ScriptedImporter",
    "Step",
    "message",
    "steps",
    "usage",
]

ADMIT = "admit"


class Gate(threading.Event):
    """A step that waits until it is opened with `set`, or the chain is stopped."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply that is written piece by piece, then stored.

    Attributes:
        text: The whole text.
        pieces: Into how many deltas it is cut.
        pause: Seconds between two of them.
    """

    text: str
    pieces: int = 4
    pause: float = 0.0


Step = Update | Reply | Gate | Exception | float | str


def steps(*taken: Step) -> list[Step]:
    """A script, typed."""
    return list(taken)


def usage(queue: int = 1500, window: int = 8192) -> ContextUsage:
    """Figures of a window that is partly filled."""
    usable = window - 1024
    return ContextUsage(
        instructions=1780,
        working_context=310,
        summary=290,
        queue=queue,
        usable=usable,
        window=window,
        warning_level=int(usable * 0.7),
        flush_level=usable,
    )


def message(
    kind: MessageKind, text: str, call: FunctionCall | None = None, thread_id: int = 1
) -> Message:
    """A message of now."""
    return Message(kind, text, text, datetime.now(UTC), call, thread_id=thread_id)


@dataclass
class ScriptedBlocks:
    """Working context whose changes stand in a history."""

    blocks: tuple[Block, ...]
    history: MemoryHistory

    def tokens_of(self, block: Block) -> int:
        """A token is four characters here."""
        return len(block.text) // 4

    def rewrite(self, name: str, text: str, actor: str = "user", cause_seq: int = 0) -> None:
        """Give a block a new text."""
        block = next(block for block in self.blocks if block.name == name)
        if len(text) // 4 > block.limit:
            raise FunctionError(f"It holds at most {block.limit} tokens.", hint="Shorten it.")
        target = Target(TargetKind.BLOCK, name)
        self.history.record(
            target,
            ChangeAction.EDIT,
            before=block.text,
            after=text,
            actor=actor,
            cause_seq=cause_seq,
        )
        self.refresh()

    def add(self, block: Block) -> None:
        """Put a block behind the others."""
        self.blocks = (*self.blocks, block)

    def refresh(self) -> None:
        """Take the texts as the history has them."""
        self.blocks = tuple(
            replace(b, text=self.history.block_text(b.name, b.text)) for b in self.blocks
        )


@dataclass
class ScriptedAgent:
    """Answers each message by the next script; without one, by an echo.

    Attributes:
        refusals: Raised by the next events, one each.
    """

    recall: MemoryRecallStore
    store: MemoryThreadStore
    scripts: list[list[Step]]
    working_context: ScriptedBlocks
    provenance: Provenance
    reminders: Reminders
    proposals: MemoryProposalStore
    open_id: int = 1
    events: list[Event] = field(default_factory=list)
    refusals: list[PagekeeperError] = field(default_factory=list)
    queue_tokens: int = 600
    idle_calls: int = 0
    due: list[tuple[float, TimedEvent]] = field(default_factory=list)

    def timed_event(self) -> TimedEvent | None:
        """The first of `due` whose moment (of time.monotonic) has come."""
        return self.due.pop(0)[1] if self.seconds_to_timed_event() == 0 else None

    def seconds_to_timed_event(self) -> float | None:
        """Until the first of `due`."""
        return max(0.0, self.due[0][0] - time.monotonic()) if self.due else None

    def usage(self) -> ContextUsage:
        """As full as what was said makes it."""
        return usage(self.queue_tokens)

    def threads(self) -> ThreadsChanged:
        """The conversations, and which is open."""
        return ThreadsChanged(self.open_id, tuple(self.store.threads()))

    def idle(self, cancel: threading.Event) -> Iterator[Update]:
        """Nothing is due."""
        self.idle_calls += 1
        yield from ()

    def handle(self, event: Event, cancel: threading.Event) -> Iterator[Update]:
        """Answer as the script has it."""
        self.events.append(event)
        yield ChainStarted()
        try:
            yield from self._answer(event, cancel)
            yield self.usage()
            yield ChainFinished(1)
        except Cancelled:
            yield ChainCancelled()
        except PagekeeperError as error:
            yield ChainFailed(error)

    def _answer(self, event: Event, cancel: threading.Event) -> Iterator[Update]:
        if self.refusals:
            raise self.refusals.pop(0)
        match event:
            case UserMessage(text):
                echo: list[Step] = [ADMIT, Reply(f"Echo: {text}")]
                for step in self.scripts.pop(0) if self.scripts else echo:
                    yield from self._take(step, text, cancel)
            case TimedEvent(reminder):
                noted = replace(new_note(reminder, SystemClock()), thread_id=self.open_id)
                yield MessageAdmitted(self.recall.append(noted))
                for step in self.scripts.pop(0) if self.scripts else steps(Reply(reminder.text)):
                    yield from self._take(step, reminder.text, cancel)
            case ReminderSet() | ReminderCancelled():
                yield from self.reminders.carry_out(event)
            case ThreadOpened() | ThreadRenamed() | ThreadArchived():
                self._change_threads(event)
                yield self.threads()
            case _:
                yield from self._change_memory(event)

    def _change_memory(self, event: Event) -> Iterator[Update]:
        match event:
            case MemoryEdited(block, text):
                self.working_context.rewrite(block, text)
                yield from self.working_context.history.take_updates()
            case ChangeUndone(change_id):
                self.provenance.undo(change_id)
                self.working_context.refresh()
                yield from self.working_context.history.take_updates()
            case Forgotten(target):
                self.provenance.forget(target)
                yield from self.working_context.history.take_updates()
            case BlockMade(name, about, limit):
                self.working_context.add(Block(name, about, limit))
                yield WorkingContextChanged(name, "")
            case ProposalDecided(number, accepted):
                state = ProposalState.ACCEPTED if accepted else ProposalState.DISMISSED
                self.proposals.decide(number, state, datetime.now(UTC))
                yield ProposalsChanged(tuple(self.proposals.proposals()))
            case _:
                yield from ()

    def _change_threads(self, event: ThreadOpened | ThreadRenamed | ThreadArchived) -> None:
        match event:
            case ThreadOpened(0):
                said = self.recall.read_last(1, thread_id=self.open_id)
                if said or self.store.get(self.open_id).title:
                    self.open_id = self.store.create(datetime.now(UTC)).thread_id
            case ThreadOpened(thread_id):
                self.open_id = self.store.get(thread_id).thread_id
            case ThreadRenamed(thread_id, title):
                self.store.rename(thread_id, title)
            case ThreadArchived(thread_id, archived):
                self.store.archive(thread_id, archived=archived)
                if archived and thread_id == self.open_id:
                    left = self.store.threads() or [self.store.create(datetime.now(UTC))]
                    self.open_id = left[0].thread_id

    def _take(self, step: Step, text: str, cancel: threading.Event) -> Iterator[Update]:
        match step:
            case Exception():
                raise step
            case Gate():
                while not step.wait(0.005):
                    _check(cancel)
            case float() | int():
                if cancel.wait(step):
                    raise Cancelled
            case str():
                self.queue_tokens += len(text) // 4
                said = message(MessageKind.USER, text, thread_id=self.open_id)
                admitted = self.recall.append(said)
                yield MessageAdmitted(admitted)
            case Reply():
                yield from self._reply(step, cancel)
            case _:
                yield step

    def _reply(self, reply: Reply, cancel: threading.Event) -> Iterator[Update]:
        began = time.monotonic()
        written = ""
        size = max(1, -(-len(reply.text) // reply.pieces))
        for start in range(0, len(reply.text), size):
            if cancel.wait(reply.pause) if reply.pause else cancel.is_set():
                yield from self._store_reply(written)
                raise Cancelled
            written += reply.text[start : start + size]
            yield ReplyDelta(reply.text[start : start + size])
        tokens = max(1, len(written) // 4)
        yield StepFinished(
            Usage(
                1000,
                20,
                generated_tokens=tokens,
                generation_seconds=max(0.01, time.monotonic() - began),
            )
        )
        yield from self._store_reply(written)

    def _store_reply(self, text: str) -> Iterator[Update]:
        if text:
            self.queue_tokens += len(text) // 4
            call = FunctionCall("send_message", {"message": text})
            said = message(MessageKind.ASSISTANT, text, call, self.open_id)
            yield ReplyFinished(self.recall.append(said))


def _append(recall: MemoryRecallStore, text: str) -> None:
    recall.append(message(MessageKind.SYSTEM, text))


def _check(cancel: threading.Event) -> None:
    if cancel.is_set():
        raise Cancelled


@dataclass
class ScriptedImporter:
    """Reads a file by what was scripted for its name: an exception, a Gate, or its pages."""

    outcomes: dict[str, Exception | Gate | int] = field(default_factory=dict)
    read: int = 0

    def import_file(
        self, path: Path, cancel: threading.Event, **_: str | bool
    ) -> Iterator[ImportProgress | ImportFinished]:
        """Two progress values, then the result."""
        outcome = self.outcomes.get(path.name, 3)
        yield ImportProgress("reading", 1, 4)
        if isinstance(outcome, Exception):
            raise outcome
        if isinstance(outcome, Gate):
            while not outcome.wait(0.005):
                _check(cancel)
            outcome = 3
        yield ImportProgress("reading", 3, 4, 2 * outcome)
        record = DocumentRecord(path.name, "pdf", str(path), str(path), outcome)
        self.read += 1
        info = DocumentInfo(str(self.read), record, 3 * outcome, datetime.now(UTC))
        yield ImportFinished(info, already_there=False)

    def import_text(
        self, title: str, text: str, cancel: threading.Event
    ) -> Iterator[ImportProgress | ImportFinished]:
        """As a file of that name."""
        return self.import_file(Path(title), cancel)

    def expand(
        self, path: Path, folder: Path, cancel: threading.Event, **_: str
    ) -> Iterator[SourceFile | DocumentError]:
        """Archives have nothing in them."""
        yield from ()


@dataclass
class ScriptedMemory:
    """The stores."""

    recall: MemoryRecallStore
    threads: MemoryThreadStore
    state: MemoryStateStore
    archival: MemoryArchivalStore
    reminders: MemoryReminderStore
    proposals: MemoryProposalStore
    imports: ImportQueue
    watched: WatchedFolders
    notices: Sequence[str] = ()
    closed: bool = False

    def provenance(self, history: MemoryHistory | None = None) -> Provenance:
        """As the real memory makes it."""
        return Provenance(
            state=self.state,
            recall=self.recall,
            archival=self.archival,
            history=history or MemoryHistory(self.state, SystemClock()),
        )

    def user_actions(self, context_window: int) -> UserActions:
        """As the real memory makes them."""
        return assemble_user_actions(
            context_window=context_window,
            recall=self.recall,
            state=self.state,
            archival=self.archival,
            proposals=self.proposals,
            clock=SystemClock(),
            leave_word=lambda text: _append(self.recall, text),
        )

    def close(self) -> None:
        """Note that it was closed."""
        self.closed = True


@dataclass
class ScriptedAssistant:
    """The loaded assistant."""

    agent: ScriptedAgent
    model_name: str = "Qwen2.5 Coder 1.5B"
    closed: bool = False

    def close(self) -> None:
        """Note that it was closed."""
        self.closed = True


@dataclass
class ScriptedComposition:
    """Builds the scripted parts; what goes wrong at which step is scripted too.

    Attributes:
        recall: What was said before.
        scripts: See the module's docstring.
        missing: Models that have to be downloaded; a download empties the list.
        open_errors: Raised by the next calls of open_memory, one each.
        load_errors: Raised by the next calls of load_assistant, one each.
        load_gate: Loading waits for it.
        download_gate: Downloading waits for it.
    """

    recall: MemoryRecallStore = field(default_factory=MemoryRecallStore)
    store: MemoryThreadStore = field(init=False)
    state: MemoryStateStore = field(default_factory=MemoryStateStore)
    archival: MemoryArchivalStore = field(default_factory=MemoryArchivalStore)
    reminders: MemoryReminderStore = field(default_factory=MemoryReminderStore)
    proposals: MemoryProposalStore = field(default_factory=MemoryProposalStore)
    jobs: MemoryImportJobStore = field(default_factory=MemoryImportJobStore)
    scripts: list[list[Step]] = field(default_factory=list)
    blocks: tuple[Block, ...] = (
        Block("persona", "Who the assistant is.", 300, "I am Keeper. I am calm and brief."),
        Block("human", "What is known about the user.", 800, "Name: Ana\nDog: Bento"),
    )
    missing: list[MissingModel] = field(default_factory=list)
    open_errors: list[Exception] = field(default_factory=list)
    load_errors: list[Exception] = field(default_factory=list)
    load_gate: Gate | None = None
    download_gate: Gate | None = None
    importer: ScriptedImporter = field(default_factory=ScriptedImporter)
    notices: Sequence[str] = ()
    memory: ScriptedMemory | None = None
    assistant: ScriptedAssistant | None = None
    threads: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.store = MemoryThreadStore(self.recall)

    def open_memory(self, options: Options) -> ScriptedMemory:
        """The stores."""
        self.threads.add(threading.current_thread().name)
        if self.open_errors:
            raise self.open_errors.pop(0)
        self.memory = ScriptedMemory(
            self.recall,
            self.store,
            self.state,
            self.archival,
            self.reminders,
            self.proposals,
            self._imports(options),
            self.watched,
            self.notices,
        )
        return self.memory

    def _imports(self, options: Options) -> ImportQueue:
        """The real queue, over stores in memory and the scripted importer."""
        folder = options.data_dir / "incoming"
        steps = ImportSteps(self.importer, self.archival, folder)
        return ImportQueue(self.jobs, steps, folder, SystemClock(), own_folder=options.data_dir)

    @property
    def watched(self) -> WatchedFolders:
        """No folders at first."""
        return WatchedFolders(
            (),
            but=Path("data"),
            history=self.jobs.newest_by_path,
            documents=self.archival.documents,
        )

    def missing_models(self, options: Options) -> Sequence[MissingModel]:
        """What was scripted."""
        return list(self.missing)

    def download_models(self, options: Options, cancel: threading.Event) -> Iterator[LoadStage]:
        """Half of it, the gate, the rest."""
        total = sum(model.size for model in self.missing)
        yield LoadStage("Downloading Qwen2.5 Coder 1.5B", total // 2, total)
        while self.download_gate is not None and not self.download_gate.wait(0.005):
            _check(cancel)
        yield LoadStage("Downloading Qwen2.5 Coder 1.5B", total, total)
        self.missing.clear()

    def load_assistant(
        self, memory: ScriptedMemory, options: Options, cancel: threading.Event
    ) -> Generator[LoadStage, None, ScriptedAssistant]:
        """A few stages, the gate, the assistant."""
        self.threads.add(threading.current_thread().name)
        yield LoadStage("Loading Qwen2.5 Coder 1.5B", 45, 100)
        while self.load_gate is not None and not self.load_gate.wait(0.005):
            _check(cancel)
        if self.load_errors:
            raise self.load_errors.pop(0)
        listed = self.store.threads() or [self.store.create(datetime.now(UTC))]
        history = MemoryHistory(self.state, SystemClock())
        blocks = ScriptedBlocks(self.blocks, history)
        blocks.refresh()
        agent = ScriptedAgent(
            self.recall,
            self.store,
            self.scripts,
            blocks,
            memory.provenance(history),
            Reminders(self.reminders, SystemClock()),
            self.proposals,
            listed[0].thread_id,
        )
        self.assistant = ScriptedAssistant(agent)
        return self.assistant
