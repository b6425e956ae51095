"""The settings: colours at once, the rest from the next start on."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog
from pytestqt.qtbot import QtBot

from helpers.window_rig import OpenWindow
from pagekeeper_core.config import Consolidation, Eviction
from pagekeeper_desktop.colours import DARK, LIGHT
from pagekeeper_desktop.settings import MemoryChoices, Settings, ThemeChoice, load_settings
from pagekeeper_desktop.theme import colours_of
from pagekeeper_desktop.windows.settings_dialog import ModelChoice, SettingsDialog

MODELS = (ModelChoice("qwen-1.5b", "Qwen 1.5B"), ModelChoice("qwen-7b", "Qwen 7B (download)"))


def dialog_of(qtbot: QtBot, settings: Settings) -> SettingsDialog:
    dialog = SettingsDialog(settings, MODELS)
    qtbot.addWidget(dialog)
    return dialog


@pytest.mark.parametrize(
    "settings",
    [
        Settings(),
        Settings(theme=ThemeChoice.DARK, model="qwen-7b", context_window=8192),
        Settings(model="/home/ana/模型.gguf", context_window=5000),
        Settings(
            memory=MemoryChoices(
                warning_level=0.666,
                flush_level=0.9,
                evicted_share=0.333,
                eviction=Eviction.SECOND_CHANCE,
                read_ahead=False,
                consolidation=Consolidation.OFF,
            )
        ),
    ],
)
def test_untouched_it_changes_nothing(
    qtbot: QtBot, styled: QApplication, settings: Settings
) -> None:
    assert dialog_of(qtbot, settings).settings() == settings


def test_memory_can_be_tuned(qtbot: QtBot, styled: QApplication) -> None:
    dialog = dialog_of(qtbot, Settings())
    memory = dialog.memory
    memory.warning_level.setValue(60)
    memory.flush_level.setValue(90)
    memory.evicted_share.setValue(30)
    memory.eviction.setCurrentIndex(1)
    memory.read_ahead.click()
    memory.consolidation.click()
    assert dialog.settings().memory == MemoryChoices(
        warning_level=0.6,
        flush_level=0.9,
        evicted_share=0.3,
        eviction=Eviction.SECOND_CHANCE,
        read_ahead=not MemoryChoices().read_ahead,
        consolidation=Consolidation.OFF
        if MemoryChoices().consolidation is Consolidation.PROPOSE
        else Consolidation.PROPOSE,
    )


def test_levels_that_make_no_sense_are_said_and_not_saved(
    qtbot: QtBot, styled: QApplication
) -> None:
    dialog = dialog_of(qtbot, Settings())
    dialog.memory.warning_level.setValue(90)
    dialog.memory.flush_level.setValue(90)
    assert "5% or more above" in dialog.memory._note.text()
    assert not dialog.save.isEnabled()
    dialog.memory.flush_level.setValue(95)
    assert dialog.save.isEnabled()


def test_a_file_can_be_chosen_as_model(
    qtbot: QtBot, styled: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog = dialog_of(qtbot, Settings())
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("/m/模型.gguf", ""))
    dialog.choose_model_file()
    assert dialog.settings().model == "/m/模型.gguf"
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("", ""))
    dialog.choose_model_file()
    assert dialog.settings().model == "/m/模型.gguf"


@pytest.mark.thorough
def test_saving_keeps_the_choice_and_the_colours(
    open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = open_window().until_ready()
    seen: list[str] = []

    def choose_dark(dialog: SettingsDialog) -> int:
        dialog.theme.setCurrentIndex(2)
        seen.append(QApplication.palette().window().color().name())
        return QDialog.DialogCode.Accepted.value

    monkeypatch.setattr(SettingsDialog, "exec", choose_dark)
    rig.window.open_settings()
    assert seen == [DARK.window]
    assert load_settings(tmp_path).theme is ThemeChoice.DARK
    assert colours_of(rig.window.palette()) is DARK

    def choose_light_and_leave(dialog: SettingsDialog) -> int:
        dialog.theme.setCurrentIndex(1)
        return QDialog.DialogCode.Rejected.value

    monkeypatch.setattr(SettingsDialog, "exec", choose_light_and_leave)
    rig.window.open_settings()
    assert colours_of(rig.window.palette()) is DARK
    rig.window._theme.choose(ThemeChoice.LIGHT)
    assert colours_of(rig.window.palette()) is LIGHT
