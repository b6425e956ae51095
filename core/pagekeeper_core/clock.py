"""The system's clock."""

from datetime import UTC, datetime

__all__ = ["SystemClock"]


class SystemClock:
    """Implements `Clock` with the operating system's time and time zone."""

    def now(self) -> datetime:
        """Now, aware, in UTC."""
        return datetime.now(UTC)

    def to_local(self, moment: datetime) -> datetime:
        """An aware moment in the system's zone, by the rule that held at that moment."""
        return moment.astimezone()

    def from_local(self, wall_time: datetime) -> datetime:
        """A naive wall-clock time as an aware moment in UTC."""
        return wall_time.astimezone(UTC)
