"""E-books into text."""

from pathlib import Path

import pytest

from helpers.office_files import entity_bomb, epub_bytes, truncated
from helpers.reading import accepted, read_pages
from pagekeeper_core.documents.epub import EpubReader
from pagekeeper_core.documents.reading import PageText
from pagekeeper_core.errors import DocumentError

READER = EpubReader()
ENCRYPTED = "<encryption xmlns:e='http://www.w3.org/2001/04/xmlenc#'><e:EncryptedData>"
ENCRYPTED += "<e:EncryptionMethod Algorithm='{}'/></e:EncryptedData></encryption>"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "book.epub"


def test_chapters_come_in_the_order_of_the_spine_by_their_names(path: Path) -> None:
    chapters = {
        "z.xhtml": "<h1>I</h1><p>The&nbsp;sea &amp; the&#x20;sky.</p>",
        "a.xhtml": "<h2>Storm</h2><p>海上的风暴</p>",
        "m.xhtml": "<p>No name</p>",
    }
    data = epub_bytes(chapters, titles={"z.xhtml": "The Sea"})
    assert read_pages(READER, path, data) == [
        PageText("I\n\nThe\u00a0sea & the sky.", page=1, pages=3, place="chapter The Sea"),
        PageText("Storm\n\n海上的风暴", page=2, pages=3, place="chapter Storm"),
        PageText("No name", page=3, pages=3, place="chapter 3"),
    ]


def test_a_book_locked_to_a_shop_says_so_and_disguised_fonts_do_not_matter(path: Path) -> None:
    chapters = {"a.xhtml": "<p>words</p>"}
    aes = ENCRYPTED.format("http://www.w3.org/2001/04/xmlenc#aes128-cbc")
    with pytest.raises(DocumentError, match="locked by the shop"):
        read_pages(READER, path, epub_bytes(chapters, encryption=aes))
    fonts = ENCRYPTED.format("http://www.idpf.org/2008/embedding")
    assert read_pages(READER, path, epub_bytes(chapters, encryption=fonts))[0].text == "words"


def test_broken_books_say_so(path: Path) -> None:
    good = epub_bytes({"a.xhtml": "<p>words</p>" * 3000})
    for broken in (truncated(good), entity_bomb(good, "OPS/book.opf"), epub_bytes({})):
        with pytest.raises(DocumentError, match=r"^book\.epub "):
            read_pages(READER, path, broken)
    assert accepted(READER, path.with_name("book.zip"), good)


def test_a_broken_table_of_contents_costs_only_the_names(path: Path) -> None:
    data = epub_bytes({"a.xhtml": "<p>words</p>"}, titles={"a.xhtml": "A <b>broken title"})
    assert read_pages(READER, path, data)[0].place == "chapter 1"
