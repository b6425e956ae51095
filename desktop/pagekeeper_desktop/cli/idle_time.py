"""What the agent does while the person types: it works ahead, and says what falls due."""

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.events import DocumentsArrived, TimedEvent
from pagekeeper_core.updates import CallFinished, ProposalsChanged, QueueFlushed, Update
from pagekeeper_desktop.due_alarm import ring_when_due

if TYPE_CHECKING:
    from pagekeeper_core.agent import (
        Agent,
    )  # with all its parts: commands without a model do without

__all__ = ["IdleTime"]

log = logging.getLogger(__name__)

_PAUSE_SECONDS = 0.5
"""Who sends the next message at once leaves no time that could be used, and work that is broken off
again at its start only pushes evaluated text out of the cache."""


class IdleTime:
    """The time between two messages: `run` belongs to the agent thread, the rest to any other.

    Attributes:
        done: What idle work did to memory, to be told with the next message.
    """

    def __init__(
        self,
        agent: "Agent",
        say: Callable[[Update], None] | None,
        is_typing: Callable[[], bool] = lambda: False,
    ) -> None:
        """Begin.

        Args:
            agent: The agent.
            say: Is given the updates of what falls due, on the agent thread. Without it, what falls
                due waits.
            is_typing: Whether a message is begun: new documents are not spoken of meanwhile.
        """
        self._is_typing = is_typing
        self.done: list[Update] = []
        self._agent = agent
        self._say = say
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._idle_cancel = threading.Event()
        self._speech_cancel = threading.Event()

    def end(self) -> None:
        """Cut idle work short; what is being said is said to its end."""
        with self._lock:
            self._ended.set()
            self._idle_cancel.set()

    def stop(self) -> None:
        """Cut short what is being said, too. It comes again."""
        self._speech_cancel.set()
        self.end()

    def run(self) -> None:
        """Work until `end`."""
        if self._ended.wait(_PAUSE_SECONDS):
            return
        if self._say is None:
            self._work(self._idle_cancel)
            return
        while not self._ended.is_set():
            event = self._agent.timed_event()
            if event and not self._is_held_back(event):
                self._speak(event, self._say)
            else:
                self._work_until_due()
                self._wait_until_due()

    def _is_held_back(self, event: TimedEvent | DocumentsArrived) -> bool:
        return isinstance(event, DocumentsArrived) and self._is_typing()

    def _speak(self, event: TimedEvent | DocumentsArrived, say: Callable[[Update], None]) -> None:
        for update in self._agent.handle(event, self._speech_cancel):
            say(update)

    def _work_until_due(self) -> None:
        with self._lock:
            if self._ended.is_set():
                return
            self._idle_cancel = cancel = threading.Event()
        with ring_when_due(self._agent.seconds_to_timed_event, cancel.set):
            self._work(cancel)

    def _work(self, cancel: threading.Event) -> None:
        """A failure here is logged; it shows itself again with the next message."""
        try:
            for update in self._agent.idle(cancel):
                if isinstance(update, CallFinished | QueueFlushed | ProposalsChanged):
                    self.done.append(update)
        except PagekeeperError:
            log.warning("Idle work failed", exc_info=True)

    def _wait_until_due(self) -> None:
        while not self._ended.is_set():
            seconds = self._agent.seconds_to_timed_event()
            if seconds == 0 and not self._is_typing():
                return
            self._ended.wait(_PAUSE_SECONDS if seconds == 0 else seconds)
            if seconds == 0:
                return
