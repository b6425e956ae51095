"""HTML as headings, paragraphs and rows, as it streams in: without a tree, however it is nested."""

import re
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser

from pagekeeper_core.documents.html_tables import OpenTable
from pagekeeper_core.documents.sections import Block, Heading, Paragraph, Row

__all__ = ["html_blocks", "html_text"]

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "title"})
_BREAKS_LINE = frozenset(
    {
        *_HEADINGS, "nav", "address", "article", "aside", "blockquote", "body", "caption", "center",
        "dd", "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure",
        "footer", "form", "head", "header", "hr", "html", "legend", "li", "main", "menu", "ol",
        "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr",
        "ul",
    }
)  # fmt: skip
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param",
     "source", "track", "wbr"}
)  # fmt: skip

# What is no text of the page: controls, the readings above characters. Programs and looks are told
# apart by the parser already: what is in them has no tags.
_PROGRAMS = frozenset({"script", "style"})
_NO_TEXT = frozenset(
    {"template", "svg", "object", "applet", "audio", "video", "canvas", "iframe", "noframes",
     "nav", "select", "button", "textarea", "datalist", "rt", "rp"}
)  # fmt: skip
# A reading may end with what it belongs to.
_ENDED_BY = {"rt": frozenset({"rt", "rp", "ruby"}), "rp": frozenset({"rp", "rt", "ruby"})}
_ALWAYS_READ = frozenset({"html", "body", "main"})
_NAVIGATION_ROLES = frozenset({"navigation", "search", "menu", "menubar"})

# Characters. What is left out and never ends is taken to be text after all once it is this long.
_LONGEST_LEFT_OUT = 30_000
_CHUNK = 64 * 1024

_SPACE = re.compile(r"[ \t\n\r\f]+")
_TAG = re.compile(r"<[^<>]*>?")
_ONLY_INVISIBLE = str.maketrans("", "", "\u00ad\u200b\ufeff")


def html_text(html: str) -> str:
    """The text of a small page: of an e-mail, say."""
    lines = []
    for block in html_blocks([html]):
        match block:
            case Row(cells):
                lines.append(" | ".join(cells))
            case Heading(text) | Paragraph(text):
                lines.append(text)
    return "\n".join(lines)


def html_blocks(chunks: Iterable[str]) -> Iterator[Block]:
    """The page's text in reading order; navigation, programs and what is hidden are left out."""
    page = _PageParser()
    waiting, wanted = "", _CHUNK
    for chunk in chunks:
        waiting += chunk
        if len(waiting) < wanted:
            continue
        page.feed(waiting)
        yield from page.taken()
        # What does not end yet is looked through anew at each feeding: give twice as much then.
        waiting, wanted = "", max(_CHUNK, len(page.rawdata))
    page.feed(waiting)
    page.finish()
    yield from page.taken()


class _PageParser(HTMLParser):
    """Gathers blocks while it is fed."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._blocks: list[Block] = []
        self._line: list[str] = []
        self._line_length = 0
        self._heading = ""
        self._verbatim = 0
        self._lists: list[int] = []
        self._mark = ""
        self._tables: list[OpenTable] = []
        self._in_program = False
        self._left_out: _LeftOut | None = None

    def taken(self) -> list[Block]:
        """The blocks since this was last called."""
        if self._left_out:
            return []
        blocks, self._blocks = self._blocks, []
        return blocks

    def finish(self) -> None:
        """End what the page did not end; what was left out and has no end is text after all."""
        if len(self.rawdata) > _CHUNK:
            # The parser would try each of the tags in it as the beginning of one without an end.
            self.rawdata = _TAG.sub(" ", self.rawdata)
        self.close()
        self._end_line()
        while self._tables:
            self._end_table()
        self._left_out = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self._in_program = tag in _PROGRAMS
        if self._left_out:
            self._left_out.opened(tag)
        elif tag not in _VOID and _is_left_out(tag, values):
            self._end_line_for(tag)
            self._left_out = _LeftOut(tag, len(self._blocks), len(self._line))
        self._begin(tag, values)

    def handle_endtag(self, tag: str) -> None:
        self._in_program = False
        self._end(tag)
        if self._left_out and self._left_out.closed(tag):
            self._drop_left_out(self._left_out)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_data(self, data: str) -> None:
        if self._in_program:
            return
        self._line.append(data if self._verbatim else _SPACE.sub(" ", data))
        self._line_length += len(data)
        if self._line_length > _CHUNK:
            self._end_line()
        if self._left_out and self._left_out.is_too_long(len(data)):
            self._left_out = None

    def _end_line_for(self, tag: str) -> None:
        """What is left out in the midst of a line does not end that line."""
        if tag in _BREAKS_LINE:
            self._end_line()

    def _drop_left_out(self, left_out: "_LeftOut") -> None:
        self._left_out = None
        if len(self._blocks) > left_out.blocks or left_out.tag in _BREAKS_LINE:
            self._line = []
        del self._line[left_out.pieces :], self._blocks[left_out.blocks :]

    def _begin(self, tag: str, values: dict[str, str]) -> None:
        if tag == "br":
            self._line.append("\n")
        elif tag == "img":
            self._picture(values)
        elif tag in _BREAKS_LINE:
            self._end_line()
        self._begin_block(tag, values)

    def _begin_block(self, tag: str, values: dict[str, str]) -> None:
        if tag in _HEADINGS:
            self._heading = tag
            self._give_up_table()
        elif tag == "pre":
            self._verbatim += 1
        elif tag in {"ul", "ol", "menu", "dir"}:
            self._lists.append(_whole(values.get("start"), 1) if tag == "ol" else 0)
        elif tag == "li":
            self._mark = self._next_mark()
        elif tag == "table":
            self._give_up_table()
            self._tables.append(OpenTable())
        elif self._tables and tag == "tr":
            self._add(self._tables[-1].end_row())
        elif self._tables and tag in {"td", "th"}:
            spans = (_whole(values.get("colspan"), 1), _whole(values.get("rowspan"), 1))
            self._tables[-1].begin_cell(*spans)

    def _end(self, tag: str) -> None:
        if tag in _BREAKS_LINE:
            self._end_line()
        if tag == "pre":
            self._verbatim = max(self._verbatim - 1, 0)
        elif tag in {"ul", "ol", "menu", "dir"} and self._lists:
            self._lists.pop()
        elif tag == "tr" and self._tables:
            self._add(self._tables[-1].end_row())
        elif tag == "table" and self._tables:
            self._end_table()

    def _picture(self, values: dict[str, str]) -> None:
        text = _SPACE.sub(" ", values.get("alt", "")).strip()
        if text:
            self._line.append(f" [picture: {text}] ")

    def _next_mark(self) -> str:
        if not self._lists or self._lists[-1] == 0:
            return "• "
        number = self._lists[-1]
        self._lists[-1] += 1
        return f"{number}. "

    def _end_line(self) -> None:
        """What stands since the last break becomes a paragraph, a heading or text of a cell."""
        text = "".join(self._line).translate(_ONLY_INVISIBLE)
        self._line, self._line_length = [], 0
        if not self._verbatim:
            text = "\n".join(line.strip() for line in _SPACE_BUT_LINES.sub(" ", text).split("\n"))
        heading, self._heading = self._heading, ""
        if not text.strip():
            self._heading = heading
            return
        mark, self._mark = self._mark, ""
        text = mark + text.strip("\n")
        if self._tables and self._tables[-1].takes(text):
            return
        self._give_up_table()
        self._blocks.append(Heading(text) if heading else Paragraph(text, item=bool(mark)))

    def _give_up_table(self) -> None:
        """The table only lays out the page: its cells are paragraphs."""
        if self._tables:
            self._blocks += self._tables[-1].give_up()

    def _end_table(self) -> None:
        self._add(self._tables[-1].end_row())
        self._tables.pop()

    def _add(self, row: Row | None) -> None:
        if row:
            self._blocks.append(row)


_SPACE_BUT_LINES = re.compile(r"[ \t\r\f]+")


class _LeftOut:
    """An element that is not read, until it ends.

    Attributes:
        tag: Its name.
        blocks: How many blocks there were when it began.
        pieces: How many pieces the line had then.
    """

    def __init__(self, tag: str, blocks: int, pieces: int) -> None:
        self.tag, self.blocks, self.pieces = tag, blocks, pieces
        self._depth = 1
        self._length = 0

    def opened(self, tag: str) -> None:
        self._depth += tag == self.tag and tag not in _ENDED_BY

    def closed(self, tag: str) -> bool:
        if tag in _ENDED_BY.get(self.tag, ()):
            return True
        self._depth -= tag == self.tag
        return self._depth == 0

    def is_too_long(self, more: int) -> bool:
        self._length += more
        return self._length > _LONGEST_LEFT_OUT


def _is_left_out(tag: str, values: dict[str, str]) -> bool:
    if tag in _ALWAYS_READ:
        return False
    if tag in _NO_TEXT or "hidden" in values:
        return True
    style = values.get("style", "").replace(" ", "").casefold()
    hidden = "display:none" in style or "visibility:hidden" in style
    hidden = hidden or values.get("aria-hidden", "").casefold() == "true"
    return hidden or values.get("role", "").casefold() in _NAVIGATION_ROLES


def _whole(text: str | None, default: int) -> int:
    plain = (text or "").strip()
    return int(plain) if plain.isdecimal() and len(plain) < 7 else default
