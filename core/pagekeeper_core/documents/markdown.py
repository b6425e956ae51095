"""Markdown by CommonMark with GitHub's tables: a section at a time, the headings as place."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import NamedTuple

from pagekeeper_core.documents.delimited import table_pages
from pagekeeper_core.documents.reading import PageText, SourceFile
from pagekeeper_core.documents.text_encoding import looks_like_text, open_text

__all__ = ["MarkdownReader"]

_NAMES = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mkdn", ".mdx", ".rmd", ".qmd"})

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_NO_PARAGRAPH = re.compile(r"\s*$| {4}|\t| {0,3}(?:[-*+>|#]|\d+[.)]\s)")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKS = re.compile(r"[*`~]+|(?<!\w)_+|_+(?!\w)")
_UNDER_TABLE_HEAD = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?\s*")

# Characters after which a section is handed on in parts, at a blank line where there is one: a file
# without headings never stands in memory whole.
_PART, _LONGEST_PART = 16_000, 32_000

# A longer table may not fit one passage, and its header row is repeated.
_LONGEST_TABLE = 400

_FRONT_MATTER = frozenset({"---", "+++"})
_FRONT_MATTER_LINES = 200


class MarkdownReader:
    """Reads section by section; a heading without text of its own goes with the next section."""

    kind = "markdown"

    def accepts(self, head: bytes, source: SourceFile) -> bool:
        """Whether it is text that is named as Markdown; by its content any text would be."""
        return PurePath(source.name).suffix.lower() in _NAMES and looks_like_text(head)

    def read(self, source: SourceFile) -> Iterator[PageText]:
        """The sections, each with its headings as place: "section Costs › Rent".

        Raises:
            DocumentError: Its encoding is unknown.
            OSError: It vanished or may not be read.
        """
        with open_text(source.path) as file:
            lines = iter(lambda: file.readline(_LONGEST_PART), "")
            for place, section in _sections(_blocks(_without_front_matter(lines))):
                yield from _pages(section, place)


class _Block(NamedTuple):
    """A line, or a heading with what underlines it; its level is 0 for what is no heading."""

    text: str
    level: int = 0
    title: str = ""


def _without_front_matter(lines: Iterator[str]) -> Iterator[str]:
    """The marks around the front matter are left out: the second would underline a heading."""
    first = next(lines, "")
    mark = first.strip("\ufeff \n")
    if mark not in _FRONT_MATTER:
        yield first
        yield from lines
        return
    for _ in range(_FRONT_MATTER_LINES):
        line = next(lines, "")
        if line.strip() in {mark, "..."}:
            break
        yield f"    {line}" if line.strip() else line
    yield "\n"
    yield from lines


def _blocks(lines: Iterable[str]) -> Iterator[_Block]:
    """Lines and headings; code between fences has no headings."""
    fence = held = ""
    for line in lines:
        if not fence and held and (underline := _UNDERLINE.fullmatch(line.rstrip("\n"))):
            yield _Block(held + line, 1 if underline[1][0] == "=" else 2, _title(held))
            held = ""
            continue
        if held:
            yield _Block(held)
        held = ""
        fence = _fence_after(line, fence)
        heading = None if fence else _HEADING.fullmatch(line.rstrip("\n"))
        if heading:
            yield _Block(line, len(heading[1]), _title(heading[2] or ""))
        elif fence or _NO_PARAGRAPH.match(line):
            yield _Block(line)
        else:
            held = line
    if held:
        yield _Block(held)


def _fence_after(line: str, fence: str) -> str:
    """The fence that is open after this line; empty where none is."""
    mark = _FENCE.match(line)
    if not mark:
        return fence
    if not fence:
        return mark[1]
    closes = mark[1].startswith(fence) and not line.strip().strip(fence[0])
    return "" if closes else fence


def _title(text: str) -> str:
    return " ".join(_MARKS.sub("", _LINK.sub(r"\1", text)).split())


def _sections(blocks: Iterable[_Block]) -> Iterator[tuple[str, list[str]]]:
    """The place and the lines of each section, of a long one in parts."""
    titles: list[_Block] = []
    lines: list[str] = []
    length, has_body = 0, False
    for block in blocks:
        is_full = length >= _LONGEST_PART or (length >= _PART and not block.text.strip())
        if has_body and (block.level or is_full):
            yield _place(titles), lines
            lines, length, has_body = [], 0, False
        if block.level:
            titles = [*(title for title in titles if title.level < block.level), block]
        has_body = has_body or (not block.level and bool(block.text.strip()))
        lines.append(block.text)
        length += len(block.text)
    if any(line.strip() for line in lines):
        yield _place(titles), lines


def _place(titles: Sequence[_Block]) -> str:
    named = " › ".join(block.title for block in titles if block.title)
    return f"section {named}" if named else ""


def _pages(lines: Sequence[str], place: str) -> Iterator[PageText]:
    """A section's text; a table too long for one passage in blocks below its header row."""
    rest: list[str] = []
    at = 0
    while at < len(lines):
        table = _table_at(lines, at)
        if len("".join(table)) > _LONGEST_TABLE:
            yield from _text(rest, place)
            header = "".join(table[:2]).rstrip("\n")
            rows = enumerate([header, *(row.rstrip("\n") for row in table[2:])], start=1)
            yield from table_pages(rows, header=header, where=place)
            rest = []
            at += len(table)
        else:
            rest.append(lines[at])
            at += 1
    yield from _text(rest, place)


def _table_at(lines: Sequence[str], at: int) -> Sequence[str]:
    """The lines of the table that begins here; none where none does."""
    if "|" not in lines[at] or not _UNDER_TABLE_HEAD.fullmatch("".join(lines[at + 1 : at + 2])):
        return ()
    end = at + 2
    while end < len(lines) and "|" in lines[end]:
        end += 1
    return lines[at:end]


def _text(lines: Sequence[str], place: str) -> Iterator[PageText]:
    text = "".join(lines)
    if text.strip():
        yield PageText(text, place=place)
