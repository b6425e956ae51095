"""Office files, e-books, pages, PDF, pictures and archives of the corpus."""

import io
import struct
import zipfile
import zlib

from PIL import Image, ImageDraw, ImageFont

from helpers.document_corpus import CorpusFile
from helpers.office_files import (
    docx_bytes,
    entity_bomb,
    epub_bytes,
    locked,
    odf_bytes,
    old_office_bytes,
    pptx_bytes,
    rtf_bytes,
    truncated,
    xlsx_bytes,
    zip_bomb,
    zip_bytes,
)
from helpers.pdf_files import pdf_bytes

__all__ = ["documents"]

_WORDS = "<w:p><w:r><w:t>The rent is 700 euros.</w:t></w:r></w:p>"
_SLIDE = "<p:sp><p:txBody><a:p><a:r><a:t>The rent is 700 euros.</a:t></a:r></a:p></p:txBody></p:sp>"
_ROWS = (
    "<sheetData><row r='1'><c r='A1' t='inlineStr'><is><t>what</t></is></c>"
    "<c r='B1' t='inlineStr'><is><t>price</t></is></c></row>"
    "<row r='2'><c r='A2' t='inlineStr'><is><t>rent</t></is></c><c r='B2'><v>700</v></c></row>"
    "</sheetData>"
)
_SAYS = "The rent is 700 euros."


def documents() -> list[CorpusFile]:
    """All of them."""
    return [*_office(), *_broken_office(), *_web(), *_pdf(), *_pictures(), *_archives()]


def _office() -> list[CorpusFile]:
    table = (
        "<table:table table:name='Costs'><table:table-row><table:table-cell><text:p>rent</text:p>"
        "</table:table-cell><table:table-cell><text:p>700</text:p></table:table-cell>"
        "</table:table-row></table:table>"
    )
    page = f"<draw:page draw:name='one'><draw:frame><draw:text-box><text:p>{_SAYS}</text:p>"
    page += "</draw:text-box></draw:frame></draw:page>"
    files = {
        "lease.docx": (docx_bytes(_WORDS), _SAYS, "DOCX"),
        "macro.docm": (docx_bytes(_WORDS, kind="docm"), _SAYS, "DOCX"),
        "named-wrongly.txt": (docx_bytes(_WORDS.replace("700", "750")), "750", "DOCX"),
        "talk.pptx": (pptx_bytes([_SLIDE, _SLIDE]), _SAYS, "PPTX"),
        "hidden.pptx": (pptx_bytes([f"hidden:{_SLIDE}"]), _SAYS, "PPTX"),
        "costs.xlsx": (xlsx_bytes({"Costs": _ROWS}), "rent | 700", "XLSX"),
        "hidden.xlsx": (xlsx_bytes({"Costs!": _ROWS}), "rent | 700", "XLSX"),
        "lease.odt": (odf_bytes(f"<text:p>{_SAYS}</text:p>"), _SAYS, "ODT"),
        "costs.ods": (odf_bytes(table, kind="spreadsheet"), "rent | 700", "ODS"),
        "talk.odp": (odf_bytes(page, kind="presentation"), _SAYS, "ODP"),
        "book.epub": (
            epub_bytes({"a.xhtml": f"<h1>Sea</h1><p>{_SAYS}</p>"}, titles={"a.xhtml": "Sea"}),
            _SAYS,
            "EPUB",
        ),
        "lease.rtf": (rtf_bytes(f"{_SAYS}\\par Caf\\'e9 \\u20320?"), "Café", "RTF"),
    }
    good = [CorpusFile(name, *rest[:2], kind=rest[2]) for name, rest in files.items()]
    opened = locked(docx_bytes(_WORDS), "sesame")
    return [*good, CorpusFile("open.docx", opened, _SAYS, kind="DOCX", password="sesame")]


def _broken_office() -> list[CorpusFile]:
    docx, xlsx = docx_bytes(_WORDS * 50), xlsx_bytes({"Costs": _ROWS})
    files = {
        "cut.docx": (truncated(docx), "damaged"),
        "cut.xlsx": (truncated(xlsx), "damaged"),
        "cut.epub": (truncated(epub_bytes({"a.xhtml": _SAYS})), "damaged"),
        "locked.docx": (locked(docx, "sesame"), "password"),
        "locked.xlsx": (locked(xlsx, "sesame"), "password"),
        "bomb.docx": (zip_bomb(), ""),
        "entities.docx": (entity_bomb(docx, "word/document.xml"), ""),
        "empty.docx": (docx_bytes("<w:p/>"), "no text"),
        "old.doc": (old_office_bytes("WordDocument"), ".docx"),
        "old.xls": (old_office_bytes("Workbook"), ".xlsx"),
        "old.ppt": (old_office_bytes("PowerPoint Document"), ".pptx"),
    }
    return [
        CorpusFile(name, content, reason=reason or ".", kind="office, broken")
        for name, (content, reason) in files.items()
    ]


def _web() -> list[CorpusFile]:
    page = f"<html><head><title>Lease</title><script>x()</script></head><body><p>{_SAYS}</p>"
    chinese = "<html><head><meta charset='gbk'></head><body>会议在办公室。今天下午三点。</body>"
    pages = {
        "page.html": (page.encode(), _SAYS),
        "gbk.html": (chinese.encode("gbk"), "办公室"),
        "wide.html": (page.replace("700", "710").encode("utf-16"), "710"),
        "deep.html": (b"<div>" * 50_000 + b"deep words" + b"</div>" * 9, "deep words"),
        "unclosed.html": (b"<html><body><p>one<p>two <b>three<table><tr><td>four", "four"),
        "page.xhtml": (
            b"<?xml version='1.0'?><html><body><p>Caf&eacute;</p></body></html>",
            "Café",
        ),
    }
    good = [CorpusFile(name, c, says, kind="HTML") for name, (c, says) in pages.items()]
    script = b"<html><head><script>let x = 1;</script></head><body></body></html>"
    return [*good, CorpusFile("script.html", script, reason="no text", kind="HTML")]


def _pdf() -> list[CorpusFile]:
    secret = pdf_bytes([_SAYS], password="sesame")
    good = pdf_bytes([_SAYS, "Second page."])
    return [
        CorpusFile("lease.pdf", good, _SAYS, kind="PDF"),
        CorpusFile("named.txt.pdf", b"\n" + pdf_bytes(["Third."]), "Third.", kind="PDF"),
        CorpusFile(
            "long.pdf",
            pdf_bytes([f"Page {n} here." for n in range(300)]),
            "Page 7 here.",
            kind="PDF",
        ),
        CorpusFile("open.pdf", secret, _SAYS, kind="PDF", password="sesame"),
        CorpusFile(
            "locked.pdf", pdf_bytes(["Locked."], password="sesame"), reason="password", kind="PDF"
        ),
        CorpusFile("blank.pdf", pdf_bytes([""]), reason=".", kind="PDF"),
        CorpusFile("damaged.pdf", b"%PDF-1.4\nnothing else", reason="damaged", kind="PDF"),
        CorpusFile("cut.pdf", good[:200], reason="damaged", kind="PDF"),
        CorpusFile("lines.pdf", _scan(), "RENT IS 700", kind="PDF"),
    ]


def _picture(text: str = "THE RENT IS 700", size: tuple[int, int] = (700, 120)) -> Image.Image:
    picture = Image.new("RGB", size, "white")
    ImageDraw.Draw(picture).text((30, 30), text, "black", ImageFont.load_default(48))
    return picture


def _saved(form: str, *more: Image.Image) -> bytes:
    buffer = io.BytesIO()
    extra = {"save_all": True, "append_images": more} if more else {}
    _picture().save(buffer, form, **extra)
    return buffer.getvalue()


def _scan() -> bytes:
    return _saved("PDF")


def _pictures() -> list[CorpusFile]:
    blank = io.BytesIO()
    Image.new("RGB", (200, 200), "white").save(blank, "PNG")
    named = (
        ("note.png", "PNG"),
        ("note.jpg", "JPEG"),
        ("note.webp", "WEBP"),
        ("note.tiff", "TIFF"),
    )
    good = [CorpusFile(name, _saved(form), "700", kind="picture") for name, form in named]
    frames = _saved("TIFF", _picture("SECOND FRAME"))
    return [
        *good,
        CorpusFile("frames.tif", frames, "SECOND", kind="picture"),
        CorpusFile("blank.png", blank.getvalue(), reason=".", kind="picture"),
        CorpusFile("cut.png", _saved("PNG")[:400], reason=".", kind="picture"),
        CorpusFile("huge.png", _huge_png(), reason=".", kind="picture"),
    ]


def _huge_png() -> bytes:
    """A picture that says that it is 60,000 by 60,000 pixels."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0))
    return (
        b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(bytes(99))) + chunk(b"IEND", b"")
    )


def _archives() -> list[CorpusFile]:
    notes = {"notes/a.txt": "Bread and milk.", "b.md": "# Costs\n\nRent 700.\n"}
    broken = {"good.txt": "Good words.", "../out.txt": "Outside."}
    nested = zip_bytes({"inner.zip": zip_bytes({"deep.txt": "Deep words."})})
    bomb = io.BytesIO()
    with (
        zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("z.txt", "w") as file,
    ):
        for _ in range(300):
            file.write(b" " * 1_000_000)
    return [
        CorpusFile("notes.zip", zip_bytes(notes), "Rent 700.", kind="ZIP"),
        CorpusFile("nested.zip", nested, "Deep words.", kind="ZIP"),
        CorpusFile("outside.zip", zip_bytes(broken), "Good words.", kind="ZIP"),
        CorpusFile("cut.zip", zip_bytes(notes)[:60], reason=".", kind="ZIP"),
        CorpusFile("bomb.zip", bomb.getvalue(), reason=".", kind="ZIP"),
    ]
