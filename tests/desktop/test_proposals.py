"""What idle work proposes waits for the person; blocks of one's own can be made."""

from datetime import UTC, datetime

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton

from helpers.scripted_assistant import ADMIT, Gate, Reply, ScriptedComposition, message, steps
from helpers.window_rig import OpenWindow, WindowRig
from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.events import BlockMade, ProposalDecided
from pagekeeper_core.messages import MessageKind
from pagekeeper_core.records import ChangeAction, Proposal, ProposalState, Target, TargetKind
from pagekeeper_core.updates import ProposalsChanged
from pagekeeper_desktop.model_choice import MissingModel
from pagekeeper_desktop.view_models.session_state import Phase

HUMAN = Target(TargetKind.BLOCK, "human")


def proposal(
    before: str = "Lives in Lyon", after: str = "Lives in Porto", sources: tuple[int, ...] = (1,)
) -> Proposal:
    return Proposal(
        HUMAN, before, after, "You said later that you moved.", sources, datetime.now(UTC)
    )


def proposing(*proposals: Proposal) -> ScriptedComposition:
    composition = ScriptedComposition()
    composition.recall.append(message(MessageKind.USER, "I moved to Porto"))
    for each in proposals:
        composition.proposals.add(each)
    return composition


def words(rig: WindowRig, number: int) -> list[str]:
    card = rig.window.panel.proposals.cards[number]
    return [label.text() for label in card.findChildren(QLabel) if label.isVisibleTo(card)]


def click(button: QPushButton) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_a_proposal_says_what_would_change_and_who_says_so(open_window: OpenWindow) -> None:
    rig = open_window(proposing(proposal())).until_ready()
    cards = rig.window.panel.proposals.cards
    rig.until(lambda: 1 in cards)
    rig.until(lambda: len(words(rig, 1)) == 5)
    assert words(rig, 1) == [
        "About you",
        "− Lives in Lyon",
        "+ Lives in Porto",
        "You said later that you moved.",
        "You said: “I moved to Porto”",
    ]
    show = next(b for b in cards[1].findChildren(QPushButton) if b.text().startswith("Show it"))
    revealed: list[int] = []
    rig.session.history.revealed.connect(revealed.append)
    click(show)
    rig.until(lambda: bool(revealed))


def test_one_is_accepted_and_one_dismissed(open_window: OpenWindow) -> None:
    rig = open_window(proposing(proposal(), proposal("", "Cat: Mia"))).until_ready()
    cards = rig.window.panel.proposals.cards
    rig.until(lambda: len(cards) == 2)
    cards[1].accept.click()
    assert not cards[1].accept.isEnabled()
    rig.until(lambda: list(rig.window.panel.proposals.cards) == [2])
    cards[2].dismiss.click()
    rig.until(rig.window.panel.proposals.isHidden)
    decided = [event for event in rig.agent.events if isinstance(event, ProposalDecided)]
    assert decided == [ProposalDecided(1, accepted=True), ProposalDecided(2, accepted=False)]


def test_what_cannot_be_carried_out_says_why_and_stays(open_window: OpenWindow) -> None:
    rig = open_window(proposing(proposal())).until_ready()
    rig.until(lambda: 1 in rig.window.panel.proposals.cards)
    card = rig.window.panel.proposals.cards[1]
    rig.agent.refusals.append(PagekeeperError("The line is gone.", hint="Dismiss it."))
    click(card.accept)
    rig.until(lambda: card.note.text() == "The line is gone. Dismiss it.")
    assert card.accept.isEnabled()
    assert rig.window.pane.banner.isHidden()


def test_decisions_are_carried_out_without_a_model(open_window: OpenWindow) -> None:
    composition = proposing(proposal("", "Cat: Mia"), proposal("", "Dog: Bento"))
    composition.missing.append(MissingModel("Qwen2.5 Coder 1.5B", 1_117_320_768))
    rig = open_window(composition)
    rig.until_phase(Phase.MODEL_MISSING)
    rig.until(lambda: len(rig.window.panel.proposals.cards) == 2)
    rig.window.panel.proposals.cards[1].accept.click()
    rig.until(lambda: list(rig.window.panel.proposals.cards) == [2])
    assert composition.state.current_blocks()["human"] == "Cat: Mia"
    rig.window.panel.proposals.cards[2].dismiss.click()
    rig.until(rig.window.panel.proposals.isHidden)
    assert composition.state.current_blocks()["human"] == "Cat: Mia"
    refused: list[int] = []
    rig.session.proposals.refused.connect(lambda number, _: refused.append(number))
    rig.session.proposals.decide(2, accepted=True)
    rig.until(lambda: refused == [2])


def test_a_refusal_leaves_the_button_that_downloads_the_model(open_window: OpenWindow) -> None:
    composition = proposing()
    composition.missing.append(MissingModel("Qwen2.5 Coder 1.5B", 1_117_320_768))
    rig = open_window(composition)
    rig.until_phase(Phase.MODEL_MISSING)
    rig.session.explanations.undo(99)
    banner = rig.window.pane.banner
    rig.until(lambda: banner.accessibleName() == "There is no change 99.")
    click(banner._button)
    rig.until_ready()


def test_what_is_decided_while_the_model_loads_is_stored_on_closing(
    open_window: OpenWindow,
) -> None:
    composition = proposing(proposal())
    composition.load_gate = Gate()
    rig = open_window(composition)
    rig.until_phase(Phase.LOADING)
    rig.session.proposals.decide(1, accepted=False)
    rig.session.explanations.forget_message(1)
    rig.close()
    assert [p.proposal_id for p in composition.proposals.proposals(ProposalState.DISMISSED)] == [1]
    (change,) = composition.state.changes(Target(TargetKind.MESSAGE, "1"))
    assert change.action is ChangeAction.FORGET


def test_what_idle_work_finds_appears(open_window: OpenWindow) -> None:
    composition = proposing()
    found = composition.proposals.add(proposal())
    composition.proposals.all.clear()
    composition.scripts.append(steps(ADMIT, ProposalsChanged((found,)), Reply("Yes.")))
    rig = open_window(composition).until_ready()
    assert rig.window.panel.proposals.isHidden()
    rig.type_and_send("I moved")
    rig.until(lambda: list(rig.window.panel.proposals.cards) == [1])
    assert rig.window.panel.proposals.isVisible()


def test_a_block_of_one_s_own(open_window: OpenWindow) -> None:
    rig = open_window().until_ready()
    form = rig.window.panel.block_form
    rig.until(form.isVisible)
    click(form.open_button)
    assert form.name.hasFocus()
    assert not form.save.isEnabled()
    form.name.setText("Work Projects")
    form.about.setText("What I work on")
    form.limit.setValue(200)
    QTest.keyClick(form.about, Qt.Key.Key_Return)
    rig.until(lambda: "work_projects" in rig.window.panel.cards)
    assert BlockMade("work_projects", "What I work on", 200) in rig.agent.events
    assert form.form.isHidden()
    assert rig.window.panel.cards["work_projects"]._title.text() == "Work projects"


def test_a_block_that_cannot_be_made_says_why(open_window: OpenWindow) -> None:
    rig = open_window().until_ready()
    form = rig.window.panel.block_form
    rig.until(form.isVisible)
    click(form.open_button)
    form.name.setText("工作")
    form.about.setText("What I work on")
    rig.agent.refusals.append(
        PagekeeperError("'工作' cannot be the name of a block.", hint="a to z.")
    )
    click(form.save)
    rig.until(lambda: form.note.text() == "'工作' cannot be the name of a block. a to z.")
    assert form.about.text() == "What I work on"
    assert form.save.isEnabled()
    QTest.keyClick(form.name, Qt.Key.Key_Escape)
    assert form.form.isHidden()
    assert form.open_button.isVisible()
