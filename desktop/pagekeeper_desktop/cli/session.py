"""Memory and assistant for the length of one command."""

import logging
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager

from pagekeeper_core.errors import Cancelled, PagekeeperError
from pagekeeper_core.events import Event, ThreadOpened, UserMessage
from pagekeeper_core.updates import (
    CallFinished,
    ChainCancelled,
    ChainFailed,
    QueueFlushed,
    Update,
)
from pagekeeper_desktop import composition
from pagekeeper_desktop.cli.agent_thread import AgentThread
from pagekeeper_desktop.cli.console import Console
from pagekeeper_desktop.cli.conversation import Exchange
from pagekeeper_desktop.cli.interrupts import Interrupts
from pagekeeper_desktop.cli.progress import follow
from pagekeeper_desktop.options import Options

__all__ = ["Session", "open_memory", "open_session", "tell_notices"]

log = logging.getLogger(__name__)

_PAUSE_SECONDS = 0.5
"""Who sends the next message at once leaves no time that could be used, and work that is broken off
again at its start only pushes evaluated text out of the cache."""


class Session:
    """The loaded assistant, worked by the agent thread alone.

    Attributes:
        interrupts: What Ctrl+C does while the assistant writes.
    """

    def __init__(
        self, assistant: composition.Assistant, thread: AgentThread, interrupts: Interrupts
    ) -> None:
        self.interrupts = interrupts
        self._assistant = assistant
        self._thread = thread
        self._done_idly: list[Update] = []

    @property
    def model_name(self) -> str:
        """What the person calls the model."""
        return self._assistant.model_name

    @property
    def memory(self) -> composition.Memory:
        """The open stores, to read from."""
        return self._assistant.memory

    @property
    def thread_id(self) -> int:
        """The conversation that stands in the queue."""
        return self._thread.call(self._assistant.agent.threads).open_id

    def act(self, event: Event) -> list[Update]:
        """Have the agent carry out what the person did by hand; gives its updates.

        Raises:
            Cancelled: Ctrl+C was pressed.
            PagekeeperError: It could not be done, and was not.
        """
        with self.interrupts as interrupts:
            updates = list(self._thread.stream(self._handling(event, interrupts.cancel)))
        match updates[-1]:
            case ChainFailed(error):
                raise error
            case ChainCancelled():
                raise Cancelled
            case _:
                return updates

    def converse(self, text: str, watch: Callable[[Update], None]) -> Exchange:
        """Say something and wait until it is answered or Ctrl+C stops the answer.

        Args:
            text: The message.
            watch: Is given every update as it comes, those of the idle time before it first.
        """
        exchange = Exchange()

        def note(update: Update) -> None:
            exchange.note(update)
            watch(update)

        while self._done_idly:
            note(self._done_idly.pop(0))
        with self.interrupts as interrupts:
            try:
                for update in self._thread.stream(
                    self._handling(UserMessage(text), interrupts.cancel)
                ):
                    note(update)
            finally:
                # When `watch` fails (nobody reads the output any more), the reply is stopped too.
                interrupts.cancel.set()
        return exchange

    def _handling(self, event: Event, cancel: threading.Event) -> Generator[Update, None, None]:
        yield from self._assistant.agent.handle(event, cancel)

    @contextmanager
    def idle(self) -> Iterator[None]:
        """Let the agent use the time in which the person types or reads.

        What it does to its memory meanwhile is told with the next message.
        """
        cancel = threading.Event()
        working = self._thread.start(self._work_idly, cancel)
        try:
            yield
        finally:
            cancel.set()
            working.result()

    def _work_idly(self, cancel: threading.Event) -> None:
        """A failure here is logged; it shows itself again with the next message."""
        if cancel.wait(_PAUSE_SECONDS):
            return
        try:
            for update in self._assistant.agent.idle(cancel):
                if isinstance(update, CallFinished | QueueFlushed):
                    self._done_idly.append(update)
        except PagekeeperError:
            log.warning("Idle work failed", exc_info=True)


@contextmanager
def open_memory(options: Options, console: Console) -> Iterator[composition.Memory]:
    """Open the stores on the calling thread, and close them at the end of the block."""
    memory = composition.open_memory(options)
    told = tell_notices(memory, console)
    try:
        yield memory
    finally:
        tell_notices(memory, console, told)
        memory.close()


@contextmanager
def open_session(
    options: Options, console: Console, thread_id: int | None = None
) -> Iterator[Session]:
    """Open the stores, load the model with visible progress, and close both at the end.

    Args:
        options: What every command takes.
        console: Where progress and notices are shown.
        thread_id: The conversation to open; 0 begins one, None opens the newest.

    Raises:
        Cancelled: Ctrl+C was pressed while it loaded.
        PagekeeperError: Something cannot be opened or loaded.
    """
    interrupts = Interrupts()
    with AgentThread() as thread, ExitStack() as closing:
        memory = thread.call(composition.open_memory, options)
        closing.callback(thread.call, memory.close)
        if thread_id:
            thread.call(memory.threads.get, thread_id)  # a wrong number is told before the wait
        told = tell_notices(memory, console)
        closing.callback(lambda: tell_notices(memory, console, told))
        with interrupts:
            loading = composition.load_assistant(memory, options, interrupts.cancel)
            assistant = follow(thread.stream(loading), console)
        closing.callback(thread.call, assistant.close)
        session = Session(assistant, thread, interrupts)
        if thread_id is not None:
            session.act(ThreadOpened(thread_id))
        yield session


def tell_notices(memory: composition.Memory, console: Console, told: int = 0) -> int:
    """Show the notices behind the first `told`, and say how many there are by now."""
    for notice in memory.notices[told:]:
        console.note(notice)
    return len(memory.notices)
