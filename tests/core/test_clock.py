"""The system's clock across a change of the clocks."""

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from pagekeeper_core.clock import SystemClock

pytestmark = pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone cannot be set")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[SystemClock]:
    """The clock of a computer in Lisbon, where the clocks change on 28 March and 31 October."""
    monkeypatch.setenv("TZ", "WET0WEST,M3.5.0/1,M10.5.0/2")
    time.tzset()
    yield SystemClock()
    monkeypatch.undo()
    assert os.environ.get("TZ") != "WET0WEST,M3.5.0/1,M10.5.0/2"
    time.tzset()


def test_a_day_later_on_the_wall_clock_is_an_hour_less_or_more(clock: SystemClock) -> None:
    for day, hours in ((datetime(2027, 3, 27, 9, 0), 23), (datetime(2027, 10, 30, 9, 0), 25)):
        local = clock.to_local(clock.from_local(day))
        later = local + timedelta(days=1)
        assert (local.hour, later.hour) == (9, 9)
        assert later.astimezone(UTC) - local.astimezone(UTC) == timedelta(hours=hours)


def test_both_halves_of_the_hour_that_comes_twice_are_kept_apart(clock: SystemClock) -> None:
    first = datetime(2027, 10, 31, 0, 30, tzinfo=UTC)
    for moment in (first, first + timedelta(hours=1)):
        local = clock.to_local(moment)
        assert (local.hour, local.minute) == (1, 30)
        assert local.astimezone(UTC) == moment


def test_the_zone_is_named_as_the_system_names_it(clock: SystemClock) -> None:
    assert f"{clock.to_local(datetime(2027, 7, 1, tzinfo=UTC)):%H:%M %Z}" == "01:00 WEST"
