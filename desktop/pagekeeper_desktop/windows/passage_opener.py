"""Keeps the one dialog that shows passages, and has it follow what is read and drawn for it."""

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from pagekeeper_desktop.view_models.passage_desk import PassageDesk
from pagekeeper_desktop.widgets.citation_chips import SourceChip
from pagekeeper_desktop.windows.passage_dialog import PassageDialog

__all__ = ["PassageOpener"]


class PassageOpener(QObject):
    """Opens passages beside the window.

    Attributes:
        dialog: The one that is open; None while none is.
    """

    def __init__(self, desk: PassageDesk, window: QWidget) -> None:
        super().__init__(window)
        self._desk = desk
        self._window = window
        self.dialog: PassageDialog | None = None

    def open(self, passage_id: str, title: str, is_weak: bool = False) -> None:  # noqa: FBT001, FBT002 - a signal's value
        """Show a passage where it stands.

        Args:
            passage_id: Which.
            title: Of its document, which is said even when the document is gone.
            is_weak: Whether it may not be about what was asked.
        """
        dialog = self.dialog or self._make_dialog()
        dialog.wait(passage_id, title, is_weak=is_weak)
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()
        self._desk.show(passage_id, title)

    def tell_beginning(self, chip: SourceChip) -> None:
        """Have a source's chip say how its passage begins."""
        self._desk.begin(
            chip.citation.passage_id,
            lambda words: chip.tell_beginning(words) if isValid(chip) else None,
        )

    def _make_dialog(self) -> PassageDialog:
        self.dialog = dialog = PassageDialog(self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        desk = self._desk
        desk.shown.connect(dialog.show_view)
        desk.drawn.connect(dialog.show_picture)
        desk.undrawn.connect(dialog.say_undrawn)
        dialog.picture_wanted.connect(desk.draw)
        dialog.finished.connect(self._closed)
        return dialog

    def _closed(self) -> None:
        self.dialog = None
