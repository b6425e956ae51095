"""Text of messages: nothing is loaded, nothing is lost, links ask first, directions are right."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QTextDocument
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from pagekeeper_desktop.widgets.text_view import TextView, is_safe_link


@pytest.fixture
def view(qtbot: QtBot, styled: QApplication) -> TextView:
    widget = TextView()
    qtbot.addWidget(widget)
    return widget


@pytest.mark.parametrize(
    "text",
    ["a <br> b", "List<String> x", "<script>alert(1)</script> y", "if a < b and c > d", "<!-- c"],
)
def test_html_is_text_and_nothing_after_it_is_lost(view: TextView, text: str) -> None:
    view.set_markdown(text)
    assert view.toPlainText().strip() == text


@pytest.mark.parametrize(
    "address",
    ["http://tracker.example/p.png?q=secret", "file:///etc/passwd", "qrc:/x.png", "/etc/passwd"],
)
def test_no_picture_is_loaded_from_anywhere(view: TextView, address: str) -> None:
    view.set_markdown(f"before ![a cat]({address}) after")
    view.height_for(400)
    assert view.toPlainText() == "before [a cat] after"
    kind = QTextDocument.ResourceType.ImageResource.value
    assert not view.document().resource(kind, QUrl(address))


def test_a_local_picture_is_not_read(view: TextView, tmp_path: Path) -> None:
    picture = tmp_path / "p.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n")
    view.set_markdown(f"![p](file://{picture})")
    view.height_for(400)
    assert view.toPlainText() == "[p]"


@pytest.mark.parametrize(
    ("address", "safe"),
    [
        ("https://example.org", True),
        ("HTTP://example.org", True),
        ("mailto:ana@example.org", True),
        ("file:///etc/passwd", False),
        ("javascript:alert(1)", False),
        ("smb://server/share", False),
        ("relative", False),
    ],
)
def test_only_known_links_reach_the_browser(
    view: TextView, monkeypatch: pytest.MonkeyPatch, address: str, safe: bool
) -> None:
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    view.set_markdown(f"[click]({address})")
    assert opened == []
    view.anchorClicked.emit(QUrl(address))
    assert opened == ([QUrl(address)] if safe else [])
    assert is_safe_link(QUrl(address)) is safe


def test_a_text_with_links_is_reached_by_the_keyboard(view: TextView) -> None:
    view.set_markdown("no link")
    assert view.focusPolicy() is Qt.FocusPolicy.ClickFocus
    view.set_markdown("a [link](https://example.org)")
    assert view.focusPolicy() is Qt.FocusPolicy.StrongFocus


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        ("שלום Bento", Qt.LayoutDirection.RightToLeft),
        ("Bento שלום", Qt.LayoutDirection.LeftToRight),
        ("مرحبا", Qt.LayoutDirection.RightToLeft),
        ("你好", Qt.LayoutDirection.LeftToRight),
    ],
)
def test_the_first_strong_character_decides_the_side(
    view: TextView, text: str, direction: Qt.LayoutDirection
) -> None:
    for show in (view.set_plain, view.set_markdown):
        show(text)
        assert view.document().defaultTextOption().textDirection() is direction


def test_code_stays_left_to_right_in_a_right_to_left_text(view: TextView) -> None:
    view.set_markdown("שלום\n\n```\nx = 1\n```")
    code = view.document().lastBlock()
    assert code.text() == "x = 1"
    assert code.blockFormat().layoutDirection() is Qt.LayoutDirection.LeftToRight


def test_the_height_holds_the_whole_text_at_every_width(view: TextView) -> None:
    view.set_markdown("word " * 200 + "\n\n```\n" + "code " * 60 + "\n```")
    heights = [view.height_for(width) for width in (200, 400, 600)]
    assert heights == sorted(heights, reverse=True)
    assert view.height_for(200) == heights[0]


def test_pieces_appended_make_the_same_text(view: TextView) -> None:
    view.set_plain("")
    for piece in ("That ", "he ", "is\n\nfine ", "👩‍👩‍👧"):
        view.append_plain(piece)
    assert view.toPlainText() == "That he is\n\nfine 👩‍👩‍👧"


def test_tables_and_headings_survive(view: TextView) -> None:
    view.set_markdown("# Head\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- x\n  - y\n\n> q\n\n`c`")
    for word in ("Head", "a", "1", "x", "y", "q", "c"):
        assert word in view.toPlainText()
    assert view.height_for(300) > 100
