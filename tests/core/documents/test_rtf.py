"""RTF into text."""

from pathlib import Path

import pytest

from helpers.office_files import rtf_bytes
from helpers.reading import read_pages, read_text
from pagekeeper_core.documents.reading import PageText
from pagekeeper_core.documents.rtf import RtfReader
from pagekeeper_core.errors import DocumentError

READER = RtfReader()
FONTS = (
    "\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset134 SimSun;}"
    "{\\f2\\fcharset128 MS Mincho;}{\\f3\\fcharset2 Symbol;}{\\f4\\fcharset204 Arial Cyr;}}"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "letter.rtf"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("Caf\\'e9 na\xefve", "Café naïve"),
        ("\\u8364? \\uc0\\u8364 x", "€ €x"),
        ("\\uc2\\u20320\\'c4\\'e3\\u22909\\'ba\\'c3", "你好"),
        ("\\u-10179?\\u-8704?", "😀"),
        ("\\f1\\'c4\\'e3\\'ba\\'c3\\f0  x", "你好 x"),
        ("\\f2\\'83e\\'81[\\'83\\'58", "テース"),
        ("\\f4\\'cf\\'f0\\'e8", "При"),
        ("{\\f1\\'c4\\'e3}{\\f0\\'e9}", "你é"),
        ("{\\listtext\\f3\\'b7\\tab}item", "• item"),
        ("a{\\v hidden}{\\deleted gone} b", "a b"),
        ("a\\~b\\_c\\-d\\{e\\}\\\\", "a\u00a0b-cd{e}\\"),
        ("{\\field{\\*\\fldinst HYPERLINK \"http://x\"}{\\fldrslt link}}", "link"),
        ("{\\pict\\wmetafile8 0102}{\\*\\unknown no}{\\info{\\title no}}words", "words"),
        ("{\\pict\\bin5 }}}}}}words", "words"),
        ("{\\shp{\\*\\shpinst{\\sp{\\sn no}}{\\shptxt boxed}}}", "boxed"),
        ("one\\line two\\tab three\\emdash", "one\ntwo\tthree—"),
        ("x{\\footnote a note} y", "x y\nFootnote: a note"),
        ("x{\\*\\atnauthor Ana}{\\*\\annotation Really?}", "x\nComment by Ana: Really?"),
        ("one\\par\\pard two\\\r\nthree", "one\n\ntwo\nthree"),
        ("}}}}words{{{{", "words"),
    ],
)  # fmt: skip
def test_what_a_letter_says(path: Path, body: str, text: str) -> None:
    assert read_text(READER, path, rtf_bytes(body, header=FONTS)) == text


def test_headings_headers_and_tables(path: Path) -> None:
    header = FONTS + "{\\stylesheet{\\ql Normal;}{\\s1\\b heading 1;}}{\\header Garden club\\par}"
    row = "\\trowd{}\\cellx100\\cellx200\\pard\\intbl {}\\cell {}\\cell\\row"
    body = "{\\pard\\s1 Costs\\par}\\pard Forty\\par" + row.format("", "A", "B")
    body += row.format("\\clvmgf", "1", "2") + row.format("\\clvmrg", "", "3") + "\\pard after"
    assert read_pages(READER, path, rtf_bytes(body, header=header)) == [
        PageText("Costs\n\nForty\n\nA | B\n1 | 2\n1 | 3\n\nafter", place="section Costs"),
        PageText("Garden club", place="page header"),
    ]


def test_the_code_page_of_the_file_holds_where_fonts_say_nothing(path: Path) -> None:
    gbk = rtf_bytes("\\'c4\\'e3\\'ba\\'c3", header="\\ansi\\ansicpg936")
    assert read_text(READER, path, gbk) == "你好"
    assert read_text(READER, path, rtf_bytes("\\'8e", header="\\mac")) == "é"


@pytest.mark.thorough
def test_a_picture_of_many_megabytes_and_text_behind_it(path: Path) -> None:
    body = "before {\\pict " + "00" * 3_000_000 + "} after"
    assert read_text(READER, path, rtf_bytes(body)) == "before  after"


def test_groups_without_end_are_refused_and_an_open_end_is_not(path: Path) -> None:
    with pytest.raises(DocumentError, match=r"^letter\.rtf is nested"):
        read_text(READER, path, rtf_bytes("{" * 10_000))
    assert read_text(READER, path, b"{\\rtf1 cut off in the mid") == "cut off in the mid"
    assert read_pages(READER, path, rtf_bytes("")) == []
