"""Files dropped on the window: each is read, or says why not; none stops another."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog

from helpers.scripted_assistant import Gate, ScriptedComposition, ScriptedImporter
from helpers.window_rig import OpenWindow, WindowRig
from pagekeeper_core.errors import DocumentError, DocumentLocked, ModelError
from pagekeeper_core.events import DocumentImported
from pagekeeper_desktop.view_models.session_state import Phase
from pagekeeper_desktop.view_models.transcript_items import ImportState
from pagekeeper_desktop.widgets.batch_row import BatchRow
from pagekeeper_desktop.widgets.import_row import ImportRow


def row_of(rig: WindowRig, name: str) -> ImportRow:
    """The line of a file."""
    for batch in rig.window.pane.transcript.findChildren(BatchRow):
        if not batch._is_unfolded:
            batch.unfold()
    rows = rig.window.pane.transcript.findChildren(ImportRow)
    (row,) = [row for row in rows if row._name.text() == name and not row.isHidden()]
    return row


def states(rig: WindowRig) -> list[ImportState]:
    """How far all files are."""
    return [item.state for item in rig.imports()]


def test_a_dropped_file_is_read_and_the_agent_hears_of_it(open_window: OpenWindow) -> None:
    rig = open_window().until_ready()
    rig.drop(Path("/home/ana/booklet.pdf"))
    rig.until(lambda: states(rig) == [ImportState.DONE])
    assert rig.window.drop_zone.isHidden()
    assert rig.imports()[0].message == "Read 3 pages, 9 passages"
    imported = DocumentImported("booklet.pdf", 9, 3, "1")
    rig.until(lambda: imported in rig.agent.events)
    assert not rig.session.state.busy


def test_a_bad_file_says_why_and_the_others_are_read(
    open_window: OpenWindow, caplog: pytest.LogCaptureFixture
) -> None:
    outcomes: dict[str, Exception | Gate | int] = {
        "scan.pdf": DocumentError("It is a scan.", hint="Recognise its text first."),
        "odd.bin": ValueError("a fault of ours"),
        "late.pdf": ModelError("The embedder is missing.", hint="Download it."),
    }
    rig = open_window(ScriptedComposition(importer=ScriptedImporter(outcomes))).until_ready()
    rig.drop(*(Path("/home/ana") / name for name in ("a.txt", *outcomes, "z.txt")))
    failed = ImportState.FAILED
    rig.until(lambda: states(rig) == [ImportState.DONE, failed, failed, failed, ImportState.DONE])
    assert row_of(rig, "scan.pdf")._message.text() == "It is a scan.\nRecognise its text first."
    assert row_of(rig, "odd.bin")._message.text().startswith("odd.bin could not be read")
    assert "a fault of ours" in caplog.text


def test_a_running_file_can_be_stopped_and_the_next_one_is_read(open_window: OpenWindow) -> None:
    importer = ScriptedImporter({"long.pdf": Gate()})
    rig = open_window(ScriptedComposition(importer=importer)).until_ready()
    rig.drop(Path("long.pdf"), Path("next.txt"))
    rig.until(lambda: states(rig)[:1] == [ImportState.RUNNING])
    row = row_of(rig, "long.pdf")
    rig.until(lambda: row._message.text() == "Reading page 2 of 4")
    QTest.mouseClick(row._cancel, Qt.MouseButton.LeftButton)
    rig.until(lambda: states(rig) == [ImportState.CANCELLED, ImportState.DONE])


def test_files_dropped_while_it_loads_wait_and_can_be_taken_out(open_window: OpenWindow) -> None:
    gate = Gate()
    rig = open_window(ScriptedComposition(load_gate=gate))
    rig.until_phase(Phase.LOADING)
    rig.drop(Path("a.txt"), Path("b.txt"))
    rig.until(lambda: states(rig) == [ImportState.WAITING] * 2)
    QTest.mouseClick(row_of(rig, "a.txt")._cancel, Qt.MouseButton.LeftButton)
    rig.until(lambda: states(rig)[:1] == [ImportState.CANCELLED])
    gate.set()
    rig.until(lambda: states(rig) == [ImportState.CANCELLED, ImportState.DONE])


def test_closing_while_a_file_is_read(open_window: OpenWindow) -> None:
    importer = ScriptedImporter({"long.pdf": Gate()})
    rig = open_window(ScriptedComposition(importer=importer)).until_ready()
    rig.drop(Path("long.pdf"), Path("next.txt"))
    rig.until(lambda: states(rig)[:1] == [ImportState.RUNNING])
    rig.close()
    assert rig.composition.memory is not None
    assert rig.composition.memory.closed


@pytest.mark.thorough
def test_many_files_do_not_make_many_widgets(open_window: OpenWindow) -> None:
    rig = open_window().until_ready()
    rig.drop(*(Path(f"{number}.txt") for number in range(400)))
    rig.until(lambda: set(states(rig)) == {ImportState.DONE})
    assert len(rig.window.pane.transcript.live_rows) <= 200


def test_a_drag_that_leaves_takes_the_drop_zone_with_it(open_window: OpenWindow) -> None:
    rig = open_window().until_ready()
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/home/ana/a.txt")])
    enter = QDragEnterEvent(
        QPoint(9, 9),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(rig.window, enter)
    assert rig.window.drop_zone.isVisible()
    QApplication.sendEvent(rig.window, QDragLeaveEvent())
    assert rig.window.drop_zone.isHidden()


def test_addresses_and_texts_are_not_files(open_window: OpenWindow) -> None:
    rig = open_window().until_ready()
    data = QMimeData()
    data.setUrls([QUrl("https://example.org/a.pdf")])
    enter = QDragEnterEvent(
        QPoint(9, 9),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    enter.ignore()
    QApplication.sendEvent(rig.window, enter)
    assert rig.window.drop_zone.isHidden()


def test_the_paperclip_opens_the_file_dialog(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = open_window().until_ready()
    names = (["/home/ana/a.txt"], "")
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: names)
    QTest.mouseClick(rig.window.pane.composer._attach, Qt.MouseButton.LeftButton)
    rig.until(lambda: states(rig) == [ImportState.DONE])


def test_a_locked_file_asks_for_its_password_until_it_is_right(
    open_window: OpenWindow, caplog: pytest.LogCaptureFixture
) -> None:
    importer = ScriptedImporter({"tax.pdf": DocumentLocked("tax.pdf")})
    rig = open_window(ScriptedComposition(importer=importer)).until_ready()
    rig.drop(Path("tax.pdf"))
    rig.until(lambda: states(rig) == [ImportState.LOCKED])
    importer.outcomes["tax.pdf"] = DocumentLocked("tax.pdf", wrong=True)
    row = row_of(rig, "tax.pdf")
    QTest.keyClicks(row.password, "sesame")
    QTest.keyClick(row.password, Qt.Key.Key_Return)
    assert row.password.text() == ""
    wrong = str(importer.outcomes["tax.pdf"])
    rig.until(lambda: rig.imports()[0].message == wrong)
    importer.outcomes["tax.pdf"] = 2
    QTest.keyClicks(row.password, "open")
    QTest.keyClick(row.password, Qt.Key.Key_Return)
    rig.until(lambda: states(rig) == [ImportState.DONE])
    assert "sesame" not in caplog.text


def test_the_files_of_one_drop_are_one_row_that_opens(open_window: OpenWindow) -> None:
    refused = DocumentError("It is damaged.", hint="Get it again.")
    importer = ScriptedImporter({"long.pdf": Gate(), "bad.pdf": refused})
    rig = open_window(ScriptedComposition(importer=importer)).until_ready()
    rig.drop(Path("bad.pdf"), Path("a.txt"), Path("long.pdf"))
    rig.until(lambda: ImportState.RUNNING in states(rig)[2:])
    (batch,) = rig.window.pane.transcript.findChildren(BatchRow)
    rig.until(lambda: batch.title.text().startswith("Reading 3 of 3 files"))
    assert [row._name.text() for row in batch.rows.values()] == ["bad.pdf"]
    batch._fold.click()
    assert len(batch.rows) == 3
    batch._cancel.click()
    rig.until(lambda: not batch._item.is_open)
    assert batch.title.text() == "1 file read, 1 could not be read, 1 stopped by you"


def test_a_file_rests_and_goes_on(open_window: OpenWindow) -> None:
    gate = Gate()
    rig = open_window(ScriptedComposition(importer=ScriptedImporter({"a.pdf": gate})))
    rig.until_ready().drop(Path("a.pdf"))
    rig.until(lambda: states(rig) == [ImportState.RUNNING])
    row_of(rig, "a.pdf")._pause.click()
    gate.set()
    rig.until(lambda: states(rig) == [ImportState.PAUSED])
    row_of(rig, "a.pdf")._pause.click()
    rig.until(lambda: states(rig) == [ImportState.DONE])


def test_pasted_files_are_read_and_long_text_can_be_kept(open_window: OpenWindow) -> None:
    rig = open_window().until_ready()
    composer = rig.window.pane.composer
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/home/ana/a.txt")])
    composer.field.insertFromMimeData(data)
    rig.until(lambda: states(rig) == [ImportState.DONE])
    composer.add_pasted("A long text. " * 500)
    composer.text_kept.emit(composer._pasted[0])
    rig.until(lambda: states(rig) == [ImportState.DONE] * 2)
    assert rig.imports()[1].name.startswith("Pasted text of ")
