"""The window's tests run offscreen, and fail on any warning of Qt."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtCore import QtMsgType
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from helpers.scripted_assistant import ScriptedComposition
from helpers.window_rig import OpenWindow, WindowRig, app_theme

OF_THE_OFFSCREEN_PLATFORM = (
    "This plugin does not support propagateSizeHints()",
    "This plugin does not support raise()",
)


@pytest.fixture(autouse=True)
def no_qt_warnings(qtlog: Any) -> Iterator[None]:
    """A warning of Qt is a fault of ours."""
    yield
    bad = (QtMsgType.QtWarningMsg, QtMsgType.QtCriticalMsg, QtMsgType.QtFatalMsg)
    warnings = [record.message for record in qtlog.records if record.type in bad]
    assert [warning for warning in warnings if warning not in OF_THE_OFFSCREEN_PLATFORM] == []


@pytest.fixture
def styled(qapp: QApplication) -> QApplication:
    """The application with its colours, as a start gives them."""
    app_theme(qapp)
    return qapp


@pytest.fixture
def open_window(qtbot: QtBot, styled: QApplication, tmp_path: Path) -> Iterator[OpenWindow]:
    """Opens windows and closes them when the test is over."""
    rigs: list[WindowRig] = []

    def open_one(
        composition: ScriptedComposition | None = None, data_dir: Path | None = None
    ) -> WindowRig:
        rig = WindowRig.open(
            qtbot, styled, data_dir or tmp_path, composition or ScriptedComposition()
        )
        rigs.append(rig)
        return rig

    yield open_one
    for rig in rigs:
        if not rig.session.join(0):
            rig.close()
        rig.window.deleteLater()
