"""`pagekeeper memory show` and `memory search`: what is known, without loading the model."""

from pagekeeper_core.errors import ModelError, StoreError
from pagekeeper_core.messages import MessageKind, storable_text
from pagekeeper_core.records import ArchivalHit, DocumentInfo, RecallHit, SearchPage
from pagekeeper_desktop.cli.console import Console
from pagekeeper_desktop.cli.invocation import Invocation, UsageError
from pagekeeper_desktop.cli.memory_figures import (
    ArchiveFigures,
    BlockFigures,
    MemoryFigures,
    memory_figures,
)
from pagekeeper_desktop.cli.moments import day, minute
from pagekeeper_desktop.cli.session import open_memory
from pagekeeper_desktop.composition import Memory
from pagekeeper_desktop.model_choice import DEFAULT_WINDOW, wanted_window
from pagekeeper_desktop.view_models.call_phrases import block_title
from pagekeeper_desktop.view_models.formatting import counted, is_blank, one_line

__all__ = ["search", "show"]

_LONGEST_LINE = 200


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


def search(invocation: Invocation, console: Console) -> int:
    """Write what recall and archive hold about the words.

    Raises:
        UsageError: There are no words.
        ModelError: The archive needs the embedder, and it is missing; recall's results are written.
        StoreError: The same, where the archive cannot be read.
    """
    text = storable_text(" ".join(invocation.arguments.text)).strip()
    if is_blank(text):
        raise UsageError("there is nothing to search for: the text is empty")
    page = invocation.arguments.page
    with open_memory(invocation.options, console) as memory:
        said = memory.recall.search([text], page=page)
        archived = _search_archive(memory, text, page)
    found = archived if isinstance(archived, SearchPage) else None
    if invocation.json:
        console.emit({"query": text, **_results_fields(said, found)})
    else:
        _write_said(said, console)
        _write_archived(found, console)
    if not isinstance(archived, SearchPage):
        raise archived
    return 0


def _search_archive(
    memory: Memory, text: str, page: int
) -> SearchPage[ArchivalHit] | ModelError | StoreError:
    """The archive's results, or why it or its embedder could not search; recall needs neither."""
    try:
        return memory.archival.search([text], page=page)
    except (ModelError, StoreError) as error:
        return error


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


def _write_said(said: SearchPage[RecallHit], console: Console) -> None:
    console.line(_heading("Conversations", said))
    for hit in said.hits:
        who = "You" if hit.message.kind is MessageKind.USER else "Keeper"
        text = one_line(hit.message.text, _LONGEST_LINE)
        console.line(f"  {minute(hit.message.created_at)}  {who}: {text}")


def _write_archived(archived: SearchPage[ArchivalHit] | None, console: Console) -> None:
    if archived is None:
        return
    console.line(_heading("Notes and documents", archived))
    for hit in archived.hits:
        location = f", {hit.passage.location}" if hit.passage.location else ""
        text = one_line(hit.passage.text, _LONGEST_LINE)
        console.line(f"  {hit.source}{location}: {text}")


def _heading(title: str, results: SearchPage[RecallHit] | SearchPage[ArchivalHit]) -> str:
    if not results.total:
        return f"{title}: nothing found"
    return f"{title}: {results.total} found, page {results.page} of {results.pages}"


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


def _results_fields(
    said: SearchPage[RecallHit], archived: SearchPage[ArchivalHit] | None
) -> dict[str, object]:
    """Both results as JSON; the archive's are null when it could not be searched."""
    fields: dict[str, object] = {
        "conversations": {**_page_fields(said), "hits": [_said_fields(h) for h in said.hits]},
        "archive": None,
    }
    if archived is not None:
        hits = [_archived_fields(hit) for hit in archived.hits]
        fields["archive"] = {**_page_fields(archived), "hits": hits}
    return fields


def _page_fields(results: SearchPage[RecallHit] | SearchPage[ArchivalHit]) -> dict[str, object]:
    return {"page": results.page, "pages": results.pages, "total": results.total}


def _said_fields(hit: RecallHit) -> dict[str, object]:
    return {
        "seq": hit.message.seq,
        "by": str(hit.message.kind),
        "at": hit.message.created_at.isoformat(),
        "text": hit.message.text,
        "score": hit.score,
    }


def _archived_fields(hit: ArchivalHit) -> dict[str, object]:
    return {
        "source": hit.source,
        "location": hit.passage.location,
        "at": hit.created_at.isoformat(),
        "text": hit.passage.text,
        "score": hit.score,
    }
