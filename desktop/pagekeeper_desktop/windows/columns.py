"""The columns of the window: conversations, what is shown, memory; the outer two fold away."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

from pagekeeper_desktop.settings import WindowLayout

__all__ = ["Columns"]

LIST_WIDTH, PANEL_WIDTH = 224, 320
LEAST_PAGE = 340
NARROW = 944
"""Pixels of width below which the list of conversations is shown only when it is asked for."""


class Columns(QSplitter):
    """Keeps the outer columns where there is room for them.

    Attributes:
        is_list_wanted: Whether the list is shown where there is room for it.

    Signals:
        list_shown (bool): The list of conversations is open now, or folded.
        panel_shown (bool): The memory panel is.
    """

    list_shown = Signal(bool)
    panel_shown = Signal(bool)

    def __init__(
        self, conversations: QWidget, page: QWidget, panel: QWidget, parent: QWidget | None = None
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.is_list_wanted = True
        self._list, self._page, self._panel = conversations, page, panel
        self.setChildrenCollapsible(False)
        self.setHandleWidth(1)
        page.setMinimumWidth(LEAST_PAGE)
        for stretch, widget in ((0, conversations), (1, page), (0, panel)):
            self.addWidget(widget)
            self.setStretchFactor(self.indexOf(widget), stretch)

    def restore(self, layout: WindowLayout, width: int) -> None:
        """Stand as it was left, in a place of that width."""
        self.is_list_wanted = layout.list_open
        self._show_panel(is_open=layout.panel_open)
        self._show_list(is_open=layout.list_open and width >= NARROW, width=width)
        widths = layout.columns if len(layout.columns) == 3 else ()
        room = width - LIST_WIDTH - PANEL_WIDTH
        self.setSizes(list(widths or (LIST_WIDTH, room, PANEL_WIDTH)))

    def widths(self, old: tuple[int, ...]) -> tuple[int, ...]:
        """The widths as they are; of a folded column as it was."""
        defaults = (LIST_WIDTH, 0, PANEL_WIDTH)
        columns = zip(self.sizes(), old if len(old) == 3 else defaults, defaults, strict=True)
        return tuple(now or before or default for now, before, default in columns)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Fold the list where there is no room any more, and open it where there is again."""
        super().resizeEvent(event)
        old_width, width = event.oldSize().width(), event.size().width()
        if old_width < 0 or (old_width < NARROW) != (width < NARROW):
            self._show_list(is_open=self.is_list_wanted and width >= NARROW, width=width)

    def set_list_open(self, is_open: bool) -> None:  # noqa: FBT001 - a signal's value
        """In a narrow window the list stands only until the width changes."""
        if self.width() >= NARROW:
            self.is_list_wanted = is_open
        self._show_list(is_open=is_open, width=self.width())

    def set_panel_open(self, is_open: bool) -> None:  # noqa: FBT001 - a signal's value
        """Show or hide the memory panel."""
        if is_open and self._is_tight(self.width()):
            self._show_list(is_open=False, width=self.width())
        self._show_panel(is_open=is_open)

    def toggle_list(self) -> None:
        """Show the list, or fold it."""
        self.set_list_open(self._list.isHidden())

    def toggle_panel(self) -> None:
        """Show the memory panel, or fold it."""
        self.set_panel_open(self._panel.isHidden())

    def _show_list(self, *, is_open: bool, width: int) -> None:
        if is_open and self._is_tight(width):
            self._show_panel(is_open=False)
        self._list.setVisible(is_open)
        self.list_shown.emit(is_open)

    def _show_panel(self, *, is_open: bool) -> None:
        self._panel.setVisible(is_open)
        self.panel_shown.emit(is_open)

    def _is_tight(self, width: int) -> bool:
        """Whether list and panel do not both fit beside what is shown."""
        needed = (self._list.minimumWidth(), LEAST_PAGE, self._panel.minimumWidth())
        return sum(needed) + 2 * self.handleWidth() > width
