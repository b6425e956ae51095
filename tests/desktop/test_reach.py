"""Everything can be reached by the keyboard and has a name; small windows hold everything."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QScrollBar, QWidget

from helpers.scripted_assistant import ScriptedComposition, message
from helpers.window_rig import OpenWindow, WindowRig
from pagekeeper_core.messages import MessageKind
from pagekeeper_desktop.widgets.composer import ComposerField
from pagekeeper_desktop.widgets.context_meter import ContextMeter
from pagekeeper_desktop.widgets.transcript import Transcript
from pagekeeper_desktop.windows.library_controls import LibraryControls
from pagekeeper_desktop.windows.main_window import MainWindow


def tab_chain(rig: WindowRig) -> list[QWidget]:
    """What Tab goes through, from the composer round to it again."""
    rig.until(rig.window.isActiveWindow)
    rig.window.pane.composer.field.setFocus()
    start = QApplication.focusWidget()
    chain: list[QWidget] = []
    for _ in range(60):
        QTest.keyClick(QApplication.focusWidget() or rig.window, Qt.Key.Key_Tab)
        focused = QApplication.focusWidget()
        if focused is None or focused is start:
            break
        chain.append(focused)
    return chain


def ready_rig(open_window: OpenWindow) -> WindowRig:
    composition = ScriptedComposition()
    composition.recall.append(message(MessageKind.USER, "Hello"))
    rig = open_window(composition).until_ready()
    rig.until(lambda: [card.isVisible() for card in rig.window.panel.cards.values()] == [True] * 2)
    return rig


@pytest.mark.thorough
def test_tab_reaches_everything(open_window: OpenWindow) -> None:
    rig = ready_rig(open_window)
    rig.window.pane.composer.set_text("so that Send is there")
    chain = tab_chain(rig)
    names = {widget.accessibleName() for widget in chain}
    for name in ("Memory panel", "Add documents", "Settings", "Send", "Context window"):
        assert name in names
    assert {"Edit “About you”", "Edit “About me”", "Conversation"} <= names
    assert {"Conversations", "Search conversations and documents", "Library"} <= names
    assert {"New conversation", "Reminders"} <= names
    assert {"Why “Dog: Bento”?", "Take back “Dog: Bento”", "History of “About you”"} <= names
    assert {ContextMeter, Transcript} <= {type(widget) for widget in chain}


def test_every_control_has_a_name(open_window: OpenWindow) -> None:
    rig = ready_rig(open_window)
    controls = [
        widget
        for widget in rig.window.findChildren(QWidget)
        if widget.isVisible()
        and isinstance(widget, QAbstractButton | ComposerField | ContextMeter | Transcript)
        and not isinstance(widget, QScrollBar)
    ]
    nameless = [
        widget
        for widget in controls
        if not widget.accessibleName()
        and not (isinstance(widget, QAbstractButton) and widget.text())
    ]
    assert len(controls) > 8
    assert nameless == []


@pytest.mark.parametrize(
    ("key", "modifier", "reached"),
    [
        (Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier, "composer"),
        (Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier, "panel"),
        (Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier, "import"),
        (Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier, "list"),
        (Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier, "search"),
        (Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier, "reminders"),
        (Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier, "settings"),
    ],
)
def test_shortcuts(
    open_window: OpenWindow,
    monkeypatch: pytest.MonkeyPatch,
    key: Qt.Key,
    modifier: Qt.KeyboardModifier,
    reached: str,
) -> None:
    done: list[str] = []
    monkeypatch.setattr(LibraryControls, "add_files", lambda _: done.append("import"))
    monkeypatch.setattr(MainWindow, "open_settings", lambda _: done.append("settings"))
    rig = ready_rig(open_window)
    rig.until(rig.window.isActiveWindow)
    rig.window.pane.transcript.setFocus()
    QTest.keyClick(rig.window, key, modifier)
    if reached == "composer":
        assert rig.window.pane.composer.field.hasFocus()
    elif reached == "panel":
        assert rig.window.panel.isHidden()
    elif reached == "list":
        assert rig.window.conversations.isHidden()
    elif reached == "search":
        assert rig.window.conversations.search.hasFocus()
    elif reached == "reminders":
        assert rig.window.reminders.text.hasFocus()
    else:
        assert done == [reached]


def test_every_control_of_the_reminders_has_a_name(open_window: OpenWindow) -> None:
    rig = ready_rig(open_window)
    rig.session.reminders.set("Call the vet", "tomorrow at nine")
    rig.until(lambda: len(rig.window.reminders.cards) == 1)
    rig.window._toggle_reminders()
    page = rig.window.reminders
    controls: list[QWidget] = [*page.findChildren(QAbstractButton), *page.findChildren(QLineEdit)]
    assert len(controls) > 3
    assert [widget for widget in controls if not widget.accessibleName()] == []


def test_a_message_is_read_out_with_its_sender(open_window: OpenWindow) -> None:
    rig = ready_rig(open_window)
    names = [row.accessibleName() for row in rig.window.pane.transcript.live_rows]
    assert any(name.startswith("You, You · ") and name.endswith(": Hello") for name in names)


def test_nothing_sticks_out_of_a_small_window(open_window: OpenWindow) -> None:
    rig = ready_rig(open_window)
    rig.window.resize(900, 600)
    QApplication.processEvents()
    assert (rig.window.width(), rig.window.height()) == (900, 600)
    for widget in (rig.window.pane.composer, rig.window.pane.meter, rig.window.panel):
        corner = widget.mapTo(rig.window, widget.rect().bottomRight())
        assert rig.window.rect().contains(corner)
    for card in rig.window.panel.cards.values():
        assert card.width() <= rig.window.panel.width()


def test_letters_typed_anywhere_go_into_the_message(open_window: OpenWindow) -> None:
    rig = ready_rig(open_window)
    rig.until(rig.window.isActiveWindow)
    rig.window.pane.transcript.setFocus()
    QTest.keyClicks(rig.window.pane.transcript, "hi")
    assert rig.window.pane.composer.field.toPlainText().startswith("h")
    assert rig.window.pane.composer.field.hasFocus()
