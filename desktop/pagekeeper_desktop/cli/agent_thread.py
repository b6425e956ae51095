"""The thread that owns memory, model and agent; the main thread keeps the terminal.

Ctrl+C is heard on the main thread at once, whatever native code does on the other.
"""

import queue
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from types import TracebackType
from typing import ParamSpec, Self, TypeVar

__all__ = ["AgentThread"]

Parameters = ParamSpec("Parameters")
ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")

_POLL_SECONDS = 0.1
"""Ctrl+C is heard between two waits: always on Windows, elsewhere where another thread got it."""


class AgentThread:
    """One thread that does one thing after the other, until the `with` block ends."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="agent")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._executor.shutdown()

    def start(
        self,
        work: Callable[Parameters, ResultT],
        *arguments: Parameters.args,
        **named: Parameters.kwargs,
    ) -> Future[ResultT]:
        """Have a function run there after what is running."""
        return self._executor.submit(work, *arguments, **named)

    def call(
        self,
        work: Callable[Parameters, ResultT],
        *arguments: Parameters.args,
        **named: Parameters.kwargs,
    ) -> ResultT:
        """Run a function there and wait; gives its result or raises its exception."""
        future = self.start(work, *arguments, **named)
        while not future.done():
            wait([future], timeout=_POLL_SECONDS)
        return future.result()

    def stream(self, work: Generator[ItemT, None, ResultT]) -> Generator[ItemT, None, ResultT]:
        """Run a generator there; what it yields, returns or raises comes out here."""
        items: queue.SimpleQueue[ItemT] = queue.SimpleQueue()
        future = self.start(_pump, work, items)
        while not (future.done() and items.empty()):
            try:
                item = items.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                continue
            yield item
        return future.result()


def _pump(work: Generator[ItemT, None, ResultT], items: "queue.SimpleQueue[ItemT]") -> ResultT:
    while True:
        try:
            items.put(next(work))
        except StopIteration as end:
            result: ResultT = end.value
            return result
