"""What RTF says: its control words applied, as far as they bear on the text."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from pagekeeper_core.documents.reading import SourceFile
from pagekeeper_core.documents.rtf_encodings import charset_encoding, page_encoding
from pagekeeper_core.documents.rtf_gathering import GatheredText, RowCells
from pagekeeper_core.documents.rtf_tokens import RtfToken
from pagekeeper_core.documents.sections import Block, Heading, Paragraph
from pagekeeper_core.errors import DocumentError

__all__ = ["RtfText"]

_MOST_LEVELS = 5000
_LONGEST_HEADING = 300
_LONGEST_PARAGRAPH = 64 * 1024

# Groups whose text is none of the document's, besides those that say "leave out what you do not
# know" of themselves.
_LEFT_OUT = frozenset(
    {"colortbl", "info", "pict", "fldinst", "objdata", "sp", "themedata", "listtable",
     "listoverridetable", "revtbl", "rsidtbl", "generator", "xmlnstbl", "filetbl", "nonshppict",
     "bkmkstart", "bkmkend", "xe", "tc", "rxe", "txe", "ftnsep", "ftnsepc", "ftncn", "aftnsep",
     "aftnsepc", "aftncn", "atnid", "atnref", "atndate", "atrfstart", "atrfend", "datafield",
     "formfield", "mmath", "background", "pntxta", "pntxtb", "listname", "leveltext",
     "levelnumbers", "falt", "panose"}
)  # fmt: skip
# Groups that may be left out and are read all the same.
_READ = frozenset({"shpinst", "annotation", "atnauthor", "shptxt", "footnote", "pntext", "pn"})
_BESIDE = {
    **dict.fromkeys(("header", "headerl", "headerr", "headerf"), "page header"),
    **dict.fromkeys(("footer", "footerl", "footerr", "footerf"), "page footer"),
}
_SIGNS = {
    "tab": "\t", "line": "\n", "lbr": "\n", "emdash": "—", "endash": "–", "bullet": "•",
    "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "emspace": " ",
    "enspace": " ", "qmspace": " ", "nestcell": " | ", "nestrow": "\n",
}  # fmt: skip
_SYMBOL_SIGNS = {"~": "\u00a0", "_": "-", "{": "{", "}": "}", "\\": "\\"}
_HEADING_STYLE = re.compile(r"heading [1-9]|title", re.IGNORECASE)


@dataclass(slots=True)
class _Group:
    """What holds until the group ends.

    Attributes:
        text: Where its text goes; None if it is left out.
        table: The table that it fills: "fonttbl" or "stylesheet".
        role: What becomes of the text at its end: "footnote", "annotation", a place beside.
        encoding: Of the font.
        skipped_after_u: How many characters stand behind each number of a character, for programs
            that cannot read it.
        hidden: Whether the text is hidden or was deleted under tracking.
    """

    text: GatheredText | None
    table: str = ""
    role: str = ""
    encoding: str = ""
    skipped_after_u: int = 1
    hidden: bool = False


class RtfText:
    """Turns tokens into blocks."""

    def __init__(self, source: SourceFile) -> None:
        """Take the file for what errors say."""
        self._source = source
        self._encoding = "cp1252"
        self._main = GatheredText()
        self._group = _Group(self._main)
        self._stack: list[_Group] = []
        self._optional = False
        self._to_skip = 0
        self._fonts: dict[int, str] = {}
        self._number = 0
        self._styles: dict[int, str] = {}
        self._heading = False
        self._after: list[str] = []
        self._author = ""
        self._beside: dict[tuple[str, str], None] = {}
        self._row = RowCells()

    def blocks(self, tokens: Iterable[RtfToken]) -> Iterator[Block]:
        """The document in reading order; notes and comments follow what they hang on.

        Raises:
            DocumentError: Its groups are nested without end.
        """
        for token in tokens:
            if token.kind == "bytes":
                self._bytes(token.data)
            elif token.kind == "word":
                yield from self._word(token.word, token.number)
            elif token.kind == "symbol":
                self._symbol(token.word)
            elif token.kind == "open":
                self._open()
            else:
                self._close()
            if self._main.length > _LONGEST_PARAGRAPH and not self._row.in_table:
                yield from self._paragraph()
        yield from self._paragraph()

    def beside_the_text(self) -> Iterator[tuple[str, str]]:
        """Place and text of page headers and footers; a page number alone says nothing."""
        return ((place, text) for place, text in self._beside if any(c.isalpha() for c in text))

    def _open(self) -> None:
        if len(self._stack) > _MOST_LEVELS:
            raise DocumentError(
                f"{self._source.name} is nested more deeply than any document that a person made, "
                "so it was not read.",
                hint="Open it in the program that made it, save it anew, and try again.",
            )
        self._stack.append(self._group)
        self._group = replace(self._group, role="")
        self._to_skip = 0

    def _close(self) -> None:
        group = self._group
        if self._stack:
            self._group = self._stack.pop()
        self._to_skip = 0
        self._optional = False
        if not group.role or group.text is None:
            return
        text = " ".join(group.text.taken().split())
        if group.role == "atnauthor":
            self._author = text
        elif group.role == "annotation" and text:
            by, self._author = (f" by {self._author}" if self._author else ""), ""
            self._after.append(f"Comment{by}: {text}")
        elif group.role == "footnote" and text:
            self._after.append(f"Footnote: {text}")
        elif text and group.role in _BESIDE.values():
            self._beside[group.role, text] = None

    def _bytes(self, data: bytes) -> None:
        group = self._group
        if self._to_skip:
            passed = min(self._to_skip, len(data))
            self._to_skip -= passed
            data = data[passed:]
        if group.table == "stylesheet":
            name = data.decode("latin-1").strip().rstrip(";")
            self._styles[self._number] = self._styles.get(self._number, "") + name
        elif data and group.text is not None and not group.hidden and not group.table:
            group.text.add_bytes(data, group.encoding or self._encoding)

    def _write(self, text: str) -> None:
        group = self._group
        if group.text is not None and not group.hidden and not group.table:
            group.text.add(text)

    def _symbol(self, symbol: str) -> None:
        if symbol == "*":
            self._optional = True
        elif symbol in "\r\n":
            self._write("\n")
        elif symbol in _SYMBOL_SIGNS and self._to_skip:
            self._to_skip -= 1
        elif symbol in _SYMBOL_SIGNS:
            self._write(_SYMBOL_SIGNS[symbol])

    def _word(self, word: str, number: int | None) -> Iterator[Block]:
        optional, self._optional = self._optional, False
        if word == "u":
            self._unicode(number or 0)
            return
        self._to_skip = 0
        if word in _SIGNS:
            self._write(_SIGNS[word])
        elif self._group.table:
            self._define(word, number or 0)
        elif self._begins_destination(word, optional=optional):
            return
        elif self._group.text is self._main and word in _ENDS:
            yield from self._end(word)
        elif word in _ENDS:
            self._write("\n")
        else:
            self._apply(word, number)

    def _unicode(self, number: int) -> None:
        if 0 < number + (65536 if number < 0 else 0) < 65536:
            self._write(chr(number % 65536))
        self._to_skip = self._group.skipped_after_u

    def _begins_destination(self, word: str, *, optional: bool) -> bool:
        group = self._group
        if word in {"fonttbl", "stylesheet"}:
            group.table = word
        elif word in _LEFT_OUT or (optional and word not in _READ):
            group.text = None
        elif group.text is not None and word in {"footnote", "annotation", "atnauthor"}:
            group.text, group.role = GatheredText(), word
        elif group.text is not None and word in _BESIDE:
            group.text, group.role = GatheredText(), _BESIDE[word]
        else:
            return False
        return True

    def _define(self, word: str, number: int) -> None:
        """An entry of the table of fonts or of styles."""
        if word == "f" or (word == "s" and self._group.table == "stylesheet"):
            self._number = number
        elif word == "fcharset":
            self._fonts[self._number] = charset_encoding(number)
        elif word == "cpg":
            self._fonts[self._number] = page_encoding(number)

    def _apply(self, word: str, number: int | None) -> None:
        """What changes how the text behind it is to be read."""
        group = self._group
        if word == "f":
            group.encoding = self._fonts.get(number or 0, "")
        elif word == "deff":
            group.encoding = ""
        elif word == "ansicpg":
            self._encoding = page_encoding(number or 1252)
        elif word in {"mac", "pc", "pca"}:
            self._encoding = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}[word]
        elif word == "uc":
            group.skipped_after_u = min(max(number or 0, 0), 16)
        elif word in {"v", "deleted"}:
            group.hidden = number != 0
        elif word == "plain":
            group.hidden = False
        else:
            self._lay_out(word, number)

    def _lay_out(self, word: str, number: int | None) -> None:
        """What bears on the paragraph or the row."""
        if word == "pard":
            self._heading = False
            self._row.in_table = False
        elif word == "s":
            self._heading = bool(_HEADING_STYLE.match(self._styles.get(number or 0, "")))
        elif word == "outlinelevel":
            self._heading = 0 <= (number or 0) < 9
        elif word == "intbl":
            self._row.in_table = True
        elif word == "trowd":
            self._row.begin()
        elif word == "clvmrg":
            self._row.goes_on = True
        elif word == "cellx":
            self._row.define()

    def _end(self, word: str) -> Iterator[Block]:
        """A paragraph, a cell or a row ends."""
        if word == "cell":
            self._row.cells.append(self._main.taken().strip())
            self._row.in_table = True
        elif word == "row":
            yield from self._row.taken()
            yield from self._taken_after()
        elif self._row.in_table:
            self._main.add("\n")
        else:
            yield from self._paragraph()

    def _paragraph(self) -> Iterator[Block]:
        text = self._main.taken().strip()
        if text or self._row.cells:
            yield from self._row.taken()
        if text:
            self._row.any_row = False
            is_heading = self._heading and len(text) <= _LONGEST_HEADING
            yield Heading(text) if is_heading else Paragraph(text.replace("•\t", "• "))
        yield from self._taken_after()

    def _taken_after(self) -> Iterator[Paragraph]:
        after, self._after = self._after, []
        yield from (Paragraph(text, item=True) for text in after)


_ENDS = frozenset({"par", "cell", "row", "sect", "page", "column"})
