"""Files of office programs that are told apart, and of which the person is told what to do."""

from collections.abc import Iterator

from pagekeeper_core.documents.compound_file import COMPOUND_SIGNATURE, stream_names
from pagekeeper_core.documents.office_kinds import office_kind
from pagekeeper_core.documents.reading import HEAD_BYTES, PageText, SourceFile
from pagekeeper_core.errors import DocumentError

__all__ = ["OldOfficeReader"]

# The stream that tells which program's file it is, and what to save it as.
_PROGRAMS = {
    "worddocument": ("Word", ".docx"),
    "workbook": ("Excel", ".xlsx"),
    "book": ("Excel", ".xlsx"),
    "powerpoint document": ("PowerPoint", ".pptx"),
}

# The same for those that are archives: what they are, the program, what to save them as.
_ARCHIVES = {
    "xlsb": ("in the binary format of Excel (.xlsb)", "Excel", ".xlsx"),
    "iwork": ("of Pages, Numbers or Keynote", "that program", ".docx, .xlsx, .pptx or PDF"),
}


class OldOfficeReader:
    """Says what to save a file as: of Office before 2007, Excel's binary format, Apple's iWork."""

    kind = "office"

    def accepts(self, head: bytes, source: SourceFile) -> bool:
        """Whether it is one of these, whatever the file's name."""
        return head.startswith(COMPOUND_SIGNATURE) or office_kind(head, source) in _ARCHIVES

    def read(self, source: SourceFile) -> Iterator[PageText]:
        """No text at all.

        Raises:
            DocumentError: Always: what it is, and what to do.
            OSError: It vanished or may not be read.
        """
        yield from ()
        with source.path.open("rb") as file:
            head = file.read(HEAD_BYTES)
            names = stream_names(file) if head.startswith(COMPOUND_SIGNATURE) else set()
        if not head.startswith(COMPOUND_SIGNATURE):
            raise _refused(source, *_ARCHIVES[office_kind(head, source)])
        for stream, (program, ending) in _PROGRAMS.items():
            if stream in names:
                kind = f"in the format that {program} wrote before 2007"
                raise _refused(source, kind, program, ending)
        if "__properties_version1.0" in names:
            raise _refused(source, "an e-mail as Outlook keeps it", "Outlook", ".eml")
        raise DocumentError(
            f"{source.name} is an old Office file, damaged or of a program that is not known.",
            hint="Open it in the program that made it and save it in a format of today.",
        )


def _refused(source: SourceFile, kind: str, program: str, ending: str) -> DocumentError:
    other = " or LibreOffice" if program in {"Word", "Excel", "PowerPoint"} else ""
    return DocumentError(
        f"{source.name} is {kind}, which Pagekeeper cannot read.",
        hint=f"Open it in {program}{other}, save it as {ending}, and drop that file.",
    )
