"""What the assistant keeps in mind is shown, and can be changed by hand."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from helpers.scripted_assistant import ADMIT, Gate, Reply, ScriptedComposition, steps
from helpers.window_rig import OpenWindow, WindowRig
from pagekeeper_core.events import MemoryEdited
from pagekeeper_core.updates import WorkingContextChanged
from pagekeeper_core.working_context import Block
from pagekeeper_desktop.widgets.block_card import BlockCard


def text_of(card: BlockCard) -> str:
    """The text that the card shows."""
    return "\n".join(line.label.text() for line in card.lines)


def card_of(rig: WindowRig, name: str) -> BlockCard:
    """A block's card, once it is there."""
    rig.until(lambda: name in rig.window.panel.cards)
    return rig.window.panel.cards[name]


def write(card: BlockCard, text: str) -> None:
    """Open the editor, write, save."""
    QTest.mouseClick(card._edit, Qt.MouseButton.LeftButton)
    card._editor.setPlainText(text)
    QTest.mouseClick(card._save, Qt.MouseButton.LeftButton)


def test_the_blocks_are_shown_with_their_figures(open_window: OpenWindow) -> None:
    rig = open_window()
    card = card_of(rig, "human")
    assert card._title.text() == "About you"
    assert text_of(card) == "Name: Ana\nDog: Bento"
    assert card._figures.text() == "1%"
    assert card._figures.toolTip() == "5 of 800 tokens"
    assert list(rig.window.panel.cards) == ["human", "persona"]


def test_an_edit_by_hand_reaches_the_agent(open_window: OpenWindow) -> None:
    rig = open_window().until_ready()
    card = card_of(rig, "human")
    write(card, "Name: Ana\nDog: Bento\nCat: Mia 🐈")
    rig.until(lambda: not card.is_editing)
    assert MemoryEdited("human", "Name: Ana\nDog: Bento\nCat: Mia 🐈") in rig.agent.events
    assert text_of(card).endswith("Cat: Mia 🐈")
    assert rig.window.panel.activity.rows[0]._entry.title == "You changed “About you”: Cat: Mia 🐈"


def test_a_text_that_does_not_fit_is_refused_and_kept(open_window: OpenWindow) -> None:
    rig = open_window().until_ready()
    card = card_of(rig, "persona")
    write(card, "x" * 5000)
    rig.until(lambda: card._note.text().startswith("It holds at most 300 tokens."))
    assert card.is_editing
    assert card._editor.toPlainText() == "x" * 5000
    assert card._save.isEnabled()
    assert rig.window.pane.banner.isHidden()


def test_an_edit_can_be_left(open_window: OpenWindow) -> None:
    rig = open_window().until_ready()
    card = card_of(rig, "human")
    for by_key in (False, True):
        card.begin_edit()
        card._editor.setPlainText("other")
        if by_key:
            QTest.keyClick(card._editor, Qt.Key.Key_Escape)
        else:
            QTest.mouseClick(card._cancel, Qt.MouseButton.LeftButton)
        assert not card.is_editing
        assert text_of(card) == "Name: Ana\nDog: Bento"
    assert not any(isinstance(event, MemoryEdited) for event in rig.agent.events)


def test_a_change_of_the_assistant_does_not_touch_an_open_edit(open_window: OpenWindow) -> None:
    gate = Gate()
    script = steps(ADMIT, gate, WorkingContextChanged("human", "Name: Anna"), Reply("Done."))
    rig = open_window(ScriptedComposition(scripts=[script])).until_ready()
    card = card_of(rig, "human")
    card.begin_edit()
    card._editor.setPlainText("Name: Ana M.")
    rig.type_and_send("It is Anna")
    context = rig.agent.working_context
    context.rewrite("human", "Name: Anna")
    gate.set()
    rig.until_idle()
    rig.until(lambda: "meanwhile" in card._note.text())
    assert card._editor.toPlainText() == "Name: Ana M."
    card.end_edit()
    assert text_of(card) == "Name: Anna"


def test_a_right_to_left_block_stands_on_the_right(open_window: OpenWindow) -> None:
    blocks = (Block("human", "About the user.", 300, "שם: Ana"),)
    rig = open_window(ScriptedComposition(blocks=blocks))
    assert card_of(rig, "human").lines[0].label.alignment() & Qt.AlignmentFlag.AlignRight


def test_an_edit_while_a_reply_is_written_waits_for_it(open_window: OpenWindow) -> None:
    gate = Gate()
    rig = open_window(ScriptedComposition(scripts=[steps(ADMIT, gate, Reply("Done."))]))
    rig.until_ready()
    card = card_of(rig, "human")
    rig.type_and_send("Hello")
    write(card, "Name: Ana M.")
    assert card._note.text() == "Saving …"
    assert card.is_editing
    gate.set()
    rig.until(lambda: not card.is_editing)
    assert rig.replies() == ["Done."]
