"""`pagekeeper memory show`: what is known, without loading the model."""

from pagekeeper_core.errors import ModelError, StoreError
from pagekeeper_core.records import DocumentInfo
from pagekeeper_desktop.cli.console import Console
from pagekeeper_desktop.cli.invocation import Invocation
from pagekeeper_desktop.cli.memory_figures import (
    ArchiveFigures,
    BlockFigures,
    MemoryFigures,
    memory_figures,
)
from pagekeeper_desktop.cli.moments import day
from pagekeeper_desktop.cli.session import open_memory
from pagekeeper_desktop.model_choice import DEFAULT_WINDOW, wanted_window
from pagekeeper_desktop.view_models.call_phrases import block_title
from pagekeeper_desktop.view_models.formatting import counted

__all__ = ["show"]


def show(invocation: Invocation, console: Console) -> int:
    """Write the blocks, the summary and the counts; 1 when the archive could not be counted."""
    with open_memory(invocation.options, console) as memory:
        window = wanted_window(invocation.options) or DEFAULT_WINDOW
        figures = memory_figures(memory, window)
    if invocation.json:
        console.emit(_figures_fields(figures))
    else:
        _write_figures(figures, console)
    if isinstance(figures.archive, ArchiveFigures):
        return 0
    console.note(figures.archive.hint)
    return 1


def _write_figures(figures: MemoryFigures, console: Console) -> None:
    for block in figures.blocks:
        _write_block(block, console)
    if figures.summary:
        console.line("Summary of what is no longer in its view")
        _write_indented(figures.summary, console)
    messages = counted(figures.messages, "message")
    console.line(f"Conversation: {messages}, {figures.in_queue} of them in its view")
    if isinstance(figures.archive, ArchiveFigures):
        _write_archive(figures.archive, console)
    else:
        console.line(f"Archive: cannot be read ({figures.archive})")


def _write_block(block: BlockFigures, console: Console) -> None:
    lines = counted(len(block.text.splitlines()), "line")
    title = block_title(block.name)
    console.line(f"{title} ({block.name}: {lines}, at most {block.limit} tokens)")
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
        "blocks": [
            {"name": block.name, "text": block.text, "limit_tokens": block.limit}
            for block in figures.blocks
        ],
        "summary": figures.summary,
        "queue": {"first_seq": figures.first_seq, "messages": figures.in_queue},
        "recall": {"messages": figures.messages},
        "archive": _archive_fields(figures.archive),
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
