"""What the assistant does to its memory, newest first: calls, memory pressure, flushes."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum

from PySide6.QtCore import QObject, Signal

from pagekeeper_core.messages import FunctionCall, FunctionResult
from pagekeeper_core.records import MemoryChange
from pagekeeper_core.updates import MemoryPressure, QueueFlushed
from pagekeeper_desktop.view_models.call_phrases import argument_lines, call_phrase
from pagekeeper_desktop.view_models.formatting import counted, thousands
from pagekeeper_desktop.view_models.memory_words import change_title, removed_and_added

__all__ = ["ActivityEntry", "ActivityModel", "ActivityState"]

MOST_ENTRIES = 200
"""Entries that are kept; older ones stand in recall storage anyway."""


class ActivityState(StrEnum):
    """How an activity went."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class ActivityEntry:
    """One line of the list, which unfolds.

    Attributes:
        title: What is done, in plain words, on one line.
        at: When; aware.
        state: How it went.
        details: Headings and texts that are shown when it is unfolded.
        change_id: The change of memory that it made and that can be taken back; 0: none.
    """

    title: str
    at: datetime
    state: ActivityState
    details: tuple[tuple[str, str], ...] = ()
    change_id: int = 0


class ActivityModel(QObject):
    """The entries of this session, newest first.

    Signals:
        added (ActivityEntry): It stands at the top now.
        changed (int): The entry at this position has another value.
        dropped: The last entry went, since there were too many.
    """

    added = Signal(object)
    changed = Signal(int)
    dropped = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.entries: list[ActivityEntry] = []
        self._awaits_change = False

    def call_started(self, call: FunctionCall) -> None:
        """The model chose a function."""
        details = [("Function", call.name)]
        if call.inner_thoughts:
            details.append(("Thought", call.inner_thoughts))
        if call.arguments:
            details.append(("Arguments", argument_lines(call)))
        self._add(call_phrase(call), ActivityState.RUNNING, tuple(details))

    def call_finished(self, call: FunctionCall, result: FunctionResult) -> None:
        """The function that was started last gave its result."""
        if not self.entries or self.entries[0].state is not ActivityState.RUNNING:
            self.call_started(call)
        entry = self.entries[0]
        self.entries[0] = replace(
            entry,
            state=ActivityState.DONE if result.ok else ActivityState.FAILED,
            details=(*entry.details, ("Result", result.text)),
        )
        self._awaits_change = result.changed_memory
        self.changed.emit(0)

    def chain_ended(self) -> None:
        """A call that has no result by now was interrupted."""
        if self.entries and self.entries[0].state is ActivityState.RUNNING:
            self.entries[0] = replace(self.entries[0], state=ActivityState.FAILED)
            self.changed.emit(0)

    def pressure(self, update: MemoryPressure) -> None:
        """The warning level was passed."""
        usage = update.usage
        text = (
            f"{thousands(usage.total)} of {thousands(usage.usable)} tokens are in use. The "
            "assistant was told to save what matters before old messages leave its window."
        )
        self._add("The context window is filling up", ActivityState.NOTICE, (("Why", text),))

    def flushed(self, update: QueueFlushed) -> None:
        """Messages left the queue."""
        title = f"{counted(update.evicted, 'old message')} left the context window"
        why = (
            f"{thousands(update.evicted_tokens)} tokens were freed. The messages stay in recall "
            "storage, where the assistant finds them by searching."
        )
        details = (("Why", why), ("Summary that stands for them", update.summary or "(none)"))
        self._add(title, ActivityState.NOTICE, details)

    def memory_changed(self, change: MemoryChange) -> None:
        """What the assistant knows was changed: by the call that ended last, or by hand."""
        removed, added = removed_and_added(change)
        details = [("New", "\n".join(added))] if added else []
        details += [("Before", "\n".join(removed))] if removed else []
        self._mark_undone(change.undoes)
        if change.actor == "assistant" and self._awaits_change:
            self._awaits_change = False
            self.entries[0] = replace(self.entries[0], change_id=change.change_id)
            self.changed.emit(0)
        else:
            title = change_title(change)
            self._add(title, ActivityState.NOTICE, tuple(details), change.change_id)

    def _mark_undone(self, change_id: int) -> None:
        for place, entry in enumerate(self.entries):
            if change_id and entry.change_id == change_id:
                self.entries[place] = replace(entry, change_id=0)
                self.changed.emit(place)

    def _add(
        self,
        title: str,
        state: ActivityState,
        details: tuple[tuple[str, str], ...],
        change_id: int = 0,
    ) -> None:
        self._awaits_change = False
        self.entries.insert(0, ActivityEntry(title, datetime.now(UTC), state, details, change_id))
        self.added.emit(self.entries[0])
        if len(self.entries) > MOST_ENTRIES:
            self.entries.pop()
            self.dropped.emit()
