"""Source code: Python by its functions and classes, all other languages by their lines."""

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import NamedTuple

from pagekeeper_core.documents.plain_text import line_blocks
from pagekeeper_core.documents.reading import PageText, SourceFile
from pagekeeper_core.documents.text_encoding import decoded_head, looks_like_text, open_text

__all__ = ["SourceCodeReader"]

_PYTHON = frozenset({".py", ".pyi", ".pyw"})

_OTHERS = """
    .ada .adb .asm .awk .bash .bat .c .cc .clj .cljs .cmake .cmd .coffee .cpp .cs .css .cu
    .cxx .d .dart .el .elm .erl .ex .exs .f90 .fish .fs .fsx .go .gradle .graphql .groovy .h
    .hcl .hh .hpp .hs .hxx .ini .java .jl .js .jsx .kt .kts .less .lisp .lua .m .mjs .ml .mm
    .nim .nix .pas .php .pl .pm .proto .ps1 .psm1 .r .rb .rs .s .sass .scala .scm .scss .sh
    .sol .sql .svelte .swift .tcl .tex .tf .toml .ts .tsx .v .vb .vhdl .vim .vue .yaml .yml
    .zig .zsh
"""
_SUFFIXES = _PYTHON.union(_OTHERS.split())
_NAMES = frozenset({"Dockerfile", "Makefile", "CMakeLists.txt", "Rakefile", "Gemfile", "Justfile"})

_FIRST_LINE_OF_PYTHON = re.compile(r"#!.*\bpython")

# Larger ones are made by machines, and their syntax tree takes a hundred times their size.
_LARGEST_TREE = 2 * 1024 * 1024

# Characters of a block of lines: about what an embedder reads at once.
_BLOCK = 700


class SourceCodeReader:
    """Reads code as it stands."""

    kind = "code"

    def accepts(self, head: bytes, source: SourceFile) -> bool:
        """Whether it is text that is named as code, or begins as a script does."""
        path = PurePath(source.name)
        named = path.suffix.lower() in _SUFFIXES or path.name in _NAMES
        return looks_like_text(head) and (named or decoded_head(head).startswith("#!"))

    def read(self, source: SourceFile) -> Iterator[PageText]:
        """The code, with "lines 4 to 9 of parse()" as place where that is known.

        Raises:
            DocumentError: Its encoding is unknown.
            OSError: It vanished or may not be read.
        """
        text = _python(source)
        pieces = _pieces(text) if text else []
        if not pieces:
            yield from line_blocks(source)
            return
        lines = text.splitlines(keepends=True)
        for piece in pieces:
            yield from _pages(lines, piece)


class _Piece(NamedTuple):
    """Lines that belong to a function or a class, numbered from 1; its name, empty for neither."""

    first: int
    last: int
    name: str = ""


def _python(source: SourceFile) -> str:
    """The text of a Python file of a reasonable size; empty for all others."""
    if source.path.stat().st_size > _LARGEST_TREE:
        return ""
    with open_text(source.path) as file:
        text = file.read()
    named = PurePath(source.name).suffix.lower() in _PYTHON
    # These ends of lines are such to us and not to Python.
    odd = any(mark in text for mark in "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
    return text if not odd and (named or _FIRST_LINE_OF_PYTHON.match(text)) else ""


def _pieces(text: str) -> list[_Piece]:
    """All lines in pieces; none where the text is not Python of today."""
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    pieces = list(_definitions(tree.body, ""))
    return list(_with_gaps(pieces, text.count("\n") + 1))


def _definitions(body: Iterable[ast.stmt], around: str) -> Iterator[_Piece]:
    """The functions, and of each class the methods and what stands between them."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield _Piece(_first_line(node), node.end_lineno or 0, f"{around}{node.name}()")
        elif isinstance(node, ast.ClassDef):
            name = f"{around}{node.name}"
            methods = list(_definitions(node.body, f"{name}."))
            first, last = _first_line(node), node.end_lineno or 0
            inside = _between(methods, first, last, f"class {name}")
            yield from sorted([*methods, *inside])


def _first_line(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _with_gaps(pieces: Sequence[_Piece], last: int) -> list[_Piece]:
    return sorted([*pieces, *_between(pieces, 1, last, "")])


def _between(pieces: Iterable[_Piece], first: int, last: int, name: str) -> Iterator[_Piece]:
    """The lines from `first` to `last` that are in none of the pieces."""
    for piece in pieces:
        if piece.first > first:
            yield _Piece(first, piece.first - 1, name)
        first = max(first, piece.last + 1)
    if first <= last:
        yield _Piece(first, last, name)


def _pages(lines: Sequence[str], piece: _Piece) -> Iterator[PageText]:
    for first, last in _line_blocks(lines, piece):
        text = "".join(lines[first - 1 : last])
        if text.strip():
            yield PageText(text, place=_place(first, last, piece.name))


def _line_blocks(lines: Sequence[str], piece: _Piece) -> Iterator[tuple[int, int]]:
    """First and last line of blocks that fit a passage."""
    first, size = piece.first, 0
    for number in range(piece.first, min(piece.last, len(lines)) + 1):
        length = len(lines[number - 1])
        if size and size + length > _BLOCK:
            yield first, number - 1
            first, size = number, 0
        size += length
    if size:
        yield first, min(piece.last, len(lines))


def _place(first: int, last: int, name: str) -> str:
    lines = f"line {first}" if first == last else f"lines {first} to {last}"
    return f"{lines} of {name}" if name else lines
