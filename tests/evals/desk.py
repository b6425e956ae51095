"""Where experiments are carried out: models that stay loaded, stores filled once and borrowed.

A trial gets a copy of the stores, so that what the agent writes in one is not found in the next.
"""

import json
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from evals.trials import RunSettings, Trial
from helpers.memory_stores import MemoryDocumentNews, MemorySummaryStore
from pagekeeper_core.agent import Agent
from pagekeeper_core.assembly import AgentStores, assemble_agent
from pagekeeper_core.clock import SystemClock
from pagekeeper_core.config import MemoryPolicy
from pagekeeper_core.events import ThreadOpened, UserMessage
from pagekeeper_core.index_upkeep import IndexUpkeep
from pagekeeper_core.messages import MessageKind, PromptMessage, PromptRole
from pagekeeper_core.protocols import Embedder, JsonSchema, LanguageModel
from pagekeeper_core.records import Retrieval
from pagekeeper_core.storage.duckdb_database import Database
from pagekeeper_core.storage.duckdb_proposals import DuckDBProposalStore
from pagekeeper_core.storage.duckdb_recall import DuckDBRecallStore
from pagekeeper_core.storage.duckdb_reminders import DuckDBReminderStore
from pagekeeper_core.storage.duckdb_state import DuckDBStateStore
from pagekeeper_core.storage.duckdb_threads import DuckDBThreadStore
from pagekeeper_core.storage.lancedb_archival import LanceDBArchivalStore
from pagekeeper_core.storage.lancedb_recall_index import LanceDBRecallIndex
from pagekeeper_core.updates import (
    CallFinished,
    ChainFailed,
    MessageAdmitted,
    ReplyFinished,
    Update,
)
from pagekeeper_models.llama_runtime import LlamaRuntime

__all__ = ["JUDGE", "Asked", "Desk", "Stores"]

REPLY_TOKENS = 160
"""What a baseline may write; its prompt is cut so that this fits behind it."""

JUDGE = """\
You judge a reply. It is right if it says the same as one of the expected answers, in any words; \
more detail does no harm. It is wrong if it says something else, or that it does not know.
Question: {question}
Expected: {expected}
Reply: {reply}"""
"""The prompt of the optional judge; a run that has one prints it."""

SHOWN_OF_RESULT = 1200
"""Characters of a result that are kept in the records."""


@dataclass(frozen=True, slots=True)
class Stores:
    """The product's stores over one folder."""

    recall: DuckDBRecallStore
    archival: LanceDBArchivalStore
    state: DuckDBStateStore
    threads: DuckDBThreadStore
    reminders: DuckDBReminderStore
    proposals: DuckDBProposalStore
    index: LanceDBRecallIndex


@dataclass(frozen=True, slots=True)
class Asked:
    """What an agent did with a message.

    Attributes:
        answer: Its reply.
        calls: Its function calls, the reply among them.
        note: Why there is no reply.
        reminders: What read-ahead and other notes of the program told it.
    """

    answer: str
    calls: tuple[Mapping[str, object], ...] = ()
    note: str = ""
    reminders: str = ""

    def results(self) -> str:
        """All results that it read, joined."""
        return "\n".join(str(call["result"]) for call in self.calls)


class Desk:
    """A model and an embedder, and the stores of the last thing that was asked about.

    Attributes:
        settings: How the product's parts are to behave.
        folder: For temporary files.
        window: Tokens.
    """

    def __init__(
        self,
        settings: RunSettings,
        folder: Path,
        *,
        window: int,
        load_model: Callable[[int], LanguageModel],
        embedder: Embedder,
    ) -> None:
        self.settings = settings
        self.folder = folder
        self.window = window
        self.embedder = embedder
        self._load_model = load_model
        self._cancel = threading.Event()
        self._prepared: tuple[str, Path] | None = None
        self._closing = ExitStack()
        self._looked_at: tuple[Retrieval, Stores] | None = None
        self._borrowed = 0

    @cached_property
    def model(self) -> LanguageModel:
        """The language model, loaded when it is first needed: retrieval needs none."""
        return self._load_model(self.window)

    def look(
        self, key: str, fill: Callable[[Stores], None], retrieval: Retrieval = Retrieval.HYBRID
    ) -> Stores:
        """The stores of `key`, filled if they are not there, to be searched and not changed."""
        folder = self._filled(key, fill)
        if self._looked_at is None or self._looked_at[0] is not retrieval:
            self._put_away()
            stores = self._closing.enter_context(self._open(folder, retrieval))
            self._looked_at = retrieval, stores
        return self._looked_at[1]

    @contextmanager
    def borrow(self, key: str, fill: Callable[[Stores], None]) -> Iterator[Stores]:
        """A copy of the stores of `key`, gone afterwards."""
        original = self._filled(key, fill)
        self._put_away()
        self._borrowed += 1
        copy = self.folder / f"borrowed-{self._borrowed}"
        shutil.copytree(original, copy)
        try:
            with self._open(copy, self.settings.retrieval) as stores:
                yield stores
        finally:
            shutil.rmtree(copy, ignore_errors=True)

    def agent(self, stores: Stores, policy: MemoryPolicy | None = None) -> Agent:
        """The product's agent over stores, its instructions evaluated."""
        agent = assemble_agent(
            model=self.model,
            stores=AgentStores(
                recall=stores.recall,
                state=stores.state,
                archival=stores.archival,
                threads=stores.threads,
                reminders=stores.reminders,
                proposals=stores.proposals,
                summaries=MemorySummaryStore(),
                news=MemoryDocumentNews(),
            ),
            clock=SystemClock(),
            archive_text=lambda text, cancel: None,
            policy=policy or self.settings.policy,
        )
        self._evaluate_instructions(agent)
        return agent

    def ask(self, agent: Agent, text: str) -> Asked:
        """Say something to the agent; gives its reply and its calls."""
        return _asked(agent.handle(UserMessage(text), self._cancel))

    def open_new_conversation(self, agent: Agent) -> None:
        """Begin a conversation with an empty queue: a new session of the paper."""
        list(agent.handle(ThreadOpened(0), self._cancel))

    def answer(self, task: str, text: str, question: str, *, bound: int = 300) -> str:
        """What the bare model answers: a baseline without memory.

        Args:
            task: Its instructions.
            text: What it is given to read; cut at its end where it does not fit the window.
            question: What is asked about it.
            bound: Of the answer, in characters.
        """
        prompt = self._fitting(task, text, question)
        schema = {
            "type": "object",
            "properties": {"answer": {"type": "string", "minLength": 1, "maxLength": bound}},
            "required": ["answer"],
            "additionalProperties": False,
        }
        return _answer_in(_written(self.model, prompt, schema))

    def judge(self, trial: Trial, answer: str) -> float:
        """1 if the model of the desk finds an answer right, else 0: a second opinion only."""
        prompt = JUDGE.format(
            question=trial.question, expected=" / ".join(trial.accept), reply=answer
        )
        verdict = _written(
            self.model, [PromptMessage(PromptRole.USER, prompt)], {"enum": ["right", "wrong"]}
        )
        return float(json.loads(verdict) == "right")

    def close(self) -> None:
        """Close what is open."""
        self._put_away()
        if "model" in vars(self) and isinstance(self.model, LlamaRuntime):
            self.model.close()

    def _fitting(self, task: str, text: str, question: str) -> list[PromptMessage]:
        room = self.window - REPLY_TOKENS - 16
        shown = text
        while True:
            asked = PromptMessage(PromptRole.USER, f"{shown}\n\n{question}")
            prompt = [PromptMessage(PromptRole.SYSTEM, task), asked]
            tokens = self.model.count_prompt(prompt)
            if tokens <= room:
                return prompt
            shown = shown[: int(len(shown) * room / tokens * 0.99)]

    def _filled(self, key: str, fill: Callable[[Stores], None]) -> Path:
        if self._prepared is None or self._prepared[0] != key:
            self._put_away()
            folder = self.folder / "prepared"
            shutil.rmtree(folder, ignore_errors=True)
            with self._open(folder, Retrieval.HYBRID) as stores:
                fill(stores)
                upkeep = IndexUpkeep(stores.recall, stores.index, self.embedder)
                list(upkeep.work(self._cancel))
            self._prepared = key, folder
        return self._prepared[1]

    @contextmanager
    def _open(self, folder: Path, retrieval: Retrieval) -> Iterator[Stores]:
        with ExitStack() as closing:
            folder.mkdir(parents=True, exist_ok=True)
            database = Database(folder / "recall.duckdb")
            closing.callback(database.close)
            index = LanceDBRecallIndex(folder / "index.lance", self.embedder)
            closing.callback(index.close)
            archive = folder / "archive.lance"
            archival = LanceDBArchivalStore(archive, self.embedder, retrieval=retrieval)
            closing.callback(archival.close)
            if retrieval is not Retrieval.WORDS:
                index.make_ready()
            yield Stores(
                recall=DuckDBRecallStore(database, index, retrieval=retrieval),
                archival=archival,
                state=DuckDBStateStore(database),
                threads=DuckDBThreadStore(database),
                reminders=DuckDBReminderStore(database),
                proposals=DuckDBProposalStore(database),
                index=index,
            )

    def _put_away(self) -> None:
        self._closing.close()
        self._looked_at = None

    def _evaluate_instructions(self, agent: Agent) -> None:
        """From disk where a baseline has driven them out of the cache: a minute otherwise."""
        if not isinstance(self.model, LlamaRuntime):
            return
        file = self.folder / "instructions.kv"
        if self.model.load_state(file, agent.instructions) == 0:
            list(self.model.evaluate(agent.instructions, cancel=self._cancel))
            self.model.save_state(file, agent.instructions)


def _written(model: LanguageModel, prompt: list[PromptMessage], schema: JsonSchema) -> str:
    writing = model.generate(prompt, schema, max_tokens=REPLY_TOKENS, cancel=threading.Event())
    return "".join(piece for piece in writing if isinstance(piece, str))


def _asked(updates: Iterator[Update]) -> Asked:
    answer, note, reminders = "", "", ""
    calls: list[Mapping[str, object]] = []
    for update in updates:
        match update:
            case MessageAdmitted(message) if message.kind is MessageKind.SYSTEM:
                reminders += message.prompt_text + "\n"
            case CallFinished(call, result):
                shown = {"function": call.name, "arguments": dict(call.arguments)}
                told = {"thoughts": call.inner_thoughts, "result": result.text[:SHOWN_OF_RESULT]}
                calls.append({**shown, **told, "ok": result.ok})
            case ReplyFinished(message):
                answer = message.text
                if message.call is not None:
                    calls.append(_reply(message.call.inner_thoughts))
            case ChainFailed(error):
                note = str(error)
            case _:
                pass
    return Asked(answer, tuple(calls), note, reminders)


def _reply(thoughts: str) -> Mapping[str, object]:
    return {"function": "send_message", "thoughts": thoughts, "result": "", "ok": True}


def _answer_in(written: str) -> str:
    """The answer, also of a text that the bound of tokens cut off."""
    try:
        return str(json.loads(written)["answer"])
    except ValueError:
        return written.partition('"answer": "')[2]
