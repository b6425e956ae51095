"""Both themes can be read, follow the system or the settings, and reach painted widgets."""

import itertools

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication

from helpers.scripted_assistant import ScriptedComposition, message
from helpers.window_rig import OpenWindow, app_theme
from pagekeeper_core.messages import MessageKind
from pagekeeper_desktop.colours import DARK, LIGHT, Colours, contrast
from pagekeeper_desktop.settings import ThemeChoice
from pagekeeper_desktop.theme import BODY_PIXELS, body_font, colours_of
from pagekeeper_desktop.widgets.message_row import MessageRow

GROUNDS = (
    "window",
    "surface",
    "raised",
    "user",
    "code",
    "danger_surface",
    "notice_surface",
)
TEXTS = ("text", "muted", "accent_text", "danger")
GRAPHICS = ("accent", "instructions", "working_context", "summary", "queue")


def test_contrast_is_that_of_the_guidelines() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), list(itertools.product(TEXTS, GROUNDS)))
def test_every_text_can_be_read_on_every_ground(colours: Colours, text: str, ground: str) -> None:
    assert contrast(getattr(colours, text), getattr(colours, ground)) >= 4.5


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_text_on_the_accent_can_be_read(colours: Colours) -> None:
    assert contrast(colours.on_accent, colours.accent) >= 4.5


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("graphic", GRAPHICS)
def test_what_is_drawn_stands_out(colours: Colours, graphic: str) -> None:
    """WCAG 1.4.11 asks 3:1 of graphics; the regions lie on the window's ground."""
    assert contrast(getattr(colours, graphic), colours.window) >= 2.5


def test_the_choice_changes_palette_and_style(styled: QApplication) -> None:
    theme = app_theme(styled)
    try:
        theme.choose(ThemeChoice.DARK)
        assert colours_of(styled.palette()) is DARK
        assert styled.palette().color(QPalette.ColorRole.Window).name() == DARK.window
        assert DARK.surface in styled.styleSheet()
    finally:
        theme.choose(ThemeChoice.LIGHT)
    assert colours_of(styled.palette()) is LIGHT


def test_the_system_s_choice_is_light_or_dark(styled: QApplication) -> None:
    theme = app_theme(styled)
    theme.choose(ThemeChoice.SYSTEM)
    assert theme.colours in (LIGHT, DARK)
    theme.choose(ThemeChoice.LIGHT)


def test_body_text_is_large_enough_and_has_cjk_behind_it(styled: QApplication) -> None:
    font = body_font()
    assert font.pixelSize() >= BODY_PIXELS
    assert len(font.families()) >= 3


@pytest.mark.thorough
def test_a_shown_conversation_takes_the_new_colours(
    open_window: OpenWindow, styled: QApplication
) -> None:
    composition = ScriptedComposition()
    for kind, text in ((MessageKind.USER, "a\n\nb"), (MessageKind.ASSISTANT, "[x](https://a.b)")):
        composition.recall.append(message(kind, text))
    rig = open_window(composition).until_ready()
    _, user, reply = rig.window.pane.transcript.live_rows
    assert isinstance(user, MessageRow)
    assert isinstance(reply, MessageRow)
    height = user.text_view.height_for(300)
    theme = app_theme(styled)
    try:
        theme.choose(ThemeChoice.DARK)
        QApplication.processEvents()
        link = reply.text_view.document().begin().begin().fragment().charFormat()
        assert link.foreground().color().name() == DARK.accent_text
        assert user.text_view.height_for(300) == height
        assert user.text_view.toPlainText() == "a\n\nb"
    finally:
        theme.choose(ThemeChoice.LIGHT)
