"""Scenes of the window with a scripted assistant behind it, for pictures of it."""

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QWidget

from helpers.library_documents import BOOKLET, add_booklet, add_documents
from helpers.pdf_files import pdf_bytes
from helpers.scripted_assistant import (
    ADMIT,
    Gate,
    Reply,
    ScriptedAgent,
    ScriptedComposition,
    ScriptedImporter,
    steps,
    usage,
)
from pagekeeper_core.clock import SystemClock
from pagekeeper_core.errors import DocumentError, DocumentLocked, ModelError, PagekeeperError
from pagekeeper_core.events import ThreadRenamed, TimedEvent
from pagekeeper_core.memory_history import MemoryHistory
from pagekeeper_core.messages import Citation, FunctionCall, FunctionResult, Message, MessageKind
from pagekeeper_core.records import ChangeAction, Proposal, Reminder, Target, TargetKind
from pagekeeper_core.updates import CallFinished, CallStarted, QueueFlushed, ReplyDelta
from pagekeeper_core.working_context import Block
from pagekeeper_desktop.model_choice import MissingModel
from pagekeeper_desktop.options import Options
from pagekeeper_desktop.settings import Settings, ThemeChoice
from pagekeeper_desktop.theme import Theme
from pagekeeper_desktop.view_models.session import Session
from pagekeeper_desktop.view_models.session_state import Phase
from pagekeeper_desktop.widgets.citation_chips import CitationChips
from pagekeeper_desktop.windows.history_dialog import HistoryDialog
from pagekeeper_desktop.windows.main_window import MainWindow
from pagekeeper_desktop.windows.passage_dialog import PassageDialog
from pagekeeper_desktop.windows.settings_dialog import ModelChoice, SettingsDialog

__all__ = ["SCENES", "Scene", "Stage", "make_pictures", "with_past"]

WIDE, SMALL = QSize(1180, 800), QSize(900, 600)
MODEL = "Qwen2.5 Coder 1.5B"

BLOCKS = (
    Block("persona", "Who the assistant is.", 300, "I am Keeper. I answer briefly and honestly."),
    Block(
        "human",
        "What is known about the user.",
        680,
        "Name: Ana\nLives in Porto, moved from Lyon in 2024\nDog: Bento, a beagle, seven years\n"
        "Allergic to walnuts\nPrefers short answers",
    ),
)

PAST = (
    ("I took Bento to the vet this morning.", "Poor Bento. What did the vet say?"),
    (
        "That he is fine and that he should come back in May. He weighs 14.2 kg.",
        "Good news. I have noted both: **14.2 kg**, and the next visit **in May**.",
    ),
    (
        "Which vaccinations does he need then?",
        "From the booklet that you gave me in March:\n\n"
        "| Vaccination | Last | Due |\n|---|---|---|\n| Rabies | May 2023 | **May 2026** |\n"
        "| Leptospirosis | May 2025 | **May 2026** |",
    ),
)

SEARCH = FunctionCall(
    "conversation_search",
    {"queries": ["vet", "Bento weight"], "page": 1},
    "Ana asks about the visit; I look it up.",
    request_heartbeat=True,
)
FOUND = FunctionResult(
    "2 results for what was said: 'vet', 'Bento weight'\n"
    "1. (2026-11-28 10:42, user) He weighs 14.2 kg.\n"
    "2. (2026-11-28 10:41, user) I took Bento to the vet this morning."
)
APPEND = FunctionCall(
    "core_memory_append",
    {"block": "human", "text": "Bento weighs 14.2 kg (Nov 2026)"},
    "Worth keeping.",
)
ANSWER = (
    "On Saturday the vet weighed him at **14.2 kg**. For a beagle of his size that is at the upper "
    "end, so I would:\n\n1. weigh him once a month,\n2. keep to 180 g of dry food a day,\n"
    "3. and ask in May whether the vet agrees.\n\n```text\nMay 2026  vet: rabies, leptospirosis"
)


@dataclass(frozen=True, slots=True)
class Scene:
    """One picture.

    Attributes:
        name: Of the file.
        composition: The script.
        play: Brings the window to the moment of the picture.
        theme: Colours.
        size: Of the window, in logical pixels.
    """

    name: str
    composition: Callable[[], ScriptedComposition]
    play: Callable[["Stage"], QWidget | None]
    theme: ThemeChoice = ThemeChoice.LIGHT
    size: QSize = WIDE


@dataclass(frozen=True, slots=True)
class Stage:
    """The window that a scene is played in."""

    window: MainWindow
    session: Session
    composition: ScriptedComposition = field(default_factory=ScriptedComposition)

    def agent(self) -> ScriptedAgent:
        """The scripted agent, once it is loaded."""
        assert self.composition.assistant is not None
        return self.composition.assistant.agent

    def until(self, condition: Callable[[], bool], seconds: float = 10) -> None:
        """Run the event loop until something is so."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError("the scene does not get there")
            QApplication.processEvents()
            time.sleep(0.005)

    def run_for(self, seconds: float) -> None:
        """Run the event loop for a while."""
        end = time.monotonic() + seconds
        self.until(lambda: time.monotonic() > end)

    def ready(self) -> None:
        """Run the event loop until the assistant answers."""
        self.until(lambda: self.session.state.phase is Phase.READY)

    def say(self, text: str) -> None:
        """Send a message and let the reply go as far as its script."""
        self.window.pane.composer.send_requested.emit(text)
        self.run_for(0.7)


CONVERSATIONS = (
    ("Bento's vet", 1, "What did the vet say?"),
    ("Trip to Porto", 1, "Which train goes to Porto?"),
    ("Health insurance", 2, "When does the insurance end?"),
    ("A recipe for the bean stew that grandmother made every Sunday", 5, "The stew, please."),
    ("Books to read", 40, "Which book was it?"),
    ("Tax papers", 75, "Where is the tax letter?"),
)
"""Titles, how many days ago, and what was said; the first is the one of `PAST`."""


def add_conversations(composition: ScriptedComposition) -> None:
    """Several conversations, the first of which is the newest."""
    now = datetime.now(UTC)
    for number, (title, days, said) in enumerate(CONVERSATIONS, start=1):
        if number == 1:
            composition.store.rename(1, title)
            continue
        composition.store.create(now, title)
        at = now - timedelta(days=days, hours=2)
        composition.recall.append(Message(MessageKind.USER, said, said, at, thread_id=number))


def remember(composition: ScriptedComposition) -> None:
    """What is known about the person was written piece by piece, as the history tells."""
    history = MemoryHistory(composition.state, SystemClock())
    (block,) = (block for block in composition.blocks if block.name == "human")
    lines = ["Lives in Lyon" if "Porto" in line else line for line in block.text.split("\n")]
    before = ""
    for end in range(1, len(lines) + 1):
        before = _write(history, before, "\n".join(lines[:end]), 0)
    cause = composition.recall.read_last(6)[0].seq
    _write(history, before, block.text, cause)


def _write(history: MemoryHistory, before: str, after: str, cause_seq: int) -> str:
    target = Target(TargetKind.BLOCK, "human")
    history.record(
        target,
        ChangeAction.EDIT,
        before=before,
        after=after,
        actor="assistant",
        cause_seq=cause_seq,
    )
    return after


def with_past(**fields: object) -> ScriptedComposition:
    """A composition after a conversation of yesterday."""
    composition = ScriptedComposition(blocks=BLOCKS, **fields)  # type: ignore[arg-type]
    add_conversations(composition)
    at = datetime.now(UTC) - timedelta(days=1)
    for question, answer in PAST:
        for kind, text in ((MessageKind.USER, question), (MessageKind.ASSISTANT, answer)):
            at += timedelta(minutes=1)
            composition.recall.append(Message(kind, text, text, at))
    remember(composition)
    return composition


def in_use() -> ScriptedComposition:
    """A reply that is being written, after two calls and a flush."""
    gate = Gate()
    script = steps(
        QueueFlushed(12, 1820, "Ana told about her dog Bento, her move to Porto and her allergy."),
        ADMIT,
        CallStarted(SEARCH),
        CallFinished(SEARCH, FOUND),
        CallStarted(APPEND),
        CallFinished(APPEND, FunctionResult("Saved.", changed_memory=True)),
        ReplyDelta(ANSWER),
        gate,
    )
    return with_past(scripts=[script])


def play_in_use(stage: Stage) -> None:
    """Ask, and wait until most of the answer stands."""
    stage.ready()
    agent_usage(stage, queue=3100)
    stage.say("What did the vet say about his weight?")
    rows = stage.window.panel.activity.rows
    rows[1].unfold(unfolded=True)
    stage.run_for(0.3)


def agent_usage(stage: Stage, queue: int) -> None:
    """Fill the meter."""
    stage.session.usage_changed.emit(usage(queue))


def play_welcome(stage: Stage) -> None:
    """The first start."""
    stage.ready()
    stage.run_for(0.2)


def play_writing_systems(stage: Stage) -> None:
    """Right to left, Chinese, Japanese, emoji, mixed."""
    stage.ready()
    for text in (
        "מה אמר הווטרינר על Bento היום?",
        "兽医说了什么？猫也去了吗？",
        "ありがとう 🐕‍🦺👩‍👩‍👧",
    ):
        stage.say(text)
    stage.run_for(0.2)


def writing_systems() -> ScriptedComposition:
    """Replies in the language of the question."""
    replies = (
        "הווטרינר אמר ש־Bento **בריא**, ושצריך לחזור במאי:\n\n- לשקול אותו\n- להביא את הפנקס",
        "他说 Bento **很好**，五月再来。猫没有去。\n\n1. 每月称一次体重\n2. 带上疫苗本",
        "どういたしまして。また何かあれば言ってください。",
    )
    composition = ScriptedComposition(
        blocks=BLOCKS, scripts=[steps(ADMIT, Reply(r)) for r in replies]
    )
    add_conversations(composition)
    for number, title in enumerate(("税务文件和保险", "טיול לחיפה", "旅行の計画"), start=2):
        composition.store.rename(number, title)
    return composition


def play_error(stage: Stage) -> None:
    """A chain that failed."""
    stage.ready()
    stage.say("How heavy is he now?")


def failing() -> ScriptedComposition:
    """A model that fails."""
    error = ModelError(
        "The model ran out of memory while it read the conversation.",
        hint="Close other programs and send it again, or choose a smaller context window in the "
        "settings.",
        retryable=True,
    )
    return with_past(scripts=[steps(ADMIT, error)])


def play_imports(stage: Stage) -> None:
    """Several files, each at another point."""
    stage.ready()
    names = (
        "Vaccination booklet.pdf",
        "contract-scan.pdf",
        "家計簿.txt",
        "Insurance 2026.pdf",
        "b.txt",
    )
    stage.session.imports.add([Path("/home/ana") / name for name in names])
    stage.run_for(3.0)


def importing() -> ScriptedComposition:
    """One file is read, one is refused, one runs."""
    refused = DocumentError(
        "家計簿.txt is damaged: it ends in the middle of a line.",
        hint="Get the file again from where it came from.",
    )
    outcomes: dict[str, Exception | Gate | int] = {
        "Vaccination booklet.pdf": 12,
        "contract-scan.pdf": DocumentLocked("contract-scan.pdf"),
        "家計簿.txt": refused,
        "Insurance 2026.pdf": Gate(),
    }
    return with_past(importer=ScriptedImporter(outcomes))


def play_missing(stage: Stage) -> None:
    """No model yet."""
    stage.until(lambda: stage.session.state.phase is Phase.MODEL_MISSING)
    stage.run_for(0.2)


def play_download(stage: Stage) -> None:
    """The download runs, a message waits."""
    play_missing(stage)
    stage.window.pane.banner.acted.emit()
    stage.window.pane.banner.hide()
    stage.say("My name is Ana, and I have a dog called Bento.")


def missing() -> ScriptedComposition:
    """A machine without a model."""
    return ScriptedComposition(missing=[MissingModel(MODEL, 1_117_320_768)], download_gate=Gate())


def play_loading(stage: Stage) -> None:
    """The past stands, the model comes."""
    stage.until(lambda: stage.session.state.stage.startswith("Loading"))
    stage.window.pane.composer.set_text("And what about")
    stage.run_for(0.2)


def play_editing(stage: Stage) -> None:
    """A block is being edited, the drop zone is not."""
    play_in_use(stage)
    stage.window.panel.cards["human"].begin_edit()
    stage.run_for(0.2)


def play_why(stage: Stage) -> None:
    """A line says why it is there."""
    stage.ready()
    stage.until(lambda: "human" in stage.window.panel.cards)
    for line in stage.window.panel.cards["human"].lines:
        if "Porto" in line.text:
            line.why.click()
    stage.run_for(0.5)


def play_history(stage: Stage) -> QWidget:
    """The history of a block."""
    stage.ready()
    stage.window.show_history("human")
    stage.run_for(0.6)
    (dialog,) = stage.window.findChildren(HistoryDialog)
    return dialog


def planned() -> ScriptedComposition:
    """Reminders of both kinds, proposals with their sources."""
    composition = with_past()
    now = datetime.now(UTC)
    newest = composition.recall.count()
    for text, days, often, actor in (
        ("Call the vet about Bento's vaccinations", 1, "", "user"),
        ("What is due today? Look at the calendar and at what was said.", 0.3, "FREQ=DAILY", ""),
        ("给花浇水", 6, "FREQ=WEEKLY;BYDAY=SU", "assistant"),
    ):
        composition.reminders.add(
            Reminder(text, now + timedelta(days=days), often, now, actor, newest - 5)
        )
    human = Target(TargetKind.BLOCK, "human")
    for before, after, reason in (
        ("", "Bento weighs 14.2 kg (November 2026)", "You said it, and no line says it yet."),
        (
            "Dog: Bento, a beagle, seven years",
            "Dog: Bento, a beagle, eight years",
            "You said later that he is eight.",
        ),
    ):
        composition.proposals.add(Proposal(human, before, after, reason, (newest - 3,), now))
    return composition


def play_reminders(stage: Stage) -> None:
    """The page of reminders, after a moment that was not understood."""
    stage.ready()
    stage.window._toggle_reminders()
    page = stage.window.reminders
    page.text.setText("Pay the rent")
    page.when.setText("when pigs fly")
    page.add.click()
    stage.run_for(0.8)


def play_reminded(stage: Stage) -> None:
    """A reminder was due: the assistant spoke first."""
    stage.ready()
    due = Reminder(
        "Call the vet about Bento's vaccinations", datetime.now(UTC), "", datetime.now(UTC), "user"
    )
    agent = stage.agent()
    agent.due.append((time.monotonic(), TimedEvent(due)))
    stage.session.post(ThreadRenamed(1, "Bento's vet"))
    stage.run_for(1.2)


def reminded() -> ScriptedComposition:
    """What the assistant says of the reminder."""
    words = "You wanted to call the vet today, about **rabies** and **leptospirosis**."
    return with_past(scripts=[steps(Reply(words))])


def play_proposals(stage: Stage) -> None:
    """Proposals above the blocks."""
    stage.ready()
    stage.window.panel.rows.setSizes([700, 100])
    stage.run_for(0.6)


def play_block_form(stage: Stage) -> None:
    """A block is being made."""
    stage.ready()
    stage.run_for(0.3)
    stage.window.panel.rows.setSizes([700, 100])
    form = stage.window.panel.block_form
    form.open()
    form.name.setText("工作")
    form.about.setText("What I work on")
    form.refused(
        PagekeeperError("'工作' cannot be the name of a block.", hint="Take a letter a to z.")
    )
    stage.run_for(0.3)


def play_search(stage: Stage) -> None:
    """A search over all conversations."""
    stage.ready()
    stage.window._search()
    stage.window.conversations.search.setText("Porto vet")
    stage.run_for(0.8)


def play_drop(stage: Stage) -> None:
    """Files are dragged over the window."""
    stage.ready()
    stage.window.drop_zone.cover()
    stage.run_for(0.2)


def documented() -> ScriptedComposition:
    """A conversation whose last reply cites a booklet, and a library around it."""
    composition = with_past()
    add_documents(composition.archival)
    folder = Path(tempfile.mkdtemp(prefix="pagekeeper-"))
    path = folder / "Vaccination booklet.pdf"
    path.write_bytes(pdf_bytes(["\n".join(BOOKLET[:3]), "\n".join(BOOKLET[3:])]))
    info = add_booklet(composition.archival, path)
    passages = composition.archival.passages_of(info.document_id)
    cited = (
        Citation(1, passages[1], info.document_id, info.record.title, "page 1"),
        Citation(2, passages[2], info.document_id, info.record.title, "page 1"),
        Citation(3, "gone", "gone", "家計簿 of last year.csv", "rows 2 to 40"),
    )
    for kind, text, citations in (
        (MessageKind.USER, "Which vaccinations are due next year?", ()),
        (
            MessageKind.ASSISTANT,
            "Rabies is due in **May 2026** [1], and so is leptospirosis [2]. The last bill of the "
            "vet was 48 € [3].",
            cited,
        ),
    ):
        now = datetime.now(UTC)
        composition.recall.append(Message(kind, text, text, now, citations=citations))
    return composition


def play_cited(stage: Stage) -> None:
    """A reply with its sources."""
    stage.ready()
    stage.run_for(0.4)


def play_passage(stage: Stage) -> QWidget:
    """A passage where it stands, as text."""
    dialog = play_page(stage)
    dialog.text_button.click()
    stage.run_for(0.3)
    return dialog


def play_page(stage: Stage) -> PassageDialog:
    """The page that a passage is on."""
    play_cited(stage)
    chips = stage.window.pane.transcript.live_rows[-1].findChildren(CitationChips)
    chips[0].chips[0].click()
    opener = stage.window.passages
    stage.until(lambda: opener.dialog is not None and opener.dialog.page_button.isChecked())
    stage.run_for(0.3)
    assert opener.dialog is not None
    return opener.dialog


def play_gone(stage: Stage) -> QWidget:
    """A source whose document was deleted."""
    play_cited(stage)
    chips = stage.window.pane.transcript.live_rows[-1].findChildren(CitationChips)
    chips[0].chips[2].click()
    stage.run_for(0.4)
    dialog = stage.window.passages.dialog
    assert dialog is not None
    return dialog


def play_library(stage: Stage) -> None:
    """The documents, one of them chosen."""
    stage.ready()
    stage.window._toggle_library()
    stage.until(lambda: stage.session.archive.library.is_read)
    stage.window.library.list.selectRow(1)
    stage.run_for(0.3)


def play_empty_library(stage: Stage) -> None:
    """No document yet."""
    stage.ready()
    stage.window._toggle_library()
    stage.until(lambda: stage.session.archive.library.is_read)
    stage.run_for(0.3)


def play_document_search(stage: Stage) -> None:
    """A search that finds documents too."""
    stage.ready()
    stage.window._search()
    stage.window.conversations.search.setText("vaccinations Bento")
    stage.run_for(1.0)


def play_settings(stage: Stage) -> QWidget:
    """The settings dialog."""
    stage.ready()
    choices = [ModelChoice("a", MODEL), ModelChoice("b", "Qwen2.5 Coder 0.5B (download)")]
    dialog = SettingsDialog(Settings(), choices, stage.window)
    dialog.show()
    stage.run_for(0.2)
    return dialog


SCENES = (
    Scene("window", in_use, play_in_use),
    Scene("dark", in_use, play_in_use, ThemeChoice.DARK),
    Scene("small", in_use, play_in_use, size=SMALL),
    Scene("welcome", ScriptedComposition, play_welcome),
    Scene("writing-systems", writing_systems, play_writing_systems),
    Scene("error", failing, play_error),
    Scene("error-dark", failing, play_error, ThemeChoice.DARK, SMALL),
    Scene("imports", importing, play_imports),
    Scene("missing", missing, play_missing, size=SMALL),
    Scene("download", missing, play_download, ThemeChoice.DARK),
    Scene("loading", lambda: with_past(load_gate=Gate()), play_loading),
    Scene("editing", in_use, play_editing),
    Scene("drop", with_past, play_drop),
    Scene("why", with_past, play_why, size=SMALL),
    Scene("why-dark", with_past, play_why, ThemeChoice.DARK),
    Scene("reminders", planned, play_reminders),
    Scene("reminders-dark", planned, play_reminders, ThemeChoice.DARK, SMALL),
    Scene("reminded", reminded, play_reminded),
    Scene("reminded-dark", reminded, play_reminded, ThemeChoice.DARK, SMALL),
    Scene("proposals", planned, play_proposals),
    Scene("proposals-dark", planned, play_proposals, ThemeChoice.DARK, SMALL),
    Scene("block-form", with_past, play_block_form),
    Scene("settings-dark", with_past, play_settings, ThemeChoice.DARK),
    Scene("history", with_past, play_history),
    Scene("search", with_past, play_search),
    Scene("search-small-dark", with_past, play_search, ThemeChoice.DARK, SMALL),
    Scene("settings", with_past, play_settings),
    Scene("imports-dark", importing, play_imports, ThemeChoice.DARK, SMALL),
    Scene("cited", documented, play_cited),
    Scene("cited-dark", documented, play_cited, ThemeChoice.DARK, SMALL),
    Scene("passage", documented, play_passage),
    Scene("passage-dark", documented, play_passage, ThemeChoice.DARK),
    Scene("page", documented, play_page),
    Scene("page-dark", documented, play_page, ThemeChoice.DARK, SMALL),
    Scene("passage-gone", documented, play_gone),
    Scene("library", documented, play_library),
    Scene("library-dark", documented, play_library, ThemeChoice.DARK, SMALL),
    Scene("library-empty", with_past, play_empty_library, size=SMALL),
    Scene("document-search", documented, play_document_search),
    Scene("document-search-dark", documented, play_document_search, ThemeChoice.DARK, SMALL),
)


def make_pictures(folder: Path, only: str | None) -> Iterator[Path]:
    """Play all scenes, or one, and keep their pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    theme = Theme(QApplication([]), ThemeChoice.LIGHT)
    for scene in SCENES:
        if only in (None, scene.name):
            yield _picture(scene, theme, folder)


def _picture(scene: Scene, theme: Theme, folder: Path) -> Path:
    theme.choose(scene.theme)
    data_dir = Path(tempfile.mkdtemp(prefix="pagekeeper-"))
    composition = scene.composition()
    session = Session(composition, Options(data_dir))
    settings = replace(Settings(), theme=scene.theme)
    window = MainWindow(session, theme, data_dir, settings, list)
    window.painted.connect(session.start)
    window.painted.connect(window.status.start)
    window.resize(scene.size)
    window.show()
    stage = Stage(window, session, composition)
    shown = scene.play(stage) or window
    path = folder / f"{scene.name}.png"
    shown.grab().save(str(path))
    window.close()
    stage.until(lambda: session.join(0))
    window.deleteLater()
    return path
