"""Notices midnight: what is called "Today" is called "Yesterday" from then on."""

from datetime import datetime

from PySide6.QtCore import QObject, QTimer, Signal

__all__ = ["DayWatch"]

INTERVAL = 60_000
"""Milliseconds between two looks: one long wait would miss a clock that was set, or a sleep."""


class DayWatch(QObject):
    """Looks at the date once a minute.

    Signals:
        turned: It is another day than before.
    """

    turned = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._today = datetime.now().astimezone().date()
        timer = QTimer(self)
        timer.timeout.connect(self.look)
        timer.start(INTERVAL)

    def look(self) -> None:
        """Tell it if the day has turned."""
        today = datetime.now().astimezone().date()
        if today != self._today:
            self._today = today
            self.turned.emit()
