"""The system's clock."""

from datetime import UTC, datetime, timedelta, tzinfo

__all__ = ["SystemClock"]


class _SystemZone(tzinfo):
    """The operating system's time zone, by the rule that holds at each moment.

    `datetime.astimezone` alone gives the offset of one moment, which is wrong for a moment that is
    reckoned from it across a change of the clocks.
    """

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        return moment.replace(tzinfo=None).astimezone().utcoffset() if moment else None

    def dst(self, moment: datetime | None) -> timedelta | None:  # noqa: ARG002
        return None

    def tzname(self, moment: datetime | None) -> str | None:
        return moment.replace(tzinfo=None).astimezone().tzname() if moment else None

    def fromutc(self, moment: datetime) -> datetime:
        local = moment.replace(tzinfo=UTC).astimezone()
        first = local.replace(tzinfo=self)
        return first if first.utcoffset() == local.utcoffset() else first.replace(fold=1)


_ZONE = _SystemZone()


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
