"""`pagekeeper memory show` and `blocks`: what is known, without loading the model."""

from collections.abc import Sequence

from pagekeeper_core.errors import ModelError, StoreError
from pagekeeper_core.records import DocumentInfo
from pagekeeper_desktop.cli.by_hand import ByHand
from pagekeeper_desktop.cli.console import Console
from pagekeeper_desktop.cli.invocation import Invocation
from pagekeeper_desktop.cli.memory_figures import (
    ArchiveFigures,
    BlockFigures,
    MemoryFigures,
    block_figures,
    memory_figures,
)
from pagekeeper_desktop.cli.moments import day
from pagekeeper_desktop.cli.session import open_memory
from pagekeeper_desktop.cli.threads import thread_fields, thread_name
from pagekeeper_desktop.model_choice import planned_window
from pagekeeper_desktop.view_models.call_phrases import block_title
from pagekeeper_desktop.view_models.formatting import counted, thousands

__all__ = ["add_block", "blocks", "show", "write_blocks"]


def show(invocation: Invocation, console: Console) -> int:
    """Write the blocks, the summary and the counts; 1 when the archive could not be counted."""
    with open_memory(invocation.options, console) as memory:
        figures = memory_figures(memory, planned_window(invocation.options))
    if invocation.json:
        console.emit(_figures_fields(figures))
    else:
        _write_figures(figures, console)
    if isinstance(figures.archive, ArchiveFigures):
        return 0
    console.note(figures.archive.hint)
    return 1


def _write_figures(figures: MemoryFigures, console: Console) -> None:
    write_blocks(figures.blocks, console)
    if figures.summary:
        console.line("Summary of what is no longer in its view")
        _write_indented(figures.summary, console)
    _write_conversations(figures, console)
    if isinstance(figures.archive, ArchiveFigures):
        _write_archive(figures.archive, console)
    else:
        console.line(f"Archive: cannot be read ({figures.archive})")


def blocks(invocation: Invocation, console: Console) -> int:
    """Write the blocks alone, with what belongs in each."""
    with open_memory(invocation.options, console) as memory:
        figures = block_figures(memory, planned_window(invocation.options))
    if invocation.json:
        console.emit({"blocks": [_block_fields(block) for block in figures]})
        return 0
    write_blocks(figures, console)
    return 0


def add_block(invocation: Invocation, console: Console) -> int:
    """Make a block of the person's own, or change what belongs in one and its limit.

    Raises:
        PagekeeperError: Name, description or limit will not do; the hint says what will.
    """
    given = invocation.arguments
    with open_memory(invocation.options, console) as memory:
        hand = ByHand.without_agent(memory, invocation.options)
        hand.make_block(given.name, given.about, given.limit)
        made = next(
            block
            for block in block_figures(memory, planned_window(invocation.options))
            if block.name == given.name.strip().lower()
        )
    if invocation.json:
        console.emit(_block_fields(made))
    else:
        _write_block(made, console)
    return 0


def write_blocks(figures: Sequence[BlockFigures], console: Console) -> None:
    """Write blocks one below the other."""
    for block in figures:
        _write_block(block, console)


def _write_conversations(figures: MemoryFigures, console: Console) -> None:
    messages = counted(figures.messages, "message")
    console.line(f"Conversations: {thousands(figures.threads)}, {messages}")
    if figures.thread:
        name = thread_name(figures.thread)
        view = f"{counted(figures.in_queue, 'message')} of it in view"
        console.line(f"  open: {figures.thread.thread_id}, {name}, {view}")


def _write_block(block: BlockFigures, console: Console) -> None:
    lines = counted(len(block.text.splitlines()), "line")
    title = block_title(block.name)
    about = f", about: {block.description}" if block.made else ""
    console.line(f"{title} ({block.name}: {lines}, at most {block.limit} tokens{about})")
    _write_indented(block.text or "(empty)", console)


def _write_indented(text: str, console: Console) -> None:
    for line in text.splitlines():
        console.line(f"  {line}")
    console.line()


def _write_archive(archive: ArchiveFigures, console: Console) -> None:
    documents = counted(len(archive.documents), "document")
    console.line(f"Archive: {documents}, {counted(archive.passages, 'passage')}")
    for document in archive.documents:
        console.line(f"  {document.record.title} ({_document_size(document)})")


def _document_size(document: DocumentInfo) -> str:
    pages = f"{counted(document.record.pages, 'page')}, " if document.record.pages else ""
    return f"{pages}{counted(document.passages, 'passage')}, {day(document.created_at)}"


def _figures_fields(figures: MemoryFigures) -> dict[str, object]:
    return {
        "blocks": [_block_fields(block) for block in figures.blocks],
        "threads": figures.threads,
        "thread": thread_fields(figures.thread) if figures.thread else None,
        "summary": figures.summary,
        "queue": {"first_seq": figures.first_seq, "messages": figures.in_queue},
        "recall": {"messages": figures.messages},
        "archive": _archive_fields(figures.archive),
    }


def _block_fields(block: BlockFigures) -> dict[str, object]:
    return {
        "name": block.name,
        "text": block.text,
        "limit_tokens": block.limit,
        "about": block.description,
        "made": block.made,
    }


def _archive_fields(archive: ArchiveFigures | StoreError | ModelError) -> dict[str, object]:
    """The archive as JSON; its figures are null when it could not be read."""
    if not isinstance(archive, ArchiveFigures):
        return {"passages": None, "documents": None, "error": str(archive)}
    documents = [_document_fields(document) for document in archive.documents]
    return {"passages": archive.passages, "documents": documents}


def _document_fields(document: DocumentInfo) -> dict[str, object]:
    return {
        "title": document.record.title,
        "kind": document.record.kind,
        "path": document.record.path,
        "pages": document.record.pages,
        "passages": document.passages,
        "archived_at": document.created_at.isoformat(),
    }
