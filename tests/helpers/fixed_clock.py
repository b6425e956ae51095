"""A clock that the test moves."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo


class FixedClock:
    """Implements `Clock`; every reading is a second later than the one before."""

    def __init__(self, start: datetime | None = None, zone: str = "Europe/Lisbon") -> None:
        self._now = start or datetime(2026, 11, 29, 10, 0, tzinfo=UTC)
        self._zone = ZoneInfo(zone)

    def advance(self, **units: float) -> None:
        self._now += timedelta(**units)

    def now(self) -> datetime:
        self._now += timedelta(seconds=1)
        return self._now

    def to_local(self, moment: datetime) -> datetime:
        return moment.astimezone(self._zone)

    def from_local(self, wall_time: datetime) -> datetime:
        return wall_time.replace(tzinfo=self._zone).astimezone(UTC)
