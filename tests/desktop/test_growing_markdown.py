"""Markdown that grows: laid out piece by piece, it looks as if laid out at once."""

from typing import Any

import pytest
from PySide6.QtGui import QTextBlock, QTextCursor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from pagekeeper_desktop.widgets import growing_markdown
from pagekeeper_desktop.widgets.growing_markdown import last_cut
from pagekeeper_desktop.widgets.text_view import TextView

PIECES = (
    "Some **bold** words, `code` and a [link](https://example.org).\n\n",
    "- a\n- b\n\n  goes on\n\n",
    "1. x\n2. y\n   - z\n\n",
    "# Heading\n\n",
    "Underlined\n==========\n\n",
    "> quoted\n> more\n\n",
    "```py\ncode\n\nmore = 1\n```\n\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n",
    "a | b\n---|---\n1 | 2\n\n",
    "Plain words\non two lines\n\n",
    "猫と話しました。\n\n",
    "    indented code\n\n",
    "Last words",
)


@pytest.fixture
def small_tail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growing_markdown, "TAIL", 10)


def new_view(bot: QtBot) -> TextView:
    view = TextView()
    bot.addWidget(view)
    return view


def look_of(view: TextView) -> list[tuple[Any, ...]]:
    """Each block with its format and its fragments."""
    block, looks = view.document().begin(), []
    while block.isValid():
        looks.append(look_of_block(block))
        block = block.next()
    return looks


def look_of_block(block: QTextBlock) -> tuple[Any, ...]:
    form, entries = block.blockFormat(), block.textList()
    fragments: list[tuple[object, ...]] = []
    at = block.begin()
    while not at.atEnd():
        kind = at.fragment().charFormat()
        fragments.append((at.fragment().text(), kind.fontWeight(), kind.isAnchor()))
        fragments.append((kind.fontFixedPitch(), kind.background(), kind.foreground()))
        at += 1
    return (
        block.text(),
        form.headingLevel(),
        form.lineHeight(),
        (form.topMargin(), form.bottomMargin(), form.leftMargin(), form.indent()),
        (entries.format().style(), entries.itemNumber(block)) if entries else None,
        QTextCursor(block).currentTable() is not None,
        fragments,
    )


@pytest.mark.parametrize("first", range(len(PIECES)))
@pytest.mark.usefixtures("small_tail", "styled")
def test_a_reply_that_grows_looks_like_one_that_is_shown_at_once(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, first: int
) -> None:
    text = "".join(PIECES[first:] + PIECES[:first]) * 2
    growing, whole = new_view(qtbot), new_view(qtbot)
    for end in range(0, len(text), 23):
        growing.set_markdown(text[:end])
        growing.append_plain(text[end : end + 7])
    growing.set_markdown(text)
    monkeypatch.setattr(whole._markdown, "show", whole._markdown._put)
    whole.set_markdown(text)
    assert look_of(growing) == look_of(whole)
    assert growing._markdown._settled
    assert growing.focusPolicy() == whole.focusPolicy()


@pytest.mark.usefixtures("small_tail")
def test_what_stands_for_good_is_not_laid_out_again(qtbot: QtBot, styled: QApplication) -> None:
    view = new_view(qtbot)
    view.set_markdown("One.\n\nTwo.\n\nThree words\n\nand more.")
    marked = view.document().begin()
    marked.setUserState(7)
    view.set_markdown("One.\n\nTwo.\n\nThree words\n\nand more.\n\nFour")
    assert view.document().begin().userState() == 7
    view.set_markdown("Another text.\n\nTwo")
    assert view.document().begin().userState() != 7
    assert view.toPlainText() == "Another text.\nTwo"


@pytest.mark.usefixtures("small_tail")
@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("One.\n\nTwo\n\nand more words", "One.\n\n"),
        ("One.\n\nTwo and more words", ""),
        ("One.\nTwo and more words", ""),
        ("One.\n\n- a list and more words", ""),
        ("One.\n\n2. a number and more", ""),
        ("One.\n\n```\nCode\n\nMore code\n```", ""),
        ("One.\n\nHeading\n=======\n\n- end of it", ""),
        ("One.\n\na | b\n---|---\n1 | 2 and 3", ""),
        ("See [it][1].\n\nTwo.\n\n[1]: https://example.org", ""),
        ("One.\n\nTwo\n\n", ""),
    ],
)
def test_it_is_parted_between_plain_paragraphs_only(text: str, before: str) -> None:
    assert text[: last_cut(text)] == before
