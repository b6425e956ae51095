"""Numbered sources below a reply, the passage behind each, documents in a search."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtTest import QTest

from helpers.library_documents import BOOKLET, add_booklet
from helpers.pdf_files import pdf_bytes
from helpers.scripted_assistant import ADMIT, ScriptedComposition, message, steps
from helpers.window_rig import OpenWindow, WindowRig
from pagekeeper_core.errors import ModelError
from pagekeeper_core.messages import Citation, MessageKind
from pagekeeper_core.records import ArchivalHit, Passage
from pagekeeper_core.updates import ReplyDelta, ReplyFinished
from pagekeeper_desktop.view_models.conversation_rows import Heading, PassageRow
from pagekeeper_desktop.view_models.passage_desk import PassageView, page_of, with_neighbours
from pagekeeper_desktop.widgets.citation_chips import SCHEME
from pagekeeper_desktop.widgets.message_row import MessageRow
from pagekeeper_desktop.windows.passage_dialog import PassageDialog

REPLY = "Rabies is due in **May 2026** [1], leptospirosis too [2]; `[1]` is code, [7] nothing."


@pytest.fixture
def cited(open_window: OpenWindow, tmp_path: Path) -> WindowRig:
    """A window after a restart: the old reply cites a PDF of two pages, and one that is gone."""
    composition = ScriptedComposition()
    path = tmp_path / "booklet.pdf"
    path.write_bytes(pdf_bytes(["\n".join(BOOKLET[:3]), "\n".join(BOOKLET[3:])]))
    info = add_booklet(composition.archival, path)
    passages = composition.archival.passages_of(info.document_id)
    citations = (
        Citation(1, passages[1], info.document_id, info.record.title, "page 1"),
        Citation(2, "gone", "gone", "old.pdf", "page 9"),
    )
    reply = message(MessageKind.ASSISTANT, REPLY)
    composition.recall.append(message(MessageKind.USER, "What is due?"))
    composition.recall.append(replace(reply, citations=citations))
    rig = open_window(composition).until_ready()
    rig.until(lambda: len(rig.messages()) == 2)
    return rig


def reply_row(rig: WindowRig) -> MessageRow:
    """The row of the reply."""
    row = rig.window.pane.transcript.live_rows[-1]
    assert isinstance(row, MessageRow)
    return row


def dialog_of(rig: WindowRig) -> PassageDialog:
    """The passage that is shown."""
    assert rig.window.passages.dialog is not None
    return rig.window.passages.dialog


def test_numbers_in_the_text_and_chips_below_open_the_passage(cited: WindowRig) -> None:
    row = reply_row(cited)
    assert [chip.text() for chip in row.sources.chips] == [
        "1  Vaccination booklet.pdf, page 1",
        "2  old.pdf, page 9",
    ]
    assert row.sources.chips[0].accessibleName().startswith("Source 1: Vaccination booklet.pdf")
    html = row.text_view.document().toHtml()
    assert html.count(f'href="{SCHEME}:1"') == 1
    assert f'href="{SCHEME}:7"' not in html
    row.text_view.anchorClicked.emit(QUrl(f"{SCHEME}:1"))
    dialog = dialog_of(cited)
    cited.until(lambda: dialog.marked is not None)
    assert dialog.title.text() == "Vaccination booklet.pdf"
    cited.until(dialog.page_button.isChecked)
    assert dialog.page.accessibleName() == "Page 1 of 2, the passage is marked"


def test_a_new_reply_shows_its_sources_at_once(open_window: OpenWindow) -> None:
    said = replace(
        message(MessageKind.ASSISTANT, "In May [1]."),
        citations=(Citation(1, "p1", "d1", "a.txt", "lines 1 to 3"),),
    )
    script = steps(ADMIT, ReplyDelta("In May [1]."), ReplyFinished(said))
    rig = open_window(ScriptedComposition(scripts=[script])).until_ready()
    rig.type_and_send("When?")
    rig.until_idle()
    assert [chip.text() for chip in reply_row(rig).sources.chips] == ["1  a.txt, lines 1 to 3"]


def test_a_chip_that_is_pointed_at_says_how_its_passage_begins(cited: WindowRig) -> None:
    first, second = reply_row(cited).sources.chips
    for chip in (first, second):
        chip.setFocus()
    cited.until(lambda: BOOKLET[1][:60] in first.toolTip())
    assert first.toolTip().startswith("Vaccination booklet.pdf\npage 1\n")
    cited.until(lambda: second.toolTip().endswith("It was deleted since."))


def test_a_source_that_was_deleted_says_so(cited: WindowRig) -> None:
    QTest.mouseClick(reply_row(cited).sources.chips[1], Qt.MouseButton.LeftButton)
    dialog = dialog_of(cited)
    cited.until(lambda: "deleted" in dialog.place.text())
    assert dialog.title.text() == "old.pdf"
    assert not dialog.open_button.isVisible()


def test_a_page_that_cannot_be_drawn_leaves_the_text(cited: WindowRig, tmp_path: Path) -> None:
    (tmp_path / "booklet.pdf").unlink()
    reply_row(cited).sources.chips[0].click()
    dialog = dialog_of(cited)
    cited.until(lambda: "not where it was" in dialog.note.text())
    assert dialog.marked is not None
    assert not dialog.page_button.isVisible()
    dialog.open_button.click()
    assert "no longer where it was" in dialog.note.text()


def test_one_dialog_shows_the_next_passage_too(cited: WindowRig) -> None:
    chips = reply_row(cited).sources.chips
    chips[0].click()
    first = dialog_of(cited)
    chips[1].click()
    assert dialog_of(cited) is first
    cited.until(lambda: first.title.text() == "old.pdf")
    first.close()
    cited.until(lambda: cited.window.passages.dialog is None)


def test_a_search_finds_documents_and_opens_them(cited: WindowRig) -> None:
    window = cited.window
    window.conversations.search.setText("Leptospirosis renewed every year")
    rows = window.conversations.rows
    cited.until(lambda: any(isinstance(row, PassageRow) for row in rows.rows))
    found = [row for row in rows.rows if isinstance(row, PassageRow)]
    assert (found[0].title, found[0].place) == ("Vaccination booklet.pdf", "page 1")
    assert any(row.is_weak and row.place.endswith("low relevance") for row in found)
    weak = next(row for row in found if row.is_weak)
    window.conversations.list.chosen.emit(weak)
    cited.until(lambda: "Low relevance" in dialog_of(cited).note.text())


def test_a_search_of_documents_that_fails_hides_no_messages(
    cited: WindowRig, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ModelError("The embedder is missing.", hint="Download it.")

    monkeypatch.setattr(cited.composition.archival, "search", fail)
    cited.window.conversations.search.setText("due")
    told = Heading("The embedder is missing. Download it.")
    cited.until(lambda: told in cited.window.conversations.rows.rows)
    assert any(row == Heading("2 messages") for row in cited.window.conversations.rows.rows)
    assert "The embedder is missing" in caplog.text


def hit(number: int, text: str) -> ArchivalHit:
    """A passage of a document."""
    return ArchivalHit(Passage(text), "a.txt", datetime.now(UTC), 1.0, str(number))


def test_what_two_neighbours_share_stands_once() -> None:
    hits = (hit(1, "One. Two."), hit(2, "Two. Three. Four."), hit(3, "Four. Five."))
    shown = [text for _, text in with_neighbours(PassageView("2", "", hits))]
    assert shown == ["One.", "Two. Three. Four.", "Five."]


@pytest.mark.parametrize(
    ("location", "page"),
    [("page 12", 12), ("page 3, lines 2 to 4", 3), ("slide 3", 0), ("", 0), ("page x", 0)],
)
def test_the_page_is_read_from_the_location(location: str, page: int) -> None:
    assert page_of(location) == page
