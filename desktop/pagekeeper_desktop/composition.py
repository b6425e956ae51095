"""The composition root: the only place where concrete parts are built and put together.

    open_memory       lock, then databases: quick, no model
    missing_models    what must be downloaded before load_assistant can succeed
    download_models   the one thing that uses the network
    load_assistant    model, agent, prompt: some seconds, told stage by stage

Window and command line import this module before anything is loaded, so databases and model
libraries are imported by the functions that first need them (hence PLC0415 below).
"""

from __future__ import annotations

import contextlib
import logging
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pagekeeper_core.clock import SystemClock
from pagekeeper_core.errors import Cancelled, ModelError
from pagekeeper_core.messages import Message, MessageKind
from pagekeeper_desktop import model_choice
from pagekeeper_desktop.data_folder import DataFolder
from pagekeeper_desktop.kept_conversation import KeptConversation
from pagekeeper_desktop.model_choice import LoadStage, MissingModel, missing_models
from pagekeeper_desktop.settings import load_settings

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Generator, Iterator, Sequence

    from pagekeeper_core.agent import Agent
    from pagekeeper_core.documents.importing import DocumentImporter
    from pagekeeper_core.import_queue import ImportQueue
    from pagekeeper_core.protocols import (
        ArchivalStore,
        DocumentNewsStore,
        DocumentSummaryStore,
        IdleJob,
        ProposalStore,
        RecallStore,
        ReminderStore,
        StateStore,
        ThreadStore,
    )
    from pagekeeper_core.provenance import Provenance
    from pagekeeper_core.records import DocumentInfo
    from pagekeeper_core.user_actions import UserActions
    from pagekeeper_core.watched_folders import WatchedFolders
    from pagekeeper_desktop.options import Options
    from pagekeeper_models.llama_runtime import LlamaRuntime

__all__ = [
    "Assistant",
    "LoadStage",
    "Memory",
    "MissingModel",
    "download_models",
    "load_assistant",
    "missing_models",
    "open_memory",
]

log = logging.getLogger(__name__)

_LONGEST_TITLE = 200
_POLL_SECONDS = 0.1
_KEPT_CONVERSATION = "conversation.kv"


@dataclass(frozen=True, slots=True)
class Memory:
    """The open stores of one data folder. Reading is safe from any thread.

    Attributes:
        folder: Where they lie.
        recall: Every message.
        state: The history of memory, and queue checkpoints.
        archival: Documents and notes.
        threads: The conversations.
        reminders: What is to be brought up when.
        proposals: What idle work found worth changing.
        summaries: Summaries of documents.
        news: Documents that the assistant has still to speak of.
        importer: Reads documents into `archival`.
        imports: Files on their way there; one thread works through them.
        watched: The folders whose files are imported by themselves.
        notices: What was found damaged and how it was handled, in sentences for the person. The
            archive adds to them when it is first used.
        idle_jobs: Work on the stores for the time in which nobody waits.
    """

    folder: DataFolder
    recall: RecallStore
    state: StateStore
    archival: ArchivalStore
    threads: ThreadStore
    reminders: ReminderStore
    proposals: ProposalStore
    summaries: DocumentSummaryStore
    news: DocumentNewsStore
    importer: DocumentImporter
    imports: ImportQueue
    watched: WatchedFolders
    notices: Sequence[str]
    _closing: contextlib.ExitStack
    idle_jobs: Sequence[IdleJob] = ()

    def note_import(self, info: DocumentInfo) -> None:
        """Leave word of a document for an assistant that is not loaded now."""
        from pagekeeper_core import prompts  # noqa: PLC0415 - see the module's docstring

        self.news.add(info.document_id, SystemClock().now(), pending=True)
        title = info.record.title[:_LONGEST_TITLE]
        self.leave_word(prompts.document_imported(title, info.passages, info.record.pages))

    def leave_word(self, text: str) -> None:
        """Tell an assistant that is not loaded now what the person did meanwhile.

        The message stands in recall behind all others of the newest conversation, so the next start
        finds it in the queue.
        """
        threads = self.threads.threads()
        self.recall.append(
            Message(
                MessageKind.SYSTEM,
                text,
                text,
                SystemClock().now(),
                thread_id=threads[0].thread_id if threads else 1,
            )
        )

    def provenance(self) -> Provenance:
        """Explains what memory holds, takes changes back, hides and shows again.

        To be made anew for each use: it does not see what the agent writes after that.
        """
        from pagekeeper_core.memory_history import MemoryHistory  # noqa: PLC0415 - as above
        from pagekeeper_core.provenance import Provenance  # noqa: PLC0415 - as above

        return Provenance(
            state=self.state,
            recall=self.recall,
            archival=self.archival,
            history=MemoryHistory(self.state, SystemClock()),
        )

    def user_actions(self, context_window: int) -> UserActions:
        """What the person does to memory by hand while no model is loaded.

        To be made anew for each use, like `provenance`; word of it is left for the next start.

        Args:
            context_window: The window that the next start would use, in tokens.
        """
        from pagekeeper_core.assembly import assemble_user_actions  # noqa: PLC0415 - as above

        return assemble_user_actions(
            context_window=context_window,
            recall=self.recall,
            state=self.state,
            archival=self.archival,
            proposals=self.proposals,
            clock=SystemClock(),
            leave_word=self.leave_word,
        )

    def close(self) -> None:
        """Write what is to be written and let go of the data folder."""
        self._closing.close()


@dataclass(frozen=True, slots=True)
class Assistant:
    """The loaded assistant; agent and model belong to one thread.

    Attributes:
        agent: Answers events.
        model_name: What the person calls the model.
        memory: Its stores, closed by whoever opened them.
    """

    agent: Agent
    model_name: str
    memory: Memory
    _runtime: LlamaRuntime
    _kept: KeptConversation

    def close(self) -> None:
        """Keep what is evaluated for the next start, and let go of the model."""
        self._kept.save()
        self._runtime.close()


def open_memory(options: Options) -> Memory:
    """Take the data folder's lock and open its databases.

    Raises:
        StoreBusyError: Another Pagekeeper holds the folder.
        StoreVersionError: A newer Pagekeeper wrote the data.
        StoreError: The folder or a database cannot be used.
    """
    from pagekeeper_core.documents.importing import DocumentImporter  # noqa: PLC0415 - as above
    from pagekeeper_core.import_queue import ImportQueue  # noqa: PLC0415 - as above
    from pagekeeper_core.import_steps import ImportSteps  # noqa: PLC0415 - as above
    from pagekeeper_core.index_upkeep import (  # noqa: PLC0415 - as above
        ArchiveUpkeep,
        IndexUpkeep,
    )
    from pagekeeper_core.storage.duckdb_database import Database  # noqa: PLC0415 - as above
    from pagekeeper_core.storage.duckdb_document_news import (  # noqa: PLC0415 - as above
        DuckDBDocumentNews,
    )
    from pagekeeper_core.storage.duckdb_import_jobs import (  # noqa: PLC0415 - as above
        DuckDBImportJobs,
    )
    from pagekeeper_core.storage.duckdb_imports import (  # noqa: PLC0415 - as above
        DuckDBImportedConversations,
    )
    from pagekeeper_core.storage.duckdb_proposals import (  # noqa: PLC0415 - as above
        DuckDBProposalStore,
    )
    from pagekeeper_core.storage.duckdb_recall import DuckDBRecallStore  # noqa: PLC0415 - as above
    from pagekeeper_core.storage.duckdb_reminders import (  # noqa: PLC0415 - as above
        DuckDBReminderStore,
    )
    from pagekeeper_core.storage.duckdb_state import DuckDBStateStore  # noqa: PLC0415 - as above
    from pagekeeper_core.storage.duckdb_threads import DuckDBThreadStore  # noqa: PLC0415 - as above
    from pagekeeper_core.storage.lancedb_archival import (  # noqa: PLC0415 - as above
        LanceDBArchivalStore,
    )
    from pagekeeper_core.storage.lancedb_recall_index import (  # noqa: PLC0415 - as above
        LanceDBRecallIndex,
    )
    from pagekeeper_core.storage.summary_files import SummaryFiles  # noqa: PLC0415 - as above
    from pagekeeper_core.watched_folders import WatchedFolders  # noqa: PLC0415 - as above
    from pagekeeper_models.sentence_embedder import SentenceEmbedder  # noqa: PLC0415 - as above

    folder = DataFolder(options.data_dir)
    with contextlib.ExitStack() as undo:
        undo.callback(folder.lock().release)
        database = Database(folder.recall_file)
        undo.callback(database.close)
        settings = load_settings(options.data_dir)
        for sentence in settings.notices:
            database.notice(sentence)
        embedder = SentenceEmbedder(
            model_choice.embedder_folder(), verify=model_choice.verify_embedder
        )
        summaries = SummaryFiles(folder.summaries)

        def forget(document_id: str) -> None:
            summaries.delete(document_id)
            # What was evaluated of the conversation may hold its text.
            (folder.state / _KEPT_CONVERSATION).unlink(missing_ok=True)

        archival = LanceDBArchivalStore(
            folder.archive, embedder, notice=database.notice, gone=forget
        )
        undo.callback(archival.close)
        index = LanceDBRecallIndex(folder.recall_index, embedder)
        undo.callback(index.close)
        recall = DuckDBRecallStore(database, index)
        importer = DocumentImporter(archival, embedder)
        conversations = DuckDBImportedConversations(database)
        imports = ImportQueue(
            DuckDBImportJobs(database),
            ImportSteps(importer, archival, folder.incoming, conversations),
            folder.incoming,
            SystemClock(),
            own_folder=folder.root,
        )
        log.info("Opened memory in %s", folder.root)
        return Memory(
            folder=folder,
            recall=recall,
            state=DuckDBStateStore(database),
            archival=archival,
            threads=DuckDBThreadStore(database),
            reminders=DuckDBReminderStore(database),
            proposals=DuckDBProposalStore(database),
            summaries=summaries,
            news=DuckDBDocumentNews(database),
            importer=importer,
            imports=imports,
            watched=WatchedFolders(
                [Path(name) for name in settings.watched_folders],
                but=folder.root,
                history=imports.history,
                documents=archival.documents,
            ),
            notices=database.notices,
            _closing=undo.pop_all(),
            idle_jobs=(IndexUpkeep(recall, index, embedder), ArchiveUpkeep(archival)),
        )


def download_models(options: Options, cancel: threading.Event) -> Iterator[LoadStage]:
    """Fetch what `missing_models` names.

    Raises:
        Cancelled: `cancel` was set; what has arrived is kept.
        ModelError: A model could not be fetched.
    """
    return model_choice.download(model_choice.needed_entries(options), cancel)


def load_assistant(
    memory: Memory, options: Options, cancel: threading.Event
) -> Generator[LoadStage, None, Assistant]:
    """Load the model and restore the agent as the last run left it.

    What was evaluated of the prompt is read from disk; the instructions are evaluated if they are
    not there. The conversation behind them, up to a minute's work in a full window, is left to
    `Agent.idle` then: the person can write meanwhile.

    Raises:
        Cancelled: `cancel` was set.
        ModelError: The model's file is missing, changed, broken or too large, or its window is too
            small for the instructions.
        StoreError: The stores cannot be read.
    """
    yield LoadStage("Checking the model")
    model_choice.refuse_missing(options)
    model_choice.verify_embedder(cancel)
    model = model_choice.checked_model(options, cancel)
    runtime = yield from _load_runtime(model, options, cancel)
    try:
        kept = KeptConversation(runtime, memory.folder.state / _KEPT_CONVERSATION)
        agent = _assemble(memory, runtime, kept)
        kept.prompt = agent.prompt
        if kept.restore() < runtime.count_prompt(agent.instructions):
            yield from _restore_instructions(memory, agent, runtime, cancel)
    except BaseException:
        runtime.close()
        raise
    log.info(
        "Loaded %s with a window of %d tokens; %d messages in recall",
        model.path.name,
        model.context_window,
        memory.recall.count(),
    )
    return Assistant(agent, runtime.name, memory, runtime, kept)


def _load_runtime(
    model: model_choice.CheckedModel, options: Options, cancel: threading.Event
) -> Generator[LoadStage, None, LlamaRuntime]:
    from pagekeeper_models.llama_runtime import LlamaRuntime  # noqa: PLC0415 - as above

    def load(progress: Callable[[float], None]) -> LlamaRuntime:
        return LlamaRuntime.load(
            model.path,
            context_window=model.context_window,
            n_gpu_layers=options.n_gpu_layers,
            name=model.title,
            progress=progress,
        )

    return (yield from _with_progress(load, model.title, cancel))


def _with_progress(
    load: Callable[[Callable[[float], None]], LlamaRuntime], title: str, cancel: threading.Event
) -> Generator[LoadStage, None, LlamaRuntime]:
    """Run `load` on a thread of its own, and show several times a second how far it is.

    When the weights are read, the context and the grammar's tokenizer are made: one or two seconds
    without progress.
    """
    reached = 0.0

    def report(fraction: float) -> None:
        nonlocal reached
        if cancel.is_set():
            raise Cancelled
        reached = fraction

    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="model-loading") as pool:
        loading = pool.submit(load, report)
        while wait((loading,), timeout=_POLL_SECONDS).not_done:
            if reached < 1:
                yield LoadStage(f"Loading {title}", int(reached * 100), 100)
            else:
                yield LoadStage(f"Preparing {title}")
        return loading.result()


def _assemble(memory: Memory, runtime: LlamaRuntime, *last_idle_jobs: IdleJob) -> Agent:
    from pagekeeper_core.assembly import AgentStores, assemble_agent  # noqa: PLC0415 - as above

    def archive_text(text: str, cancel: threading.Event) -> None:
        title = f"Message of {SystemClock().to_local(SystemClock().now()):%Y-%m-%d %H:%M}"
        for _ in memory.importer.import_text(title, text, cancel):
            pass

    return assemble_agent(
        model=runtime,
        stores=AgentStores(
            recall=memory.recall,
            state=memory.state,
            archival=memory.archival,
            threads=memory.threads,
            reminders=memory.reminders,
            proposals=memory.proposals,
            summaries=memory.summaries,
            news=memory.news,
        ),
        clock=SystemClock(),
        archive_text=archive_text,
        is_reading=lambda: memory.imports.is_reading,
        policy=load_settings(memory.folder.root).memory.policy(),
        idle_jobs=memory.idle_jobs,
        last_idle_jobs=last_idle_jobs,
    )


def _restore_instructions(
    memory: Memory, agent: Agent, runtime: LlamaRuntime, cancel: threading.Event
) -> Generator[LoadStage, None, None]:
    """Put the evaluated instructions into the KV cache: from disk, or evaluated once and saved.

    They hold nothing of the person, and never change with the same model and window. There is one
    file: that of another model or window does not fit, and is replaced.
    """
    file = memory.folder.state / "instructions.kv"
    if runtime.load_state(file, agent.instructions):
        return
    for progress in runtime.evaluate(agent.instructions, cancel=cancel):
        label = "Reading the instructions (the first time only)"
        yield LoadStage(label, progress.done, progress.total)
    try:
        runtime.save_state(file, agent.instructions)
    except (OSError, ModelError):
        log.warning("The evaluated instructions were not saved", exc_info=True)
