"""OpenDocument files into text."""

from pathlib import Path

import pytest

from helpers.office_files import entity_bomb, odf_bytes, truncated
from helpers.reading import accepted, read_pages
from pagekeeper_core.documents.odf import OdfReader
from pagekeeper_core.errors import DocumentError

SAMPLES = Path(__file__).parent / "samples"
READER = OdfReader()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "plan.odt"


def places(path: Path, data: bytes) -> list[tuple[str, str]]:
    return [(page.place, page.text.rstrip("\n")) for page in read_pages(READER, path, data)]


def cell(text: str, more: str = "") -> str:
    return f"<table:table-cell {more}><text:p>{text}</text:p></table:table-cell>"


def row(*cells: str, more: str = "") -> str:
    return f"<table:table-row {more}>{''.join(cells)}</table:table-row>"


def test_a_text_comes_by_its_headings(path: Path) -> None:
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>deleted</text:p>"
        "</text:deletion></text:changed-region></text:tracked-changes>"
        "<text:p>Before<text:s text:c='3'/>x</text:p><text:h>Costs</text:h>"
        "<text:p>Forty <text:span>euros</text:span>\n   a month<text:note text:note-class="
        "'footnote'><text:note-citation>1</text:note-citation><text:note-body><text:p>a note"
        "</text:p></text:note-body></text:note>.<office:annotation><dc:creator>Ana</dc:creator>"
        "<text:p>Really?</text:p></office:annotation></text:p>"
        "<text:p><draw:frame><svg:title>a rose</svg:title></draw:frame><draw:frame>"
        "<draw:text-box><text:p>In the box</text:p></draw:text-box></draw:frame></text:p>"
    )
    header = "<style:master-page><style:header><text:p>Garden club</text:p></style:header>"
    header += "<style:footer><text:p>1</text:p></style:footer></style:master-page>"
    assert places(path, odf_bytes(body, master=header)) == [
        ("", "Before   x"),
        (
            "section Costs",
            "Costs\n\nForty euros a month.\nFootnote: a note\nComment by Ana: Really?\n\n"
            "[picture: a rose]\nIn the box",
        ),
        ("page header", "Garden club"),
    ]


def test_lists_and_tables(path: Path) -> None:
    styles = "<text:list-style style:name='L'><text:list-level-style-number text:level='1' "
    styles += "style:num-format='1'/></text:list-style>"
    inner = "<text:list><text:list-item><text:p>deep</text:p></text:list-item></text:list>"
    body = f"<text:list text:style-name='L'><text:list-item><text:p>one</text:p>{inner}"
    body += "</text:list-item><text:list-item><text:p>two</text:p></text:list-item></text:list>"
    wide = "<table:table-cell table:number-columns-repeated='16000'/>"
    body += "<table:table>" + row(cell("A"), "<table:table-cell/>", cell("B"))
    body += row(cell("1", "table:number-columns-repeated='2'"), wide) + "</table:table>"
    assert places(path, odf_bytes(body, styles=styles)) == [
        ("", "1. one\n• deep\n2. two\n\nA |  | B\n1 | 1")
    ]


def test_a_spreadsheet_comes_row_by_row_however_often_rows_repeat(path: Path) -> None:
    date = "office:value-type='date' office:date-value='2026-05-03T00:00:00'"
    sheet = row(cell("Date"), cell("Sum"))
    sheet += row(cell("03/05/26", date), cell("12"), more="table:number-rows-repeated='2'")
    sheet += row("<table:table-cell/>", more="table:number-rows-repeated='1048000'")
    sheet += row(cell("last"), cell("1"), more="table:number-rows-repeated='9000000'")
    body = f"<table:table table:name='Costs'>{sheet}</table:table>"
    body += f"<table:table table:name='S' table:style-name='h'>{row(cell('x'))}</table:table>"
    styles = "<style:style style:name='h'><style:table-properties table:display='false'/>"
    styles += "</style:style>"
    found = places(path, odf_bytes(body, kind="spreadsheet", styles=styles))
    assert found[0] == (
        "sheet Costs, rows 1 to 3",
        "Date | Sum\n2026-05-03 | 12\n2026-05-03 | 12",
    )
    assert found[-1] == ("sheet S (hidden), row 1", "x")
    assert sum(text.count("last") for _, text in found) == 1000


def test_a_presentation_comes_slide_by_slide_with_its_notes(path: Path) -> None:
    def box(text: str) -> str:
        return f"<draw:frame><draw:text-box><text:p>{text}</text:p></draw:text-box></draw:frame>"

    notes = f"<presentation:notes>{box('say it')}</presentation:notes>"
    body = f"<draw:page>{box('Hello')}{notes}</draw:page><draw:page>{box('World')}</draw:page>"
    assert places(path, odf_bytes(body, kind="presentation")) == [
        ("slide 1", "Hello"),
        ("slide 1, speaker notes", "say it"),
        ("slide 2", "World"),
    ]


def test_files_written_by_another_program_are_read(path: Path) -> None:
    assert places(path, (SAMPLES / "odfdo.odt").read_bytes()) == [
        (
            "section Garden plan",
            "Garden plan\n\nBefore anything is planted, the soil must rest.\n• spade\n• seeds",
        )
    ]
    assert places(path, (SAMPLES / "odfdo.ods").read_bytes()) == [
        ("sheet Costs, rows 1 to 2", "Date | Sum\n2026-05-03 | 12.5")
    ]


def test_locked_broken_and_other_files(path: Path) -> None:
    lock = "<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>"
    with pytest.raises(DocumentError, match="locked with a password") as error:
        places(path, odf_bytes("", manifest=lock))
    assert "LibreOffice" in error.value.hint
    good = odf_bytes("<text:p>words</text:p>" * 2000)
    for broken in (truncated(good), entity_bomb(good, "content.xml"), odf_bytes("<text:p>")):
        with pytest.raises(DocumentError, match=r"^plan\.odt "):
            places(path, broken)
    assert places(path, odf_bytes("")) == []
    assert accepted(READER, path.with_name("x.docx"), good)
