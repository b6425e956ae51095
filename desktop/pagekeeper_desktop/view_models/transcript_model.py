"""The rows of the transcript, in order, and what changed in them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from PySide6.QtCore import QObject, Signal

from pagekeeper_desktop.view_models.transcript_items import (
    DayItem,
    Item,
    MessageItem,
    ReminderItem,
    is_under_way,
    local_day,
    without_repeated_day,
)

__all__ = ["RowId", "TranscriptModel"]

RowId = int
"""A row's number, which stays the same wherever the row moves."""


class TranscriptModel(QObject):
    """All rows that were loaded; the view makes widgets for some of them only.

    Signals:
        inserted (int, int): That many rows stand from this position on.
        removed (int): The row at this position is gone.
        changed (int): The row at this position has a new value.
        cleared: Another conversation's rows come now.
    """

    inserted = Signal(int, int)
    removed = Signal(int)
    changed = Signal(int)
    cleared = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[tuple[RowId, Item]] = []
        self._next_id = 1

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, position: int) -> Item:
        return self._rows[position][1]

    def row_id(self, position: int) -> RowId:
        """The number of the row that stands at a position."""
        return self._rows[position][0]

    def items(self) -> list[Item]:
        """All rows' values."""
        return [item for _, item in self._rows]

    def clear(self) -> None:
        """Let go of all rows but those of files that are still being read."""
        kept = [(row, item) for row, item in self._rows if is_under_way(item)]
        self._rows.clear()
        self.cleared.emit()
        if kept:
            self._rows = kept
            self.inserted.emit(0, len(kept))

    def position_of(self, seq: int) -> int | None:
        """Where a stored message stands: the row that shows it, or the next one after it."""
        for position, (_, item) in enumerate(self._rows):
            if isinstance(item, MessageItem) and item.seq >= seq > 0:
                return position
        return None

    def prepend(self, items: Sequence[Item]) -> None:
        """Put older rows in front; a day's heading is not repeated."""
        if not items:
            return
        if self._rows and without_repeated_day(items, self._rows[0][1]):
            del self._rows[0]
            self.removed.emit(0)
        self._rows[:0] = [(self._new_id(), item) for item in items]
        self.inserted.emit(0, len(items))

    def append(self, item: Item) -> RowId:
        """Put a row at the end, under a heading of its day if that is a new one."""
        if isinstance(item, MessageItem | ReminderItem):
            day = local_day(item) or datetime.now().astimezone().date()
            if day != self._last_day():
                self._insert_at_end(DayItem(day))
        return self._insert_at_end(item)

    def insert_after(self, row: RowId, item: Item) -> RowId:
        """Put a row below another one; at the end when that one is gone."""
        position = self._position(row)
        if position is None or position == len(self._rows) - 1:
            return self.append(item)
        new = self._new_id()
        self._rows.insert(position + 1, (new, item))
        self.inserted.emit(position + 1, 1)
        return new

    def get(self, row: RowId) -> Item | None:
        """A row's value; None when it is gone."""
        position = self._position(row)
        return None if position is None else self._rows[position][1]

    def set(self, row: RowId, item: Item) -> None:
        """Give a row a new value."""
        position = self._position(row)
        if position is not None and self._rows[position][1] != item:
            self._rows[position] = (row, item)
            self.changed.emit(position)

    def edit(self, row: RowId, **fields: object) -> None:
        """Give some fields of a row new values."""
        item = self.get(row)
        if item is not None:
            change: Callable[..., Item] = replace
            self.set(row, change(item, **fields))

    def remove(self, row: RowId) -> None:
        """Take a row out."""
        position = self._position(row)
        if position is not None:
            del self._rows[position]
            self.removed.emit(position)

    def renew_days(self) -> None:
        """Have the days' headings written anew."""
        for position, (_, item) in enumerate(self._rows):
            if isinstance(item, DayItem):
                self.changed.emit(position)

    def _insert_at_end(self, item: Item) -> RowId:
        row = self._new_id()
        self._rows.append((row, item))
        self.inserted.emit(len(self._rows) - 1, 1)
        return row

    def _last_day(self) -> object:
        days = (local_day(item) for _, item in reversed(self._rows))
        return next((day for day in days if day is not None), None)

    def _position(self, row: RowId) -> int | None:
        """Searched from the end, where the rows that change are."""
        for position in range(len(self._rows) - 1, -1, -1):
            if self._rows[position][0] == row:
                return position
        return None

    def _new_id(self) -> RowId:
        self._next_id += 1
        return self._next_id
