"""Tells that a timed event is due while the agent thread is busy with idle work.

A thread of its own waits, because idle work may be silent for minutes. The clock is read again
every minute at the latest: a wait does not notice that the clock was set or the laptop slept.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["ring_when_due"]


@contextmanager
def ring_when_due(
    seconds_to_timed_event: Callable[[], float | None], ring: Callable[[], None]
) -> Iterator[None]:
    """Call `ring` once, from another thread, when a timed event falls due inside the block.

    Args:
        seconds_to_timed_event: How long to wait before asking again: 0 when one is due, None when
            there is none to wait for. Called from the other thread too.
        ring: What to do then.
    """
    seconds = seconds_to_timed_event()
    if seconds is None:
        yield
        return
    ended = threading.Event()
    watch = threading.Thread(
        target=_watch, args=(seconds, seconds_to_timed_event, ring, ended), name="timed-events"
    )
    watch.start()
    try:
        yield
    finally:
        ended.set()
        watch.join()


def _watch(
    seconds: float | None,
    seconds_to_timed_event: Callable[[], float | None],
    ring: Callable[[], None],
    ended: threading.Event,
) -> None:
    while seconds is not None:
        if ended.wait(seconds):
            return
        seconds = seconds_to_timed_event()
        if seconds == 0:
            ring()
            return
