"""The system's clock."""

from datetime import UTC, datetime, timedelta, tzinfo

__all__ = ["SystemClock", "SystemZone"]


class SystemZone(tzinfo):
    """The operating system's time zone with its daylight saving, by the rule of each moment.

    `datetime.astimezone()` alone fixes the offset of one moment: reckoned on from there, nine
    o'clock next April would be an hour off.
    """

    def utcoffset(self, dt: datetime | None) -> timedelta | None:
        """The offset at this wall-clock time."""
        return None if dt is None else dt.replace(tzinfo=None).astimezone().utcoffset()

    def dst(self, dt: datetime | None) -> timedelta | None:  # noqa: ARG002
        """Unknown: the operating system tells the whole offset only."""
        return None

    def tzname(self, dt: datetime | None) -> str | None:
        """The zone's name at this wall-clock time, such as CET."""
        return None if dt is None else dt.replace(tzinfo=None).astimezone().tzname()

    def fromutc(self, dt: datetime) -> datetime:
        """A time in UTC as wall-clock time here; the second of two equal ones has fold=1."""
        local = dt.replace(tzinfo=UTC).astimezone()
        first = local.replace(tzinfo=None, fold=0)
        fold = int(first.astimezone(UTC) != local)
        return first.replace(tzinfo=self, fold=fold)


_ZONE = SystemZone()


class SystemClock:
    """Implements `Clock` with the operating system's time and time zone."""

    def now(self) -> datetime:
        """Now, aware, in UTC."""
        return datetime.now(UTC)

    def to_local(self, moment: datetime) -> datetime:
        """An aware moment in the system's zone, by the rule that held at that moment."""
        return moment.astimezone(_ZONE)

    def from_local(self, wall_time: datetime) -> datetime:
        """A naive wall-clock time as an aware moment in UTC."""
        return wall_time.astimezone(UTC)
