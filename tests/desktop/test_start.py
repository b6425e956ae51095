"""The window stands first; what is slow comes behind it, and closing ends all of it."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from helpers import first_paint_child
from helpers.scripted_assistant import ADMIT, Gate, Reply, ScriptedComposition, steps
from helpers.window_rig import OpenWindow, WindowRig
from pagekeeper_core.errors import ModelFileError, StoreBusyError, StoreVersionError
from pagekeeper_core.events import UserMessage
from pagekeeper_desktop.model_choice import MissingModel
from pagekeeper_desktop.settings import load_settings
from pagekeeper_desktop.view_models.session_state import Phase
from pagekeeper_desktop.view_models.transcript_items import MessageState

MISSING = MissingModel("Qwen2.5 Coder 1.5B", 1_117_320_768)


def press(rig: WindowRig) -> None:
    """Press the banner's button."""
    QTest.mouseClick(rig.window.pane.banner._button, Qt.MouseButton.LeftButton)


def test_nothing_heavy_is_loaded_before_the_first_paint(
    tmp_path: Path, record_testsuite_property: Callable[[str, object], None]
) -> None:
    report = tmp_path / "report.json"
    child = [sys.executable, first_paint_child.__file__, str(tmp_path / "data"), str(report)]
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    began = time.time()
    subprocess.run(child, check=True, env=environment, timeout=60)
    facts = json.loads(report.read_text())
    assert facts["loaded"] == []
    record_testsuite_property("seconds_to_first_paint", facts["painted_at"] - began)


def test_it_tells_what_it_loads(open_window: OpenWindow) -> None:
    gate = Gate()
    rig = open_window(ScriptedComposition(load_gate=gate))
    strip = rig.window.pane.load_strip
    rig.until(lambda: strip._words.text() == "Loading Qwen2.5 Coder 1.5B · 45%")
    assert strip.isVisible()
    assert strip._cancel.isHidden()
    gate.set()
    rig.until_ready()
    assert strip.isHidden()


@pytest.mark.parametrize(
    "error",
    [
        StoreBusyError("Pagekeeper is open already.", hint="Close it there first."),
        StoreVersionError("The data is of a newer Pagekeeper.", hint="Install the newer one."),
    ],
)
def test_a_busy_or_newer_store_is_told_and_can_be_tried_again(
    open_window: OpenWindow, error: Exception
) -> None:
    rig = open_window(ScriptedComposition(open_errors=[error]))
    rig.until_phase(Phase.FAILED)
    assert rig.window.pane.banner.accessibleName() == str(error)
    assert rig.window.pane.banner._button.text() == "Try again"
    press(rig)
    rig.until_ready()
    assert rig.window.pane.banner.isHidden()


def test_a_model_that_does_not_load_keeps_what_was_written(open_window: OpenWindow) -> None:
    broken = ModelFileError("The model file is damaged.", hint="Download it again.")
    rig = open_window(ScriptedComposition(load_errors=[broken]))
    rig.until_phase(Phase.FAILED)
    rig.type_and_send("Hello")
    assert rig.messages()[0].state is MessageState.WAITING
    press(rig)
    rig.until(lambda: rig.replies() == ["Echo: Hello"])


def test_a_fault_while_loading_is_told_calmly(
    open_window: OpenWindow, caplog: pytest.LogCaptureFixture
) -> None:
    rig = open_window(ScriptedComposition(load_errors=[KeyError("oops")]))
    rig.until_phase(Phase.FAILED)
    assert "KeyError" in caplog.text
    press(rig)
    rig.until_ready()


def test_a_missing_model_is_offered_and_downloaded(open_window: OpenWindow) -> None:
    gate = Gate()
    rig = open_window(ScriptedComposition(missing=[MISSING], download_gate=gate))
    rig.until_phase(Phase.MODEL_MISSING)
    banner = rig.window.pane.banner
    assert banner.accessibleName() == "Pagekeeper needs Qwen2.5 Coder 1.5B to answer."
    assert banner._button.text() == "Download 1.1 GB"
    rig.type_and_send("Hello")
    press(rig)
    strip = rig.window.pane.load_strip
    rig.until(lambda: strip._words.text().endswith("· 559 MB of 1.1 GB"))
    assert rig.window.status._left.text() == "No model yet · downloading a model"
    gate.set()
    rig.until(lambda: rig.replies() == ["Echo: Hello"])


def test_a_download_can_be_stopped_and_gone_on_with(open_window: OpenWindow) -> None:
    gate = Gate()
    rig = open_window(ScriptedComposition(missing=[MISSING], download_gate=gate))
    rig.until_phase(Phase.MODEL_MISSING)
    press(rig)
    rig.until(lambda: rig.session.state.done > 0)
    QTest.mouseClick(rig.window.pane.load_strip._cancel, Qt.MouseButton.LeftButton)
    rig.until_phase(Phase.MODEL_MISSING)
    assert rig.window.pane.banner.accessibleName() == "The download was stopped."
    gate.set()
    press(rig)
    rig.until_ready()


def test_what_was_damaged_in_the_stores_is_told(open_window: OpenWindow) -> None:
    notices = ["Some messages of 3 May are missing."]
    rig = open_window(ScriptedComposition(notices=notices))
    rig.until(rig.window.pane.banner.isVisible)
    assert rig.window.pane.banner.accessibleName() == notices[0]


def test_closing_ends_the_threads_and_closes_the_stores(open_window: OpenWindow) -> None:
    rig = open_window().until_ready()
    rig.close()
    assert rig.composition.assistant is not None
    assert rig.composition.assistant.closed
    assert rig.composition.memory is not None
    assert rig.composition.memory.closed


def test_closing_while_a_reply_is_written_keeps_what_was_written(open_window: OpenWindow) -> None:
    script = steps(ADMIT, Reply("word " * 1000, pieces=1000, pause=0.01))
    rig = open_window(ScriptedComposition(scripts=[script])).until_ready()
    rig.type_and_send("Tell me a story")
    rig.until(lambda: bool(rig.replies() and rig.replies()[-1]))
    rig.close()
    assert rig.composition.recall.messages[-1].text.startswith("word")


def test_closing_while_the_model_loads(open_window: OpenWindow) -> None:
    rig = open_window(ScriptedComposition(load_gate=Gate()))
    rig.until_phase(Phase.LOADING)
    rig.close()
    assert rig.composition.assistant is None
    assert rig.composition.memory is not None
    assert rig.composition.memory.closed


def test_closing_while_a_model_is_missing_or_loading_failed(open_window: OpenWindow) -> None:
    rig = open_window(ScriptedComposition(missing=[MISSING]))
    rig.until_phase(Phase.MODEL_MISSING)
    rig.close()


def test_closing_before_anything_began(open_window: OpenWindow) -> None:
    rig = open_window()
    rig.window.close()
    rig.until(lambda: rig.session.join(0))


def test_what_was_not_sent_is_there_at_the_next_start(
    open_window: OpenWindow, tmp_path: Path
) -> None:
    rig = open_window(ScriptedComposition(load_gate=Gate()))
    rig.until_phase(Phase.LOADING)
    rig.type_and_send("waits for the model")
    rig.window.pane.composer.set_text("half typed")
    rig.close()
    again = open_window().until_ready()
    again.until(lambda: again.window.pane.composer.text == "waits for the model\n\nhalf typed")
    again.window.pane.composer.set_text("")
    again.close()
    assert not (tmp_path / "drafts.json").exists()


@pytest.mark.thorough
def test_the_window_is_as_it_was_left(open_window: OpenWindow, tmp_path: Path) -> None:
    rig = open_window().until_ready()
    rig.window.resize(760, 600)
    QApplication.processEvents()
    rig.window._columns.setSizes([0, 420, 283])
    left = rig.window._columns.sizes()
    rig.close()
    again = open_window()
    assert (again.window.width(), again.window.height()) == (760, 600)
    again.until(lambda: again.window._columns.sizes() == left)
    again.until(again.window.isActiveWindow)
    QTest.keyClick(again.window, Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier)
    again.until(again.window.panel.isHidden)
    again.close()
    assert not load_settings(tmp_path).layout.panel_open
    assert open_window().window.panel.isHidden()


def test_a_broken_layout_is_survived(open_window: OpenWindow, tmp_path: Path) -> None:
    layout = {"geometry": "é!!", "columns": [0, 0, 7], "panel_rows": [999999]}
    (tmp_path / "settings.json").write_text(json.dumps({"layout": layout}))
    rig = open_window().until_ready()
    assert rig.window.pane.width() > 200


def test_an_event_of_a_document_does_not_end_a_reply(open_window: OpenWindow) -> None:
    rig = open_window().until_ready()
    rig.session.edit_block("human", "Name: Ana")
    rig.type_and_send("Hello")
    rig.until(lambda: rig.replies() == ["Echo: Hello"])
    assert UserMessage("Hello") in rig.agent.events
    assert [m.state for m in rig.messages()] == [MessageState.DONE] * 2
