"""The meter: figures, regions under the pointer, words for who cannot see it."""

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from helpers.scripted_assistant import usage
from helpers.window_rig import OpenWindow
from pagekeeper_core.updates import ContextUsage
from pagekeeper_desktop.colours import LIGHT
from pagekeeper_desktop.view_models.context_regions import Region
from pagekeeper_desktop.widgets.context_meter import ContextMeter


@pytest.fixture
def meter(qtbot: QtBot, styled: QApplication) -> ContextMeter:
    widget = ContextMeter()
    qtbot.addWidget(widget)
    widget.resize(800, widget.sizeHint().height())
    widget.show()
    return widget


def colour_at(meter: ContextMeter, tokens: int, window: int) -> str:
    """The colour of the bar where that many tokens end."""
    picture = meter.grab().toImage()
    x = int(tokens * meter.width() / window)
    y = int(meter._bar_rect().center().y())
    return QColor(picture.pixel(QPoint(x, y))).name()


def test_each_region_has_its_colour_in_the_order_of_the_prompt(meter: ContextMeter) -> None:
    meter.show_usage(usage(queue=2000))
    middles = {
        900: LIGHT.instructions,
        1780 + 150: LIGHT.working_context,
        1780 + 310 + 140: LIGHT.summary,
        1780 + 310 + 290 + 1000: LIGHT.queue,
        5600: LIGHT.reserve,
        7700: LIGHT.border,
    }
    assert {at: colour_at(meter, at, 8192) for at in middles} == middles


def test_the_region_under_the_pointer_is_explained(meter: ContextMeter) -> None:
    meter.show_usage(usage(queue=2000))
    scale = meter.width() / 8192
    at = meter.region_at(1900 * scale)
    assert at is not None
    assert at.region is Region.WORKING_CONTEXT
    assert "Working context: 310 tokens" in meter._explanation(1900 * scale)
    assert meter.region_at(-5) is None


def test_it_says_in_words_what_it_shows(meter: ContextMeter) -> None:
    assert "not known before the model is loaded" in meter.accessibleDescription()
    meter.show_usage(usage(queue=2000))
    assert "4,380 of 8,192 tokens in use" in meter.accessibleDescription()


@pytest.mark.parametrize(
    "figures",
    [
        ContextUsage(0, 0, 0, 0, 0, 0, 0, 0),
        ContextUsage(0, 0, 0, 0, 7168, 8192, 5017, 7168),
        ContextUsage(9000, 900, 900, 9000, 7168, 8192, 5017, 7168),
    ],
    ids=["nothing", "empty", "over full"],
)
def test_strange_figures_do_no_harm(meter: ContextMeter, figures: ContextUsage) -> None:
    meter.show_usage(figures)
    meter.resize(1, 50)
    meter.grab()
    meter.resize(800, 50)
    meter.grab()


def test_the_window_shows_the_usage_after_each_message(open_window: OpenWindow) -> None:
    rig = open_window().until_ready()
    before = rig.window.pane.meter._usage
    rig.type_and_send("Hello " * 50)
    rig.until_idle()
    after = rig.window.pane.meter._usage
    assert before is not None
    assert after is not None
    assert after.queue > before.queue
