"""`pagekeeper summarise`: what is in a document, however long it is."""

import hashlib
import io
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

from pagekeeper_core.documents.files_below import known_path
from pagekeeper_core.errors import PagekeeperError
from pagekeeper_core.events import SummaryAsked
from pagekeeper_core.records import DocumentInfo
from pagekeeper_core.updates import SummaryProgress, Update
from pagekeeper_desktop import composition
from pagekeeper_desktop.cli import importing
from pagekeeper_desktop.cli.console import Console
from pagekeeper_desktop.cli.conversation import Exchange, write_exchange
from pagekeeper_desktop.cli.documents import found_document
from pagekeeper_desktop.cli.invocation import Invocation
from pagekeeper_desktop.cli.session import Session, open_memory, open_session
from pagekeeper_desktop.view_models.call_phrases import summary_phrase

__all__ = ["run"]


def run(invocation: Invocation, console: Console) -> int:
    """Say what is in a document; the summary goes to standard output.

    Raises:
        Cancelled: Ctrl+C was pressed; what was read until then is kept.
        PagekeeperError: There is no such document, or it could not be read.
    """
    name = invocation.arguments.name
    document_id = _document_in(invocation, console, name)
    with open_session(invocation.options, console) as session:
        if invocation.arguments.again:
            session.memory.summaries.delete(document_id)
        exchange = _summarised(session, console, document_id)
    write_exchange(exchange, console, as_json=invocation.json)
    return 0


def _document_in(invocation: Invocation, console: Console, name: str) -> str:
    """The identifier of the document; a file is read into the archive first, if it is not there."""
    path = known_path(Path(name))
    if path.is_file():
        _import(invocation, console, path)
    with open_memory(invocation.options, console) as memory:
        if not path.is_file():
            return found_document(memory, name).document_id
        documents = memory.archival.documents_at(str(path)) or _of_that_content(memory, path)
        if len(documents) == 1:
            return documents[0].document_id
    raise PagekeeperError(
        f"{path.name} is not one document of the archive.",
        hint="`pagekeeper documents` lists them; name the one by its ID.",
    )


def _of_that_content(memory: composition.Memory, path: Path) -> list[DocumentInfo]:
    """The document that holds what is in the file, which was read under another name."""
    with path.open("rb") as file:
        there = memory.archival.find_document(hashlib.file_digest(file, "sha256").hexdigest())
    return [there] if there else []


def _import(invocation: Invocation, console: Console, path: Path) -> None:
    """Read the file; what is told of it goes beside the summary, not into it."""
    aside = Console(io.StringIO(), console.err)
    wanted = replace(invocation, json=False, arguments=Namespace(paths=[path]))
    importing.run(wanted, aside)


def _summarised(session: Session, console: Console, document_id: str) -> Exchange:
    exchange = Exchange()

    def watch(update: Update) -> None:
        exchange.note(update)
        if isinstance(update, SummaryProgress):
            console.aside(f"  {summary_phrase(update)}")

    session.act(SummaryAsked(document_id), watch)
    return exchange
