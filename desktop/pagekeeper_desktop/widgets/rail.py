"""The rail at the left edge: what the window can do besides talking."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from pagekeeper_desktop.widgets.icon_button import IconButton
from pagekeeper_desktop.widgets.icons import draw_icon

__all__ = ["Rail"]

WIDTH, BUTTON, MARK = 56, 40, 32


class Rail(QWidget):
    """The mark and the buttons.

    Signals:
        list_toggled (bool): Show or hide the list of conversations.
        library_toggled (bool): Show the library, or the conversation again.
        reminders_toggled (bool): Show the reminders, or the conversation again.
        import_requested: Add documents.
        panel_toggled (bool): Show or hide the memory panel.
        settings_requested: Open the settings.
    """

    list_toggled = Signal(bool)
    library_toggled = Signal(bool)
    reminders_toggled = Signal(bool)
    import_requested = Signal()
    panel_toggled = Signal(bool)
    settings_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "rail")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedWidth(WIDTH)
        self._list = IconButton("list", "Conversations (Ctrl+B)", self, size=BUTTON)
        self._list.setCheckable(True)
        self._panel = IconButton("panel", "Memory panel (Ctrl+M)", self, size=BUTTON)
        self._panel.setCheckable(True)
        self._library = IconButton("library", "Library (Ctrl+D)", self, size=BUTTON)
        self._library.setCheckable(True)
        self._library.clicked.connect(self.library_toggled)
        self._reminders = IconButton("bell", "Reminders (Ctrl+R)", self, size=BUTTON)
        self._reminders.setCheckable(True)
        self._reminders.clicked.connect(self.reminders_toggled)
        self._import = IconButton("file-plus", "Add documents (Ctrl+O)", self, size=BUTTON)
        self._settings = IconButton("settings", "Settings (Ctrl+,)", self, size=BUTTON)
        self._list.clicked.connect(self.list_toggled)
        self._panel.toggled.connect(self.panel_toggled)
        self._import.clicked.connect(self.import_requested)
        self._settings.clicked.connect(self.settings_requested)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 12, 8, 12)
        column.setSpacing(8)
        middle = Qt.AlignmentFlag.AlignHCenter
        column.addWidget(_Mark(self), 0, middle)
        column.addSpacing(8)
        column.addWidget(self._list, 0, middle)
        column.addWidget(self._panel, 0, middle)
        column.addWidget(self._library, 0, middle)
        column.addWidget(self._reminders, 0, middle)
        column.addWidget(self._import, 0, middle)
        column.addStretch(1)
        column.addWidget(self._settings, 0, middle)

    def set_list_open(self, is_open: bool) -> None:  # noqa: FBT001 - its one property
        """Show whether the list of conversations is open."""
        self._list.setChecked(is_open)

    def set_library_open(self, is_open: bool) -> None:  # noqa: FBT001 - its one property
        """Show whether the library is shown."""
        self._library.setChecked(is_open)

    def set_reminders_open(self, is_open: bool) -> None:  # noqa: FBT001 - its one property
        """Show whether the reminders are shown."""
        self._reminders.setChecked(is_open)

    def set_panel_open(self, is_open: bool) -> None:  # noqa: FBT001 - its one property
        """Show whether the panel is open."""
        self._panel.setChecked(is_open)


class _Mark(QWidget):
    """The program's icon."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedSize(MARK, MARK)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(MARK, MARK)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802, ARG002 - Qt's name and signature
        draw_icon(QPainter(self), "pagekeeper", "#000000", QRectF(self.rect()))
