"""The field: Enter, Shift+Enter, growth, large pastes, broken text, files."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from pagekeeper_desktop.widgets.composer import Composer


@pytest.fixture
def composer(qtbot: QtBot, styled: QApplication) -> Composer:
    widget = Composer()
    qtbot.addWidget(widget)
    widget.resize(600, 60)
    widget.show()
    return widget


def paste(composer: Composer, text: str) -> None:
    data = QMimeData()
    data.setText(text)
    composer.field.insertFromMimeData(data)


def test_enter_sends_and_shift_enter_breaks_the_line(composer: Composer, qtbot: QtBot) -> None:
    field = composer.field
    QTest.keyClicks(field, "one")
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(field, "two")
    with qtbot.waitSignal(composer.send_requested) as sent:
        QTest.keyClick(field, Qt.Key.Key_Enter)
    assert sent.args == ["one\ntwo"]
    assert composer.text == ""


@pytest.mark.parametrize("blank", ["", " \n\t ", "\u200b"])
def test_a_blank_text_is_not_sent_and_stays(composer: Composer, blank: str) -> None:
    sent: list[str] = []
    composer.send_requested.connect(sent.append)
    composer.field.setPlainText(blank)
    QTest.keyClick(composer.field, Qt.Key.Key_Return)
    assert sent == []


def test_it_grows_to_eight_lines(composer: Composer, qtbot: QtBot) -> None:
    one = composer.field.height()
    line = composer.field.fontMetrics().lineSpacing()
    composer.field.setPlainText("1\n2\n3")
    qtbot.waitUntil(lambda: composer.field.height() == one + 2 * line)
    composer.field.setPlainText("x\n" * 100)
    qtbot.waitUntil(lambda: composer.field.height() == one + 7 * line)


def test_a_huge_paste_stands_beside_the_field(
    composer: Composer, qtbot: QtBot, record_testsuite_property: Callable[[str, object], None]
) -> None:
    began = time.perf_counter()
    paste(composer, "x" * 100_000)
    QTest.keyClicks(composer.field, "Sum this up")
    QApplication.processEvents()
    record_testsuite_property("seconds", time.perf_counter() - began)
    assert composer.field.toPlainText() == "Sum this up"
    with qtbot.waitSignal(composer.send_requested) as sent:
        QTest.keyClick(composer.field, Qt.Key.Key_Return)
    assert sent.args == ["Sum this up\n\n" + "x" * 100_000]


def test_a_pasted_text_can_be_taken_out_again(composer: Composer) -> None:
    paste(composer, "a" * 5000)
    paste(composer, "b" * 5000)
    composer._remove_pasted(0)
    assert composer.text == "b" * 5000


def test_a_paste_is_plain_and_storable(composer: Composer) -> None:
    data = QMimeData()
    data.setHtml("<b>bold</b>")
    data.setText("bold\0 ")
    composer.field.insertFromMimeData(data)
    assert composer.field.toPlainText() == "bold "


def test_files_are_not_pasted_as_addresses(composer: Composer) -> None:
    pasted: list[list[Path]] = []
    composer.files_pasted.connect(pasted.append)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/home/ana/a.pdf")])
    assert composer.field.canInsertFromMimeData(data)
    composer.field.insertFromMimeData(data)
    assert pasted == [[Path("/home/ana/a.pdf")]]
    assert composer.text == ""


def test_stop_takes_the_place_of_send(composer: Composer, qtbot: QtBot) -> None:
    composer.set_busy(busy=True, stopping=False)
    assert composer._button.accessibleName() == "Stop"
    with qtbot.waitSignal(composer.stop_requested):
        QTest.mouseClick(composer._button, Qt.MouseButton.LeftButton)
    composer.set_busy(busy=True, stopping=True)
    assert not composer._button.isEnabled()
    composer.set_busy(busy=False, stopping=False)
    assert composer._button.accessibleName() == "Send"
