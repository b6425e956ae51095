"""Every line says why it is there, and what brought it can be taken back."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QMenu, QPushButton

from helpers.scripted_assistant import ADMIT, Reply, ScriptedComposition, message, steps
from helpers.window_rig import OpenWindow, WindowRig
from pagekeeper_core.clock import SystemClock
from pagekeeper_core.errors import PagekeeperError, StoreError
from pagekeeper_core.events import ChangeUndone, Forgotten, MemoryEdited
from pagekeeper_core.memory_history import MemoryHistory
from pagekeeper_core.messages import FunctionCall, FunctionResult, MessageKind
from pagekeeper_core.records import ChangeAction, MemoryChange, Target, TargetKind
from pagekeeper_core.updates import CallFinished, CallStarted, MemoryChanged
from pagekeeper_core.working_context import Block
from pagekeeper_desktop.widgets.block_card import BlockCard
from pagekeeper_desktop.widgets.memory_line import MemoryLine
from pagekeeper_desktop.widgets.message_row import MessageRow
from pagekeeper_desktop.windows.history_dialog import HistoryDialog

HUMAN = Target(TargetKind.BLOCK, "human")


def remembered() -> ScriptedComposition:
    """The assistant wrote two facts, and corrected one of them."""
    composition = ScriptedComposition(blocks=(Block("human", "About the user.", 300),))
    history = MemoryHistory(composition.state, SystemClock())
    text = ""
    for said, after in (
        ("I live in Lyon", "Lives in Lyon"),
        ("My dog is Bento", "Lives in Lyon\nDog: Bento"),
        ("I moved to Porto", "Lives in Porto\nDog: Bento"),
    ):
        seq = composition.recall.append(message(MessageKind.USER, said)).seq
        history.record(
            HUMAN,
            ChangeAction.EDIT,
            before=text,
            after=after,
            actor="assistant",
            cause_seq=seq,
        )
        text = after
    return composition


def human(rig: WindowRig) -> BlockCard:
    rig.until(lambda: "human" in rig.window.panel.cards)
    return rig.window.panel.cards["human"]


def line(rig: WindowRig, text: str) -> MemoryLine:
    found = human(rig).line(text)
    assert found is not None
    return found


def lines(rig: WindowRig) -> list[str]:
    return [line.text for line in human(rig).lines]


def said(widget: QLabel | MemoryLine | HistoryDialog | object) -> list[str]:
    assert hasattr(widget, "findChildren")
    return [label.text() for label in widget.findChildren(QLabel) if label.isVisibleTo(widget)]


def click(widget: object) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)  # type: ignore[call-overload]


def test_a_line_says_when_by_whom_and_why_it_was_written(open_window: OpenWindow) -> None:
    rig = open_window(remembered()).until_ready()
    porto = line(rig, "Lives in Porto")
    click(porto.why)
    rig.until(lambda: porto.reason is not None)
    origin, cause, replaced = said(porto.reason)
    assert origin.startswith("The assistant wrote this. Today, ")
    assert cause == "You said: “I moved to Porto”"
    assert replaced == "In place of: “Lives in Lyon”"
    click(porto.why)
    assert porto.reason is None
    assert not porto.why.isChecked()


def test_the_message_that_caused_a_line_is_shown(open_window: OpenWindow) -> None:
    rig = open_window(remembered()).until_ready()
    dog = line(rig, "Dog: Bento")
    click(dog.why)
    rig.until(lambda: dog.reason is not None)
    assert dog.reason is not None
    (show,) = dog.reason.findChildren(QPushButton)
    revealed: list[int] = []
    rig.session.history.revealed.connect(revealed.append)
    click(show)
    rig.until(lambda: bool(revealed))
    shown = rig.session.transcript[revealed[0]]
    assert getattr(shown, "text", "") == "My dog is Bento"


def test_a_line_from_the_beginning_says_so_and_cannot_be_taken_back(
    open_window: OpenWindow,
) -> None:
    rig = open_window().until_ready()
    name = line(rig, "Name: Ana")
    click(name.why)
    rig.until(lambda: name.reason is not None)
    assert said(name.reason) == ["It was there from the beginning."]
    click(name.undo)
    rig.until(lambda: "Edit the block" in said(name.reason)[0])
    assert not any(isinstance(event, ChangeUndone) for event in rig.agent.events)
    name.setFocus()
    QTest.keyClick(name, Qt.Key.Key_Escape)
    assert name.reason is None


def test_what_brought_a_line_is_taken_back(open_window: OpenWindow) -> None:
    rig = open_window(remembered()).until_ready()
    click(line(rig, "Lives in Porto").undo)
    rig.until(lambda: lines(rig) == ["Lives in Lyon", "Dog: Bento"])
    assert ChangeUndone(3) in rig.agent.events
    entry = rig.window.panel.activity.rows[0]
    assert entry._entry.title == "You took a change back: Lives in Lyon"
    entry.unfold(unfolded=True)
    (undo,) = entry.findChildren(QPushButton)
    click(undo)
    rig.until(lambda: lines(rig) == ["Lives in Porto", "Dog: Bento"])


def test_an_undo_that_cannot_be_done_says_why(open_window: OpenWindow) -> None:
    rig = open_window(remembered()).until_ready()
    rig.agent.refusals.append(PagekeeperError("'Lives in Lyon' stands in the way.", hint="Edit."))
    click(line(rig, "Lives in Porto").undo)
    rig.until(rig.window.pane.banner.isVisible)
    assert rig.window.pane.banner.accessibleName() == "'Lives in Lyon' stands in the way."
    assert lines(rig) == ["Lives in Porto", "Dog: Bento"]


def test_lines_that_stay_keep_what_is_unfolded(open_window: OpenWindow) -> None:
    rig = open_window(remembered()).until_ready()
    dog = line(rig, "Dog: Bento")
    click(dog.why)
    rig.until(lambda: dog.reason is not None)
    click(line(rig, "Lives in Porto").undo)
    rig.until(lambda: "Lives in Lyon" in lines(rig))
    assert line(rig, "Dog: Bento") is dog
    assert dog.reason is not None


def test_the_history_of_a_block(open_window: OpenWindow) -> None:
    rig = open_window(remembered()).until_ready()
    click(human(rig)._history)
    dialog = rig.window.findChild(HistoryDialog)
    assert dialog is not None
    rig.until(lambda: len(dialog.rows) == 3)
    assert said(dialog.rows[0])[1:] == ["− Lives in Lyon", "+ Lives in Porto"]
    assert dialog._note.text() == "3 changes"
    click(dialog.undos[2])
    rig.until(lambda: len(dialog.rows) == 4)
    rig.until(lambda: lines(rig) == ["Lives in Porto"])
    assert 2 not in dialog.undos
    assert said(dialog.rows[2])[0].endswith("taken back")
    rig.agent.refusals.append(PagekeeperError("It stands in the way."))
    click(dialog.undos[3])
    rig.until(lambda: dialog._note.text() == "It stands in the way.")
    dialog.close()
    rig.session.edit_block("human", "Other")
    rig.until(lambda: lines(rig) == ["Other"])


def test_a_change_that_was_brought_back_is_not_called_taken_back(open_window: OpenWindow) -> None:
    rig = open_window(remembered()).until_ready()
    for change_id in (2, 4):
        rig.session.explanations.undo(change_id)
    rig.until(lambda: ChangeUndone(4) in rig.agent.events)
    click(human(rig)._history)
    dialog = rig.window.findChild(HistoryDialog)
    assert dialog is not None
    rig.until(lambda: len(dialog.rows) == 5)
    taken_back = [said(row)[0].endswith("taken back") for row in dialog.rows]
    assert taken_back == [False, True, False, False, False]
    assert sorted(dialog.undos) == [1, 2, 3, 5]


def test_a_block_has_one_history_in_sight(open_window: OpenWindow) -> None:
    rig = open_window(remembered()).until_ready()
    rig.window.show_history("human")
    first = rig.window.findChild(HistoryDialog)
    rig.window.show_history("human")
    assert rig.window.findChildren(HistoryDialog) == [first]
    rig.window.show_history("persona")
    rig.until(lambda: [d.block for d in rig.window.findChildren(HistoryDialog)] == ["persona"])
    dialog = rig.window.findChild(HistoryDialog)
    assert dialog is not None
    rig.until(lambda: dialog._note.text() == "Nothing was changed yet.")
    rig.session.explanations.undo(3)
    rig.until(lambda: lines(rig) == ["Lives in Lyon", "Dog: Bento"])
    assert dialog._note.text() == "Nothing was changed yet."


def test_a_history_that_cannot_be_read_is_told_where_it_is_waited_for(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = open_window(remembered()).until_ready()

    def broken(*_: object) -> None:
        raise StoreError("The database is damaged.", hint="Close Pagekeeper.")

    monkeypatch.setattr(rig.composition.state, "changes", broken)
    rig.window.show_history("human")
    dialog = rig.window.findChild(HistoryDialog)
    assert dialog is not None
    rig.until(lambda: dialog._note.text() == "The database is damaged. Close Pagekeeper.")


def test_two_equal_lines_are_both_taken_away_with_their_text(open_window: OpenWindow) -> None:
    rig = open_window(remembered()).until_ready()
    card = human(rig)

    def seen() -> list[str]:
        every = card.findChildren(MemoryLine)
        return sorted(line.text for line in every if line.isVisibleTo(card))

    for text in ("Likes tea\nLikes tea", "Likes tea\nLikes tea\nDog: Bento", "Dog: Bento"):
        rig.session.edit_block("human", text)
        expected = sorted(text.split("\n"))
        rig.until(lambda expected=expected: seen() == expected)  # type: ignore[misc]


@pytest.mark.thorough
def test_a_line_of_another_block_is_not_taken_for_this_one(open_window: OpenWindow) -> None:
    composition = remembered()
    composition.blocks = (*composition.blocks, Block("work", "About work.", 300))
    rig = open_window(composition).until_ready()
    rig.session.edit_block("work", "Lives in Porto")
    rig.until(lambda: "work" in rig.window.panel.cards)
    card = rig.window.panel.cards["work"]
    rig.until(lambda: card.line("Lives in Porto") is not None)
    other = card.line("Lives in Porto")
    assert other is not None
    click(other.why)
    rig.until(lambda: other.reason is not None)
    assert said(other.reason)[0].startswith("You wrote this.")
    ours = line(rig, "Lives in Porto")
    click(ours.why)
    rig.until(lambda: ours.reason is not None)
    assert said(ours.reason)[0].startswith("The assistant wrote this.")


def test_taking_back_a_line_says_first_what_else_goes(open_window: OpenWindow) -> None:
    rig = open_window(remembered()).until_ready()
    rig.session.edit_block("human", "Lives in Faro\nDog: Bento\nCat: Mia\nFish: Bo")
    rig.until(lambda: "Cat: Mia" in lines(rig))
    mia = line(rig, "Cat: Mia")
    click(mia.undo)
    rig.until(lambda: mia.reason is not None)
    assert said(mia.reason) == [
        "The change that brought this did more, and is taken back as a whole.",
        "− Lives in Faro",
        "− Fish: Bo",
        "+ Lives in Porto",
    ]
    assert not any(isinstance(event, ChangeUndone) for event in rig.agent.events)
    assert mia.reason is not None
    (whole,) = mia.reason.findChildren(QPushButton)
    click(whole)
    rig.until(lambda: lines(rig) == ["Lives in Porto", "Dog: Bento"])


def test_a_call_that_changed_memory_can_be_taken_back_where_it_is_told(
    open_window: OpenWindow,
) -> None:
    composition = remembered()
    call = FunctionCall("core_memory_append", {"block": "human", "text": "Cat: Mia"})
    change = MemoryChange(
        HUMAN, ChangeAction.EDIT, "a", "a\nCat: Mia", SystemClock().now(), "assistant", change_id=3
    )
    composition.scripts.append(
        steps(
            ADMIT,
            CallStarted(call),
            CallFinished(call, FunctionResult("Saved.", changed_memory=True)),
            MemoryChanged(change),
            Reply("Noted."),
        )
    )
    rig = open_window(composition).until_ready()
    rig.type_and_send("I have a cat")
    rig.until_idle()
    (row,) = rig.window.panel.activity.rows
    row.unfold(unfolded=True)
    (undo,) = row.findChildren(QPushButton)
    assert undo.accessibleName() == "Undo: Noted: Cat: Mia"
    click(undo)
    rig.until(lambda: ChangeUndone(3) in rig.agent.events)
    rig.until(lambda: row.findChildren(QPushButton) == [] or not undo.isVisible())


def test_an_edit_by_hand_can_be_taken_back(open_window: OpenWindow) -> None:
    rig = open_window(remembered()).until_ready()
    rig.session.edit_block("human", "Lives in Porto\nDog: Bento\nCat: Mia")
    rig.until(lambda: MemoryEdited in {type(event) for event in rig.agent.events})
    rig.until(lambda: "Cat: Mia" in lines(rig))
    mia = line(rig, "Cat: Mia")
    click(mia.why)
    rig.until(lambda: mia.reason is not None)
    assert said(mia.reason)[0].startswith("You wrote this. Today, ")
    click(mia.undo)
    rig.until(lambda: lines(rig) == ["Lives in Porto", "Dog: Bento"])


def test_a_message_is_hidden_from_the_assistant_and_shown_again(open_window: OpenWindow) -> None:
    rig = open_window(remembered()).until_ready()
    row = rig.window.pane.transcript.live_rows[1]
    assert isinstance(row, MessageRow)
    menu = QMenu()
    row.text_view.menu_made.emit(menu)
    menu.actions()[-1].trigger()
    target = Target(TargetKind.MESSAGE, "1")
    rig.until(lambda: Forgotten(target) in rig.agent.events)
    rig.until(lambda: bool(rig.window.panel.activity.rows))
    entry = rig.window.panel.activity.rows[0]
    assert entry._entry.title == "You hid from the assistant: “I live in Lyon”"
    entry.unfold(unfolded=True)
    (undo,) = entry.findChildren(QPushButton)
    click(undo)
    rig.until(lambda: len(rig.window.panel.activity.rows) == 2)
    hidden = MemoryHistory(rig.composition.state, SystemClock()).hidden_messages()
    assert hidden == frozenset()
