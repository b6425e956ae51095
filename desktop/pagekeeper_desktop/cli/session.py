"""Memory and assistant for the length of one command."""

import logging
import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, wait
from contextlib import ExitStack, contextmanager

from pagekeeper_core.errors import Cancelled
from pagekeeper_core.events import Event, ThreadOpened, UserMessage
from pagekeeper_core.messages import Message
from pagekeeper_core.updates import ChainCancelled, ChainFailed, Update
from pagekeeper_desktop import composition
from pagekeeper_desktop.cli.agent_thread import AgentThread
from pagekeeper_desktop.cli.console import Console
from pagekeeper_desktop.cli.conversation import Exchange
from pagekeeper_desktop.cli.idle_time import IdleTime
from pagekeeper_desktop.cli.interrupts import Interrupts
from pagekeeper_desktop.cli.progress import follow
from pagekeeper_desktop.options import Options

__all__ = ["Session", "open_memory", "open_session", "tell_notices"]

log = logging.getLogger(__name__)

_POLL_SECONDS = 0.1
"""Windows delivers Ctrl+C only between two waits."""


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
    def context_window(self) -> int:
        """Tokens that the model sees at once."""
        return self._thread.call(self._assistant.agent.usage).window

    @property
    def thread_id(self) -> int:
        """The conversation that stands in the queue."""
        return self._thread.call(self._assistant.agent.threads).open_id

    def act(self, event: Event, watch: Callable[[Update], None] | None = None) -> list[Update]:
        """Have the agent carry out what the person did by hand; gives its updates.

        Args:
            event: What they did.
            watch: Is given every update as it comes.

        Raises:
            Cancelled: Ctrl+C was pressed.
            PagekeeperError: It could not be done, and was not.
        """
        with self.interrupts as interrupts:
            updates = []
            for update in self._thread.stream(self._handling(event, interrupts.cancel)):
                updates.append(update)
                if watch is not None:
                    watch(update)
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

    def speak_first(self, watch: Callable[[Update], None]) -> list[Message]:
        """Have the assistant say what is due by now; gives what it said.

        What fails here is logged: it is tried again, and the person's own message fails alike.

        Args:
            watch: Is given every update as it comes.

        Raises:
            Cancelled: Ctrl+C was pressed.
        """
        said = Exchange()
        with self.interrupts as interrupts:
            for update in self._thread.stream(self._saying(interrupts.cancel)):
                said.note(update)
                watch(update)
        if said.stopped:
            raise Cancelled
        return said.replies

    def _saying(self, cancel: threading.Event) -> Generator[Update, None, None]:
        agent = self._assistant.agent
        while not cancel.is_set() and (event := agent.timed_event()):
            yield from agent.handle(event, cancel)

    @contextmanager
    def idle(
        self,
        say: Callable[[Update], None] | None = None,
        is_typing: Callable[[], bool] = lambda: False,
    ) -> Iterator[None]:
        """Let the agent use the time in which the person types or reads.

        What it does to its memory meanwhile is told with the next message.

        Args:
            say: Is given the updates of what falls due meanwhile, on the agent thread. Without it,
                what falls due waits.
            is_typing: Whether the person has begun a message.
        """
        time = IdleTime(self._assistant.agent, say, is_typing)
        working = self._thread.start(time.run)
        try:
            yield
        except (KeyboardInterrupt, EOFError):
            time.stop()
            raise
        finally:
            time.end()
            self._await_speech(working, time)
            self._done_idly += time.done

    def _await_speech(self, working: "Future[None]", time: IdleTime) -> None:
        """Wait for what is being said; Ctrl+C stops it."""
        with self.interrupts as interrupts:
            while wait((working,), timeout=_POLL_SECONDS).not_done:
                if interrupts.cancel.is_set():
                    time.stop()
        working.result()


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
