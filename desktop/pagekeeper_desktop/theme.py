"""Colours and letters: two sets of colours, one accent, from which palette and style sheet follow.

Widgets that paint themselves ask `colours_of(palette)`, so that a change of the theme reaches them
as an ordinary palette change.
"""

import sys

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QPalette
from PySide6.QtWidgets import QApplication

from pagekeeper_desktop.colours import DARK, LIGHT, Colours
from pagekeeper_desktop.settings import ThemeChoice
from pagekeeper_desktop.style_sheet import style_sheet

__all__ = ["Theme", "body_font", "colours_of"]

BODY_PIXELS = 15
"""Size of body text; a person's larger system font is respected."""

CJK_FAMILIES = {
    "win32": ("Microsoft YaHei UI", "Yu Gothic UI", "Segoe UI Emoji"),
    "darwin": ("PingFang SC", "Hiragino Sans", "Apple Color Emoji"),
}
OTHER_CJK_FAMILIES = ("Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Color Emoji")


class Theme(QObject):
    """Gives the application its colours, and follows the system when it is told to.

    Signals:
        changed: The application has other colours now.
    """

    changed = Signal()

    def __init__(self, app: QApplication, choice: ThemeChoice) -> None:
        super().__init__(app)
        self._app = app
        self._shown: Colours | None = None
        self._base_font = body_font()
        app.setStyle("Fusion")
        app.setFont(self._base_font)
        app.styleHints().colorSchemeChanged.connect(self._apply)
        self.choose(choice)

    def choose(self, choice: ThemeChoice) -> None:
        """Take these colours from now on."""
        schemes = {
            ThemeChoice.LIGHT: Qt.ColorScheme.Light,
            ThemeChoice.DARK: Qt.ColorScheme.Dark,
            ThemeChoice.SYSTEM: Qt.ColorScheme.Unknown,
        }
        self._choice = choice
        self._app.styleHints().setColorScheme(schemes[choice])
        self._apply()

    @property
    def colours(self) -> Colours:
        """The colours that the choice and the system ask for."""
        if self._choice is ThemeChoice.SYSTEM:
            scheme = self._app.styleHints().colorScheme()
            return DARK if scheme is Qt.ColorScheme.Dark else LIGHT
        return DARK if self._choice is ThemeChoice.DARK else LIGHT

    def _apply(self) -> None:
        colours = self.colours
        if colours is self._shown:
            return
        self._shown = colours
        self._app.setPalette(_palette(colours))
        self._app.setStyleSheet(style_sheet(colours, self._base_font.pixelSize()))
        self.changed.emit()


def body_font() -> QFont:
    """The system's font, at least 15 pixels high, with fonts for Chinese and Japanese behind it."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    cjk = CJK_FAMILIES.get(sys.platform, OTHER_CJK_FAMILIES)
    font.setFamilies([QFontInfo(font).family(), *cjk])
    font.setPixelSize(max(BODY_PIXELS, font.pixelSize()))
    return font


def colours_of(palette: QPalette) -> Colours:
    """The set of colours that a palette was made from."""
    return DARK if palette.color(QPalette.ColorRole.Window).lightness() < 128 else LIGHT


def _palette(colours: Colours) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    for roles, colour in (
        ((role.Window, role.AlternateBase), colours.window),
        ((role.Base, role.Button, role.ToolTipBase), colours.surface),
        ((role.WindowText, role.Text, role.ButtonText, role.ToolTipText), colours.text),
        ((role.PlaceholderText,), colours.muted),
        ((role.Mid, role.Midlight, role.Dark), colours.border),
        ((role.Highlight, role.Accent), colours.accent),
        ((role.HighlightedText, role.BrightText), colours.on_accent),
        ((role.Link, role.LinkVisited), colours.accent_text),
    ):
        for each in roles:
            palette.setColor(each, QColor(colour))
    for each in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, each, QColor(colours.muted))
    return palette
