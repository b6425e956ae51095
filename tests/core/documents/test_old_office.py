"""Office files of old and binary formats: what they are, and what to save them as."""

from pathlib import Path

import pytest

from helpers.office_files import old_office_bytes, zip_bytes
from helpers.reading import read_pages
from pagekeeper_core.documents.old_office import OldOfficeReader
from pagekeeper_core.errors import DocumentError

BINARY_BOOK = "<Types><Override ContentType='application/vnd.ms-excel.sheet.binary."
BINARY_BOOK += "macroEnabled.main' PartName='/xl/workbook.bin'/></Types>"


@pytest.mark.parametrize(
    ("data", "reason", "hint"),
    [
        (old_office_bytes("WordDocument"), "Word wrote before 2007", r"\.docx"),
        (old_office_bytes("Workbook"), "Excel wrote before 2007", r"\.xlsx"),
        (old_office_bytes("PowerPoint Document"), "PowerPoint wrote before 2007", r"\.pptx"),
        (old_office_bytes("__properties_version1.0"), "e-mail as Outlook", r"\.eml"),
        (old_office_bytes("Nothing"), "not known", "save it"),
        (old_office_bytes("WordDocument")[:600], "damaged", "save it"),
        (zip_bytes({"[Content_Types].xml": BINARY_BOOK}), "binary format of Excel", r"\.xlsx"),
        (zip_bytes({"Index/Document.iwa": b"x"}), "of Pages, Numbers or Keynote", "PDF"),
    ],
)
def test_what_to_do_is_said(tmp_path: Path, data: bytes, reason: str, hint: str) -> None:
    with pytest.raises(DocumentError, match=rf"^report\.doc .*{reason}") as error:
        read_pages(OldOfficeReader(), tmp_path / "report.doc", data)
    assert hint.replace("\\", "") in error.value.hint
