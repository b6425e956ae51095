"""Workbooks into text."""

import zipfile
from datetime import date, datetime, time
from io import BytesIO
from pathlib import Path

import openpyxl
import psutil
import pytest
from openpyxl.comments import Comment

from helpers.office_files import entity_bomb, locked, truncated, xlsx_bytes
from helpers.reading import accepted, read_pages
from pagekeeper_core.documents.reading import SourceFile
from pagekeeper_core.documents.xlsx import XlsxReader
from pagekeeper_core.errors import DocumentError, DocumentLocked

READER = XlsxReader()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "costs.xlsx"


def places(path: Path, data: bytes) -> list[tuple[str, str]]:
    return [(page.place, page.text.rstrip("\n")) for page in read_pages(READER, path, data)]


def rows(*cells: str) -> str:
    lines = "".join(f"<row r='{n}'>{row}</row>" for n, row in enumerate(cells, start=1))
    return f"<sheetData>{lines}</sheetData>"


def text(value: str) -> str:
    return f"<c t='inlineStr'><is><t>{value}</t></is></c>"


def test_a_workbook_written_by_another_program_is_read_whole(path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Costs"
    sheet.append(["My budget"])
    sheet.append([])
    sheet.append(["Date", "What", "Share", "Sum"])
    sheet.append([date(2026, 5, 3), "Roses", 0.125, 12.1])
    sheet.append([datetime(2026, 5, 4, 14, 30), "红玫瑰", 1, "=SUM(D4:D4)"])
    sheet["C4"].number_format = "0.0%"
    sheet["A6"], sheet["B6"], sheet["B7"] = "both", "x", "y"
    sheet.merge_cells("A6:A7")
    sheet["A8"], sheet["B8"] = time(9, 30), True
    sheet["B4"].comment = Comment("nice", "Ana")
    hidden = book.create_sheet("Secret")
    hidden.sheet_state = "hidden"
    hidden["C3"] = "hidden words"
    hidden["XFD4"] = "far out"
    book.save(path)
    assert places(path, path.read_bytes()) == [
        ("sheet Costs, row 1", "My budget"),
        (
            "sheet Costs, rows 3 to 8",
            "Date | What | Share | Sum\n2026-05-03 | Roses | 12.5% | 12.1\n"
            "2026-05-04 14:30 | 红玫瑰 | 1 | =SUM(D4:D4)\nboth | x\nboth | y\n09:30 | TRUE",
        ),
        ("sheet Costs, comments", "Comment on B4 by Ana: nice"),
        ("sheet Secret (hidden), rows 3 to 4", "hidden words\nfar out"),
    ]


def test_values_stand_for_formulas_and_errors_are_shown(path: Path) -> None:
    row = "<c r='A1' t='str'><f>A2&amp;A3</f><v>joined</v></c><c r='B1' t='e'><f>1/0</f>"
    row += "<v>#DIV/0!</v></c><c r='D1'><v>0.1</v></c><c r='E1' t='b'><v>0</v></c>"
    assert places(path, xlsx_bytes({"a": rows(row)})) == [
        ("sheet a, row 1", "joined | #DIV/0! |  | 0.1 | FALSE")
    ]


@pytest.mark.parametrize(
    ("number", "code", "shown"),
    [
        ("46145", "14", "2026-05-03"),
        ("46145.604166666664", "22", "2026-05-03 14:30"),
        ("59", "14", "1900-02-28"),
        ("1", "14", "1900-01-01"),
        ("0.5", "20", "12:00"),
        ("1.5", "46", "36:00:00"),
        ("0.12", "9", "12%"),
        ("1e300", "14", "1e+300"),
        ("12", "0", "12"),
        ("0.30000000000000004", "0", "0.3"),
        ("46145", 'yyyy"年"m"月"d"日"', "2026-05-03"),
        ("46145", "[$-409]d/m/yy;@", "2026-05-03"),
        ("46145", '#,##0.00 "days"', "46145"),
        ("46145", "[Red]0", "46145"),
        ("0.5", "h:mm AM/PM", "12:00"),
        ("1.25", "[h]:mm", "30:00:00"),
    ],
)
def test_numbers_are_written_as_people_see_them(
    path: Path, number: str, code: str, shown: str
) -> None:
    custom = code if not code.isdecimal() else ""
    quoted = custom.replace('"', "&quot;")
    styles = f'<numFmts><numFmt numFmtId="170" formatCode="{quoted}"/></numFmts>' if custom else ""
    styles += f"<cellXfs><xf/><xf numFmtId='{170 if custom else code}'/></cellXfs>"
    sheet = rows(f"<c s='1'><v>{number}</v></c>")
    assert places(path, xlsx_bytes({"a": sheet}, styles=styles))[0][1] == shown


def test_days_may_count_from_1904(path: Path) -> None:
    data = xlsx_bytes(
        {"a": rows("<c s='0'><v>1</v></c>")},
        styles="<cellXfs><xf numFmtId='14'/></cellXfs>",
        workbook="<workbookPr date1904='1'/>",
    )
    assert places(path, data)[0][1] == "1904-01-02"


def test_shared_texts_come_without_the_readings_of_their_characters(path: Path) -> None:
    strings = ["<r><t>東</t></r><r><t>京</t></r><rPh><t>トウキョウ</t></rPh>", "<t>plain</t>"]
    row = "<c t='s'><v>0</v></c><c t='s'><v>1</v></c><c t='s'><v>99</v></c>"
    assert places(path, xlsx_bytes({"a": rows(row)}, strings=strings))[0][1] == "東京 | plain"


def test_the_header_stands_at_the_head_of_each_block(path: Path) -> None:
    lines = [text("Name") + text("Note")]
    lines += [text(f"Person {n}") + text("many words " * 5) for n in range(60)]
    found = places(path, xlsx_bytes({"People": rows(*lines)}))
    assert all(block.startswith("Name | Note\nPerson") for _, block in found)
    assert found[0][0].startswith("sheet People, rows 1 to ")
    assert sum(block.count("Person") for _, block in found) == 60


def test_text_boxes_and_charts_of_a_sheet_are_read(path: Path) -> None:
    a = "xmlns:a='http://schemas.openxmlformats.org/drawingml/2006/main'"
    drawing = f"<x {a}><sp><txBody><a:p><a:r><a:t>Look here</a:t></a:r></a:p></txBody></sp></x>"
    data = xlsx_bytes(
        {"a": rows(text("x"))},
        relations={"a": "<R Id='1' Type='drawing' Target='../drawing.xml'/>"},
        drawing=drawing,
    )
    assert places(path, data)[-1] == ("sheet a, drawings", "Look here")


def test_links_to_other_workbooks_are_not_followed(path: Path) -> None:
    outside = "<R Id='1' Type='drawing' Target='file:///etc/passwd' TargetMode='External'/>"
    data = xlsx_bytes({"a": rows(text("x"))}, relations={"a": outside})
    assert places(path, data) == [("sheet a, row 1", "x")]


def test_an_empty_workbook_has_no_pages_and_the_content_decides(path: Path) -> None:
    assert places(path, xlsx_bytes({"a": ""})) == []
    assert accepted(READER, path.with_name("x.pdf"), xlsx_bytes({"a": ""}))
    assert not accepted(READER, path, b"name,city\nAna,Porto\n")


def test_a_locked_one_asks_and_a_broken_one_says_so(path: Path) -> None:
    good = xlsx_bytes({"a": rows(text("words"))})
    with pytest.raises(DocumentLocked):
        places(path, locked(good, "garden"))
    assert read_pages(READER, path, locked(good, "garden"), "garden")[0].text == "words\n"
    # Excel locks with this word where only the structure is protected.
    assert places(path, locked(good, "VelvetSweatshop"))[0][1] == "words"
    for broken in (truncated(good), entity_bomb(good, "xl/worksheets/1.xml")):
        with pytest.raises(DocumentError, match=r"^costs\.xlsx "):
            places(path, broken)


@pytest.mark.slow
def test_a_sheet_of_many_rows_is_read_in_bounded_memory(path: Path) -> None:
    write_rows(path, 300_000)
    process = psutil.Process()
    pages = READER.read(SourceFile(path, path.name))
    for _ in range(100):
        last = next(pages).place
    before = most = process.memory_info().rss
    for number, page in enumerate(pages):
        last = page.place
        if number % 500 == 0:
            most = max(most, process.memory_info().rss)
    assert last.endswith("to 300000")
    assert most - before < 20_000_000


def write_rows(path: Path, count: int) -> None:
    with (
        zipfile.ZipFile(BytesIO(xlsx_bytes({"a": ""}))) as source,
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for info in source.infolist():
            if info.filename != "xl/worksheets/1.xml":
                archive.writestr(info, source.read(info))
        with archive.open("xl/worksheets/1.xml", "w", force_zip64=True) as file:
            file.write(b"<worksheet><sheetData>")
            for n in range(count):
                cells = b"<c><v>%d</v></c><c><v>%d.5</v></c>" % (n, n * 7)
                file.write(b"<row r='%d'>%s</row>" % (n + 1, cells))
            file.write(b"</sheetData></worksheet>")
