"""The real agent over the real stores behind the real window; only the model is scripted."""

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from helpers.agent_rig import append, reply
from helpers.memory_stores import HashEmbedder
from helpers.pdf_files import pdf_bytes
from helpers.scripted_model import ScriptedModel
from helpers.window_rig import app_theme
from pagekeeper_core.agent import Agent
from pagekeeper_core.assembly import AgentStores, assemble_agent
from pagekeeper_core.clock import SystemClock
from pagekeeper_core.events import BlockMade, SummaryAsked
from pagekeeper_core.records import Proposal, Target, TargetKind
from pagekeeper_desktop import composition
from pagekeeper_desktop.composition import Memory
from pagekeeper_desktop.model_choice import LoadStage, MissingModel
from pagekeeper_desktop.options import Options
from pagekeeper_desktop.settings import load_settings
from pagekeeper_desktop.view_models.conversation_rows import PassageRow
from pagekeeper_desktop.view_models.session import Session
from pagekeeper_desktop.view_models.session_state import Phase
from pagekeeper_desktop.view_models.transcript_items import MessageItem, Sender
from pagekeeper_desktop.windows.main_window import MainWindow


@dataclass
class Loaded:
    """The real agent under the name that the window knows."""

    agent: Agent
    model_name: str = "scripted"

    def close(self) -> None:
        """Nothing to let go of."""


@dataclass
class RealMemory:
    """The composition root's memory, and an agent over it."""

    model: ScriptedModel = field(default_factory=ScriptedModel)

    def open_memory(self, options: Options) -> Memory:
        return composition.open_memory(options)

    def missing_models(self, options: Options) -> Sequence[MissingModel]:
        return ()

    def download_models(self, options: Options, cancel: threading.Event) -> Iterator[LoadStage]:
        yield from ()

    def load_assistant(
        self, memory: Memory, options: Options, cancel: threading.Event
    ) -> Generator[LoadStage, None, Loaded]:
        yield LoadStage("Loading")
        return Loaded(
            assemble_agent(
                model=self.model,
                stores=AgentStores(
                    recall=memory.recall,
                    state=memory.state,
                    archival=memory.archival,
                    threads=memory.threads,
                    reminders=memory.reminders,
                    proposals=memory.proposals,
                    summaries=memory.summaries,
                    news=memory.news,
                ),
                is_reading=lambda: memory.imports.is_reading,
                clock=SystemClock(),
                archive_text=lambda text, cancel: None,
            )
        )


@dataclass
class Rig:
    """A window over real memory."""

    window: MainWindow
    session: Session
    model: ScriptedModel
    bot: QtBot

    def until(self, condition: Callable[[], bool]) -> None:
        self.bot.waitUntil(condition, timeout=20_000)

    def say(self, text: str) -> None:
        self.session.send(text)
        self.until(lambda: not self.session.state.busy and not self.session.unsent_texts())

    def texts(self, sender: Sender = Sender.USER) -> list[str]:
        items = self.session.transcript.items()
        return [i.text for i in items if isinstance(i, MessageItem) and i.sender is sender]

    def lines(self, block: str = "human") -> list[str]:
        cards = self.window.panel.cards
        return [line.text for line in cards[block].lines] if block in cards else []

    def close(self) -> None:
        self.window.close()
        self.until(lambda: self.session.join(0))
        QApplication.processEvents()


Opener = Callable[[], Rig]


@pytest.fixture
def open_real(
    qtbot: QtBot, styled: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Opener]:
    monkeypatch.setattr(
        "pagekeeper_models.sentence_embedder.SentenceEmbedder", lambda *_, **__: HashEmbedder()
    )
    rigs: list[Rig] = []

    def opened() -> Rig:
        real = RealMemory()
        session = Session(real, Options(tmp_path))
        settings = load_settings(tmp_path)
        window = MainWindow(session, app_theme(styled), tmp_path, settings, list)
        window.painted.connect(session.start)
        window.show()
        rigs.append(Rig(window, session, real.model, qtbot))
        rigs[-1].until(lambda: session.state.phase is Phase.READY)
        return rigs[-1]

    yield opened
    for rig in rigs:
        if not rig.session.join(0):
            rig.close()
        rig.window.deleteLater()


@pytest.mark.thorough
def test_conversations_are_kept_apart_over_a_restart(open_real: Opener) -> None:
    rig = open_real()
    rig.say("Bento is at the vet")
    rig.window.conversations.begin()
    rig.until(lambda: rig.session.conversations.shown == 2)
    rig.say("Porto in May")
    titles = [thread.title for thread in rig.session.conversations.threads]
    assert titles == ["Porto in May", "Bento is at the vet"]
    rig.session.conversations.open(1)
    rig.until(lambda: rig.texts() == ["Bento is at the vet"])
    rig.session.conversations.archive(2)
    rig.until(lambda: [t.thread_id for t in rig.session.conversations.put_away] == [2])
    rig.close()
    again = open_real()
    assert again.texts() == ["Bento is at the vet"]
    again.session.search.look_for("Porto")
    again.until(lambda: "Porto in May" in str(again.window.conversations.rows.rows))


def test_a_fact_is_explained_and_taken_back(open_real: Opener) -> None:
    rig = open_real()
    rig.model.enqueue(append("Dog: Bento"), reply("Noted."))
    rig.say("My dog is called Bento")
    rig.until(lambda: rig.lines() == ["Dog: Bento"])
    (line,) = rig.window.panel.cards["human"].lines
    line.why.click()
    rig.until(lambda: line.reason is not None)
    assert line.reason is not None
    assert "You said: “My dog is called Bento”" in line.reason.accessibleName()
    entry = rig.window.panel.activity.rows[0]
    assert entry._entry.change_id > 0
    line.undo.click()
    rig.until(lambda: rig.lines() == [])
    rig.window.show_history("human")


@pytest.mark.thorough
def test_reminders_blocks_and_proposals_reach_the_stores(open_real: Opener) -> None:
    rig = open_real()
    rig.session.reminders.set("Call the vet", "tomorrow at nine")
    rig.until(lambda: len(rig.window.reminders.cards) == 1)
    rig.session.post(BlockMade("work", "What the user works on", 60))
    rig.until(lambda: "work" in rig.window.panel.cards)
    rig.close()
    again = open_real()
    again.until(lambda: len(again.window.reminders.cards) == 1)
    again.until(lambda: "work" in again.window.panel.cards)
    (number,) = again.window.reminders.cards
    again.session.reminders.cancel(number)
    again.until(lambda: again.window.reminders.cards == {})
    memory = again.session._worker._memory
    assert isinstance(memory, Memory)
    again.say("I have a cat called Mia")
    target = Target(TargetKind.BLOCK, "human")
    now = SystemClock().now()
    made = memory.proposals.add(Proposal(target, "", "Cat: Mia", "You said it.", (1,), now))
    again.session.proposals.told([made])
    again.session.proposals.decide(made.proposal_id, accepted=True)
    again.until(lambda: again.lines() == ["Cat: Mia"])
    again.until(again.window.panel.proposals.isHidden)


@pytest.mark.thorough
def test_files_of_a_drop_are_spoken_of_together_once_nothing_is_typed_and_summarised(
    open_real: Opener, tmp_path: Path
) -> None:
    rig = open_real()
    paths = [tmp_path / name for name in ("rent.txt", "bill.txt")]
    for path in paths:
        path.write_text(f"The {path.stem} is due in May. It is 450 euros.", encoding="utf-8")
    composer = rig.window.pane.composer.field
    composer.setPlainText("a message that is being writ")
    rig.session.imports.add(paths)
    memory = rig.session._worker._memory
    assert isinstance(memory, Memory)
    rig.until(lambda: rig.texts(Sender.ASSISTANT) != [])
    (offer,) = rig.texts(Sender.ASSISTANT)
    assert offer.startswith("I have read 2 documents:\n- rent.txt (text)\n- bill.txt (text)\n")
    assert composer.toPlainText() == "a message that is being writ"
    (info,) = (d for d in memory.archival.documents() if d.record.title == "bill.txt")
    rig.session.post(SummaryAsked(info.document_id))
    rig.until(lambda: len(rig.texts(Sender.ASSISTANT)) == 2 and not rig.session.state.busy)
    summary = rig.texts(Sender.ASSISTANT)[1]
    assert summary.startswith("bill.txt (text):\n- The bill is due in May.")
    memory.archival.delete_document(info.document_id)
    assert memory.summaries.documents() == []
    rig.close()
    assert open_real().texts(Sender.ASSISTANT) == [offer, summary]


@pytest.mark.thorough
def test_a_dropped_pdf_is_found_shown_on_its_page_and_deleted(
    open_real: Opener, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("papers") / "booklet.pdf"
    path.write_bytes(pdf_bytes(["Bento is a beagle.", "Leptospirosis is due in May."]))
    rig = open_real()
    window, library = rig.window, rig.session.archive.library
    window._toggle_library()
    rig.session.imports.add([path])
    rig.until(lambda: [row.title for row in library.table.shown if row.document_id] != [])
    (row,) = library.table.shown
    assert (row.kind, row.pages, row.passages, row.size > 0) == ("pdf", 2, 2, True)
    window.conversations.search.setText("Leptospirosis")
    rows = window.conversations.rows
    rig.until(lambda: any(isinstance(found, PassageRow) for found in rows.rows))
    found = next(found for found in rows.rows if isinstance(found, PassageRow))
    window.conversations.list.chosen.emit(found)
    dialog = window.passages.dialog
    assert dialog is not None
    rig.until(dialog.page_button.isChecked)
    assert dialog.page.accessibleName() == "Page 2 of 2, the passage is marked"
    library.delete([row])
    rig.until(lambda: library.table.shown == [])
    window.passages.open(found.hit.passage_id, row.title)
    rig.until(lambda: "deleted" in dialog.place.text())
