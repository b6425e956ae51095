"""Ctrl+C while a model or a database works: a wish to stop, not an exception out of nowhere.

A KeyboardInterrupt raised between two writes leaves a half. So while long work runs Ctrl+C sets
the `cancel` event that all such work polls. The work is done on another thread (see `session`),
since Python hears of Ctrl+C on the main thread alone, and not before native code there returns.
"""

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Self

__all__ = ["Interrupts"]

_LAST_RESORT = 3


class Interrupts:
    """Turns Ctrl+C into `cancel` inside a `with` block; can be entered again and again.

    Attributes:
        cancel: Set by Ctrl+C; cleared when the block is entered.
        count: How often Ctrl+C was pressed in the block. The third time it is an exception.
    """

    def __init__(self, heard: Callable[[], None] = lambda: None) -> None:
        """Call `heard` at each Ctrl+C besides; it must return at once."""
        self.cancel = threading.Event()
        self._heard = heard
        self.count = 0

    def __enter__(self) -> Self:
        self.cancel.clear()
        self.count = 0
        self._previous = signal.signal(signal.SIGINT, self._on_interrupt)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        signal.signal(signal.SIGINT, self._previous)

    def _on_interrupt(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        self.cancel.set()
        self._heard()
        if self.count >= _LAST_RESORT:
            signal.default_int_handler(number, frame)
