"""PDF: the text layer, and everything in place of one."""

import threading
from collections.abc import Sequence
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image

from helpers.pdf_files import pdf_bytes
from helpers.pictures import ScriptedRecognizer, picture_of, save_scan
from pagekeeper_core.documents.ocr import TextRecognizer
from pagekeeper_core.documents.pdf import PdfReader, is_garbage
from pagekeeper_core.documents.reader_process import ReaderLimits, ReaderProcess
from pagekeeper_core.documents.reading import PageText, SourceFile
from pagekeeper_core.errors import DocumentError, DocumentLocked


def source(path: Path, password: str = "") -> SourceFile:
    return SourceFile(path, path.name, password)


def read(path: Path, eyes: TextRecognizer | None = None, password: str = "") -> list[PageText]:
    return list(PdfReader(eyes or ScriptedRecognizer()).read(source(path, password)))


def written(folder: Path, pages: Sequence[str], **options: str) -> Path:
    path = folder / "lease – été.pdf"
    path.write_bytes(pdf_bytes(pages, **options))
    return path


def test_a_pdf_is_read_page_by_page(tmp_path: Path) -> None:
    path = written(tmp_path, ["The rent is 700 euros.\nPaid on the 1st.", "", "Café keys: two."])
    assert PdfReader().accepts(path.read_bytes()[:4096], source(path))
    eyes = ScriptedRecognizer()
    assert read(path, eyes) == [
        PageText("The rent is 700 euros.\nPaid on the 1st.", page=1, pages=3),
        PageText("", page=2, pages=3),
        PageText("Café keys: two.", page=3, pages=3),
    ]
    assert not eyes.shown, "a blank page is not looked at"


def test_a_locked_pdf_asks_for_its_password(tmp_path: Path) -> None:
    path = written(tmp_path, ["The rent is 700 euros."], password="open sesame")
    with pytest.raises(DocumentLocked) as missing:
        read(path)
    with pytest.raises(DocumentLocked) as wrong:
        read(path, password="open barley")
    assert (missing.value.wrong, wrong.value.wrong) == (False, True)
    assert read(path, password="open sesame")[0].text == "The rent is 700 euros."


@pytest.mark.parametrize(("pages", "said"), [(1, "its only page"), (3, "any of its 3 pages")])
def test_a_scan_in_which_nothing_is_recognised_says_so(
    tmp_path: Path, pages: int, said: str
) -> None:
    path = tmp_path / "scan.pdf"
    save_scan(path, [picture_of(["text"])] * pages)
    with pytest.raises(DocumentError, match=f"none could be recognised on {said}"):
        read(path)


def test_pages_without_text_are_recognised_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    save_scan(path, [picture_of(["one"]), picture_of(["two"])])
    eyes = ScriptedRecognizer("page one", "page two")
    assert [page.text for page in read(path, eyes)] == ["page one", "page two"]
    assert all(max(picture.size) <= 2400 for picture in eyes.shown)


def test_a_stamp_on_a_scan_is_not_its_text(tmp_path: Path) -> None:
    path = tmp_path / "stamped.pdf"
    path.write_bytes(_with_stamp(tmp_path, "Scanned by Office 3"))
    (page,) = read(path, ScriptedRecognizer("Scanned by Office 3\nThe rent is 700 euros."))
    assert "700" in page.text


def test_a_longer_text_over_a_picture_is_kept_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "searchable.pdf"
    path.write_bytes(_with_stamp(tmp_path, "The rent is 700 euros a month, water included. " * 3))
    eyes = ScriptedRecognizer("tne rcnt")
    assert read(path, eyes)[0].text.startswith("The rent is 700 euros")
    assert not eyes.shown


def _with_stamp(folder: Path, text: str) -> bytes:
    """A page that is one picture, with a text over it."""
    save_scan(folder / "plain.pdf", [picture_of(["The rent is 700 euros."])])
    (folder / "text.pdf").write_bytes(pdf_bytes([text]))
    with pypdfium2.PdfDocument(folder / "text.pdf") as document:
        page = document[0]
        image = pypdfium2.PdfImage.new(document)
        picture_of(["The rent is 700 euros."]).save(folder / "page.jpg")
        image.load_jpeg(folder / "page.jpg")
        image.set_matrix(pypdfium2.PdfMatrix().scale(612, 792))
        page.insert_obj(image)
        page.gen_content()
        document.save(folder / "stamped.pdf")
    return (folder / "stamped.pdf").read_bytes()


@pytest.mark.parametrize("text", ["\ue001\ue002 \ue003\ue010", "\ufffd\ufffdab\ufffd", "\x01\x02x"])
def test_signs_that_mean_nothing_are_garbage(text: str) -> None:
    assert is_garbage(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n",
        "The rent is 700 €",
        "会议记录：三点",
        "ʻOkina ñ 😀\t",
        "مرحبا",
        "½ \ue001" * 1 + "abcdef",
    ],
)
def test_words_are_no_garbage(text: str) -> None:
    assert not is_garbage(text)


@pytest.mark.parametrize("content", [b"%PDF-1.4\nnothing else", b"%PDF-", pdf_bytes([])])
def test_a_broken_pdf_gives_its_reason(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.pdf"
    path.write_bytes(content)
    with pytest.raises(DocumentError, match="damaged"):
        read(path)


def test_a_pdf_is_known_by_its_content(tmp_path: Path) -> None:
    reader = PdfReader()
    assert reader.accepts(b"\xef\xbb\xbf\n%PDF-1.7\n", source(tmp_path / "named.txt"))
    assert not reader.accepts(b"just text", source(tmp_path / "named.pdf"))


def test_a_page_that_cannot_be_read_is_named_and_does_not_cost_the_others(tmp_path: Path) -> None:
    content = pdf_bytes(["first page", "second page", "third page"])
    broken = content.replace(b"6 0 obj\n<< /Type /Page ", b"6 0 obj\n<< /Type /Nope ")
    assert broken != content
    path = tmp_path / "partly.pdf"
    path.write_bytes(broken)
    first, second, third = read(path)
    assert (first.text, second.text, third.text) == ("first page", "", "third page")
    assert second.fault == "Page 2 is damaged."


def test_pages_that_lead_to_themselves_come_to_an_end(tmp_path: Path) -> None:
    content = pdf_bytes(["first page", "second page"])
    looped = content.replace(b"/Kids [4 0 R 6 0 R]", b"/Kids [2 0 R 2 0 R]")
    assert looped != content
    path = tmp_path / "loop.pdf"
    path.write_bytes(looped)
    with pytest.raises(DocumentError, match="damaged"):
        read(path)


def test_a_turned_page_is_recognised_upright(tmp_path: Path) -> None:
    path = tmp_path / "turned.pdf"
    upright = Image.new("RGB", (400, 800), "white")
    save_scan(path, [upright.rotate(90, expand=True)])
    path.write_bytes(path.read_bytes().replace(b"/MediaBox", b"/Rotate 90 /MediaBox"))
    eyes = ScriptedRecognizer("text")
    read(path, eyes)
    width, height = eyes.shown[0].size
    assert height > width


@pytest.mark.thorough
def test_two_thousand_pages_are_read_one_by_one(tmp_path: Path) -> None:
    path = written(tmp_path, [f"This is page {number}." for number in range(1, 2001)])
    for number, page in enumerate(PdfReader().read(source(path)), start=1):
        assert page == PageText(f"This is page {number}.", page=number, pages=2000)
    assert number == 2000


@pytest.mark.thorough
def test_two_thousand_pages_need_no_more_memory_than_one(tmp_path: Path) -> None:
    path = written(tmp_path, [f"This is page {number}. " + "word " * 400 for number in range(2000)])
    files = ReaderProcess(limits=ReaderLimits(memory=180 * 1024**2))
    with files.reading(source(path), threading.Event()) as reading:
        assert sum(1 for _ in reading) == 2000
    files.close()


@pytest.mark.thorough
def test_a_scan_is_really_recognised(tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    page = picture_of(["The rent is 700 euros a month.", "It is paid on the first."])
    save_scan(path, [page])
    (found,) = PdfReader().read(source(path))
    assert "rent is 700 euros" in found.text
    assert "paid on the first" in found.text
