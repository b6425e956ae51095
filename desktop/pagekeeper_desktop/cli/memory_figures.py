"""What `memory show` and `memory blocks` show, read without loading the language model."""

from dataclasses import dataclass

from pagekeeper_core.assembly import working_context_blocks
from pagekeeper_core.config import ContextBudget
from pagekeeper_core.errors import ModelError, StoreError
from pagekeeper_core.records import DocumentInfo, QueueCheckpoint, Thread
from pagekeeper_desktop.composition import Memory

__all__ = ["ArchiveFigures", "BlockFigures", "MemoryFigures", "block_figures", "memory_figures"]


@dataclass(frozen=True, slots=True)
class BlockFigures:
    """A block of working context.

    Attributes:
        name: Its name.
        text: What it says.
        limit: Its bound in tokens, with the window that this start would use.
        description: What belongs in it, as the model reads it.
        made: Whether the person made it.
    """

    name: str
    text: str
    limit: int
    description: str
    made: bool


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
        threads: How many conversations are not put away.
        thread: The one that the next start opens; None where all are put away.
        summary: What its messages said that are no longer in the queue; empty before a flush.
        first_seq: Its oldest message that the model sees; None while there is none.
        in_queue: How many of its messages it sees.
        messages: How many there are in all conversations.
        archive: Documents and notes, or why they cannot be read.
    """

    blocks: tuple[BlockFigures, ...]
    threads: int
    thread: Thread | None
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
    threads = memory.threads.threads()
    thread = threads[0] if threads else None
    checkpoint = memory.state.latest_checkpoint(thread.thread_id) if thread else None
    in_queue = _in_queue(memory, thread, checkpoint)
    return MemoryFigures(
        blocks=block_figures(memory, context_window),
        threads=len(threads),
        thread=thread,
        summary=checkpoint.summary if checkpoint else "",
        first_seq=in_queue[0] if in_queue else None,
        in_queue=len(in_queue),
        messages=memory.recall.count(),
        archive=_archive(memory),
    )


def block_figures(memory: Memory, context_window: int) -> tuple[BlockFigures, ...]:
    """The blocks that the program brings along, then those that the person made.

    Raises:
        StoreError: State cannot be read.
    """
    texts = memory.state.current_blocks()
    own = working_context_blocks(ContextBudget.for_window(context_window))
    made = memory.state.made_blocks()
    return (
        *(
            BlockFigures(b.name, texts.get(b.name, b.text), b.limit, b.description, made=False)
            for b in own
        ),
        *(
            BlockFigures(b.name, texts.get(b.name, ""), b.limit, b.description, made=True)
            for b in made
        ),
    )


def _in_queue(
    memory: Memory, thread: Thread | None, checkpoint: QueueCheckpoint | None
) -> list[int]:
    """Numbers of the messages that the model sees of a conversation."""
    if thread is None:
        return []
    first = checkpoint.first_seq if checkpoint else 1
    tail = memory.recall.read(first, thread_id=thread.thread_id)
    return [*(checkpoint.kept if checkpoint else ()), *(message.seq for message in tail)]


def _archive(memory: Memory) -> ArchiveFigures | StoreError | ModelError:
    """The archive's figures; what is at fault with it keeps nobody from seeing the others."""
    try:
        return ArchiveFigures(memory.archival.count(), tuple(memory.archival.documents()))
    except (StoreError, ModelError) as error:
        return error
