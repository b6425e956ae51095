"""Rows of tables as text: a row a line, cells parted by bars, in blocks that repeat the header."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

__all__ = ["RowBlock", "row_blocks", "row_text", "tokens_about"]

# An embedder that reads 256 tokens reads a block whole. A row is never cut here.
_MOST_TOKENS = 200
_MOST_HEADER_TOKENS = _MOST_TOKENS // 2

# Empty rows: what stands beyond more of them is something else.
_WIDEST_GAP = 50

_PARTS = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")

# Characters of one token: of a word in Latin script, of a number; of all other letters it is one.
_LATIN, _DIGITS = 4, 2.5


@dataclass(slots=True)
class RowBlock:
    """Rows that belong into one passage.

    Attributes:
        first: The number of the first row in it; the repeated header does not count.
        last: The number of the last.
        lines: The rows as text, the header first.
        tokens: About how many tokens they are.
    """

    first: int
    last: int
    lines: list[str] = field(default_factory=list)
    tokens: int = 0

    def add(self, line: str, tokens: int) -> None:
        """Append a row."""
        self.lines.append(line)
        self.tokens += tokens

    @property
    def text(self) -> str:
        """The block as it is searched."""
        return "\n".join(self.lines)


def row_text(cells: Sequence[str]) -> str:
    """One row; cells that are empty keep their place, but for those at the end."""
    parts = [" ".join(cell.split()) for cell in cells]
    while parts and not parts[-1]:
        parts.pop()
    return " | ".join(parts)


def row_blocks(rows: Iterable[tuple[int, str]], header: str = "") -> Iterator[RowBlock]:
    """Numbered rows in blocks, the header at the head of each but where it is the first row.

    Args:
        rows: The number and the text of each row that is not empty, in order.
        header: The row that names the columns; empty where there is none. It may be the first of
            `rows`; one that would fill half a block is not repeated.
    """
    repeated = header if tokens_about(header) <= _MOST_HEADER_TOKENS else ""
    block: RowBlock | None = None
    for number, line in rows:
        tokens = tokens_about(line)
        full = block and block.tokens + tokens > _MOST_TOKENS
        if block and (full or number - block.last > _WIDEST_GAP):
            yield block
            block = None
        if block is None:
            block = RowBlock(number, number)
            if repeated and line != header:
                block.add(repeated, tokens_about(repeated))
        block.add(line, tokens)
        block.last = number
    if block:
        yield block


def tokens_about(text: str) -> int:
    """About as many tokens as an embedder's tokenizer makes of `text`, rather more than fewer."""
    return sum(_tokens_of(part) for part in _PARTS.findall(text))


def _tokens_of(part: str) -> int:
    if part.isdigit():
        return 1 + int(len(part) / _DIGITS)
    return 1 + len(part) // _LATIN if part.isascii() else len(part)
