"""Web pages into text."""

from pathlib import Path

import pytest

from helpers.reading import accepted, read_pages, read_text
from pagekeeper_core.documents.html import HtmlReader
from pagekeeper_core.documents.html_text import html_blocks, html_text
from pagekeeper_core.documents.reading import PageText

READER = HtmlReader()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "page.html"


def test_headings_become_places(path: Path) -> None:
    page = b"<!DOCTYPE html><title>Trip</title><p>Before<h1>Porto &amp; more</h1><p>Wine."
    assert read_pages(READER, path, page) == [
        PageText("Trip\n\nBefore", place="section Trip"),
        PageText("Porto & more\n\nWine.", place="section Porto & more"),
    ]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("one<br>two   three\n four", "one\ntwo three four"),
        ("<script>var a = '<p>x</p>'</script><style>p {}</style>words", "words"),
        ("<nav><a>Home</a><ul><li>x</ul></nav>words", "words"),
        ("<div role=navigation>Home</div>words<div hidden>no</div>", "words"),
        ("a<span style='display: none'>no</span> b", "a b"),
        ("<nav>never closed", "never closed"),
        ("<ruby>漢<rt>kan</ruby>字", "漢字"),
        ("<ul><li>one<li>two<ol start=3><li>c<li>d</ol></ul>", "• one\n• two\n3. c\n4. d"),
        ("<pre>a\n  b</pre>", "a\n  b"),
        ("<img alt='a cat'>", "[picture: a cat]"),
        ("שלום <b>world</b> 你好", "שלום world 你好"),
        ("<table><tr><th>A<th>B<tr><td rowspan=2>1<td>2<tr><td>3</table>", "A | B\n1 | 2\n1 | 3"),
        ("<table><tr><td colspan=2>wide<td>x</table>", "wide |  | x"),
        ("<table><tr><td><h2>Head</h2><p>lay<td>out</table>", "Head\nlay\nout"),
        ("<table><tr><td>menu<td><table><tr><td>a<td>b</table></table>", "menu\na | b"),
        ("<b><i>un</b>closed</i> <p>x</div></p>", "unclosed\nx"),
        ("<![CDATA[x]]><!-- no --><?php echo ?>words", "words"),
        ("<svg/><p>after", "after"),
    ],
)
def test_what_a_page_says(html: str, text: str) -> None:
    assert html_text(html) == text


@pytest.mark.parametrize(
    ("text", "encoding", "declared"),
    [
        ("会议记录", "gbk", "<meta charset=gb2312>"),
        ("会议记录", "utf-8", "<meta charset=iso-8859-1>"),
        ("Le café – “naïve”", "cp1252", "<meta charset='ISO-8859-1'>"),
        ("会議は10時から", "shift_jis", "<meta http-equiv=Content-Type content='text/html; "
         "charset=Shift_JIS'>"),
        ("会議は10時から", "iso2022_jp", "<meta charset=iso-2022-jp>"),
        ("Привет, как дела?", "koi8-r", "<meta charset=koi8-r>"),
        ("naïve 你好", "utf-16", ""),
        ("naïve 你好", "utf-8-sig", "<meta charset=ascii>"),
        ("naïve 你好", "utf-8", "<meta charset=utf-16>"),
        ("naïve 你好", "utf-8", "<meta charset=nonsense>"),
    ],
)  # fmt: skip
def test_encodings(path: Path, text: str, encoding: str, declared: str) -> None:
    page = f"<html><head>{declared}</head><body><p>{text}</p></body></html>"
    assert read_text(READER, path, page.encode(encoding)) == text


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 100_000 + "words",
        "<b>" * 100_000 + "words" + "</i>" * 100_000,
        "<table><tr><td>" * 30_000 + "words",
        "<ul><li>" * 30_000 + "words",
        "<a b='" * 100_000,
        "<!--" * 100_000,
        "&" * 100_000,
        "<" * 100_000,
    ],
    ids=["div", "b", "table", "list", "attribute", "comment", "ampersand", "angle"],
)
@pytest.mark.thorough
def test_pages_that_are_nested_or_never_end_are_read_without_recursion(html: str) -> None:
    chunks = [html[start : start + 10_000] for start in range(0, len(html), 10_000)]
    found = [str(block) for block in html_blocks(chunks)]
    assert "words" not in html or any("words" in block for block in found)


def test_the_content_decides_then_the_name(path: Path) -> None:
    assert accepted(READER, path.with_name("x.doc"), b"<html><body>saved as Word")
    assert accepted(READER, path.with_name("x"), b"<?xml version='1.0'?>\n<!-- x -->\n<html ")
    assert accepted(READER, path, b"<p>fragment")
    assert not accepted(READER, path.with_name("x.txt"), b"<p>fragment")
    assert not accepted(READER, path, b"\x89PNG\r\n\x1a\n\0\0\0")
