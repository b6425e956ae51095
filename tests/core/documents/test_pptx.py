"""Presentations into text."""

from pathlib import Path

import pytest

from helpers.office_files import entity_bomb, locked, pptx_bytes, truncated
from helpers.reading import read_pages
from pagekeeper_core.documents.pptx import PptxReader
from pagekeeper_core.documents.reading import PageText
from pagekeeper_core.errors import DocumentError, DocumentLocked

SAMPLES = Path(__file__).parent / "samples"
READER = PptxReader()
A = "xmlns:a='http://schemas.openxmlformats.org/drawingml/2006/main'"
P = "xmlns:p='http://schemas.openxmlformats.org/presentationml/2006/main'"


def shape(text: str, kind: str = "", marks: str = "") -> str:
    place = f"<p:ph type='{kind}'/>" if kind else ""
    properties = f"<p:nvSpPr><p:cNvPr id='2' name='x'/><p:nvPr>{place}</p:nvPr></p:nvSpPr>"
    lines = "".join(
        f"<a:p><a:pPr>{marks}</a:pPr><a:r><a:t>{t}</a:t></a:r></a:p>" for t in text.split("|")
    )
    return f"<p:sp>{properties}<p:txBody>{lines}</p:txBody></p:sp>"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "talk.pptx"


def test_slides_come_as_they_are_shown_the_title_first(path: Path) -> None:
    slides = [
        shape("Body") + shape("1", "sldNum") + shape("Garden", "title"),
        f"hidden:<p:grpSp><p:nvGrpSpPr/>{shape('In a group')}</p:grpSp>",
    ]
    assert read_pages(READER, path, pptx_bytes(slides)) == [
        PageText("Garden\n\nBody", page=1, pages=2, place="slide 1"),
        PageText("In a group", page=2, pages=2, place="slide 2 (hidden)"),
    ]


def test_lists_have_their_marks(path: Path) -> None:
    numbered = shape("one|two", marks="<a:buAutoNum type='arabicPeriod'/>")
    dotted = shape("a|b", marks="<a:buChar char='•'/>")
    (page,) = read_pages(READER, path, pptx_bytes([numbered + dotted]))
    assert page.text == "1. one\n2. two\n• a\n• b"


def test_tables_notes_comments_and_pictures(path: Path) -> None:
    def cell(text: str, more: str = "") -> str:
        return f"<a:tc {more}><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>"

    rows = [
        cell("Plant") + cell("Price"),
        cell("Rose", "rowSpan='2'") + cell("12"),
        cell("", "vMerge='1'") + cell("13"),
    ]
    table = "".join(f"<a:tr>{row}</a:tr>" for row in rows)
    slide = f"<p:graphicFrame><a:graphic><a:graphicData><a:tbl>{table}</a:tbl></a:graphicData>"
    slide += "</a:graphic></p:graphicFrame><p:pic><p:nvPicPr><p:cNvPr id='9' name='x' "
    slide += "descr='a red rose'/></p:nvPicPr></p:pic>"
    notes = f"<p:notes {P} {A}><p:cSld><p:spTree>{shape('Say hello', 'body')}"
    notes += f"{shape('3', 'sldNum')}</p:spTree></p:cSld></p:notes>"
    said = f"<p:cmLst {P}><p:cm><p:text>Too long</p:text></p:cm></p:cmLst>"
    relations = "<R Id='n' Type='notesSlide' Target='../notes/n.xml'/>"
    relations += "<R Id='c' Type='comments' Target='../comments/c.xml'/>"
    data = pptx_bytes([slide], relations={1: relations}, notes__n=notes, comments__c=said)
    assert [(page.place, page.text) for page in read_pages(READER, path, data)] == [
        ("slide 1", "Plant | Price\nRose | 12\nRose | 13\n\n[picture: a red rose]"),
        ("slide 1, speaker notes", "Say hello"),
        ("slide 1, comments", "Too long"),
    ]


def test_a_presentation_written_by_another_program_is_read_with_its_chart(path: Path) -> None:
    data = (SAMPLES / "python_pptx.pptx").read_bytes()
    assert [(page.place, page.text) for page in read_pages(READER, path, data)] == [
        ("slide 1", "Garden\n\nRoses\n\nTulips"),
        ("slide 1, speaker notes", "Say hello first"),
        (
            "slide 2",
            "Prices\n\nPlant | Price\n玫瑰 | 12\n\n | Sales\nMay | 3\nJune | 4.5\n\na free box",
        ),
    ]


def test_a_locked_one_asks_and_a_broken_one_says_so(path: Path) -> None:
    good = pptx_bytes([shape("words")])
    with pytest.raises(DocumentLocked):
        read_pages(READER, path, locked(good, "garden"))
    assert read_pages(READER, path, locked(good, "garden"), "garden")[0].text == "words"
    for broken in (truncated(good), entity_bomb(good, "ppt/slides/slide1.xml")):
        with pytest.raises(DocumentError, match=r"^talk\.pptx "):
            read_pages(READER, path, broken)
