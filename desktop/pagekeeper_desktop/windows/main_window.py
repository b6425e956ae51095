"""The window: composes rail, conversations, memory panel and status line around one session."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QByteArray, QEvent, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QKeySequence,
    QPaintEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QMainWindow,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from pagekeeper_core.records import Reminder
from pagekeeper_desktop.draft import load_drafts, save_drafts
from pagekeeper_desktop.settings import Settings, WindowLayout, save_settings
from pagekeeper_desktop.theme import Theme
from pagekeeper_desktop.view_models.formatting import one_line
from pagekeeper_desktop.view_models.session import Session
from pagekeeper_desktop.view_models.session_state import Phase, SessionState
from pagekeeper_desktop.widgets.conversation_panel import ConversationPanel
from pagekeeper_desktop.widgets.drop_zone import DropZone
from pagekeeper_desktop.widgets.library_page import LibraryPage
from pagekeeper_desktop.widgets.memory_panel import MemoryPanel
from pagekeeper_desktop.widgets.rail import Rail
from pagekeeper_desktop.widgets.reminder_page import ReminderPage
from pagekeeper_desktop.widgets.status_line import StatusLine
from pagekeeper_desktop.windows.columns import Columns
from pagekeeper_desktop.windows.conversation_pane import ConversationPane
from pagekeeper_desktop.windows.history_dialog import HistoryDialog
from pagekeeper_desktop.windows.library_controls import LibraryControls
from pagekeeper_desktop.windows.passage_opener import PassageOpener
from pagekeeper_desktop.windows.settings_dialog import ModelChoice, SettingsDialog

__all__ = ["MainWindow"]

TITLE = "Pagekeeper"
LONGEST_REMINDER = 60
DEFAULT_SIZE = (1180, 760)
LEAST_SIZE = (720, 520)


class MainWindow(QMainWindow):
    """One window on one data folder.

    Args:
        session: What it shows.
        theme: Its colours.
        data_dir: Where settings and unsent text are kept.
        settings: As they were loaded.
        model_choices: The models that the settings offer; asked when the dialog opens.

    Signals:
        painted: It stands, so that slow work may begin.
        closing: It goes away; the session ends behind it.
    """

    painted = Signal()
    closing = Signal()

    def __init__(
        self,
        session: Session,
        theme: Theme,
        data_dir: Path,
        settings: Settings,
        model_choices: Callable[[], Sequence[ModelChoice]],
    ) -> None:
        super().__init__()
        self._session = session
        self._theme = theme
        self._data_dir = data_dir
        self._settings = settings
        self._model_choices = model_choices
        self._was_painted = False
        self._history: HistoryDialog | None = None
        self.rail = Rail(self)
        self.conversations = ConversationPanel(
            session.conversations, session.search, session.archive.search, self
        )
        self.pane = ConversationPane(session, self)
        self.library = LibraryPage(session.archive.library, self)
        self.controls = LibraryControls(session, self.library, self, self._keep_watched)
        self.library.watched.show_folders(settings.watched_folders)
        self.reminders = ReminderPage(session.reminders, self)
        self.passages = PassageOpener(session.archive.passages, self)
        self.panel = MemoryPanel(session.activity, session.proposals, self)
        self.status = StatusLine(self)
        self._pages = QStackedWidget(self)
        self._columns = Columns(self.conversations, self._pages, self.panel, self)
        self._lay_out()
        self.drop_zone = DropZone(self)
        self.drop_zone.dropped.connect(session.imports.add)
        self._connect()
        self._add_shortcuts()
        self._restore()

    def raise_to_front(self) -> None:
        """Show the window, from wherever it is."""
        if self.isMinimized():
            self.showNormal()
        self.show()
        self.raise_()
        self.activateWindow()

    def open_settings(self) -> None:
        """Let the person change the settings."""
        dialog = SettingsDialog(self._settings, self._model_choices(), self)
        dialog.theme_tried.connect(self._theme.choose)
        if dialog.exec():
            self._settings = dialog.settings()
            save_settings(self._data_dir, self._settings)
        self._theme.choose(self._settings.theme)

    def show_history(self, block: str) -> None:
        """Show what a block was before; the one dialog stays open beside the window."""
        explanations = self._session.explanations
        if self._history is not None and self._history.block == block:
            self._history.raise_()
            self._history.activateWindow()
            return
        if self._history is not None:
            self._history.close()
        self._history = dialog = HistoryDialog(block, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.undo_requested.connect(explanations.undo)
        dialog.cause_requested.connect(self._session.conversations.show_message)
        explanations.told.connect(dialog.show_history)
        explanations.untold.connect(dialog.say_untold)
        self._session.refused.connect(dialog.refused)
        dialog.finished.connect(self._history_closed)
        explanations.follow(block)
        dialog.show()

    def _history_closed(self) -> None:
        self._history = None
        self._session.explanations.follow("")

    def show_activity(self) -> None:
        """Show what the assistant did."""
        self._columns.set_panel_open(is_open=True)
        self.panel.activity.unfold_newest()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Tell, after the first picture, that slow work may begin."""
        super().paintEvent(event)
        if not self._was_painted:
            self._was_painted = True
            QTimer.singleShot(0, self.painted.emit)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 - Qt's name
        """Keep what was typed and how the window stands; the session ends behind it."""
        self._settings = replace(self._settings, layout=self._current_layout())
        save_settings(self._data_dir, self._settings)
        save_drafts(self._data_dir, self.pane.drafts())
        self._session.close()
        self.closing.emit()
        event.accept()

    def _lay_out(self) -> None:
        self.setWindowTitle(TITLE)
        self.setMinimumSize(*LEAST_SIZE)
        self._pages.addWidget(self.pane)
        self._pages.addWidget(self.library)
        self._pages.addWidget(self.reminders)
        middle = QHBoxLayout()
        middle.setSpacing(0)
        middle.addWidget(self.rail)
        middle.addWidget(self._columns, 1)
        central = QWidget(self)
        column = QVBoxLayout(central)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(middle, 1)
        column.addWidget(self.status)
        self.setCentralWidget(central)

    def _connect(self) -> None:
        session = self._session
        self.rail.import_requested.connect(self.controls.add_files)
        self.rail.list_toggled.connect(self._columns.set_list_open)
        self.rail.panel_toggled.connect(self._columns.set_panel_open)
        self._columns.list_shown.connect(self.rail.set_list_open)
        self._columns.panel_shown.connect(self.rail.set_panel_open)
        self.rail.settings_requested.connect(self.open_settings)
        self.pane.attach_requested.connect(self.controls.add_files)
        self.pane.activity_requested.connect(self.show_activity)
        self.conversations.chosen.connect(self._write)
        self._connect_library()
        self._connect_reminders()
        self._connect_panel()
        session.state_changed.connect(self._show_state)

    def _connect_library(self) -> None:
        self.rail.library_toggled.connect(self._show_library)
        self.library.summary_requested.connect(lambda: self._show_page(self.pane))
        self.conversations.passage_chosen.connect(self.passages.open)
        self.pane.transcript.source_pointed.connect(self.passages.tell_beginning)
        self.pane.transcript.citation_opened.connect(
            lambda cited: self.passages.open(cited.passage_id, cited.title)
        )

    def _connect_reminders(self) -> None:
        session, page = self._session, self.reminders
        self.rail.reminders_toggled.connect(self._show_reminders)
        page.cause_requested.connect(session.conversations.show_message)
        session.answered.connect(page.event_answered)
        session.refused.connect(page.event_refused)
        session.reminded.connect(self._call_attention)
        session.conversation_shown.connect(lambda: self._show_page(self.pane))
        session.history.revealed.connect(lambda: self._show_page(self.pane))

    def _connect_panel(self) -> None:
        session, panel = self._session, self.panel
        panel.edit_requested.connect(session.edit_block)
        panel.block_made.connect(session.post)
        panel.why_requested.connect(session.explanations.explain)
        panel.line_undo_requested.connect(session.explanations.undo_line)
        panel.undo_requested.connect(session.explanations.undo)
        panel.history_requested.connect(self.show_history)
        panel.cause_requested.connect(session.conversations.show_message)
        session.blocks_changed.connect(panel.show_blocks)
        session.explanations.explained.connect(panel.explain)
        session.explanations.unclear.connect(panel.say_unclear)
        session.explanations.entangled.connect(panel.ask_about)
        session.answered.connect(panel.event_answered)
        session.refused.connect(panel.event_refused)

    def _add_shortcuts(self) -> None:
        for name, keys, act in (
            ("Write a message", "Ctrl+L", self._write),
            ("Library", "Ctrl+D", self._toggle_library),
            ("Reminders", "Ctrl+R", self._toggle_reminders),
            ("New conversation", "Ctrl+N", self.conversations.begin),
            ("Search conversations", "Ctrl+F", self._search),
            ("Show or hide the conversations", "Ctrl+B", self._columns.toggle_list),
            ("Show or hide the memory panel", "Ctrl+M", self._columns.toggle_panel),
            ("Add documents", "Ctrl+O", self.controls.add_files),
            ("Stop the reply", "Esc", self._session.stop),
            ("Settings", "Ctrl+,", self.open_settings),
            ("Close", "Ctrl+Q", self.close),
        ):
            action = QAction(name, self)
            action.setShortcut(QKeySequence(keys))
            action.triggered.connect(lambda _checked=False, act=act: act())
            self.addAction(action)

    def _write(self) -> None:
        self._show_page(self.pane)
        self.pane.composer.field.setFocus()

    def _toggle_library(self) -> None:
        self._show_library(is_open=self._pages.currentWidget() is not self.library)

    def _show_library(self, is_open: bool) -> None:  # noqa: FBT001 - a signal's value
        self._show_page(self.library if is_open else self.pane)

    def _toggle_reminders(self) -> None:
        self._show_reminders(is_open=self._pages.currentWidget() is not self.reminders)

    def _show_reminders(self, is_open: bool) -> None:  # noqa: FBT001 - a signal's value
        self._show_page(self.reminders if is_open else self.pane)

    def _show_page(self, page: QWidget) -> None:
        self._pages.setCurrentWidget(page)
        self.rail.set_library_open(page is self.library)
        self.rail.set_reminders_open(page is self.reminders)
        if page is self.library:
            self.library.begin()
        elif page is self.reminders:
            self.reminders.text.setFocus()

    def _keep_watched(self, folders: tuple[str, ...]) -> None:
        self._settings = replace(self._settings, watched_folders=folders)
        save_settings(self._data_dir, self._settings)

    def _call_attention(self, reminder: Reminder) -> None:
        """Show it, or ask for the person's eyes when the window is not before them.

        What is being written on the reminders' page keeps the keyboard: the rest of it must not
        land in a message.
        """
        if self.reminders.is_being_written:
            self.reminders.say_due(reminder)
        else:
            self._show_page(self.pane)
        if not self.isActiveWindow():
            self.setWindowTitle(f"Reminder: {one_line(reminder.text, LONGEST_REMINDER)}")
            QApplication.alert(self)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """What called for attention is seen."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange and self.isActiveWindow():
            self.setWindowTitle(TITLE)

    def _search(self) -> None:
        self._columns.set_list_open(is_open=True)
        self.conversations.search.setFocus()
        self.conversations.search.selectAll()

    def _show_state(self, state: SessionState) -> None:
        self.status.show_model(
            state.model_name,
            state.tokens_per_second,
            online=state.phase is Phase.DOWNLOADING,
        )

    def _restore(self) -> None:
        layout = self._settings.layout
        self.resize(*DEFAULT_SIZE)
        self.restoreGeometry(QByteArray.fromBase64(layout.geometry.encode("ascii", "replace")))
        if layout.panel_rows:
            self.panel.rows.setSizes(list(layout.panel_rows))
        self._columns.restore(layout, self.width() - self.rail.width())
        self.pane.restore_drafts(load_drafts(self._data_dir))
        self.pane.composer.field.setFocus()

    def _current_layout(self) -> WindowLayout:
        is_open = not self.panel.isHidden()
        old = self._settings.layout
        return WindowLayout(
            geometry=self.saveGeometry().toBase64().toStdString(),
            columns=self._columns.widths(old.columns),
            panel_rows=tuple(self.panel.rows.sizes()) if is_open else old.panel_rows,
            panel_open=is_open,
            list_open=self._columns.is_list_wanted,
        )
