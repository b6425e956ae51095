"""The list of messages: few widgets for many rows, older ones when asked, the end when wanted."""

import itertools
from datetime import UTC, datetime

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from helpers.scripted_assistant import ScriptedComposition, message
from helpers.window_rig import OpenWindow
from pagekeeper_core.messages import MessageKind
from pagekeeper_desktop.view_models.transcript_items import (
    ImportItem,
    Item,
    MessageItem,
    MessageState,
    NoteItem,
    Sender,
)
from pagekeeper_desktop.view_models.transcript_model import TranscriptModel
from pagekeeper_desktop.widgets.message_row import LONG_TEXT, MessageRow
from pagekeeper_desktop.widgets.transcript import FIRST_PORTION, MOST_LIVE, Transcript

AT = datetime(2026, 5, 3, 9, tzinfo=UTC)


def rows(count: int, start: int = 0) -> list[Item]:
    """Messages of both sides."""
    return [
        MessageItem(Sender.ASSISTANT if n % 2 else Sender.USER, f"message {n} " + "word " * 20, AT)
        for n in range(start, start + count)
    ]


@pytest.fixture
def transcript(qtbot: QtBot, styled: QApplication) -> Transcript:
    widget = Transcript(TranscriptModel())
    qtbot.addWidget(widget)
    widget.resize(700, 500)
    widget.show()
    return widget


def shown_texts(transcript: Transcript) -> list[str]:
    """The texts that stand in the visible part."""
    top = transcript.verticalScrollBar().value()
    bottom = top + transcript.viewport().height()
    return [
        row.text_view.toPlainText().split(" word")[0]
        for row in transcript.live_rows
        if isinstance(row, MessageRow) and row.y() < bottom and row.y() + row.height() > top
    ]


def is_at_end(transcript: Transcript) -> bool:
    bar = transcript.verticalScrollBar()
    return bar.maximum() > 0 and bar.value() == bar.maximum()


def test_a_long_conversation_has_few_widgets(transcript: Transcript, qtbot: QtBot) -> None:
    transcript._model.prepend(rows(2000))
    qtbot.waitUntil(lambda: is_at_end(transcript))
    assert len(transcript.live_rows) <= 2 * FIRST_PORTION
    assert shown_texts(transcript)[-1] == "message 1999"


@pytest.mark.thorough
def test_scrolling_up_goes_through_all_of_it_with_few_widgets(
    transcript: Transcript, qtbot: QtBot
) -> None:
    transcript._model.prepend(rows(600))
    qtbot.waitUntil(lambda: is_at_end(transcript))
    bar = transcript.verticalScrollBar()
    wanted: list[bool] = []
    transcript.older_wanted.connect(lambda: wanted.append(True))
    for _ in range(3000):
        if wanted:
            break
        bar.setValue(bar.value() - 300)
        assert len(transcript.live_rows) <= MOST_LIVE
    assert wanted
    bar.setValue(0)
    assert shown_texts(transcript)[0] == "message 0"
    for _ in range(3000):
        if is_at_end(transcript):
            break
        bar.setValue(bar.value() + 300)
        assert len(transcript.live_rows) <= MOST_LIVE
    assert shown_texts(transcript)[-1] == "message 599"


@pytest.mark.thorough
def test_older_rows_do_not_move_what_is_read(transcript: Transcript, qtbot: QtBot) -> None:
    transcript._model.prepend(rows(60, start=100))
    qtbot.waitUntil(lambda: is_at_end(transcript))
    bar = transcript.verticalScrollBar()
    while transcript._first > 0:
        bar.setValue(bar.value() - 200)
    bar.setValue(150)
    before = shown_texts(transcript)
    transcript._model.prepend(rows(50, start=50))
    QApplication.processEvents()
    assert shown_texts(transcript) == before
    assert transcript._first < 50


def test_it_follows_what_is_written_only_at_the_end(transcript: Transcript, qtbot: QtBot) -> None:
    transcript._model.prepend(rows(40))
    qtbot.waitUntil(lambda: is_at_end(transcript))
    row = transcript._model.append(
        MessageItem(Sender.ASSISTANT, "", AT, MessageState.WRITING, progress="Thinking…")
    )
    transcript._model.edit(row, text="line\n\n" * 30, progress="")
    QApplication.processEvents()
    qtbot.waitUntil(lambda: is_at_end(transcript))
    transcript.verticalScrollBar().setValue(100)
    reading = shown_texts(transcript)
    transcript._model.edit(row, text="line\n\n" * 60)
    qtbot.wait(20)
    assert shown_texts(transcript) == reading
    assert transcript._to_end.isVisible()
    transcript._to_end.click()
    assert is_at_end(transcript)
    assert transcript._to_end.isHidden()


def test_rows_of_all_kinds_stand_below_each_other(transcript: Transcript, qtbot: QtBot) -> None:
    items: list[Item] = [*rows(3), NoteItem("quiet"), ImportItem(1, "a.pdf", message="Reading")]
    transcript._model.prepend(items)
    qtbot.waitUntil(lambda: len(transcript.live_rows) == 5)
    QApplication.processEvents()
    live = transcript.live_rows
    for above, below in itertools.pairwise(live):
        assert above.y() + above.height() == below.y()
    assert {row.width() for row in live} == {live[0].width()}


def test_lines_are_at_most_72_characters(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.resize(3000, 500)
    transcript._model.prepend(rows(2))
    qtbot.waitUntil(lambda: bool(transcript.live_rows) and transcript.live_rows[0].width() > 0)
    widest = transcript.fontMetrics().averageCharWidth() * 72
    assert all(row.width() <= widest for row in transcript.live_rows)


def test_a_very_long_message_is_folded_and_can_be_unfolded(
    transcript: Transcript, qtbot: QtBot
) -> None:
    text = "x" * 100_000
    transcript._model.prepend([MessageItem(Sender.USER, text, AT)])
    qtbot.waitUntil(lambda: bool(transcript.live_rows))
    (row,) = transcript.live_rows
    assert isinstance(row, MessageRow)
    assert len(row.text_view.toPlainText()) < LONG_TEXT
    assert row._button.text() == "Show all 100,000 characters"
    row._button.click()
    assert row.text_view.toPlainText().replace("\n", "") == text
    row._button.click()
    assert len(row.text_view.toPlainText()) < LONG_TEXT


def test_a_growing_reply_ends_as_markdown(transcript: Transcript, qtbot: QtBot) -> None:
    row = transcript._model.append(MessageItem(Sender.ASSISTANT, "", AT, MessageState.WRITING))
    for end in range(1, 16):
        transcript._model.edit(row, text="some **bold** x"[:end])
    transcript._model.edit(row, state=MessageState.DONE)
    (widget,) = [r for r in transcript.live_rows if isinstance(r, MessageRow)]
    assert widget.text_view.toPlainText() == "some bold x"


@pytest.mark.thorough
def test_older_messages_come_when_scrolled_to(open_window: OpenWindow) -> None:
    composition = ScriptedComposition()
    for number in range(330):
        kind = MessageKind.ASSISTANT if number % 2 else MessageKind.USER
        composition.recall.append(message(kind, f"message {number}"))
    rig = open_window(composition).until_ready()
    assert [m.text for m in rig.messages()] == [f"message {n}" for n in range(230, 330)]
    bar = rig.window.pane.transcript.verticalScrollBar()

    def scrolled_to_the_first() -> bool:
        bar.setValue(0)
        return len(rig.messages()) == 330

    rig.until(scrolled_to_the_first)
    assert [m.text for m in rig.messages()] == [f"message {n}" for n in range(330)]
    assert len(rig.window.pane.transcript.live_rows) <= MOST_LIVE
