"""The system's clock keeps daylight saving when one reckons on from a local time."""

import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from pagekeeper_core.clock import SystemClock


@pytest.fixture(autouse=True)
def in_berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if sys.platform == "win32":  # no tzset: the zone is the machine's own
        yield
        return
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_a_local_time_moves_across_daylight_saving_by_the_wall_clock() -> None:
    clock = SystemClock()
    winter = clock.to_local(datetime(2026, 1, 15, 8, 0, tzinfo=UTC))
    summer = winter.replace(month=7)

    assert clock.to_local(summer.astimezone(UTC)).hour == winter.hour
    assert summer.astimezone(UTC) == clock.from_local(summer.replace(tzinfo=None))


def test_every_moment_survives_the_way_to_local_time_and_back() -> None:
    clock = SystemClock()
    for hours in range(8760):
        moment = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=hours)
        assert clock.to_local(moment).astimezone(UTC) == moment


def test_both_readings_of_the_hour_that_comes_twice_are_kept_apart() -> None:
    first = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    clock = SystemClock()
    for moment in (first, first + timedelta(hours=1)):
        assert clock.to_local(moment).astimezone(UTC) == moment
