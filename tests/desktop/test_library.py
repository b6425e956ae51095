"""The library: documents are listed, found, sorted, opened, deleted; thousands do no harm."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QLineEdit, QMessageBox

from helpers.library_documents import add_booklet, add_documents
from helpers.scripted_assistant import Gate, ScriptedComposition, ScriptedImporter
from helpers.window_rig import OpenWindow, WindowRig
from pagekeeper_core.errors import DocumentError, StoreError
from pagekeeper_core.events import SummaryAsked
from pagekeeper_desktop.settings import load_settings
from pagekeeper_desktop.view_models.library_table import (
    Column,
    DocumentRow,
    DocumentState,
    LibraryTable,
)
from pagekeeper_desktop.widgets.library_page import LibraryPage


def open_library(open_window: OpenWindow, composition: ScriptedComposition) -> WindowRig:
    rig = open_window(composition).until_ready()
    rig.window._toggle_library()
    rig.until(lambda: rig.session.archive.library.is_read)
    return rig


def titles(rig: WindowRig) -> list[str]:
    return [row.title for row in rig.session.archive.library.table.shown]


def answer_question(monkeypatch: pytest.MonkeyPatch, label: str) -> list[str]:
    """Have the next question answered by its button of that label; gives what was asked."""
    asked: list[str] = []

    def choose(box: QMessageBox) -> int:
        asked.append(f"{box.text()} {box.informativeText()}")
        next(button for button in box.buttons() if button.text() == label).click()
        return 0

    monkeypatch.setattr(QMessageBox, "exec", choose)
    return asked


def test_an_empty_library_says_what_to_drop(open_window: OpenWindow) -> None:
    rig = open_library(open_window, ScriptedComposition())
    page = rig.window.library
    assert page.empty.isVisible()
    assert "Drop files or folders" in page.empty.text()
    assert not page.list.isVisible()


def test_documents_are_listed_filtered_and_sorted(open_window: OpenWindow) -> None:
    composition = ScriptedComposition()
    add_documents(composition.archival)
    add_booklet(composition.archival)
    rig = open_library(open_window, composition)
    assert titles(rig)[0] == "Vaccination booklet.pdf"
    assert rig.window.library.count.text() == "9 documents"
    QTest.keyClicks(rig.window.library.filter, "pdf lease")
    rig.until(lambda: len(titles(rig)) == 1)
    assert rig.window.library.count.text() == "1 document of 9"
    QTest.keyClick(rig.window.library.filter, Qt.Key.Key_Escape)
    rig.until(lambda: len(titles(rig)) == 9)
    rig.window.library.list.sortByColumn(list(Column).index(Column.SIZE), Qt.SortOrder(1))
    assert titles(rig)[0].startswith("Lease of the flat")


def test_what_is_chosen_stays_chosen_when_the_order_changes(styled: QApplication) -> None:
    table = LibraryTable()
    table.show_rows(DocumentRow(str(n), f"{n}.txt", "text", size=n) for n in range(5))
    table.sort(list(Column).index(Column.SIZE))
    assert [row.size for row in table.shown] == [0, 1, 2, 3, 4]
    kept = QPersistentModelIndex(table.index(1, 0))
    table.sort(list(Column).index(Column.SIZE), Qt.SortOrder.DescendingOrder)
    assert (kept.row(), table.shown[kept.row()].size) == (3, 1)
    table.look_for("4.txt")
    assert not kept.isValid()


def test_deleting_asks_and_takes_the_passages_along(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    composition = ScriptedComposition()
    add_documents(composition.archival)
    add_booklet(composition.archival)
    rig = open_library(open_window, composition)
    rig.window.library.list.selectRow(0)
    asked = answer_question(monkeypatch, "Keep")
    QTest.keyClick(rig.window.library.list, Qt.Key.Key_Delete)
    assert "Delete “Vaccination booklet.pdf”" in asked[0]
    assert "5 passages" in asked[0]
    assert "What was said in conversations stays" in asked[0]
    assert len(composition.archival.documents()) == 9
    answer_question(monkeypatch, "Delete")
    QTest.keyClick(rig.window.library.list, Qt.Key.Key_Delete)
    rig.until(lambda: "Vaccination booklet.pdf" not in titles(rig))
    assert "is gone" in rig.window.library.note.text()
    found = composition.archival.search(["Leptospirosis"]).hits
    assert [hit for hit in found if "Leptospirosis" in hit.passage.text] == []


def test_a_deletion_that_fails_is_told(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    composition = ScriptedComposition()
    add_booklet(composition.archival)
    rig = open_library(open_window, composition)

    def fail(_: str) -> None:
        raise StoreError("The disk is full.", hint="Make room and try again.")

    monkeypatch.setattr(composition.archival, "delete_document", fail)
    answer_question(monkeypatch, "Delete")
    rig.window.library.list.selectRow(0)
    QTest.keyClick(rig.window.library.list, Qt.Key.Key_Delete)
    note = rig.window.library.note
    rig.until(lambda: note.text() == "The disk is full. Make room and try again.")
    assert titles(rig) == ["Vaccination booklet.pdf"]
    assert "The disk is full" in caplog.text


def test_summarise_asks_the_assistant(open_window: OpenWindow) -> None:
    composition = ScriptedComposition()
    add_booklet(composition.archival)
    rig = open_library(open_window, composition)
    menu_entry(rig.window.library, "Summarise")()
    document_id = composition.archival.infos[0].document_id
    rig.until(lambda: SummaryAsked(document_id) in rig.agent.events)
    assert rig.window.pane.isVisible()


def test_a_file_that_is_gone_is_told_and_read_again_is_an_import(open_window: OpenWindow) -> None:
    composition = ScriptedComposition()
    add_booklet(composition.archival, Path("/nowhere/booklet.pdf"))
    rig = open_library(open_window, composition)
    menu_entry(rig.window.library, "Open")()
    assert "no longer where it was" in rig.window.library.note.text()
    menu_entry(rig.window.library, "Read again")()
    rig.until(lambda: [item.name for item in rig.imports()] == ["booklet.pdf"])


def test_a_folder_is_watched_and_kept_in_the_settings(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rig = open_library(open_window, ScriptedComposition())
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "/home/ana/Papers")
    watched = rig.window.library.watched
    watched.add.click()
    assert load_settings(tmp_path).watched_folders == ("/home/ana/Papers",)
    assert list(watched.buttons) == ["/home/ana/Papers"]
    watched.buttons["/home/ana/Papers"].click()
    assert load_settings(tmp_path).watched_folders == ()


def test_files_on_their_way_stand_in_the_library(open_window: OpenWindow) -> None:
    gate = Gate()
    refused = DocumentError("It is damaged.", hint="Get it again.")
    importer = ScriptedImporter({"long.pdf": gate, "bad.pdf": refused})
    rig = open_library(open_window, ScriptedComposition(importer=importer))
    rig.session.imports.add([Path("bad.pdf"), Path("long.pdf")])
    table = rig.session.archive.library.table
    states = {DocumentState.FAILED: "bad.pdf", DocumentState.READING: "long.pdf"}
    rig.until(lambda: {row.state: row.title for row in table.shown} == states)
    failed = next(row for row in table.shown if row.state is DocumentState.FAILED)
    assert failed.reason == "It is damaged. Get it again."
    gate.set()
    rig.until(lambda: [row.title for row in table.shown] == ["bad.pdf"])
    importer.outcomes["bad.pdf"] = 1
    menu_entry(rig.window.library, "Try again")()
    rig.until(lambda: table.shown == [])


def menu_entry(page: LibraryPage, label: str) -> Callable[[], None]:
    """What an entry of the first document's menu does."""
    page.list.selectRow(0)
    menu = page.list.menu_for(page.list.chosen)
    assert menu is not None
    return next(action.trigger for action in menu.actions() if action.text() == label)


def test_everything_in_it_has_a_name(open_window: OpenWindow) -> None:
    composition = ScriptedComposition()
    add_booklet(composition.archival)
    page = open_library(open_window, composition).window.library
    controls = [*page.findChildren(QAbstractButton), *page.findChildren(QLineEdit), page.list]
    shown = [widget for widget in controls if widget.isVisible()]
    assert len(shown) > 3
    for widget in shown:
        named = isinstance(widget, QAbstractButton) and widget.text()
        assert widget.accessibleName() or named, widget
    index = page.list.model().index(0, 2)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "Size: 212 kB"


@pytest.mark.thorough
def test_ten_thousand_documents_do_not_hold_the_window_up(open_window: OpenWindow) -> None:
    composition = ScriptedComposition()
    rig = open_library(open_window, composition)
    table = rig.session.archive.library.table
    rows = [
        DocumentRow(str(n), f"Report {n:05}.pdf", "pdf", size=n, state=DocumentState.READY)
        for n in range(10_000)
    ]
    table.show_rows(rows)
    table.look_for("report 099 ready")
    assert len(table.shown) == 120
    table.look_for("")
    table.sort(0, Qt.SortOrder.DescendingOrder)
    QApplication.processEvents()
    assert table.shown[0].title == "Report 09999.pdf"
    assert rig.window.library.list.rowViewportPosition(0) == 0
