"""The style sheet: what palette and Fusion style leave open, by the widgets' `role` property."""

from dataclasses import asdict
from pathlib import Path
from string import Template

from pagekeeper_desktop.colours import DARK, Colours

__all__ = ["style_sheet"]

ICONS = Path(__file__).parent / "icons"

TEMPLATE = Template("""
QToolTip {
    background: $surface; color: $text; border: 1px solid $border; padding: 6px 8px;
    font-size: ${small}px;
}
QMainWindow, QDialog { background: $window; }
QSplitter::handle { background: $border; }
QLabel[role="muted"] { color: $muted; font-size: ${small}px; }
QLabel[role="detail"] { font-size: ${smaller}px; }
QLabel[role="heading"] { font-weight: 600; }
QLabel[role="welcome"] { font-size: ${large}px; font-weight: 600; }
QLabel[role="danger"] { color: $danger; font-size: ${small}px; }
QLabel[role="found"] { color: $accent_text; font-size: ${small}px; font-weight: 600; }
QLabel[role="error"] { color: $danger; font-weight: 600; }

QWidget[role="rail"] { background: $surface; border-right: 1px solid $border; }
QWidget[role="panel"] { background: $surface; }
QWidget[role="sidebar"] { background: $window; }
QWidget[role="header"] { background: $window; border-bottom: 1px solid $border; }
QWidget[role="status"] { background: $surface; border-top: 1px solid $border; }
QFrame[role="card"] { background: $window; border: 1px solid $border; border-radius: 8px; }
QFrame[role="field"] { background: $surface; border: 1px solid $border; border-radius: 12px; }
QFrame[role="field"][focused="true"] { border: 1px solid $accent; }
QFrame[role="notice"] { background: $notice_surface; border-bottom: 1px solid $border; }
QFrame[role="failure"] { background: $danger_surface; border-bottom: 1px solid $border; }
QFrame[role="reason"] { background: $notice_surface; border-radius: 6px; }
QFrame[role="chip"] { background: $raised; border-radius: 8px; }
QFrame[role="cited"] {
    background: $notice_surface; border: 0; border-left: 3px solid $accent; border-radius: 4px;
}
QFrame[role="neighbour"] { background: transparent; border: 0; border-left: 3px solid transparent; }
QLabel[role="around"] { color: $muted; }

QScrollArea, QScrollArea > QWidget > QWidget[role="content"] { background: transparent; border: 0; }
QPlainTextEdit[role="composer"] { background: transparent; border: 0; }
QPlainTextEdit[role="editor"] {
    background: $surface; border: 1px solid $border; border-radius: 6px; padding: 4px;
}
QPlainTextEdit[role="editor"]:focus { border-color: $accent; }

QListView[role="conversations"] { background: $window; border: 0; outline: 0; }
QTableView[role="library"] {
    background: $window; border: 0; outline: 0; selection-background-color: $raised;
    selection-color: $text;
}
QTableView[role="library"]::item { padding: 0 8px; border-bottom: 1px solid $border; }
QTableView[role="library"]::item:focus { border: 0; border-bottom: 1px solid $accent; }
QTableView[role="library"] QHeaderView { background: $window; border: 0; }
QTableView[role="library"] QHeaderView::section {
    background: $window; color: $muted; border: 0; border-bottom: 1px solid $border;
    padding: 6px 8px; font-size: ${small}px;
}
QLineEdit {
    background: $surface; color: $text; border: 1px solid $border; border-radius: 6px;
    padding: 5px 8px; selection-background-color: $accent; selection-color: $on_accent;
}
QLineEdit:focus { border-color: $accent; }
QMenu { background: $surface; color: $text; border: 1px solid $border; padding: 4px; }
QMenu::item { padding: 6px 24px 6px 12px; border-radius: 4px; }
QMenu::item:selected { background: $raised; color: $text; }

QPushButton {
    background: $surface; color: $text; border: 1px solid $border; border-radius: 6px;
    padding: 6px 14px;
}
QPushButton:hover { background: $raised; }
QPushButton:focus { border-color: $accent; }
QPushButton:disabled { color: $muted; background: $window; }
QPushButton[role="primary"] {
    background: $accent; color: $on_accent; border-color: $accent; font-weight: 600;
}
QPushButton[role="primary"]:hover { border-color: $text; }
QPushButton[role="primary"]:focus { border-color: $text; }
QPushButton[role="primary"]:disabled { background: $raised; color: $muted; border-color: $border; }
QPushButton[role="link"] {
    background: transparent; border: 1px solid transparent; border-radius: 4px; padding: 1px 4px;
    color: $accent_text; font-size: ${small}px; text-align: left;
}
QPushButton[role="link"]:hover { background: $raised; }
QPushButton[role="link"]:focus { border-color: $accent; }
QPushButton[role="quiet"] {
    background: transparent; border: 1px solid transparent; border-radius: 4px; padding: 1px 4px;
    color: $muted; font-size: ${small}px; text-align: left;
}
QPushButton[role="quiet"]:hover { background: $raised; color: $text; }
QPushButton[role="quiet"]:focus { border-color: $accent; }
QPushButton[role="quiet"]:checked { background: $raised; color: $text; }
QPushButton[role="citation"] {
    background: $notice_surface; color: $accent_text; border: 1px solid transparent;
    border-radius: 10px; padding: 2px 10px; font-size: ${small}px; text-align: left;
}
QPushButton[role="citation"]:hover { border-color: $accent; }
QPushButton[role="citation"]:focus { border-color: $accent; }
QPushButton[role="suggestion"] { padding: 10px 16px; border-radius: 10px; text-align: left; }

QComboBox {
    background: $surface; color: $text; border: 1px solid $border; border-radius: 6px;
    padding: 6px 10px; min-height: 20px;
}
QComboBox:hover { background: $raised; }
QComboBox:focus { border-color: $accent; }
QComboBox::drop-down { border: 0; width: 28px; }
QComboBox::down-arrow { image: url("$arrow"); width: 16px; height: 16px; }
QComboBox QAbstractItemView {
    background: $surface; color: $text; border: 1px solid $border; padding: 4px;
    selection-background-color: $accent; selection-color: $on_accent; outline: 0;
}

QCheckBox { spacing: 8px; }

QProgressBar {
    background: $reserve; border: 0; border-radius: 2px; min-height: 4px; max-height: 4px;
}
QProgressBar::chunk { background: $accent; border-radius: 2px; }

QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar::handle:vertical {
    background: $border; border-radius: 4px; min-height: 32px; margin: 2px;
}
QScrollBar::handle:vertical:hover { background: $muted; }
QScrollBar::add-line, QScrollBar::sub-line { height: 0; width: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
""")


def style_sheet(colours: Colours, body: int) -> str:
    """The style sheet of these colours; `body` is the size of body text, in pixels."""
    arrow = ICONS / ("arrow-on-dark.svg" if colours is DARK else "arrow-on-light.svg")
    return TEMPLATE.substitute(
        asdict(colours),
        small=body - 2,
        smaller=body - 1,
        large=body + 9,
        arrow=arrow.as_posix(),
    )
