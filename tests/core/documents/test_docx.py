"""Word documents into text: structure, what hangs on paragraphs, and files that cannot be read."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.office_files import (
    docx_bytes,
    entity_bomb,
    locked,
    truncated,
    xlsx_bytes,
    zip_bomb,
    zip_bytes,
)
from pagekeeper_core.documents.docx import DocxReader
from pagekeeper_core.documents.reading import HEAD_BYTES, PageText, SourceFile
from pagekeeper_core.errors import DocumentError, DocumentLocked

SAMPLES = Path(__file__).parent / "samples"


def paragraph(text: str, style: str = "", more: str = "") -> str:
    properties = f"<w:pPr><w:pStyle w:val='{style}'/></w:pPr>" if style else ""
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r>{more}</w:p>"


def cell(text: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(text)}</w:tc>"


def row(*cells: str) -> str:
    return f"<w:tr>{''.join(cells)}</w:tr>"


def pages(path: Path, data: bytes, password: str = "") -> Iterator[PageText]:
    path.write_bytes(data)
    source = SourceFile(path, path.name, password)
    assert DocxReader().accepts(data[:HEAD_BYTES], source)
    return DocxReader().read(source)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "report.docx"


def text_of(path: Path, data: bytes) -> str:
    return "\n".join(page.text for page in pages(path, data))


HEADINGS = (
    "<w:style w:styleId='H1'><w:name w:val='heading 1'/><w:pPr><w:outlineLvl w:val='0'/></w:pPr>"
    "</w:style><w:style w:styleId='Mine'><w:name w:val='Mine'/><w:basedOn w:val='H1'/></w:style>"
)


def test_headings_become_places_also_by_the_style_that_a_style_builds_on(path: Path) -> None:
    body = paragraph("Before") + paragraph("Costs", "H1") + paragraph("Forty euros.")
    body += paragraph("Garden", "Mine") + paragraph("Roses.")
    assert list(pages(path, docx_bytes(body, styles=HEADINGS))) == [
        PageText("Before"),
        PageText("Costs\n\nForty euros.", place="section Costs"),
        PageText("Garden\n\nRoses.", place="section Garden"),
    ]


def test_a_document_written_by_another_program_is_read_whole() -> None:
    path = SAMPLES / "python_docx.docx"
    source = SourceFile(path, path.name)
    read = list(DocxReader().read(source))
    assert [page.place for page in read] == [
        "section Garden plan",
        "section Costs",
        "page header",
        "page footer",
    ]
    assert read[1].text == (
        "Costs\n\nWe spend forty euros a month.\nComment by Ana: Really?\n• spade\n• seeds\n"
        "1. dig\n2. sow\n\nPlant | Price | Note\nRose | 12.50 | 红玫瑰\nTulip | 3 | وردة\n\n"
        "left | up\nleft | down"
    )


def test_merged_cells_keep_their_columns(path: Path) -> None:
    wide = cell("both", "<w:gridSpan w:val='2'/>")
    down = cell("long", "<w:vMerge w:val='restart'/>")
    goes_on = cell("", "<w:vMerge/>")
    table = row(wide, cell("c")) + row(down, cell("x"), cell("y")) + row(goes_on, cell("z"))
    text = text_of(path, docx_bytes(f"<w:tbl>{table}</w:tbl>"))
    assert text == "both |  | c\nlong | x | y\nlong | z"


def test_the_header_row_stands_at_the_head_of_each_block(path: Path) -> None:
    rows = row(cell("Name"), cell("Note"))
    rows += "".join(row(cell(f"Person {n}"), cell("many words " * 5)) for n in range(60))
    text = text_of(path, docx_bytes(f"<w:tbl>{rows}</w:tbl>"))
    blocks = text.split("\n\n")
    assert len(blocks) > 4
    assert all(block.startswith("Name | Note\nPerson") for block in blocks)
    assert text.count("Person") == 60


def test_a_table_in_a_table_and_one_that_only_lays_out(path: Path) -> None:
    inner = f"<w:tbl>{row(cell('a'), cell('b'))}</w:tbl>"
    table = row(f"<w:tc>{inner}<w:p/></w:tc>", cell("c"))
    assert text_of(path, docx_bytes(f"<w:tbl>{table}</w:tbl>")) == "a | b | c"
    layout = row(f"<w:tc>{paragraph('one')}{paragraph('two')}</w:tc>")
    assert text_of(path, docx_bytes(f"<w:tbl>{layout}</w:tbl>")) == "one\ntwo"


def test_tracked_changes_are_accepted(path: Path) -> None:
    deleted = "<w:del w:id='1'><w:r><w:delText>not </w:delText><w:t>not </w:t></w:r></w:del>"
    moved = "<w:moveFrom w:id='2'><w:r><w:t>gone</w:t></w:r></w:moveFrom>"
    added = "<w:ins w:id='3'><w:r><w:t> again</w:t></w:r></w:ins>"
    body = paragraph("Pay", more=deleted + moved + added)
    lost = "<w:tr><w:trPr><w:del w:id='4'/></w:trPr>" + cell("lost row") + "</w:tr>"
    text = text_of(path, docx_bytes(f"{body}<w:tbl>{lost}{row(cell('a'), cell('b'))}</w:tbl>"))
    assert text == "Pay again\n\na | b"


def test_notes_comments_boxes_and_pictures_follow_what_they_hang_on(path: Path) -> None:
    box = (
        "<w:r><mc:AlternateContent><mc:Choice><w:drawing><wp:inline><wp:docPr id='1' name='x' "
        "descr='a red rose'/><a:graphic><wps:txbx><w:txbxContent><w:p><w:r><w:t>In the box</w:t>"
        "</w:r></w:p></w:txbxContent></wps:txbx></a:graphic></wp:inline></w:drawing></mc:Choice>"
        "<mc:Fallback><w:pict><w:txbxContent><w:p><w:r><w:t>In the box</w:t></w:r></w:p>"
        "</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )
    marks = "<w:r><w:footnoteReference w:id='2'/><w:endnoteReference w:id='3'/></w:r>"
    body = paragraph("Look", more=box + marks) + paragraph("Next")
    note = "<w:footnote w:id='2'><w:p><w:r><w:t>see below</w:t></w:r></w:p></w:footnote>"
    mark = "<w:footnote w:type='separator' w:id='0'><w:p/></w:footnote>"
    end = "<w:endnote w:id='3'><w:p><w:r><w:t>at the end</w:t></w:r></w:p></w:endnote>"
    text = text_of(path, docx_bytes(body, footnotes=mark + note, endnotes=end))
    assert text == (
        "Look [picture: a red rose]\n\nIn the box\nFootnote: see below\nEndnote: at the end\n\nNext"
    )


def test_headers_and_footers_are_told_once_and_bare_page_numbers_not(path: Path) -> None:
    data = docx_bytes(paragraph("x"), header1=paragraph("Garden club"), footer1=paragraph("1"))
    assert list(pages(path, data)) == [PageText("x"), PageText("Garden club", place="page header")]


def test_lists_have_their_numbers(path: Path) -> None:
    level = "<w:lvl w:ilvl='{}'><w:start w:val='{}'/><w:numFmt w:val='{}'/><w:lvlText w:val='{}'/>"
    levels = level.format(0, 3, "decimal", "%1.") + "</w:lvl>"
    levels += level.format(1, 1, "lowerLetter", "%1%2)") + "</w:lvl>"
    levels += level.format(2, 1, "upperRoman", "(%3)") + "</w:lvl>"
    numbering = f"<w:abstractNum w:abstractNumId='7'>{levels}</w:abstractNum>"
    numbering += "<w:num w:numId='1'><w:abstractNumId w:val='7'/></w:num>"
    body = "".join(
        f"<w:p><w:pPr><w:numPr><w:ilvl w:val='{depth}'/><w:numId w:val='1'/></w:numPr></w:pPr>"
        f"<w:r><w:t>{text}</w:t></w:r></w:p>"
        for depth, text in [(0, "one"), (1, "a"), (1, "b"), (2, "deep"), (0, "two"), (1, "new")]
    )
    text = text_of(path, docx_bytes(body, numbering=numbering))
    assert text.split("\n") == ["3. one", "3a) a", "3b) b", "(I) deep", "4. two", "4a) new"]


def test_signs_fields_and_hidden_text(path: Path) -> None:
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r>"
    shown = "<w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t>shown</w:t></w:r>"
    field = "<w:r><w:instrText> PAGE </w:instrText></w:r><w:r><w:t>7</w:t></w:r>"
    signs = "<w:r><w:tab/><w:t>x</w:t><w:br/><w:t>y</w:t><w:noBreakHyphen/><w:t>z</w:t></w:r>"
    asks = "<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent><w:r><w:t>Click</w:t></w:r>"
    asks += "</w:sdtContent></w:sdt>"
    body = paragraph("a", more=hidden + shown + field + signs + asks)
    assert text_of(path, docx_bytes(body)) == "ashown7\tx\ny-z"


def test_scripts_stay_as_they_are_written(path: Path) -> None:
    for text in ("שלום, world", "مرحبا بالعالم", "会议记录：今天下午三点", "👩‍🌾 garden"):
        assert text_of(path, docx_bytes(paragraph(text))) == text


@pytest.mark.parametrize("kind", ["docx", "docm"])
def test_the_content_decides_not_the_name(tmp_path: Path, kind: str) -> None:
    data = docx_bytes(paragraph("words"), kind=kind)
    assert text_of(tmp_path / "photo.jpg", data) == "words"
    other = tmp_path / "book.docx"
    other.write_bytes(xlsx_bytes({"a": ""}))
    source = SourceFile(other, other.name)
    assert not DocxReader().accepts(other.read_bytes()[:HEAD_BYTES], source)
    other.write_bytes(zip_bytes({"word.txt": "x"}))
    assert not DocxReader().accepts(other.read_bytes()[:HEAD_BYTES], source)


def test_the_strict_variant_is_read(path: Path) -> None:
    data = docx_bytes(paragraph("words"))
    strict = {
        "[Content_Types].xml": "<Types xmlns='x'><Override PartName='/word/document.xml' "
        "ContentType='application/vnd.openxmlformats-officedocument.wordprocessingml.document."
        "main+xml'/></Types>",
        "_rels/.rels": "<Relationships xmlns='y'><Relationship Id='1' Target='/word/document.xml' "
        "Type='http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument'/>"
        "</Relationships>",
        "word\\document.xml": "<w:document xmlns:w='http://purl.oclc.org/ooxml/wordprocessingml/"
        f"main'><w:body>{paragraph('strict words')}</w:body></w:document>",
    }
    assert text_of(path, zip_bytes(strict)) == "strict words"
    assert text_of(path, data) == "words"


def test_a_template_elsewhere_is_never_followed(path: Path) -> None:
    outside = "<R Id='9' Type='styles' Target='http://example.com/x.xml' TargetMode='External'/>"
    assert text_of(path, docx_bytes(paragraph("words"), relations=outside)) == "words"


def test_a_locked_file_asks_for_its_password_and_opens_with_it(path: Path) -> None:
    data = locked(docx_bytes(paragraph("secret words")), "garden")
    with pytest.raises(DocumentLocked) as needed:
        list(pages(path, data))
    assert not needed.value.wrong
    with pytest.raises(DocumentLocked) as wrong:
        list(pages(path, data, "rose"))
    assert wrong.value.wrong
    assert [page.text for page in pages(path, data, "garden")] == ["secret words"]


BROKEN = docx_bytes(paragraph("word " * 5000))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (truncated(BROKEN), "damaged"),
        (BROKEN[:-10] + b"\xff\xff\xff\x7f" + BROKEN[-6:], "damaged"),
        (docx_bytes("</w:body>"), "damaged"),
        (docx_bytes("<w:p/>", encoding="gbk"), "damaged"),
        (docx_bytes("<w:p/>", encoding="nonsense"), "damaged"),
        (docx_bytes("<w:p>" * 400 + "</w:p>" * 400), "nested"),
        (entity_bomb(docx_bytes("<w:p/>"), "word/document.xml"), "entities"),
        (entity_bomb(docx_bytes("<w:p/>", styles=HEADINGS), "word/styles.xml"), "entities"),
    ],
)
def test_a_broken_file_ends_in_a_sentence(path: Path, data: bytes, reason: str) -> None:
    with pytest.raises(DocumentError, match=rf"^report\.docx .*{reason}") as error:
        list(pages(path, data))
    assert error.value.hint


def test_a_changed_byte_is_noticed(path: Path) -> None:
    middle = BROKEN.index(b"word/document.xml") + 60
    with pytest.raises(DocumentError, match="damaged"):
        list(pages(path, BROKEN[:middle] + b"\xff\xff\xff\xff" + BROKEN[middle + 4 :]))


@pytest.mark.thorough
def test_a_zip_bomb_is_refused_before_it_is_unpacked(path: Path) -> None:
    with pytest.raises(DocumentError, match="unpacks to"):
        list(pages(path, zip_bomb()))


def test_an_empty_document_has_no_pages(path: Path) -> None:
    assert list(pages(path, docx_bytes(""))) == []
