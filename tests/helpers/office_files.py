"""Small Office files, OpenDocument files, e-books, pages and RTF, good ones and broken ones.

Written by hand as the formats' specifications say, so that each peculiarity can be asked for.
"""

import zipfile
from collections.abc import Mapping, Sequence
from io import BytesIO

from msoffcrypto.format.ooxml import OOXMLFile

__all__ = [
    "docx_bytes",
    "entity_bomb",
    "epub_bytes",
    "locked",
    "odf_bytes",
    "old_office_bytes",
    "pptx_bytes",
    "rtf_bytes",
    "truncated",
    "xlsx_bytes",
    "zip_bomb",
    "zip_bytes",
]

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_A = "http://schemas.openxmlformats.org/drawingml/2006/main"
_P = "http://schemas.openxmlformats.org/presentationml/2006/main"
_S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"
_WP = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"

_WORD_TYPES = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
    "docm": "application/vnd.ms-word.document.macroEnabled.main+xml",
}
_SHOW_TYPE = "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
_BOOK_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"

Parts = Mapping[str, str | bytes]


def zip_bytes(parts: Parts, *, stored: Sequence[str] = ("mimetype",)) -> bytes:
    """A ZIP of the parts in their order; those in `stored` are not packed."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            method = zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED
            archive.writestr(name, content, compress_type=method)
    return buffer.getvalue()


def _package(main: str, content_type: str, parts: Parts, relations: str = "") -> bytes:
    """An Office file with a main part, other parts, and the relations of the main part."""
    folder, _, name = main.rpartition("/")
    return zip_bytes(
        {
            "[Content_Types].xml": "<?xml version='1.0'?><Types xmlns='http://schemas."
            "openxmlformats.org/package/2006/content-types'><Default Extension='xml' "
            f"ContentType='application/xml'/><Override PartName='/{main}' "
            f"ContentType='{content_type}'/></Types>",
            "_rels/.rels": _relations(f"<R Id='rId1' Type='officeDocument' Target='{main}'/>"),
            f"{folder}/_rels/{name}.rels": _relations(relations),
            **parts,
        }
    )


def _relations(entries: str) -> str:
    """Relations written short: `<R Id='1' Type='styles' Target='styles.xml'/>`."""
    full = entries.replace("<R ", "<Relationship ").replace("Type='", f"Type='{_OFFICE}/")
    namespace = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f"<Relationships xmlns='{namespace}'>{full}</Relationships>"


def docx_bytes(
    body: str, *, kind: str = "docx", relations: str = "", encoding: str = "UTF-8", **parts: str
) -> bytes:
    """A Word document.

    Args:
        body: What is in `w:body`; the prefixes w, r, a, wp, mc, wps, v are declared.
        kind: "docx", or "docm" for one that may hold macros.
        relations: Further relations, see `_relations`; those of `parts` are added.
        encoding: The encoding that the main part says it is in.
        parts: The content of further parts by the word of their relation: styles="<w:style …>".
    """
    names = {name: f"word/{name}.xml" for name in parts}
    known = "".join(f"<R Id='{name}' Type='{name}' Target='{name}.xml'/>" for name in names)
    roots = {"header1": "hdr", "footer1": "ftr"}
    relations += known.replace("Type='header1'", "Type='header'").replace(
        "Type='footer1'", "Type='footer'"
    )
    content = {names[name]: _word_part(roots.get(name, name), xml) for name, xml in parts.items()}
    xml = _word_part("document", f"<w:body>{body}</w:body>")
    main = {"word/document.xml": xml.replace("UTF-8", encoding, 1)}
    return _package("word/document.xml", _WORD_TYPES[kind], {**main, **content}, relations)


def _word_part(root: str, content: str) -> str:
    spaces = (
        f"xmlns:w='{_W}' xmlns:r='{_OFFICE}' xmlns:a='{_A}' xmlns:wp='{_WP}' xmlns:mc='{_MC}' "
        "xmlns:wps='http://schemas.microsoft.com/office/word/2010/wordprocessingShape' "
        "xmlns:v='urn:schemas-microsoft-com:vml' "
        "xmlns:m='http://schemas.openxmlformats.org/officeDocument/2006/math'"
    )
    return f"<?xml version='1.0' encoding='UTF-8'?><w:{root} {spaces}>{content}</w:{root}>"


def pptx_bytes(
    slides: Sequence[str], *, relations: Mapping[int, str] | None = None, **parts: str
) -> bytes:
    """A presentation.

    Args:
        slides: What is in `p:spTree` of each; the prefixes p, a, r are declared. A slide that
            begins with "hidden:" is not shown.
        relations: Further relations of a slide by its number, from 1.
        parts: Further parts by their file name without ".xml" in the folder ppt, as they are;
            two underscores stand for a slash.
    """
    content = {f"ppt/{name.replace('__', '/')}.xml": xml for name, xml in parts.items()}
    listed, known = "", ""
    # The files lie in another order than the slides are shown in.
    for number, tree in enumerate(slides, start=1):
        place = len(slides) + 1 - number
        listed += f"<p:sldId id='{255 + number}' r:id='s{number}'/>"
        known += f"<R Id='s{number}' Type='slide' Target='slides/slide{place}.xml'/>"
        content[f"ppt/slides/slide{place}.xml"] = _slide(tree)
        own = _relations((relations or {}).get(number, ""))
        content[f"ppt/slides/_rels/slide{place}.xml.rels"] = own
    main = f"<p:presentation xmlns:p='{_P}' xmlns:r='{_OFFICE}'><p:sldIdLst>{listed}</p:sldIdLst>"
    content["ppt/presentation.xml"] = main + "</p:presentation>"
    return _package("ppt/presentation.xml", _SHOW_TYPE, content, known)


def _slide(tree: str) -> str:
    show = " show='0'" if tree.startswith("hidden:") else ""
    spaces = f"xmlns:p='{_P}' xmlns:a='{_A}' xmlns:r='{_OFFICE}'"
    tree = tree.removeprefix("hidden:")
    return f"<p:sld {spaces}{show}><p:cSld><p:spTree>{tree}</p:spTree></p:cSld></p:sld>"


def xlsx_bytes(
    sheets: Mapping[str, str],
    *,
    strings: Sequence[str] = (),
    styles: str = "",
    relations: Mapping[str, str] | None = None,
    workbook: str = "",
    **parts: str,
) -> bytes:
    """A workbook.

    Args:
        sheets: What is in `worksheet`, by the sheet's name; a name that ends in "!" is hidden.
        strings: The shared strings, each the content of `si`.
        styles: What is in `styleSheet`.
        relations: Further relations of a sheet by its name.
        workbook: What stands in `workbook` before its sheets.
        parts: Further parts by their file name without ".xml" in the folder xl, as they are.
    """
    content: dict[str, str] = {f"xl/{name}.xml": xml for name, xml in parts.items()}
    listed = ""
    known = "<R Id='a' Type='sharedStrings' Target='/xl/strings.xml'/>"
    known += "<R Id='b' Type='styles' Target='styles.xml'/>"
    for number, (name, xml) in enumerate(sheets.items(), start=1):
        state = " state='hidden'" if name.endswith("!") else ""
        listed += f"<sheet name='{name.rstrip('!')}' sheetId='{number}' r:id='s{number}'{state}/>"
        known += f"<R Id='s{number}' Type='worksheet' Target='worksheets/{number}.xml'/>"
        content[f"xl/worksheets/{number}.xml"] = f"<worksheet xmlns='{_S}'>{xml}</worksheet>"
        own = _relations((relations or {}).get(name, ""))
        content[f"xl/worksheets/_rels/{number}.xml.rels"] = own
    items = "".join(f"<si>{text}</si>" for text in strings)
    content["xl/strings.xml"] = f"<sst xmlns='{_S}'>{items}</sst>"
    content["xl/styles.xml"] = f"<styleSheet xmlns='{_S}'>{styles}</styleSheet>"
    main = f"<workbook xmlns='{_S}' xmlns:r='{_OFFICE}'>{workbook}<sheets>{listed}</sheets>"
    content["xl/workbook.xml"] = f"{main}</workbook>"
    return _package("xl/workbook.xml", _BOOK_TYPE, content, known)


_ODF_SPACES = " ".join(
    f"xmlns:{prefix}='urn:oasis:names:tc:opendocument:xmlns:{name}:1.0'"
    for prefix, name in {
        "office": "office",
        "text": "text",
        "table": "table",
        "draw": "drawing",
        "style": "style",
        "presentation": "presentation",
        "svg": "svg-compatible",
        "meta": "meta",
    }.items()
) + (
    " xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:xlink='http://www.w3.org/1999/xlink'"
)  # fmt: skip


def odf_bytes(
    body: str, *, kind: str = "text", styles: str = "", master: str = "", manifest: str = ""
) -> bytes:
    """An OpenDocument file.

    Args:
        body: What is in `office:text`, `office:spreadsheet` or `office:presentation`.
        kind: Which of the three.
        styles: The automatic styles of the content.
        master: The master styles, where page headers and footers are.
        manifest: The entries of the manifest.
    """
    content = (
        f"<office:document-content {_ODF_SPACES}><office:automatic-styles>{styles}"
        f"</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}>"
        "</office:body></office:document-content>"
    )
    return zip_bytes(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": content,
            "styles.xml": f"<office:document-styles {_ODF_SPACES}><office:master-styles>{master}"
            "</office:master-styles></office:document-styles>",
            "META-INF/manifest.xml": "<manifest:manifest xmlns:manifest='urn:oasis:names:tc:"
            f"opendocument:xmlns:manifest:1.0'>{manifest}</manifest:manifest>",
        }
    )


def epub_bytes(
    chapters: Mapping[str, str], *, titles: Mapping[str, str] | None = None, **parts: str
) -> bytes:
    """An e-book of the chapters in their order.

    Args:
        chapters: What is in `body`, by file name.
        titles: What the table of contents calls a chapter, by its file name.
        parts: Further parts of META-INF by file name without ".xml".
    """
    items = "".join(
        f"<item id='{n}' href='{name}' media-type='application/xhtml+xml'/>"
        for n, name in enumerate(chapters)
    )
    spine = "".join(f"<itemref idref='{number}'/>" for number in range(len(chapters)))
    links = "".join(f"<li><a href='{n}#top'>{t}</a></li>" for n, t in (titles or {}).items())
    html = "http://www.w3.org/1999/xhtml"
    pages = {
        f"OPS/{name}": f"<?xml version='1.0'?><!DOCTYPE html><html xmlns='{html}'><head><title>"
        f"{name}</title></head><body>{body}</body></html>"
        for name, body in chapters.items()
    }
    return zip_bytes(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": "<container xmlns='urn:oasis:names:tc:opendocument:xmlns:"
            "container'><rootfiles><rootfile full-path='OPS/book.opf' media-type='application/"
            "oebps-package+xml'/></rootfiles></container>",
            "OPS/book.opf": "<package xmlns='http://www.idpf.org/2007/opf'><manifest>"
            "<item id='nav' href='nav.xhtml' properties='nav' media-type='application/xhtml+xml'/>"
            f"{items}</manifest><spine>{spine}</spine></package>",
            "OPS/nav.xhtml": f"<html xmlns='{html}' xmlns:epub='http://www.idpf.org/2007/ops'>"
            f"<body><nav epub:type='toc'><ol>{links}</ol></nav></body></html>",
            **{f"META-INF/{name}.xml": xml for name, xml in parts.items()},
            **pages,
        }
    )


def rtf_bytes(body: str, *, header: str = "\\ansi\\ansicpg1252") -> bytes:
    """An RTF document; characters beyond ASCII are written as they are in cp1252."""
    return f"{{\\rtf1{header} {body}}}".encode("cp1252")


def locked(data: bytes, password: str) -> bytes:
    """An Office file as Office locks it with a password."""
    # Streams of under 4096 bytes lie elsewhere in a compound file, where this writer errs.
    larger = BytesIO(data)
    with zipfile.ZipFile(larger, "a") as archive:
        archive.writestr("docProps/filler.bin", bytes(5000))
    out = BytesIO()
    OOXMLFile(larger).encrypt(password, out)
    return out.getvalue()


def truncated(data: bytes) -> bytes:
    """A file of which the second half never arrived."""
    return data[: len(data) // 2]


def zip_bomb(part: str = "word/document.xml", size: int = 400_000_000) -> bytes:
    """A Word document of a few hundred kilobytes that unpacks to `size` bytes."""
    good = docx_bytes("<w:p/>")
    buffer = BytesIO()
    with (
        zipfile.ZipFile(BytesIO(good)) as source,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for info in source.infolist():
            if info.filename != part:
                archive.writestr(info, source.read(info))
        with archive.open(part, "w", force_zip64=True) as file:
            for _ in range(size // 1_000_000):
                file.write(b" " * 1_000_000)
    return buffer.getvalue()


def entity_bomb(data: bytes, part: str) -> bytes:
    """The same file, a part of it with entities that grow without end."""
    entities = "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 10))
    doctype = f"<!DOCTYPE x [<!ENTITY a0 'haha'>{entities}]>"
    with zipfile.ZipFile(BytesIO(data)) as archive:
        parts = {info.filename: archive.read(info) for info in archive.infolist()}
    xml = parts[part].decode()
    declaration, _, rest = xml.rpartition("?>") if xml.startswith("<?xml") else ("", "", xml)
    parts[part] = f"{declaration}{'?>' if declaration else ''}{doctype}{rest}".encode()
    return zip_bytes(parts)


def old_office_bytes(stream: str) -> bytes:
    """A compound file (MS-CFB) with one stream of that name, as Office before 2007 wrote them."""
    sector = 512
    fat = [0xFFFFFFFD, 0xFFFFFFFE, *range(3, 11), 0xFFFFFFFE] + [0xFFFFFFFF] * 117
    header = bytearray(sector)
    header[0:8] = bytes.fromhex("d0cf11e0a1b11ae1")
    header[24:34] = bytes.fromhex("3e000300feff09000600")
    for offset, value in {44: 1, 48: 1, 56: 4096, 60: 0xFFFFFFFE, 68: 0xFFFFFFFE}.items():
        header[offset : offset + 4] = value.to_bytes(4, "little")
    header[76:512] = b"\xff" * 436
    header[76:80] = (0).to_bytes(4, "little")
    directory = _entry("Root Entry", 5, child=1) + _entry(stream, 2, start=2, size=4608)
    directory += bytes(2 * 128)
    table = b"".join(value.to_bytes(4, "little") for value in fat)
    return bytes(header) + table + directory + bytes(9 * sector)


def _entry(name: str, kind: int, *, child: int = -1, start: int = -2, size: int = 0) -> bytes:
    entry = bytearray(128)
    encoded = (name + "\0").encode("utf-16-le")
    entry[: len(encoded)] = encoded
    entry[64:66] = len(encoded).to_bytes(2, "little")
    entry[66], entry[67] = kind, 1
    for offset, value in {68: -1, 72: -1, 76: child, 116: start, 120: size}.items():
        entry[offset : offset + 4] = (value & 0xFFFFFFFF).to_bytes(4, "little")
    return bytes(entry)
