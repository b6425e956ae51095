"""What `memory show` shows, read from the stores without loading the language model."""

from dataclasses import dataclass

from pagekeeper_core.assembly import working_context_blocks
from pagekeeper_core.config import ContextBudget
from pagekeeper_core.errors import ModelError, StoreError
from pagekeeper_core.records import DocumentInfo
from pagekeeper_desktop.composition import Memory

__all__ = ["ArchiveFigures", "BlockFigures", "MemoryFigures", "memory_figures"]


@dataclass(frozen=True, slots=True)
class BlockFigures:
    """A block of working context.

    Attributes:
        name: Its name.
        text: What it says.
        limit: Its bound in tokens, with the window that this start would use.
    """

    name: str
    text: str
    limit: int


@dataclass(frozen=True, slots=True)
class ArchiveFigures:
    """The archive at a glance.

    Attributes:
        passages: How many passages it holds, notes included.
        documents: The documents in it, newest first.
    """

    passages: int
    documents: tuple[DocumentInfo, ...]


@dataclass(frozen=True, slots=True)
class MemoryFigures:
    """Memory at a glance.

    Attributes:
        blocks: The working context.
        summary: What the messages said that are no longer in the queue; empty before a flush.
        first_seq: The oldest message that the model sees; None while there is none.
        in_queue: How many messages it sees.
        messages: How many there are in all.
        archive: Documents and notes, or why they cannot be read.
    """

    blocks: tuple[BlockFigures, ...]
    summary: str
    first_seq: int | None
    in_queue: int
    messages: int
    archive: ArchiveFigures | StoreError | ModelError


def memory_figures(memory: Memory, context_window: int) -> MemoryFigures:
    """Read the figures.

    Args:
        memory: The open stores.
        context_window: The window that the next start would use, in tokens.

    Raises:
        StoreError: Recall or state cannot be read.
    """
    checkpoint = memory.state.latest_checkpoint()
    messages = memory.recall.count()
    first = checkpoint.first_seq if checkpoint else 1
    in_queue = max(messages - first + 1, 0)
    return MemoryFigures(
        blocks=_blocks(memory.state.current_blocks(), context_window),
        summary=checkpoint.summary if checkpoint else "",
        first_seq=first if in_queue else None,
        in_queue=in_queue,
        messages=messages,
        archive=_archive(memory),
    )


def _archive(memory: Memory) -> ArchiveFigures | StoreError | ModelError:
    """The archive's figures; what is at fault with it keeps nobody from seeing the others."""
    try:
        return ArchiveFigures(memory.archival.count(), tuple(memory.archival.documents()))
    except (StoreError, ModelError) as error:
        return error


def _blocks(texts: dict[str, str], context_window: int) -> tuple[BlockFigures, ...]:
    blocks = working_context_blocks(ContextBudget.for_window(context_window))
    return tuple(BlockFigures(b.name, texts.get(b.name, b.text), b.limit) for b in blocks)
