"""A month with the assistant, in minutes: thousands of messages over real databases.

What a person writes is made up, the same mix in every hundred messages; what the model answers is
scripted. So the time of a turn is the program's own, without the model's.
"""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

import psutil

from helpers.agent_rig import append, replies, reply, search
from helpers.memory_stores import HashEmbedder
from helpers.scripted_model import ScriptedModel
from helpers.stored_rig import StoredRig
from pagekeeper_core.config import MemoryPolicy
from pagekeeper_core.documents.importing import DocumentImporter, ImportFinished
from pagekeeper_core.errors import ContextWindowError
from pagekeeper_core.events import DocumentImported, Event, Login, MemoryEdited, UserMessage
from pagekeeper_core.messages import FunctionCall
from pagekeeper_core.storage.lancedb_archival import LanceDBArchivalStore
from pagekeeper_core.updates import ChainFailed, MemoryPressure, QueueFlushed, Update

MESSAGES_A_DAY = 100
PEOPLE = ("Ana", "Rui", "Inês", "Tomás", "Marta", "小明", "דנה", "Юлия")
PLACES = ("Porto", "Faro", "Lyon", "Évora", "北京", "חיפה", "Київ")
THINGS = ("dog", "piano", "rent", "garden", "bicycle", "exam", "recipe", "train", "dentist", "cake")


class QuickModel(ScriptedModel):
    """Says what was enqueued without checking it against the schema; keeps no prompts.

    Attributes:
        overflows: Prompts that did not fit the window.
        seconds: Processor time spent in its place, which is not the program's own.
    """

    def __init__(self, context_window: int) -> None:
        super().__init__(context_window)
        self.overflows = 0
        self.seconds = 0.0

    def generate(self, prompt: Any, schema: Any, *, max_tokens: int, cancel: Any) -> Any:
        self.prompts.clear()
        self.schemas.clear()
        self.overflows += self.count_prompt(prompt) + max_tokens > self.context_window
        return super().generate(prompt, schema, max_tokens=max_tokens, cancel=cancel)

    def count(self, text: str) -> int:
        begun = time.thread_time()
        tokens = super().count(text)
        self.seconds += time.thread_time() - begun
        return tokens

    def _next(self, schema: Any) -> str:
        begun = time.thread_time()
        if self._script and "summary" not in schema.get("properties", {}):
            text = str(self._script.popleft())
        else:
            text = super()._next(schema)
        self.seconds += time.thread_time() - begun
        return text


@dataclass
class Month:
    """What happened; times in seconds, sizes in bytes.

    Attributes:
        turn_seconds: Of each message: processor time of all threads, the scripted model's left out.
        wall_seconds: Of each message: what a clock on the wall says.
    """

    window: int
    messages: int = 0
    overflows: int = 0
    stalls: int = 0
    failures: int = 0
    flushes: int = 0
    warnings: int = 0
    evaluated_tokens: int = 0
    recalled: int = 0
    passages: int = 0
    memory_at_start: int = 0
    memory_at_middle: int = 0
    memory_at_end: int = 0
    turn_seconds: list[float] = field(default_factory=list)
    wall_seconds: list[float] = field(default_factory=list)

    def ratio(self, seconds: list[float]) -> float:
        """Time per turn of the last tenth over that of the first."""
        tenth = max(len(seconds) // 10, 1)
        return fmean(seconds[-tenth:]) / fmean(seconds[:tenth])

    def report(self) -> dict[str, Any]:
        """The figures."""
        tenth = max(len(self.turn_seconds) // 10, 1)
        figures = {name: value for name, value in vars(self).items() if not isinstance(value, list)}
        return figures | {
            "turn_ms_first": round(1000 * fmean(self.turn_seconds[:tenth]), 1),
            "turn_ms_last": round(1000 * fmean(self.turn_seconds[-tenth:]), 1),
            "ratio": round(self.ratio(self.turn_seconds), 2),
            "wall_ratio": round(self.ratio(self.wall_seconds), 2),
        }


class SimulatedMonth:
    """One assistant for a month: it is started every morning, and idle now and then."""

    def __init__(self, folder: Path, window: int, policy: MemoryPolicy | None = None) -> None:
        """Put the assistant together.

        Raises:
            ContextWindowError: The window is too small for the instructions.
        """
        self._model = QuickModel(window)
        self._rig = StoredRig(
            model=self._model,
            policy=policy or MemoryPolicy(),
            folder=folder,
            with_agent=False,
        )
        embedder = HashEmbedder()
        self._archive = LanceDBArchivalStore(folder / "archive", embedder)
        self._importer = DocumentImporter(self._archive, embedder)
        self._rig.archival = self._archive  # type: ignore[assignment]
        self._rig.archived = _Archived(self._importer)
        self._rig.restart()
        self.month = Month(window)
        self._process = psutil.Process()

    def live(self, messages: int) -> Month:
        """Exchange so many messages."""
        month = self.month
        for number in range(messages):
            if number % MESSAGES_A_DAY == 0:
                self._begin_a_day()
            if number == min(MESSAGES_A_DAY, messages // 4):
                month.memory_at_start = self._process.memory_info().rss
            if number == messages // 2:
                month.memory_at_middle = self._process.memory_info().rss
            self._rig.clock.advance(minutes=7)
            for event in self._happens(number):
                self._turn(event)
            if number % 3 == 0:
                self._count(self._rig.idle())
        month.memory_at_end = self._process.memory_info().rss
        month.overflows = self._model.overflows
        month.evaluated_tokens = self._model.evaluated
        month.recalled = self._rig.recall.count()
        month.passages = self._archive.count()
        return month

    def close(self) -> None:
        """Let go of the databases."""
        self._archive.close()
        self._rig.close()

    def _begin_a_day(self) -> None:
        self._rig.clock.advance(hours=12)
        self._rig.restart()
        self._count(self._rig.handle(Login()))

    def _turn(self, event: Event) -> None:
        said = isinstance(event, UserMessage)
        wall, cpu, model = time.perf_counter(), time.process_time(), self._model.seconds
        updates = self._rig.handle(event)
        if said:
            spent = time.process_time() - cpu - (self._model.seconds - model)
            self.month.turn_seconds.append(spent)
            self.month.wall_seconds.append(time.perf_counter() - wall)
            self.month.messages += 1
            self.month.stalls += not replies(updates)
        self._count(updates)
        self._model.forget_script()

    def _count(self, updates: list[Update]) -> None:
        for update in updates:
            self.month.flushes += isinstance(update, QueueFlushed)
            self.month.warnings += isinstance(update, MemoryPressure)
            self.month.failures += isinstance(update, ChainFailed)
            if isinstance(update, ChainFailed) and isinstance(update.error, ContextWindowError):
                self.month.overflows += 1

    def _happens(self, number: int) -> Iterator[Event]:
        """One message, and what the model does about it; sometimes something else before it."""
        who, where = PEOPLE[number % len(PEOPLE)], PLACES[number // 7 % len(PLACES)]
        what = THINGS[number // 3 % len(THINGS)]
        script = self._model.enqueue
        match number % 25:
            case 1 | 12:
                script(append(f"{who} lives in {where}"), reply(f"Noted: {where}."))
                yield UserMessage(f"My friend {who} lives in {where} since visit {number}.")
            case 3:
                script(_correct(who, where), reply("Corrected."))
                yield UserMessage(f"No, {who} has moved to {where}.")
            case 5 | 17:
                script(search(what, who), reply(f"You spoke of the {what}."))
                yield UserMessage(f"What did I tell you about the {what} and {who}?")
            case 7:
                script(search(what), search(where), _look_up(what), reply("I found it."))
                yield UserMessage(f"Look everywhere for the {what} in {where}, please.")
            case 9:
                script(
                    _keep(f"{who} wants the {what} number {number} for {where}."), reply("Kept.")
                )
                yield UserMessage(f"Keep in mind: {who} wants the {what} number {number}.")
            case 11 if number % 50 == 11:
                yield self._import(number)
                yield UserMessage(f"I gave you a paper about {where}.")
            case 15 if number % 50 == 15:
                yield UserMessage(
                    f"Read this {number}: " + f"{who} {what} {where} and so on. " * 400
                )
            case 20 if number % 100 == 20:
                yield MemoryEdited("human", f"Name: Nuno\n{who} lives in {where}")
                yield UserMessage("I have rewritten what you know of me.")
            case 22:
                script(append("Something that nobody ever said about anything"), reply("Well."))
                yield UserMessage(f"Tell me something about {where}.")
            case _:
                said = f"Today, on round {number}, I went with {who} to {where} about a {what}."
                script(reply(f"How was {where}, and did {who} like the {what}?"))
                yield UserMessage(said)

    def _import(self, number: int) -> DocumentImported:
        text = "\n\n".join(
            f"Chapter {n} of paper {number}: the {THINGS[n % 10]} of {PEOPLE[n % 8]}. " * 12
            for n in range(6)
        )
        steps = list(self._importer.import_text(f"Paper {number}", text, threading.Event()))
        assert isinstance(steps[-1], ImportFinished)
        return DocumentImported(f"Paper {number}", steps[-1].info.passages, 0)


class _Archived(list[str]):
    """Takes a message that is too long for the window into the archive."""

    def __init__(self, importer: DocumentImporter) -> None:
        super().__init__()
        self._importer = importer

    def append(self, text: str) -> None:
        for _ in self._importer.import_text("Message", text, threading.Event()):
            pass


def _correct(who: str, where: str) -> FunctionCall:
    arguments = {"block": "human", "old": who, "new": f"{who} lives in {where}"}
    return FunctionCall("core_memory_replace", arguments, "I correct it.", request_heartbeat=True)


def _keep(text: str) -> FunctionCall:
    return FunctionCall("archival_memory_insert", {"text": text}, "I keep it.")


def _look_up(query: str) -> FunctionCall:
    arguments = {"queries": [query]}
    return FunctionCall("archival_memory_search", arguments, "I look.", request_heartbeat=True)
