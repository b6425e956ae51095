"""A page of a PDF as a picture: the passage is marked where it stands, a bad file says why not."""

from pathlib import Path

import pytest

from helpers.pdf_files import pdf_bytes
from pagekeeper_core.documents.page_drawing import draw
from pagekeeper_core.documents.page_picture import draw_page
from pagekeeper_core.errors import DocumentError

LINES = "The first line of this page is here.\nBento weighs fourteen kilo-\ngrams now.\nThe last."


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    """Two pages, the second of which holds LINES."""
    path = tmp_path / "booklet.pdf"
    path.write_bytes(pdf_bytes(["Another page.", LINES]))
    return path


def test_the_passage_is_marked_where_it_stands(pdf: Path) -> None:
    picture = draw(pdf, 2, "Bento weighs fourteen kilograms now.")
    assert (picture.page, picture.pages) == (2, 2)
    assert len(picture.pixels) == picture.width * picture.height * 4
    first, second = picture.marks
    assert first[1] < second[1] < 0.2
    assert 0.1 < first[0] < 0.13 < first[2]
    dark = picture.pixels[:: 4 * 7]
    assert min(dark) < 100 < max(dark)


def test_a_passage_that_the_page_breaks_is_marked_line_by_line(pdf: Path) -> None:
    picture = draw(pdf, 2, "Heading\nThe first line of this page is here.\nwords from elsewhere")
    assert len(picture.marks) == 1


def test_a_page_without_that_text_has_no_marks(pdf: Path) -> None:
    assert draw(pdf, 1, "Bento weighs fourteen kilograms now.").marks == ()


def test_a_process_of_its_own_draws_the_same(pdf: Path) -> None:
    assert draw_page(pdf, 2, "The last.") == draw(pdf, 2, "The last.")


def test_what_cannot_be_shown_says_why(pdf: Path, tmp_path: Path) -> None:
    locked = tmp_path / "locked.pdf"
    locked.write_bytes(pdf_bytes(["Secret."], password="sesame"))
    assert draw(locked, 1, "Secret.", password="sesame").page == 1
    for path, page, words in (
        (pdf, 3, "no page 3"),
        (tmp_path / "gone.pdf", 1, "not where it was"),
        (locked, 1, "locked"),
    ):
        with pytest.raises(DocumentError, match=words):
            draw(path, page, "")


def test_a_process_that_dies_is_told_in_a_sentence(
    pdf: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("pagekeeper_core.documents.page_picture.sys.executable", "/bin/false")
    with pytest.raises(DocumentError, match="could not be drawn"):
        draw_page(pdf, 1, "")
    assert "could not be drawn" in caplog.text
