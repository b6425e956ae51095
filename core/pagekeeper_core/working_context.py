"""Working context: the text blocks that the model always sees (paper, section 2.1).

A block changes only by a function call of the model or by the person's hand. Every change is
appended to the history of memory with what it replaced and what caused it.
"""

import difflib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pagekeeper_core.contradiction import contradiction
from pagekeeper_core.errors import FunctionError, PagekeeperError
from pagekeeper_core.line_edits import lines_of
from pagekeeper_core.memory_history import MemoryHistory
from pagekeeper_core.protocols import TokenCounter
from pagekeeper_core.records import BlockDefinition, ChangeAction, Target, TargetKind
from pagekeeper_core.sameness import says_nothing_new
from pagekeeper_core.wording import folded

__all__ = ["AddedLine", "Block", "WorkingContext"]

ALIKE = 0.6
"""Similarity (difflib's ratio) from which a line may be meant by a text that it does not hold."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block: lines of facts under a name.

    Attributes:
        name: How functions refer to it.
        description: What belongs in it; the model sees this.
        limit: Its bound, in tokens.
        text: One fact a line.
    """

    name: str
    description: str
    limit: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class AddedLine:
    """What became of a fact that was to be added to a block.

    Attributes:
        block: The block as it stands now.
        known: The line that says it already; empty if it was added.
        replaced: The line in whose place it stands, because both cannot hold; empty if in none.
        beside: A line that may say otherwise; both stand. Empty if there is none.
    """

    block: Block
    known: str = ""
    replaced: str = ""
    beside: str = ""


class WorkingContext:
    """The blocks as they stand now, each restored from its newest edit.

    Attributes:
        room: Tokens that all blocks together may take, their names and descriptions included, so
            that a conversation fits beside them.
    """

    def __init__(
        self, blocks: Sequence[Block], *, history: MemoryHistory, counter: TokenCounter
    ) -> None:
        """Restore the blocks.

        Args:
            blocks: Those that the program brings along; those of the person follow.
            history: Knows their texts, and takes every change.
            counter: Counts their tokens.
        """
        self.room = sys.maxsize
        self._history = history
        self._counter = counter
        made = (_block(definition) for definition in history.made_blocks())
        self._blocks = {block.name: block for block in (*blocks, *made)}

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks, in their order in the prompt."""
        return tuple(self.block(name) for name in self._blocks)

    def tokens_of(self, block: Block) -> int:
        """Tokens of a block's text."""
        return self._counter.count(block.text)

    def block(self, name: str) -> Block:
        """The block of that name.

        Raises:
            FunctionError: There is none.
        """
        try:
            block = self._blocks[name]
        except KeyError:
            names = ", ".join(self._blocks)
            raise FunctionError(f"There is no block '{name}'. The blocks are: {names}.") from None
        return replace(block, text=self._history.block_text(name, block.text))

    def render(self) -> str:
        """The blocks as the model reads them."""
        return "\n".join(map(_rendered, self.blocks))

    def frame_tokens(self) -> int:
        """Tokens that the blocks take in the prompt beside their texts: names, descriptions."""
        return sum(map(self._frame_of, self._blocks.values()))

    def append(self, name: str, fact: str, *, actor: str, cause_seq: int = 0) -> AddedLine:
        """Add a fact as a line of its own.

        What stands there already, in these or other words, is not added again. A line that cannot
        hold beside it (another home, another age) makes way for it.

        Raises:
            FunctionError: It is empty or does not fit.
        """
        fact = " ".join(fact.split())
        block = self.block(name)
        if not fact:
            raise FunctionError("The text is empty. Give the fact to save in one sentence.")
        lines = lines_of(block.text)
        for line in lines:
            if folded(fact) == folded(line) or says_nothing_new(fact, line):
                return AddedLine(block, known=line)
        other = contradiction(fact, lines)
        if other is not None and other.certain:
            kept = [fact if line == other.text else line for line in lines]
            edited = self._store_edit(block, "\n".join(kept), actor=actor, cause_seq=cause_seq)
            return AddedLine(edited, replaced=other.text)
        text = f"{block.text}\n{fact}" if block.text else fact
        edited = self._store_edit(block, text, actor=actor, cause_seq=cause_seq)
        return AddedLine(edited, beside=other.text if other else "")

    def replace_text(
        self, name: str, old: str, new: str, *, actor: str, cause_seq: int = 0
    ) -> Block:
        """Put `new` in place of `old`; an empty `new` takes the line out.

        The text is found exactly, then without regard to white space and case. Where the block
        stays as it is, nothing is recorded.

        Raises:
            FunctionError: It is not there (the nearest line is named), is there more than once, or
                the new text does not fit.
        """
        block = self.block(name)
        start, end = _find(block, old)
        text = block.text[:start] + " ".join(new.split()) + block.text[end:]
        text = "\n".join(line for line in text.splitlines() if line.strip())
        if text == block.text:
            return block
        return self._store_edit(block, text, actor=actor, cause_seq=cause_seq)

    def replace_line(
        self, name: str, old: str, new: str, *, actor: str, cause_seq: int = 0
    ) -> Block:
        """Put the line `new` in place of the line `old`; empty texts add or remove one.

        Where `new` stands there already, in place of `old` or beside it, nothing is added.

        Raises:
            FunctionError: `old` is no longer there, or the new text does not fit.
        """
        block = self.block(name)
        lines = lines_of(block.text)
        if new and new in lines:
            lines = [line for line in lines if line != old]
        elif not old:
            lines.append(new)
        elif old in lines:
            lines = [line for line in (new if line == old else line for line in lines) if line]
        else:
            raise FunctionError(f"The line '{old}' is no longer in the block '{name}'.")
        text = "\n".join(lines)
        if text == block.text:
            return block
        return self._store_edit(block, text, actor=actor, cause_seq=cause_seq)

    def rewrite(self, name: str, text: str, *, actor: str, cause_seq: int = 0) -> Block:
        """Give a block a wholly new text.

        Raises:
            FunctionError: It does not fit.
        """
        return self._store_edit(self.block(name), text.strip(), actor=actor, cause_seq=cause_seq)

    def _store_edit(self, block: Block, text: str, *, actor: str, cause_seq: int) -> Block:
        self._check_fits(block, text)
        self._history.record(
            Target(TargetKind.BLOCK, block.name),
            ChangeAction.EDIT,
            before=block.text,
            after=text,
            actor=actor,
            cause_seq=cause_seq,
        )
        return self.block(block.name)

    def fits(self, name: str, text: str) -> bool:
        """Whether a block may have this text: it fits, or is no longer than it is now."""
        block = self.block(name)
        return self._counter.count(text) <= max(self._limit_of(block), self.tokens_of(block))

    def _limit_of(self, block: Block) -> int:
        """The block's limit, or what the other blocks leave of the room for all."""
        others = sum(self.tokens_of(other) for other in self.blocks if other.name != block.name)
        return min(block.limit, self.room - self.frame_tokens() - others)

    def _frame_of(self, block: Block) -> int:
        return self._counter.count(_rendered(replace(block, text="")) + "\n")

    def make_block(self, definition: BlockDefinition) -> Block:
        """Add a block of the person, or give one of theirs another description or limit.

        Raises:
            PagekeeperError: The limits of all blocks together leave no room for a conversation.
            StoreError: It could not be written; nothing has changed.
        """
        others = [b for b in self._blocks.values() if b.name != definition.name]
        taken = sum(b.limit for b in others)
        frames = sum(map(self._frame_of, (*others, _block(definition))))
        if taken + frames + definition.limit > self.room:
            room = max(self.room - taken - frames, 0)
            raise PagekeeperError(
                f"A block of {definition.limit} tokens does not fit the context window: all blocks "
                f"may have {self.room} together, the others have {taken}, and names and "
                f"descriptions take {frames}.",
                hint=f"Give it at most {room} tokens, or choose a larger context window "
                "in the settings.",
            )
        self._history.make_block(definition)
        self._blocks[definition.name] = _block(definition)
        return self.block(definition.name)

    def _check_fits(self, block: Block, text: str) -> None:
        if self.fits(block.name, text):
            return
        tokens, limit = self._counter.count(text), self._limit_of(block)
        lines = lines_of(block.text)
        could_go = ""
        if lines:
            longest = max(lines, key=len)
            could_go = f" (its longest line: '{longest}'; its oldest: '{lines[0]}')"
        raise FunctionError(
            f"The block '{block.name}' would have {tokens} tokens; its limit is {limit}. "
            f"Shorten it first with core_memory_replace{could_go}, or put the text into "
            "archival_memory_insert."
        )


def _rendered(block: Block) -> str:
    text = block.text or "(nothing yet)"
    return f'<{block.name} about="{block.description}">\n{text}\n</{block.name}>'


def _block(definition: BlockDefinition) -> Block:
    return Block(definition.name, definition.description, definition.limit)


def _find(block: Block, old: str) -> tuple[int, int]:
    wanted = old.strip()
    if not folded(wanted):
        raise FunctionError("The old text is empty. Copy the line to replace from the block.")
    spans = _exact_spans(block.text, wanted) or _folded_line_spans(block.text, wanted)
    if len(spans) == 1:
        return spans[0]
    if spans:
        lines = " / ".join(_lines_at(block.text, spans))
        raise FunctionError(
            f"'{wanted}' stands in the block '{block.name}' {len(spans)} times: {lines}. "
            "Give more of the line that you mean."
        )
    raise FunctionError(_nearest(block, wanted))


def _exact_spans(text: str, wanted: str) -> list[tuple[int, int]]:
    spans = []
    start = text.find(wanted)
    while start >= 0:
        spans.append((start, start + len(wanted)))
        start = text.find(wanted, start + len(wanted))
    return spans


def _folded_line_spans(text: str, wanted: str) -> list[tuple[int, int]]:
    spans, position = [], 0
    for line in text.splitlines(keepends=True):
        if folded(wanted) in folded(line):
            spans.append((position, position + len(line.rstrip("\n"))))
        position += len(line)
    return spans


def _lines_at(text: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    return [
        text[text.rfind("\n", 0, start) + 1 : _line_end(text, end)].strip() for start, end in spans
    ]


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _nearest(block: Block, wanted: str) -> str:
    """What to do instead. Only a line that is really alike is named: it will be overwritten."""
    nothing = f"Nothing was changed: no line of the block '{block.name}' says '{wanted}'. "
    lines: Mapping[str, str] = {folded(line): line for line in block.text.splitlines()}
    near = difflib.get_close_matches(folded(wanted), lines, n=1, cutoff=ALIKE)
    if not near:
        return nothing + "Add the new text with core_memory_append."
    return nothing + (
        f"The nearest line is '{lines[near[0]]}'. If you mean it, write core_memory_replace again "
        "with this line as old; if not, use core_memory_append."
    )
