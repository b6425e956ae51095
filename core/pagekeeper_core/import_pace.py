"""How long work will still take, by how fast it went in the last minute."""

import time
from collections import deque
from collections.abc import Callable

from pagekeeper_core.records import ImportJob

__all__ = ["BatchProgress", "Pace"]

_WINDOW_SECONDS = 60.0

# Before that much is seen, an estimate would be a guess.
_LEAST_SECONDS = 3.0


class Pace:
    """Takes how much is done from time to time; says how long the rest will take."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Measure by a clock that counts seconds and never goes back."""
        self._clock = clock
        self._seen: deque[tuple[float, float]] = deque()

    def note(self, done: float) -> None:
        """So much is done by now, in whatever unit."""
        now = self._clock()
        self._seen.append((now, done))
        while len(self._seen) > 2 and now - self._seen[1][0] >= _WINDOW_SECONDS:
            self._seen.popleft()

    def seconds_for(self, left: float) -> int | None:
        """Seconds until what is left is done; None while nobody can tell."""
        if len(self._seen) < 2 or left < 0:
            return None
        (begun, first), (now, last) = self._seen[0], self._seen[-1]
        if now - begun < _LEAST_SECONDS or last <= first:
            return None
        return round(left * (now - begun) / (last - first))

    def restart(self) -> None:
        """Forget what was seen: the work stood still."""
        self._seen.clear()


class BatchProgress:
    """How far the jobs of one batch are together, by the bytes of their files.

    Attributes:
        files: How many jobs there are.
        ended: How many of them are at their end.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Measure by a clock that counts seconds and never goes back."""
        self._pace = Pace(clock)
        self._jobs: dict[int, tuple[bool, int, float]] = {}
        self._size = 0
        self._done = 0.0
        self.files = 0
        self.ended = 0

    def put(self, job: ImportJob) -> None:
        """A job of the batch stands so now."""
        was_ended, size, done = self._jobs.get(job.job_id, (False, 0, 0.0))
        self.files += job.job_id not in self._jobs
        now = (not job.is_open, job.size, _bytes_done(job))
        self._jobs[job.job_id] = now
        self.ended += now[0] - was_ended
        self._size += now[1] - size
        self._done += now[2] - done
        self._pace.note(self._done)

    def seconds_left(self) -> int | None:
        """Seconds until all are done; None while nobody can tell."""
        return self._pace.seconds_for(self._size - self._done)


def _bytes_done(job: ImportJob) -> float:
    if not job.is_open:
        return job.size
    return job.size * job.done / job.total if job.total else 0.0
