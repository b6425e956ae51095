"""The real window around a scripted assistant, with the few gestures that the tests make."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from helpers.scripted_assistant import ScriptedAgent, ScriptedComposition
from pagekeeper_desktop.options import Options
from pagekeeper_desktop.settings import load_settings
from pagekeeper_desktop.theme import Theme
from pagekeeper_desktop.view_models.session import Session
from pagekeeper_desktop.view_models.session_state import Phase
from pagekeeper_desktop.view_models.transcript_items import (
    BatchItem,
    ImportItem,
    MessageItem,
    Sender,
)
from pagekeeper_desktop.windows.main_window import MainWindow

__all__ = ["OpenWindow", "WindowRig", "app_theme"]


def app_theme(app: QApplication) -> Theme:
    """The application's one theme: light, whatever the machine has."""
    found = app.findChild(Theme)
    return found if found is not None else Theme(app, load_settings(Path("/nowhere")).theme)


@dataclass
class WindowRig:
    """One window, its session, and the script behind it."""

    window: MainWindow
    session: Session
    composition: ScriptedComposition
    bot: QtBot

    @classmethod
    def open(
        cls, bot: QtBot, app: QApplication, data_dir: Path, composition: ScriptedComposition
    ) -> "WindowRig":
        """Show a window; memory opens and the model loads behind it."""
        session = Session(composition, Options(data_dir))
        window = MainWindow(session, app_theme(app), data_dir, load_settings(data_dir), list)
        window.painted.connect(session.start)
        window.show()
        window.activateWindow()
        return cls(window, session, composition, bot)

    @property
    def agent(self) -> ScriptedAgent:
        """The scripted agent, once it is loaded."""
        assert self.composition.assistant is not None
        return self.composition.assistant.agent

    def until(self, condition: Callable[[], bool]) -> None:
        """Run the event loop until something is so."""
        self.bot.waitUntil(condition, timeout=10_000)

    def until_ready(self) -> "WindowRig":
        """Run the event loop until the assistant answers."""
        self.until(lambda: self.session.state.phase is Phase.READY)
        return self

    def until_phase(self, phase: Phase) -> None:
        """Run the event loop until the session is there."""
        self.until(lambda: self.session.state.phase is phase)

    def until_idle(self) -> None:
        """Run the event loop until nothing is being answered."""
        self.until(lambda: not self.session.state.busy and not self.session.unsent_texts())

    def type_and_send(self, text: str) -> None:
        """Write a message and press Enter."""
        self.window.pane.composer.field.setPlainText(text)
        QTest.keyClick(self.window.pane.composer.field, Qt.Key.Key_Return)

    def messages(self) -> list[MessageItem]:
        """What stands in the transcript, without headings and imports."""
        return [i for i in self.session.transcript.items() if isinstance(i, MessageItem)]

    def replies(self) -> list[str]:
        """The assistant's texts."""
        return [i.text for i in self.messages() if i.sender is Sender.ASSISTANT]

    def imports(self) -> list[ImportItem]:
        """The files of all imports, those of one drop too."""
        items = self.session.transcript.items()
        return [
            file
            for item in items
            if isinstance(item, ImportItem | BatchItem)
            for file in (item.files if isinstance(item, BatchItem) else [item])
        ]

    def drop(self, *paths: Path) -> None:
        """Drag files over the window and let them fall."""
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
        action, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
        none = Qt.KeyboardModifier.NoModifier
        enter = QDragEnterEvent(QPoint(300, 300), action, data, button, none)
        QApplication.sendEvent(self.window, enter)
        assert enter.isAccepted()
        assert self.window.drop_zone.isVisible()
        QApplication.sendEvent(
            self.window, QDropEvent(QPoint(300, 300), action, data, button, none)
        )

    def close(self) -> None:
        """Close the window and wait for its threads."""
        self.window.close()
        self.until(lambda: self.session.join(0))
        QApplication.processEvents()


OpenWindow = Callable[..., WindowRig]
